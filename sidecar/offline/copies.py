"""Cases of a run that repeat the id of another: what they say is no evidence of its own."""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.offline.case import NAMELESS
from sidecar.offline.record import CaseRecord


def once(records: Sequence[CaseRecord]) -> list[CaseRecord]:
    """The first of each id."""
    found: dict[str, CaseRecord] = {}
    for one in records:
        found.setdefault(_name(one), one)
    return list(found.values())


def copies(records: Sequence[CaseRecord]) -> list[CaseRecord]:
    """All but the first of each id."""
    first = {one.key for one in once(records)}
    return [one for one in records if one.key not in first]


def _name(one: CaseRecord) -> str:
    """Its key without the number that tells a copy from the first; one without id, question and reference is known by its place alone."""
    name, _, number = one.key.rpartition("#")
    numbered = number.isdecimal() and one.id in (name, name[:16]) and name != NAMELESS
    return name if numbered else one.key
