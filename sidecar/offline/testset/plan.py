"""Which cases a test set has: kinds by shares, the sizes by largest remainder, so that they add up to what was asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from sidecar.offline.case import NEGATIVE
from sidecar.record.errors import ConfigError

SIMPLE, REASONING, MULTI_HOP = "simple", "reasoning", "multi_hop"
SHARES: Mapping[str, float] = {SIMPLE: 0.3, REASONING: 0.3, MULTI_HOP: 0.2, NEGATIVE: 0.2}


def read_shares(given: Iterable[str]) -> dict[str, float]:
    """Shares as KIND=SHARE; without any those of the literature. Raises ConfigError naming the wrong one."""
    found: dict[str, float] = {}
    for one in given:
        kind, _, share = one.partition("=")
        kind = kind.strip().lower().replace("-", "_")
        try:
            value = float(share)
        except ValueError:
            value = math.nan
        if kind not in SHARES or not math.isfinite(value) or value < 0:
            mend = f"give KIND=SHARE with a kind of {', '.join(SHARES)} and a share >= 0"
            raise ConfigError("--share", f"{one!r} is no share", mend)
        found[kind] = value
    if found and not math.fsum(found.values()) > 0:
        raise ConfigError("--share", "all shares are 0", "give one that is more")
    return found or dict(SHARES)


def sizes(total: int, shares: Mapping[str, float]) -> dict[str, int]:
    """How many cases of each kind: the shares made to add up to 1, rounded down, and what is left to the largest remainders (of equal ones the
    first)."""
    whole = math.fsum(shares.values())
    exact = {kind: total * share / whole for kind, share in shares.items()}
    found = {kind: math.floor(value + 1e-9) for kind, value in exact.items()}
    order = sorted(exact, key=lambda kind: found[kind] - exact[kind])
    for kind in order[: total - sum(found.values())]:
        found[kind] += 1
    return {kind: count for kind, count in found.items() if count}
