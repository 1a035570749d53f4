"""Values beside the range that they should be in: a laboratory's reference range, a target, a limit. A claim that says of one that it is high, or that it meets
its target, is held to both.

"Potassium: 5.9 mmol/L (normal 3.5-5.0)", and the rows of a table that has a column for it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.values.stated import Stem
from sidecar.inference.values.stems import stem_beside_values, stems_of
from sidecar.inference.values.tables import cells_of, header_of
from sidecar.inference.values.value import Value

_MOST_LINES, _LONGEST_LINE, _MOST_REFERENCES = 400, 600, 100
_LONGEST_CLAIM = 400
_SHOULD_BE = re.compile(
    r"\b(?:reference|ref|normal|target|goal|limits?|thresholds?|optimal|healthy|therapeutic|desirable|slo|objective|acceptable|allowed|permitted|"
    r"specification|spec|tolerance|should be|range)\b",
    re.IGNORECASE,
)
_FIGURE = r"\d{1,9}+(?:,\d{3}){0,3}+(?:\.\d{1,6}+)?+"
_UNIT = r"(?:\s?[x×]\s?10\^?\d{1,2})?[^\d()|,;\n]{0,20}"
_MONEY = r"\s?[$€£]?"
_BOUND = re.compile(
    rf"(?<![\d.,]){_MONEY}(?P<from>{_FIGURE}){_UNIT}(?:\s?[-–—]\s?|\sto\s|\sand\s){_MONEY}(?P<to>{_FIGURE})(?P<to_unit>{_UNIT})"
    rf"|(?P<most><=?|≤|=<|below|under|up to|at most|less than|lower than|no more than|not more than|max(?:imum)?\.?:?|(?:upper |speed |size )?limit:?(?: of)?|"
    rf"threshold:?(?: of)?){_MONEY}(?P<high>{_FIGURE})(?P<high_unit>{_UNIT})"
    rf"|(?P<least>>=?|≥|=>|above|over|at least|more than|greater than|higher than|no less than|not less than|min(?:imum)?\.?:?){_MONEY}(?P<low>{_FIGURE})(?P<low_unit>{_UNIT})",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    rf"(?<![\w.,/-])(?P<value>{_FIGURE})(?![.,]?\d)(?P<unit>{_UNIT})(?:\(|,\s)(?P<lead>[^\d()<>≤≥=;\n]{{1,40}})"
)
_CELL = re.compile(rf"{_MONEY}(?P<value>{_FIGURE})(?P<unit>{_UNIT})")
_CONTEXT = re.compile(r"\s?(?:on|at|in|by|after|before|during)\s(?P<words>[\w'’-]+)\s(?=\S)", re.IGNORECASE)
_PART = re.compile(r"[;\n|]|[.!?:]\s(?=\s{0,3}\w)|,\s|\s(?:and|while|but|whereas)\s")
_NO_UNIT = re.compile(r"[\s.]+")
_WORD = re.compile(r"[^\W_]+")
_VERB = r"(?:is|are|was|were|be|been|has|have|had|miss\w{0,4}|met|meets?|hit|hits|fell|falls|rose|stay\w{0,3}|remain\w{0,3}|exceed\w{0,3}|came|went|and|but)\b"
_NAMES = rf"(?:(?!{_VERB})[\w'’/-]+\s){{0,4}}?"  # no verb: "in March missed the target" lies in no target
_KIND = r"(?:range|ranges|limits?|bounds?|normal|targets?|thresholds?|goals?|reference|kpis?|maximum|minimum|slos?|objectives?|spec\w{0,12})\b"
_MODEST = r"(?:(?:slightly|somewhat|mildly|markedly|significantly|very|too|quite|a\s(?:little|bit)|just|well|far|still|also|both|all|clearly|currently|again)\s)*"
_POSITION = re.compile(
    rf"\b(?P<outside>(?:outside|out\sof|beyond)\s{_NAMES}{_KIND}|abnormal\b|"
    rf"(?:miss(?:es|ed)?|fell\s(?:[\w.]{{1,12}}\s){{0,3}}?short\sof|fail(?:s|ed)\sto\smeet|breach(?:es|ed)?|violat(?:es|ed))\s(?:{_NAMES}{_KIND}|theirs\b|its\b))"
    rf"|\b(?P<above>(?:above|over|exceed(?:s|ed|ing)?|higher\sthan|greater\sthan)\s{_NAMES}{_KIND})"
    rf"|\b(?P<below>(?:below|under|lower\sthan|less\sthan)\s{_NAMES}{_KIND})"
    rf"|\b(?P<within>(?:within|inside)\s{_NAMES}{_KIND}|in\s(?:the\s|its\s|their\s)?(?:\w{{1,12}}\s)?range\b|on\starget\b|(?:meets?|met|hits?|reach(?:es|ed)|achieve[sd]?)\s(?:{_NAMES}{_KIND}|theirs\b|its\b))"
    rf"|\b(?:is|are|was|were|be|been|looks?|came\sback|remains?|and)(?P<not>n['’]t|\snot|\sno\slonger|\snever)?\s{_MODEST}(?P<said>high|elevated|raised|low|deficient|normal)\b(?![\s-](?:range|end|side|risk|dose|in|at|for|density))",
    re.IGNORECASE,
)
_HIGH, _LOW = frozenset("high elevated raised".split()), frozenset("low deficient".split())
_DENIED = re.compile(
    r"(?:\b(?:not|never|no longer|neither|nor|hardly|cannot)|n['’]t)\s(?:[\w'’-]+\s){0,3}$", re.IGNORECASE
)
_OPEN = re.compile(
    r"\b(?:if|unless|whether|when|should|would|could|may|might|can|until|than|last time|previous\w{0,2}|used to)\b|\?",
    re.IGNORECASE,
)
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_MANY = rf"\d{{1,2}}|{'|'.join(_NUMBERS)}"
_COUNTED = re.compile(
    rf"\b(?P<some>{_MANY})\s(?:out\s)?of\s(?:the\s|our\s|your\s|its\s|their\s|these\s)?(?P<all>{_MANY})\b",
    re.IGNORECASE,
)
# "Apart from ferritin all are within range"; not "all but ferritin, which is below it".
_EXCEPTED = re.compile(
    r"\b(?:apart from|except|excluding|other than|all but)\b(?!.{0,60}\b(?:where|which|whose)\b)", re.IGNORECASE
)
_UPPER, _LOWER = (
    re.compile(r"\b(?:upper|maximum)\b", re.IGNORECASE),
    re.compile(r"\b(?:lower limit|lower bound|minimum)\b", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A value of the text number `text`, at start:end of it, that should be from `low` to `high`; the stems that name it, and the words of its column."""

    name: frozenset[str]
    column: frozenset[str]
    value: float
    low: float
    high: float
    text: int
    start: int
    end: int

    @property
    def where(self) -> int:
        """-1 below, 0 within, 1 above."""
        return -1 if self.value < self.low else int(self.value > self.high)

    def at_an_end(self) -> bool:
        """Whether the value is a bound itself, of which texts do not agree where it lies."""
        return any(math.isclose(self.value, end) for end in (self.low, self.high))


