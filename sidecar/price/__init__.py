"""What tokens cost: `table` is the list, `pricer` what a request comes to."""

from sidecar.price.pricer import ModelPrice, PriceConfig, Priced, Pricer

__all__ = ["ModelPrice", "PriceConfig", "Priced", "Pricer"]
