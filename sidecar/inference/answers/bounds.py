"""Yes or no to the asker's own case under a bound: "Yes." to "I bought it 20 days ago. Can I return it?" of "Items can be returned within 14 days.".

Strictly a rule for one side of a bound says nothing of the other; in answers to people it does, unless the text goes on to say more.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.answers.reading import NEGATED, Asked, told_apart, values_of
from sidecar.inference.answers.yes_or_no import (
    BEYOND,
    BURDEN,
    CONTRARY,
    GOES_ON,
    RELIEF,
    REPLY,
    SENTENCES,
    asks_yes_or_no,
    telling,
    without_little,
)
from sidecar.inference.values.cases import is_age
from sidecar.inference.values.compare import dimension
from sidecar.inference.values.rules import KINDS, SETS_ASIDE, intervals, is_of_ages
from sidecar.inference.values.tokens import Token
from sidecar.inference.values.units import in_base
from sidecar.inference.values.value import Hedge, Kind, Value

_PAYS = re.compile(r"\b(?:pay|paying|charged?|charges|costs?|fees?|surcharge)\b", re.IGNORECASE)
# The bound is what the thing itself must be, not of whom something is said.
_OF_ITSELF = re.compile(
    r"\b(?:must|have to|has to|needs? to|should|may|can|is|are|be|need|needs|require|requires|accepts?|carr(?:y|ies)|holds?|fits?|seats?|allows?|supports?)"
    r"(?: (?:be|not be|not|only|weigh|measure|have|contain|exceed|aged|a|the))*(?: (?:at (?:least|most)|up to|no (?:more|less|fewer|longer|larger|bigger|heavier|older|younger) than|"
    r"(?:more|less|fewer|longer|shorter|larger|smaller|bigger|heavier|lighter|older|younger|taller|higher|lower) than|over|under|above|below|between|from|within|"
    r"maximum|minimum|for (?:children|people|customers|adults|students) (?:between|aged|over|under)))*\s?[€$£]?\Z"
    r"|\b(?:maximum|minimum|max\.?|min\.?|limit)\b[^.;]{0,40}\Z",
    re.IGNORECASE,
)
_PERMITS = re.compile(
    r"\b(?:can|may|possible|allowed|permitted|accepted?|eligible|entitled|valid|right to|must be (?:made|returned|reported|filed|claimed|cancelled|submitted)|refundable|returnable|"
    r"covered)\b",
    re.IGNORECASE,
)
_BOUNDED = re.compile(
    r"\bno (?:more|less|fewer|longer|larger|older|younger) than\b|\bnot (?:exceed|be (?:more|less|longer|larger|heavier|older))",
    re.IGNORECASE,
)
_TOO = re.compile(r"\btoo \w+\b", re.IGNORECASE)
_ENOUGH = re.compile(r"\b(?:enough|sufficient|suffice)\b", re.IGNORECASE)
_NEEDS = re.compile(r"\b(?:needs?|requires?|at least|minimum(?: of)?) (?:a |an )?\Z", re.IGNORECASE)
_AGED = re.compile(r"\b(?:at|aged?|age of|turned|turning)\s\Z", re.IGNORECASE)
_BE_AGED = re.compile(r"\b(?:be|is|are)\s(?:at least |over |under |older than |younger than )?\Z", re.IGNORECASE)
_OLDER = re.compile(
    r"\A\s?\d{1,3}(?: years(?: of age| old)?)? (?:or|and) (?P<older>older|younger|over|under|above)\b|\A\d{1,3} years (?:of age|old)\b",
    re.IGNORECASE,
)
_AGES = re.compile(r"\b(?:aged?|ages|between|from|for)(?: the ages? of)?\s\Z", re.IGNORECASE)
_TO = re.compile(r"\s?(?:to|and|-|–|through)\s?", re.IGNORECASE)
_BEFORE_IT = re.compile(r"\s(?:before|prior to|ahead of|in advance|beforehand|notice)\b", re.IGNORECASE)
_AHEAD = re.compile(r"\s(?:in advance|ahead|beforehand)\b(?! of)", re.IGNORECASE)
_UP_TO = re.compile(r"\b(?:up to|until|no later than|by)\s\Z", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:when|if|with(?! (?:at|more|less|fewer|up|over|under|a minimum|us|[\d€$£]))|provided|as long as|made \w+ly|\w+ online)\b",
    re.IGNORECASE,
)
_VALID_FOR = re.compile(r"\bvalid for (?:a |an )?\Z", re.IGNORECASE)
_PROLONGS = re.compile(r"\b(?:renew|exten[ds]|prolong)", re.IGNORECASE)
_HEDGED = re.compile(
    r"(?P<be>\b(?:be|is|are|was|were|can|may|must) )?(?P<word>[\w-]{1,40}) (?:(?:of|for|from|within|over|under|above|below|up|to|at|least|most|more|less|fewer|than|the|first|a|"
    r"between|after|before|until)\s)*[€$£]?\Z",
    re.IGNORECASE,
)
_OF_PEOPLE = re.compile(
    r"\b(?:applicants|customers|drivers|employees|residents|patients|candidates|donors|players|citizens|minors) (?:aged |over |under |below |above |older than |younger than )\Z",
    re.IGNORECASE,
)
_OLDER_THAN = re.compile(r"\b(?:older|younger) than (?:the age of )?\Z", re.IGNORECASE)
_GETS = re.compile(r"\b(?:gets?|receives?|qualif(?:y|ies)|entitles?|earns?)\b", re.IGNORECASE)
_WITHIN = re.compile(r"\b(?:within|after|by|in)\b[^.;]{0,12}\Z", re.IGNORECASE)
_FAR = re.compile(
    r"\b(?:above|over|beyond|(?:more|longer|older|larger|heavier|higher) than|exceed(?:s|ing)?)\s\Z", re.IGNORECASE
)
_NAMED = re.compile(r"(?<=[a-z] )[A-Z][a-z][\w-]*")  # a name within a sentence
_OTHERS = re.compile(r"\A(?:all )?others?\b", re.IGNORECASE)
_PERSON = re.compile(r"\b(?:i|i'm|he|she|they|my|you|someone|anyone|child|son|daughter|kids?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Case:
    """What a question asks of the asker's case: its value, whether that is an age, and the stems of the sentence that asks, and of all of it."""

    value: Value
    age: bool
    asks: str
    predicate: frozenset[str]
    stems: frozenset[str]


