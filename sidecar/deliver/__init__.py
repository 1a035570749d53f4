"""Results to every exporter: `deliverer` hands them out, `lane` is the queue of one exporter, `door` the place where it is called."""

from sidecar.deliver.deliverer import Deliverer
from sidecar.deliver.lane import BUFFER
from sidecar.deliver.settings import DeliverConfig

__all__ = ["BUFFER", "DeliverConfig", "Deliverer"]