def references(texts: Sequence[str], stem: Stem = stem_beside_values) -> tuple[Reference, ...]:
    """The values of texts that stand beside what they should be."""
    return tuple(one for number, text in enumerate(texts) for one in references_of(number, text, stem))


def references_of(number: int, text: str, stem: Stem) -> tuple[Reference, ...]:
    """The values of a text that stand beside what they should be."""
    if not _SHOULD_BE.search(text):
        return ()
    found: list[Reference] = []
    at = 0
    for line in text.split("\n", _MOST_LINES)[:_MOST_LINES]:
        if len(line) <= _LONGEST_LINE and any(map(str.isdecimal, line)):
            head = header_of(text, at)
            found.extend(_in_row(number, line, at, head, stem) if head else _in_line(number, line, at, stem))
        at += len(line) + 1
        if len(found) > _MOST_REFERENCES:
            return ()
    return tuple(found)


def _in_row(number: int, line: str, at: int, head: str, stem: Stem) -> Iterator[Reference]:
    cells, heads = cells_of(line, head)
    if len(cells) < 3 or len(cells) != len(heads):
        return
    bounds = [n for n, name in enumerate(heads) if n and _SHOULD_BE.search(name)]
    limits = _limits(cells[bounds[0]][1]) if len(bounds) == 1 else None
    name = stems_of(cells[0][1], stem)
    if limits is None or not name:
        return
    for (start, cell), column in zip(cells[1:], heads[1:], strict=True):
        figure = _CELL.fullmatch(cell)
        if figure is not None and column != heads[bounds[0]] and _alike(figure["unit"], limits.unit):
            words, span = _words(column), (at + start, at + start + len(cell))
            yield Reference(name, words, _number(figure["value"]), limits.low, limits.high, number, *span)


def _in_line(number: int, line: str, at: int, stem: Stem) -> Iterator[Reference]:
    for found in _BESIDE.finditer(line):
        limits = _limits(line[found.start("lead") :])
        if limits is None or not _SHOULD_BE.search(found["lead"]) or not _alike(found["unit"], limits.unit):
            continue
        begins = max((part.end() for part in _PART.finditer(line, 0, found.start())), default=0)
        context = _CONTEXT.match(line, begins, found.start())
        name = stems_of(line[context.end() if context else begins : found.start()], stem)
        if name:
            column, span = _words(context["words"] if context else ""), (found.start("value"), found.end("value"))
            places = (at + span[0], at + span[1])
            yield Reference(name, column, _number(found["value"]), limits.low, limits.high, number, *places)


@dataclass(frozen=True, slots=True)
class _Limits:
    low: float
    high: float
    unit: str


def _limits(text: str) -> _Limits | None:
    """From and to of the first bound or range of a text, as "normal 3.5-5.0" and "<= 300 ms" state them."""
    found = _BOUND.search(text[:80])
    if found is None or any(char.isdecimal() for char in text[: found.start()]):
        return None
    if found["from"]:
        low, high = _number(found["from"]), _number(found["to"])
        return _Limits(low, high, found["to_unit"]) if low < high else None
    if found["most"]:
        return _Limits(-math.inf, _number(found["high"]), found["high_unit"])
    return _Limits(_number(found["low"]), math.inf, found["low_unit"])


