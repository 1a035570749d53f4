"""Words for one and the same thing ("HR" and "human resources", "front desk" and "reception", "24/7" and "around the clock"): a claim is read with the
one that its documents have. English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sidecar.inference.base import Claim, Support

_LONGEST = 2000  # characters of a text that is read so
_SAME = tuple(
    tuple(one.strip() for one in line.split(","))
    for line in """
hr, human resources
front desk, reception
apartment, flat
elevator, lift
trunk, boot
sneakers, trainers
pin, personal identification number
vat, value added tax, value-added tax
2fa, two-factor authentication, two-step verification
faq, frequently asked questions
ceo, chief executive officer, chief executive
cfo, chief financial officer
cto, chief technology officer
gp, general practitioner, family doctor
cv, resume
pto, paid time off
uk, united kingdom
usa, united states
eu, european union
un, united nations
os, operating system
tv, television
fridge, refrigerator
car park, parking lot
petrol, gasoline
motorway, highway
lorry, truck
rubbish, garbage, trash
postcode, postal code, zip code
luggage, baggage
nappies, diapers
return ticket, round-trip ticket
single ticket, one-way ticket
mobile phone, cell phone
email, e-mail
centre, center
licence, license
cancelled, canceled
24/7, 24 hours a day, around the clock, round the clock
every day, daily, seven days a week, 7 days a week
""".strip().splitlines()
)
_OF = {name: group for group in _SAME for name in group}
_NAMES = re.compile(
    rf"(?<![\w/-])(?:{'|'.join(map(re.escape, sorted(_OF, key=len, reverse=True)))})(?![\w/-])", re.IGNORECASE
)


def worded(text: str, documents: Sequence[str]) -> str:
    """A text with the words that the documents have for what it names, where they do not have its own."""
    if len(text) > _LONGEST:
        return text
    named = {found[0].lower() for found in _NAMES.finditer(text)}
    if not named:
        return text
    low = [document.lower() for document in documents]
    there = {one for name in named for one in _OF[name] if any(_has(document, one) for document in low)}
    instead = {name: one for name in named - there for one in reversed(_OF[name]) if one in there}
    return _NAMES.sub(lambda found: instead.get(found[0].lower(), found[0]), text)


def _has(text: str, name: str) -> bool:
    """Whether a name stands in a text as a word of its own."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if not any(one.isalnum() or one in ("-", "/", "_") for one in (before, after) if one):
            return True
        at = text.find(name, at + 1)
    return False


def all_worded(claims: Sequence[Claim], documents: Sequence[str]) -> list[Claim]:
    """The claims so."""
    return [one if (text := worded(one.text, documents)) == one.text else replace(one, text=text) for one in claims]


def as_asked(supports: Sequence[Support], claims: Sequence[Claim], asked: Sequence[Claim]) -> list[Support]:
    """What was found of the claims as they were `asked`: places in the words of another are none in them."""
    return [
        one if said.text == own.text else replace(one, conflicts=())
        for one, said, own in zip(supports[: len(asked)], claims, asked, strict=True)
    ]
