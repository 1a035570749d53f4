"""What a command's questions to the judge will cost, told before it is asked."""

from __future__ import annotations

from sidecar.commands.common import errors
from sidecar.offline.cost import Foreseen
from sidecar.offline.render import words
from sidecar.record.errors import ConfigError


def tell_price(judge: str, foreseen: Foreseen, most: float | None, *, mend: str) -> None:
    """Say what is to come, `most` US dollars being allowed (None: any). Raises ConfigError where that is not enough."""
    limit = "no limit" if most is None else f"limit {words.dollars(most)}"
    errors.print(
        f"the judge {judge} will be asked about {words.many(foreseen.calls, 'time')}: about {words.many(foreseen.tokens, 'token')}, "
        f"{words.dollars(foreseen.cost_usd)} ({limit})",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    if most is not None and foreseen.cost_usd is not None and foreseen.cost_usd > most:
        problem = f"about {words.dollars(foreseen.cost_usd)} foreseen, {words.dollars(most)} allowed"
        raise ConfigError("--most-usd", problem, mend)