def _alike(one: str, other: str) -> bool:
    """Whether two units, as they are written, are the same, or one is left out."""
    one, other = (_NO_UNIT.sub("", unit).lower() for unit in (one, other))
    return not one or not other or one == other


def _number(figure: str) -> float:
    return float(figure.replace(",", ""))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def says_where(claim: str) -> bool:
    """Whether a claim may say where a value lies beside what it should be."""
    return len(claim) <= _LONGEST_CLAIM and _POSITION.search(claim) is not None


@dataclass(frozen=True, slots=True)
class Position:
    """claim[start:end] says where a value lies, or how many do; `right` says whether it is so by `reference`."""

    start: int
    end: int
    reference: Reference
    right: bool


def positions(claim: str, references: Sequence[Reference], stem: Stem) -> list[Position]:
    """What a claim says of where values lie, as far as the references tell."""
    if not references or not says_where(claim) or _OPEN.search(claim):
        return []
    told = []
    counted, number = _COUNTED.search(claim), _how_many(claim, references)
    if counted and number is not None:
        told.append(Position(*counted.span(), references[0], number == _count(counted["some"])))
    before = 0
    for found in _POSITION.finditer(claim):
        part = claim[before : found.start()]
        before = found.end()
        if _EXCEPTED.search(part):
            continue
        denied = bool(found["not"] or _DENIED.search(part))
        for own in _named(part, claim, references, stem):
            so = {_is_so(found, one) for one in own}
            if len(so) == 1 and None not in so:
                told.append(Position(*found.span(), own[0], denied not in so))
    return told


def beside_their_ranges(
    claim: str,
    values: Sequence[Value],
    texts: Sequence[str],
    read: Callable[[tuple[str, ...]], Sequence[Reference]],
    stem: Stem,
) -> frozenset[Value]:
    """The values of a claim that are what it says lies somewhere, a bound that it lies beside, or how many do, where all is as it says. `read` gives the
    references of texts, which are read for such claims alone."""
    if not says_where(claim):
        return frozenset()
    references = read(tuple(texts))
    told = positions(claim, references, stem)
    if not told or not all(one.right for one in told):
        return frozenset()
    amounts = {
        amount
        for own in _named(claim, claim, references, stem)
        for one in own
        for amount in (one.value, one.low, one.high)
    }
    counted = _COUNTED.search(claim)
    if counted and _how_many(claim, references) == _count(counted["some"]):
        amounts |= {float(_count(counted["some"])), float(len(references))}
    return frozenset(one for one in values if one.amount in amounts)


def _how_many(claim: str, references: Sequence[Reference]) -> int | None:
    """Of how many of the values, of each one, what a claim says is so; None where that is not known."""
    counted, found = _COUNTED.search(claim), [*_POSITION.finditer(claim)]
    names = {one.name for one in references}
    if counted is None or len(found) != 1 or not len(references) == len(names) == _count(counted["all"]):
        return None
    if found[0]["not"] or _DENIED.search(claim[: found[0].start()]):
        return None
    told = [None if one.at_an_end() else _is_so(found[0], one) for one in references]
    return None if None in told else told.count(True)


def _count(word: str) -> int:
    return int(word) if word.isdecimal() else _NUMBERS.index(word.lower())


def _named(part: str, claim: str, references: Sequence[Reference], stem: Stem) -> Iterator[list[Reference]]:
    """The references that a part of a claim names, those of one name together, of the columns that the claim names if it names any."""
    words, every = stems_of(part, stem), _words(claim)
    names = {one.name for one in references}
    for name in names:
        telling = {word for word in name if sum(word in other for other in names) == 1}
        if not (name <= words or (telling & words and 2 * len(name & words) >= len(name))):
            continue
        if any(name < other <= words for other in names):
            continue
        own = [one for one in references if one.name == name]
        common = frozenset.intersection(*(one.column for one in own))
        of_column = [one for one in own if (one.column - common) & every]
        if not any(one.at_an_end() for one in own):
            yield of_column or own


def _is_so(found: re.Match[str], one: Reference) -> bool | None:
    """Whether a value lies where a claim says; None where the words do not tell."""
    words = found.group()
    if found["outside"]:
        return one.where != 0
    if found["within"]:
        return one.where == 0
    if found["above"]:
        return one.value > (one.low if _LOWER.search(words) or one.high == math.inf else one.high)
    if found["below"]:
        return one.value < (one.high if _UPPER.search(words) or one.low == -math.inf else one.low)
    said = found["said"].lower()
    sign = 1 if said in _HIGH else -1 if said in _LOW else 0
    if sign == 0:
        return one.where == 0
    if (one.high if sign > 0 else one.low) in (math.inf, -math.inf):  # no bound on that side: high may be good
        return False if one.where == -sign else None
    return one.where == sign