def asks_bounds(asked: Asked) -> bool:
    """Whether a question with a case of its own is answered by yes or no."""
    return REPLY.match(asked.answer) is not None and _case(asked.question) is not None


def bounds(asked: Asked, sentences: Sequence[str]) -> Iterator[tuple[int, bool]]:
    """The sentences that state a bound by which yes or no is plainly right, or wrong, and whether it is right."""
    case, reply = _case(asked.question), REPLY.match(asked.answer)
    if case is None or reply is None:
        return
    every = [(n, found) for n, one in enumerate(sentences) if (found := within_bound(case, one)) is not None]
    differ = len({within for _, (within, _) in every}) > 1
    for n, (within, bound) in [] if differ or any(_PROLONGS.search(one) for one in sentences) else every:
        one, behind = sentences[n], " ".join(sentences[n + 1 : n + 2])
        if _NAMED.search(case.asks) and not told_apart(" ".join(_NAMED.findall(case.asks))) <= told_apart(one):
            continue
        if _OTHERS.match(one) or _CONDITION.search(one) or SETS_ASIDE.search(one):
            continue
        if GOES_ON.match(behind) or (BEYOND.match(behind) and (not within or bound.shift)):
            continue
        others = (other for other in sentences if other is not one)
        if not _of_bound(one[: bound.start]) <= case.stems and any(_is_alike(bound, other) for other in others):
            continue
        yes = _expected(case, one, within, bound, alone=len(every) == 1)
        if yes is not None:
            yield n, yes == (reply["yes"] is not None)


