"""What holds of the asker's own case where a sentence says it of two: "5 euros." to "What does delivery cost for a 60 euro order?" of "Delivery is free above 40 euros;
otherwise it costs 5 euros."."""

from __future__ import annotations

import re

from sidecar.inference.answers.bounds import case_of, within_bound
from sidecar.inference.answers.reading import Asked, side_of, told_apart

_OTHERWISE = re.compile(
    r"[,;.]?\s(?:and |but )?(?:otherwise|or else|else|if not|below that|above that|under that|over that|all others?)\b,?\s?",
    re.IGNORECASE,
)
_NON = re.compile(
    r"\b(?P<who>[A-Z]?[a-z]{3,20}) (?P<one>[^,;.]{2,80}?)(?:,|;| and| while| whereas)\s(?:and )?non-?(?P<not>[a-z]{3,20}) (?P<other>[^,;.]{1,80})",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"\b(?:nothing|for free|free of charge|no charge|no cost|no fee|not pay|zero)\b", re.IGNORECASE)
_WHO = re.compile(r"\b(?P<not>(?:not|no|non)[ -](?:an? |yet an? )?)?(?P<who>[a-z]{3,20})\b", re.IGNORECASE)
_ONCE = re.compile(r"\b(?:was|were|until|former|used to)\b|['’]s?\s", re.IGNORECASE)
_WH = re.compile(r"\b(?:what|how (?:much|many|long)|which|who|where|when)\b", re.IGNORECASE)


def asks_branches(asked: Asked) -> bool:
    """Whether a question may be about one case of two."""
    return _WH.search(asked.question) is not None


def branches(asked: Asked, sentence: str) -> bool | None:
    """Whether an answer says what a sentence says of the asker's case, and not what it says of the other one; None where that is not plain."""
    sides = _by_bound(asked.question, sentence) or _by_group(asked.question, sentence)
    if sides is None:
        return None
    own, other = (_plain(one) for one in sides)
    side = side_of(_plain(asked.answer) - told_apart(asked.question), own, other)
    return None if side < 0 else side == 0


def _by_bound(question: str, sentence: str) -> tuple[str, str] | None:
    cut = _OTHERWISE.search(sentence)
    case = case_of(question) if cut else None
    if cut is None or case is None:
        return None
    found = within_bound(case, sentence[: cut.start()])
    if found is None:
        return None
    sides = sentence[: cut.start()], sentence[cut.end() :]
    return sides if found[0] else sides[::-1]


def _by_group(question: str, sentence: str) -> tuple[str, str] | None:
    found = _NON.search(sentence)
    if found is None or found["who"].lower() != found["not"].lower() or _ONCE.search(question):
        return None
    asks = [
        one["not"] is not None for one in _WHO.finditer(question) if told_apart(one["who"]) == told_apart(found["who"])
    ]
    if len(asks) != 1:
        return None
    sides = found["one"], found["other"]
    return sides[::-1] if asks[0] else sides


def _plain(text: str) -> frozenset[str]:
    """What tells a text apart; of what costs nothing that it is free."""
    return told_apart(_NOTHING.sub("free", text))
