"""Claims that deny what lies beyond a bound or without a condition: "Items can't be returned after 30 days." is "Items can be returned within 30 days.", "Guests under 16
cannot use the lounge." "Guests aged 16 and over can use the lounge.", "You can't board without a passport." "You need a passport to board.". Documents mostly say
it the other way round, so such a claim is read both ways. English.

Strictly each says less than the other (what is allowed within 30 days may be allowed after them, too); in answers to people they are one, unless the text
says something of what lies beyond.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sidecar.inference.base import Claim, Support
from sidecar.inference.values.read import read_values
from sidecar.inference.values.units import unit_named
from sidecar.inference.values.value import Kind, Value

_LONGEST = 240  # characters
_MOST_VALUES = 3
_BEYOND = frozenset(
    "after beyond past over above exceeding more longer later greater higher heavier larger bigger taller older".split()
)
_BELOW = frozenset("under below before less fewer lower smaller lighter shorter earlier younger".split())
_COMPARED = _BEYOND | _BELOW
_BOUND = re.compile(r"\b(?P<word>[a-z]{4,9})(?P<than> than)?(?P<age> the age of| age)? [€$£]?\Z", re.IGNORECASE)
_ALONE = frozenset("after beyond past over above exceeding under below before".split())
_EVENT = re.compile(r"\s(?:before|prior to|ahead of|in advance)\b", re.IGNORECASE)
_OLD = re.compile(r"(?: years)?(?: of age| old)?\b", re.IGNORECASE)
_PEOPLE = re.compile(
    r"\b(?:people|persons?|anyone|everyone|those|child(?:ren)?|kids|guests|visitors|members|customers|drivers|passengers|users|applicants|students|residents|"
    r"employees|players|adults|minors|patients|participants|riders|travell?ers|if you(?: are|['’]re)|you(?: are|['’]re)|is|are)(?: who are)? \Z",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?P<can>can)(?:not|['’]t| not)\b|\b(?:may|must|should)(?: not|n['’]t)\b|\b(?:do not|don['’]t) |\b(?P<other>is|are|was|were|does|will|would|could)(?: not|n['’]t)\b"
    r"|\b(?P<will>won['’]t)|\b(?P<longer>no longer )|\A(?P<no>no )(?=\w+ )",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\b(?:no|not|nor|neither|never|none|nobody|nothing|without|unless|except|only|until|but|if|because)\b|n['’]t\b",
    re.IGNORECASE,
)
_CANNOT = r"(?:can(?:not|['’]t| not)|may not|mustn['’]t|must not|(?:won['’]t|will not) be (?:allowed|able|permitted) to|(?:is|are)(?: not|n['’]t) (?:allowed|able|permitted) to)"
_WITHOUT = re.compile(
    rf"\A(?P<who>[^,;:]{{1,60}}?) {_CANNOT} (?P<do>[^,;:]{{2,100}}?) without (?P<what>[^,;:]{{2,80}}?)[.!]?\Z"
    rf"|\Awithout (?P<given>[^,;:]{{2,80}}?),? (?P<one>(?:you|we|they|i|it|he|she|no one|the [^,;:]{{2,40}}?)) {_CANNOT} (?P<act>[^,;:]{{2,100}}?)[.!]?\Z",
    re.IGNORECASE,
)
_DOING = re.compile(r"\A(?:(?:first|previously|also) )?[a-z]{2,30}ing\b(?! room)", re.IGNORECASE)
_SEVERAL = frozenset(
    "you we they i people guests members customers users employees students children visitors passengers drivers applicants".split()
)
_CLAUSE = re.compile(r"\A(?:if|when|where)\b|\b(?:who|that|which)\s?\Z", re.IGNORECASE)
_DENIED = re.compile(r"(?:\b(?:no|not|never|cannot)|n['’]t)(?: \w+){0,4} \Z", re.IGNORECASE)


def both_ways(claims: Sequence[Claim], *, without: Collection[int]) -> Mapping[int, Claim]:
    """The claims that can be read the other way round as well, as they are read so, by their places; `without` some."""
    found = {n: inverted(one.text) for n, one in enumerate(claims) if n not in without}
    return {n: replace(claims[n], text=text) for n, text in found.items() if text}


def better(claim: Claim, own: Support, other: Support, documents: Sequence[str]) -> Support:
    """What is found of a claim: of it as it is, or the other way round."""
    place = other.evidence
    if place is None or other.probability <= own.probability:
        return own
    beyond = _tells_beyond(claim.text, documents[place.document][place.start : place.end])
    return own if beyond else replace(other, conflicts=())


def inverted(text: str) -> str:
    """What a claim says of what lies within the bound beyond which it denies something; "" of any other claim."""
    if len(text) > _LONGEST:
        return ""
    negations = list(_NEGATION.finditer(text))
    if needed := _needed(text, negations):
        return needed
    if len(negations) != 1 or len(_ELSE.findall(text)) > 1:
        return ""
    values = read_values(text)
    bounded = [(one, found) for one in values if (found := _bound_of(text, one))]
    if len(bounded) != 1 or len(values) > _MOST_VALUES:
        return ""
    [(value, bound)] = bounded
    at, end, said = _within(text, value, bound)
    negation = negations[0]
    if not said or at <= negation.start() < end:
        return ""
    parts = sorted([(at, end, said), (negation.start(), negation.end(), _allowed(negation))])
    for start, stop, instead in reversed(parts):
        instead = instead.capitalize() if start == 0 else instead
        text = text[:start] + instead + text[stop:]
    return text[:1].upper() + text[1:]


def _needed(text: str, negations: Sequence[re.Match[str]]) -> str:
    """What is needed for what a claim says not to be had without it, or what is had where what it denies is given; "" of any other claim."""
    found = _WITHOUT.match(text)
    if found and len(negations) <= 1:
        who, act, what = found["who"] or found["one"], found["do"] or found["act"], found["what"] or found["given"]
        said = (
            f"{who} can {act} only after {what}."
            if _DOING.match(what)
            else f"{who} {'need' if who.split()[-1].lower() in _SEVERAL else 'needs'} {what} to {act}."
        )
        return said[:1].upper() + said[1:]
    if len(negations) != 2 or not _CLAUSE.search(text[: negations[0].start()]) or len(_ELSE.findall(text)) > 3:
        return ""
    for one in reversed(negations):
        text = f"{text[: one.start()]}{_allowed(one)}{text[one.end() :]}"
    return text


def _tells_beyond(claim: str, evidence: str) -> bool:
    """Whether a text speaks of what lies beyond the bound of a claim itself: "bags over 8 kg cost 20 euros" does, "no more than 8 kg" does not."""
    own = [(one, found["word"].lower() in _BEYOND) for one in read_values(claim) if (found := _bound_of(claim, one))]
    for one in read_values(evidence):
        found = _bound_of(evidence, one)
        if found is None or _DENIED.search(evidence[max(0, found.start() - 60) : found.start()]):
            continue
        beyond = found["word"].lower() in _BEYOND
        if any(beyond is other and value.amount == one.amount and value.dates == one.dates for value, other in own):
            return True
    return False


def _bound_of(text: str, value: Value) -> re.Match[str] | None:
    """What stands before a value and bounds it: "after", "longer than", "under the age of"."""
    found = _BOUND.search(text, max(0, value.start - 30), value.start)
    if found is None or found["word"].lower() not in (_ALONE if found["than"] is None else _COMPARED):
        return None
    return found


def _within(text: str, value: Value, bound: re.Match[str]) -> tuple[int, int, str]:
    """(begin, end, words) of what says the other side of the bound; no words where nothing can be said."""
    word, figures = bound["word"].lower(), text[bound.end() : value.end]
    sign = text[bound.end() - 1] if text[bound.end() - 1] in "€$£" else ""
    figures, beyond, place = sign + figures, word in _BEYOND, (bound.start(), value.end)
    unit = unit_named(value.unit) if value.unit else None
    lasts = value.kind is Kind.QUANTITY and unit is not None and unit.dimension == "time"
    if value.kind in (Kind.DATE, Kind.TIME):
        return (*place, f"{'until' if beyond else 'from'} {figures}")
    if bound["age"]:
        return (*place, f"{'up to' if beyond else 'from'} the age of {figures}")
    if lasts and _EVENT.match(text, value.end):
        return (*place, f"{'from' if word in ('earlier', 'more') else 'up to'} {figures}")
    old = _OLD.match(text, value.end)
    aged = value.kind is Kind.NUMBER or (lasts and value.unit == "year" and ((old and old.group()) or "old" in figures))
    if aged and word in ("under", "below", "over", "younger", "older") and _PEOPLE.search(text, 0, bound.start()):
        return (
            bound.start(),
            old.end() if old else value.end,
            f"aged up to {figures}" if beyond else f"aged {figures} and over",
        )
    if lasts and word in _ALONE:
        return (
            (*place, f"within {figures}")
            if word in ("after", "beyond", "past")
            else (*place, f"{'up to' if beyond else 'from'} {figures}")
        )
    if word in ("after", "past", "before"):
        return (*place, "")
    return (*place, f"up to {figures}" if beyond else f"{'from' if word in _ALONE else 'at least'} {figures}")


def _allowed(negation: re.Match[str]) -> str:
    """What stands in place of the negation."""
    if negation["can"] or negation["will"]:
        return "can" if negation["can"] else "will"
    if negation["other"]:
        return negation["other"].lower()
    return "" if negation["longer"] or negation["no"] or negation.group().lower().startswith("do") else "may"