def _case(question: str) -> Case | None:
    """The one value that a question brings which asks for yes or no."""
    if not asks_yes_or_no(question) or CONTRARY.search(SENTENCES.split(question)[-1]):
        return None
    return case_of(question)


def case_of(question: str) -> Case | None:
    """The one value that a question brings."""
    asks = SENTENCES.split(question)[-1]
    tokens, values = values_of(question)
    own = [one for one in values if one.hedge is Hedge.NONE and not one.difference]
    if len(values) != 1 or len(own) != 1:
        return None
    [value] = own
    age = value.kind is Kind.QUANTITY and value.unit == "year" and "old" in question[value.start : value.end + 5]
    number = value.kind is Kind.NUMBER and (is_age(value, tokens) or _AGED.search(question, 0, value.start) is not None)
    age = age or (number and _PERSON.search(question) is not None)
    told = without_little(told_apart(question[: value.start] + question[value.end :]))
    begins = len(question) - len(asks)
    asked_of = told_apart(question[begins : max(begins, value.start)] + question[max(begins, value.end) :])
    return Case(value, age, asks, without_little(asked_of), told)


def within_bound(case: Case, sentence: str) -> tuple[bool, Value] | None:
    """Whether the case is within the one bound, or range, of a sentence, and its first value."""
    tokens, values = values_of(sentence)
    if not values:
        return None
    found = [one for one in _intervals(sentence, tokens, values) if _is_of(case, one[2], sentence, tokens)]
    if not found and _ENOUGH.search(case.asks):
        found = [
            (in_base(one.amount, one.unit), math.inf, one, one)
            for one in values
            if one.hedge is Hedge.NONE and _NEEDS.search(sentence, 0, one.start) and _is_of(case, one, sentence, tokens)
        ]
    if (
        len(found) != 1
        or len(list(_intervals(sentence, tokens, values))) > 1
        or sum(one.kind in KINDS and dimension(one) == dimension(found[0][2]) for one in values)
        > 1 + (found[0][2] is not found[0][3])
    ):
        return None
    [(low, high, first, _)] = found
    plain = case.age or first.kind is Kind.NUMBER
    amount = case.value.amount if plain and first.kind is Kind.NUMBER else in_base(case.value.amount, case.value.unit)
    if any(math.isclose(amount, end) for end in (low, high)):
        return None
    return low < amount < high, first


def _intervals(
    sentence: str, tokens: Sequence[Token], values: Sequence[Value]
) -> Iterator[tuple[float, float, Value, Value]]:
    """The bounds and ranges of a sentence, those of ages and of what is done up to so long before something among them."""
    ages = set[tuple[int, int]]()
    for one, other in itertools.pairwise(values):
        joined = one.hedge is other.hedge is Hedge.NONE and _TO.fullmatch(sentence[one.end : other.start])
        if one.kind is other.kind is Kind.NUMBER and joined and _AGES.search(sentence, 0, one.start):
            ages.add((one.start, other.start))
            yield one.amount, other.amount, one, other
    for one in values:
        older = _OLDER.match(sentence[one.start :]) if one.kind is Kind.NUMBER and one.hedge is Hedge.NONE else None
        if older and older["older"]:
            young = older["older"].lower() in ("younger", "under")
            yield (-math.inf, one.amount, one, one) if young else (one.amount, math.inf, one, one)
    for one in values:
        if one.kind is Kind.QUANTITY and one.hedge is Hedge.NONE and _VALID_FOR.search(sentence, 0, one.start):
            yield -math.inf, in_base(one.amount, one.unit), one, one
    for low, high, first, last in intervals(values, tokens):
        if (first.start, last.start) in ages:
            continue
        if first is not last or low > -math.inf or not _BEFORE_IT.match(sentence, first.end):
            yield low, high, first, last
        elif _UP_TO.search(sentence, 0, first.start) and not _AHEAD.match(sentence, first.end):
            yield high, math.inf, first, last  # "up to 24 hours before arrival" is that long at least


