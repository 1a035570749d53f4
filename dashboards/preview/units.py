"""Values in the units of the panels, as Grafana writes them; and the round numbers of an axis."""

from __future__ import annotations

import math

_THOUSANDS = ("", " K", " Mil", " Bil")
_BYTES = ("B", "KiB", "MiB", "GiB", "TiB")
_BYTES_A_SECOND = ("B/s", "kB/s", "MB/s", "GB/s")
_BELOW_A_SECOND = ((1e-3, "ms"), (1e-6, "µs"))
_ABOVE_A_SECOND = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "mins"))


def text(value: float, unit: str) -> str:
    """A value with its unit. Raises KeyError for a unit that no panel has."""
    if not math.isfinite(value):
        return "-"
    if unit == "percentunit":
        return f"{digits(value * 100)}%"
    if unit == "s":
        return _seconds(value)
    if unit == "bytes":
        return _scaled(value, _BYTES, 1024)
    if unit == "Bps":
        return _scaled(value, _BYTES_A_SECOND, 1000)
    number, word = _thousands(value)
    return {"short": f"{number}{word}", "reqps": f"{number}{word} req/s", "ops": f"{number}{word} ops/s"}.get(unit) or {
        "currencyUSD": f"${number}{word}"
    }[unit]


def digits(value: float) -> str:
    """Three significant digits, without zeros at the end."""
    if value == 0 or not math.isfinite(value):
        return "0"
    places = min(max(2 - math.floor(math.log10(abs(value))), 0), 6)
    written = f"{value:.{places}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def ticks(low: float, high: float, *, unit: str = "", most: int = 5) -> list[float]:
    """Round numbers of the unit that cover low..high: at most about `most` of them."""
    if unit == "bytes" and high >= 1024:
        size = 1024.0 ** int(math.log(high, 1024))
        return [value * size for value in ticks(low / size, high / size, most=most)]
    span = high - low or abs(high) or 1.0
    rough = span / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [round(n * step, 12) for n in range(first, max(last, first + 1) + 1)]


def _thousands(value: float) -> tuple[str, str]:
    power = min(int(math.log10(abs(value)) // 3), len(_THOUSANDS) - 1) if abs(value) >= 1000 else 0
    return digits(value / 1000**power), _THOUSANDS[power]


def _scaled(value: float, names: tuple[str, ...], base: int) -> str:
    power = min(int(math.log(abs(value), base)), len(names) - 1) if abs(value) >= base else 0
    return f"{digits(value / base**power)} {names[power]}"


def _seconds(value: float) -> str:
    if value == 0:
        return "0 s"
    for size, name in _ABOVE_A_SECOND:
        if abs(value) >= size * (2 if size == _ABOVE_A_SECOND[-1][0] else 1):
            return f"{digits(value / size)} {name}"
    if abs(value) >= 1:
        return f"{digits(value)} s"
    size, name = _BELOW_A_SECOND[0] if abs(value) >= _BELOW_A_SECOND[0][0] else _BELOW_A_SECOND[1]
    return f"{digits(value / size)} {name}"
