"""What becomes of a claim's values in the evidence: as features of the model, and as conflicts that a reader is shown."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from exporters.result import Evidence, ValueConflict
from sidecar.inference.contrasts.sections import OF_ANOTHER
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import EncodedDocument
from sidecar.inference.embedding.text import read_words
from sidecar.inference.grounding.evidence import Ranked
from sidecar.inference.grounding.placed import (
    as_made,
    as_shown,
    labelled_as,
    lead_in,
    leaves_out,
    led_in,
    with_next,
)
from sidecar.inference.grounding.ruled import beside_its_rules, by_its_rule, of_value, on_their_days
from sidecar.inference.grounding.values_said import NOTHING, Said
from sidecar.inference.values.among import compares, wrong_among
from sidecar.inference.values.brackets import of_another_row, tables_of
from sidecar.inference.values.by_row import in_its_row, swapped, told_by_row, without_names
from sidecar.inference.values.cases import case_asked, cases
from sidecar.inference.values.compare import equal
from sidecar.inference.values.current import understood
from sidecar.inference.values.labelled import Label, labelled, sentences_with_headings
from sidecar.inference.values.made import (
    MOST_CLAIMS,
    Spoken,
    amounts_of,
    begun,
    factors,
    for_two,
    multiplied,
    scale,
    scaled,
    with_more,
)
from sidecar.inference.values.match import Finding, Outcome, match
from sidecar.inference.values.moments import apart_as_it_takes
from sidecar.inference.values.reference import beside_their_ranges, references
from sidecar.inference.values.relative import named_days
from sidecar.inference.values.rules import Rule, rules_of
from sidecar.inference.values.stated import Stated, stated
from sidecar.inference.values.stems import stem_beside_values
from sidecar.inference.values.supposed import set_up, supposed
from sidecar.inference.values.tables import header_of, row_stated
from sidecar.inference.values.times import by_times
from sidecar.inference.values.value import EVERY, Hedge, Kind, Value
from sidecar.inference.values.worked import worked

MOST_SENTENCES = 40
_MOST_RULES = 12  # sentences that may tell a rule
_PRONOUN = re.compile(r"(?:it|its|it's|they|their|that|this)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:the|an?)\b", re.IGNORECASE)
_WORD, _BARE, _VALUE_FIRST = re.compile(r"\w+"), re.compile(r"[\d.,\s]+"), re.compile(r"[$€£]?\d(?:[^,;]|,(?=\d))*+")
_COMPARED = re.compile(
    r"\b(?:than|versus|vs|compared|instead|unlike|while|whereas|more|less|fewer|cheaper|dearer|double|(?:times|twice|half)\s+(?:what|as|that|the))\b",
    re.IGNORECASE,
)
_OF_TIME = frozenset({Kind.TIME, Kind.DATE})
_REQUESTS, _REMEMBERED = 64, 8192  # of the latter sentences: those of hot documents come again with each claim


class Values:
    """Reads the values of claims and sentences; those of sentences once for all claims of a request."""

    def __init__(self, idf: Idf) -> None:
        self._weight = idf.of
        self._stated = functools.lru_cache(maxsize=_REMEMBERED)(_stated_in)
        self._labels = functools.lru_cache(maxsize=_REQUESTS)(_labels_of)
        self._tables = functools.lru_cache(maxsize=_REQUESTS)(functools.partial(tables_of, stem=stem_beside_values))
        self._references = functools.lru_cache(maxsize=_REQUESTS)(references)
        self._rules = functools.lru_cache(maxsize=_REMEMBERED)(_rules_in)

    def said(
        self,
        claim: str,
        ranked: Ranked,
        texts: Sequence[str],
        documents: Sequence[EncodedDocument],
        question: str = "",
        others: Sequence[str] = (),
    ) -> Said:
        """What the best sentences say of the claim's values, as far as these are not those of its question, and of the asker's own case. `others` are
        the answer's other claims, whose amounts it may add up."""
        said = self._of_values(claim, ranked, texts, documents, question, others)
        places = ranked.order[:_MOST_RULES] if question and self._stated(question, "") else ()
        pieces = [with_next(texts[number], documents[number], n) for number, n in places]
        case = case_asked(claim, question, pieces, self._weight, stem_beside_values, self._rules)
        astray = of_another_row(claim, question, texts, stem_beside_values, self._tables) if places else None
        if astray is not None:
            conflict = ValueConflict(
                astray.own.start, astray.own.end, Evidence(astray.text, astray.other.start, astray.other.end)
            )
            return replace(said, certain=True, no_case=True, conflicts=(conflict, *said.conflicts))
        if case is None or case.falls:
            return said
        conflict = _in_place(0, len(claim), documents, places[case.piece], case.rule.bound)
        return replace(said, certain=True, no_case=True, conflicts=(conflict, *said.conflicts))

    def _of_values(
        self,
        claim: str,
        ranked: Ranked,
        texts: Sequence[str],
        documents: Sequence[EncodedDocument],
        question: str,
        others: Sequence[str],
    ) -> Said:
        own = _stated(claim)
        if not own:
            return NOTHING
        starts, pieces, stated_there = self._best(ranked, texts, documents)
        own = without_names(claim, understood(claim, own, stated_there, question), stated_there, stem_beside_values)
        named = "" if _COMPARED.search(question) or OF_ANOTHER.search(f"{claim} {question}") else question
        values, asked = [one.value for one in own], [one.value for one in self._stated(question, "")]
        beside = self._beside(claim, values, others)
        there = [[one.value for one in piece] for piece in stated_there]
        known = supposed(claim, values, question, asked) | begun(claim, values) | multiplied(values, beside)
        known |= named_days(values, pieces) | by_times(values, pieces, there)
        product, no_product = for_two(values, pieces, there)
        known |= product | with_more(values, pieces, there) | set_up(claim, values)
        known |= apart_as_it_takes(values, asked, [one for piece in there for one in piece])
        known |= beside_their_ranges(claim, values, texts, self._references, stem_beside_values)
        by_row = told_by_row(claim, own, stated_there, stem_beside_values)
        moved = {} if by_row else swapped(claim, own, stated_there, stem_beside_values)
        amounts = scaled(own, stated_there, [n for n, _ in starts], scale(question, texts)).and_wrong(no_product)
        matched = [
            as_made(in_its_row(one, by_row, moved), known, amounts, stated_there)
            for one in match(
                own,
                stated_there,
                self._weight,
                [*asked, *set_up(claim, values), *factors(claim, values), *amounts_of(beside)],
                None if _COMPARED.search(claim) else _stems_of(named if leaves_out(claim) else ""),
                _stems_of(named),
            )
        ]
        matched, outside, shut = on_their_days(claim, question, values, asked, matched, texts, pieces, stated_there)
        rules = [with_next(texts[number], documents[number], n) for number, n in ranked.order[:_MOST_RULES]]
        ruled = cases(claim, rules, question, self._weight, stem_beside_values, self._rules)
        groups = [group for text in rules for group in self._rules(text)]
        matched = [beside_its_rules(claim, one, values, groups, pieces, stated_there) for one in matched]
        matched = [by_its_rule(one, ruled) for one in matched]
        found = [one for one in as_shown(matched, worked(claim, values)) if _counts(one)]
        if not found:
            return NOTHING
        no_case = any(one.certain and of_value(one, ruled) for one in found)
        spared = any(case.falls and case.rule.holds(case.value) is False for case in ruled)
        said = _said(claim, found, pieces, starts)
        return replace(said, outside=outside or spared, no_case=no_case, shut=shut)

    def _beside(self, claim: str, own: Sequence[Value], others: Sequence[str]) -> list[Spoken]:
        """The answer's other claims with their values, for one with an amount of money; each is read once."""
        texts = others[:MOST_CLAIMS] if any(one.kind is Kind.MONEY for one in own) else ()
        return [(text, [one.value for one in self._stated(text, "")]) for text in texts if text != claim]

    def wrong_order(
        self, claim: str, ranked: Ranked, texts: Sequence[str], documents: Sequence[EncodedDocument]
    ) -> ValueConflict | None:
        """Where a claim says that one thing has more than another, or the most, and the best sentences state how much both have, the other way round."""
        if not compares(claim):
            return None
        starts, pieces, stated_there = self._best(ranked, texts, documents)
        found = wrong_among(claim, _stated(claim), pieces, stated_there, self._weight, stem_beside_values)
        if found is None:
            return None
        document, begins = starts[found.piece]
        other = found.other.value
        return ValueConflict(found.start, found.end, Evidence(document, begins + other.start, begins + other.end))

    def labels(self, texts: Sequence[str], documents: Sequence[EncodedDocument]) -> Mapping[tuple[int, int], Label]:
        """What the sentences of lists are labelled by."""
        return self._labels(
            tuple(
                sentences_with_headings(text, document.spans) for text, document in zip(texts, documents, strict=True)
            )
        )

    def _best(
        self, ranked: Ranked, texts: Sequence[str], documents: Sequence[EncodedDocument]
    ) -> tuple[list[tuple[int, int]], list[str], list[tuple[Stated, ...]]]:
        """Where the best sentences begin (document, character), their texts, and their values."""
        places = ranked.order[:MOST_SENTENCES]
        spans = [documents[number].spans[n] for number, n in places]
        pieces = [texts[number][span.start : span.end] for (number, _), span in zip(places, spans, strict=True)]
        heads = [header_of(texts[number], span.start) for (number, _), span in zip(places, spans, strict=True)]
        labels = self.labels(texts, documents)
        stated_there = [
            led_in(
                labelled_as(self._stated(piece, head), None if head else labels.get(place)),
                _stems_of(lead_in(texts[place[0]], documents[place[0]], place[1])),
            )
            for piece, head, place in zip(pieces, heads, places, strict=True)
        ]
        return [(number, span.start) for (number, _), span in zip(places, spans, strict=True)], pieces, stated_there