def _is_of(case: Case, bound: Value, sentence: str, tokens: Sequence[Token]) -> bool:
    """Whether a bound is of what the case has."""
    own = case.value
    ages = (
        is_of_ages(tokens, bound)
        or (bound.kind is Kind.NUMBER and _OF_PEOPLE.search(sentence, 0, bound.start) is not None)
        or (bound.unit in ("", "year") and _OLDER_THAN.search(sentence, 0, bound.start) is not None)
        or _OLDER.match(sentence[bound.start :]) is not None
        or (
            bound.kind is Kind.NUMBER
            and _BE_AGED.search(sentence, 0, bound.start) is not None
            and not sentence[bound.end :].strip(" .").split(" ")[0].endswith("s")
        )
    )
    if case.age or ages:
        return case.age and ages
    if own.kind is not bound.kind or dimension(own) != dimension(bound) or own.kind not in KINDS:
        return False
    if own.kind is Kind.MONEY:
        return own.unit == bound.unit
    return (
        own.kind is not Kind.NUMBER
        or not told_apart(sentence[bound.end : bound.end + 20]).isdisjoint(case.stems)
        or "maximum" in sentence.lower()
    )


def _expected(case: Case, sentence: str, within: bool, bound: Value, *, alone: bool) -> bool | None:
    """Whether yes is right: of what must be so, where the case is within; of what is so of those within, as long as the question asks for just that."""
    at, too = bound.start, _TOO.search(case.asks)
    lasts = case.value.unit in ("day", "week", "month", "year", "hour", "minute") and not case.age
    of_itself = _OF_ITSELF.search(sentence, 0, at) is not None and not (lasts and not BURDEN.search(sentence))
    denied = len(NEGATED.findall(sentence)) - len(_BOUNDED.findall(sentence))
    there = told_apart(sentence)
    if denied and _FAR.search(sentence, max(0, at - 30), at) and bound.hedge is Hedge.MOST:
        denied -= 1  # "not above 30 degrees" is up to them
    if of_itself:
        if (
            denied
            or BURDEN.search(case.asks)
            or RELIEF.search(case.asks)
            or (case.stems if alone else case.predicate).isdisjoint(there)
        ):
            return None
        return within != (too is not None)
    if (
        denied > 1
        or too
        or (
            case.predicate.isdisjoint(there - _of_bound(sentence[:at]))
            and not (_PAYS.search(case.asks) and RELIEF.search(sentence))
        )
    ):
        return None
    asks, says = telling(case.asks), telling(sentence)
    if asks == 1 and says == -1 and not _PAYS.search(case.asks):
        return None
    due = _WITHIN.search(sentence, 0, at) is not None
    if lasts and asks == says == 1 and due:
        return None  # when something must be done
    if says == 0 and lasts and not _PERMITS.search(sentence) and (due or not _GETS.search(sentence)):
        return None  # how long something takes
    if (asks == 0) != (says == 0):
        return None
    return within == (asks == says) if not denied else within != (asks == says)


def _is_alike(bound: Value, sentence: str) -> bool:
    """Whether a sentence has a value of the dimension of a bound."""
    return any(one.kind in KINDS and dimension(one) == dimension(bound) for one in values_of(sentence)[1])


def _of_bound(before: str) -> frozenset[str]:
    """What the bound behind a text is a bound of, "orders" of "orders over $50"; nothing of what is done, "can be returned within 30 days"."""
    found = _HEDGED.search(before, max(0, len(before) - 80))
    return told_apart(found["word"]) if found and not found["be"] else frozenset()