def _in_place(
    start: int, end: int, documents: Sequence[EncodedDocument], place: tuple[int, int], there: Value
) -> ValueConflict:
    number, n = place
    begins = documents[number].spans[n].start
    return ValueConflict(start, end, Evidence(number, begins + there.start, begins + there.end))


def _said(claim: str, found: Sequence[Finding], pieces: Sequence[str], starts: Sequence[tuple[int, int]]) -> Said:
    by = {outcome: [one for one in found if one.outcome is outcome] for outcome in Outcome}
    there = [claim[one.value.start : one.value.end] for one in (*by[Outcome.AGREES], *by[Outcome.FOLLOWS])]
    reformatted = [one for one in by[Outcome.AGREES] if not _as_written(claim, one, pieces)]
    words = [read_words(text) for text in there]
    return Said(
        any=True,
        disagree=max((one.strength for one in by[Outcome.DISAGREES]), default=0.0),
        disagreeing=len(by[Outcome.DISAGREES]) / len(found),
        absent=len(by[Outcome.ABSENT]) / len(found),
        reformatted=len(reformatted) / len(found),
        follows=len(by[Outcome.FOLLOWS]) / len(found),
        stems=frozenset(stem for one in words for stem in one.stems),
        numbers=frozenset(number for one in words for number in one.numbers),
        conflicts=tuple(_conflict(one, starts) for one in by[Outcome.DISAGREES] if one.other),
        written_otherwise=frozenset(
            one for found in reformatted for one in _words_of(claim[found.value.start : found.value.end])
        ),
        as_there=_as_there(claim, [*reformatted, *(one for one in by[Outcome.FOLLOWS] if one.other)], pieces),
        of_another_unit=any(_of_another_unit(one) for one in by[Outcome.DISAGREES]),
        certain=any(one.certain for one in by[Outcome.DISAGREES]),
        known=frozenset(one.value.start for one in by[Outcome.AGREES] if one.value.kind in _OF_TIME),
    )


def _as_there(claim: str, reformatted: Sequence[Finding], pieces: Sequence[str]) -> str:
    """The claim with the values that the evidence writes otherwise as it writes them, "" where there are none: what is compared exactly need not be
    doubted by a model that compares words."""
    text, before = claim, len(claim) + 1
    for one in sorted(reformatted, key=lambda found: found.value.end, reverse=True):
        start, end = one.value.start, one.value.end
        if (
            one.other is not None
            and end < before
            and (one.outcome is Outcome.FOLLOWS or _same_amount(one.value, one.other))
        ):
            there = pieces[one.piece][one.other.start : one.other.end]
            if not one.value.unit or not _BARE.fullmatch(there) or " " not in claim[start:end]:
                text, before = text[:start] + there.rstrip(".") + text[end:], start
    return "" if text == claim else text


def _same_amount(own: Value, other: Value) -> bool:
    """Whether one can stand for the other: neither is a bound that the other lies within, or a rate in another time."""
    if EVERY in (own.per, other.per) or (own.per and other.per and own.per != other.per):
        return False
    return equal(replace(own, hedge=Hedge.NONE) if own.hedge in (Hedge.LEAST, Hedge.MOST) else own, other)


def _stems_of(text: str) -> frozenset[str]:
    return frozenset(stem for word in _WORD.findall(text.lower()) if (stem := stem_beside_values(word)) is not None)


def _words_of(text: str) -> frozenset[str]:
    words = read_words(text)
    return frozenset(words.stems) | words.numbers


def _of_another_unit(finding: Finding) -> bool:
    """Whether the evidence has the claim's very figures in another unit or currency, and so nowhere as they are."""
    own, other = finding.value, finding.other
    return other is not None and own.kind is other.kind and own.amount == other.amount and own.unit != other.unit


def _as_written(claim: str, finding: Finding, pieces: Sequence[str]) -> bool:
    return claim[finding.value.start : finding.value.end].casefold() in pieces[finding.piece].casefold()


def _conflict(finding: Finding, starts: Sequence[tuple[int, int]]) -> ValueConflict:
    assert finding.other is not None
    document, start = starts[finding.piece]
    there = Evidence(document, start + finding.other.start, start + finding.other.end)
    return ValueConflict(finding.value.start, finding.value.end, there)


def _counts(finding: Finding) -> bool:
    """A label ("TiO2", "COVID-19") that the evidence does not have is a name that is missing, and no value."""
    return finding.value.kind is not Kind.NAME or finding.outcome is not Outcome.ABSENT


def _labels_of(texts: tuple[tuple[str, ...], ...]) -> Mapping[tuple[int, int], Label]:
    return labelled(texts, stem_beside_values)


def _rules_in(text: str) -> tuple[tuple[Rule, ...], ...]:
    return rules_of(text, stem_beside_values)


def _stated(text: str) -> tuple[Stated, ...]:
    return stated(text, stem_beside_values)


def _stated_in(text: str, head: str) -> tuple[Stated, ...]:
    """The values of a sentence, or of a row of a table with that head."""
    return row_stated(text, head, stem_beside_values) if head else _stated(text)
