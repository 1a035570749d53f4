"""How clearly a claim says the contrary of its evidence: another value, another name, the opposite, a word negated on one side alone, two things
that have changed places, or steps in another order.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from exporters.result import Evidence, ValueConflict
from sidecar.inference.base import Claim
from sidecar.inference.contrasts.before import told_first
from sidecar.inference.contrasts.cells import Misplaced, astray, misplaced, row_of, words_of_cell
from sidecar.inference.contrasts.classes import classed_otherwise, classes_of
from sidecar.inference.contrasts.compare import Contrast, contrasts
from sidecar.inference.contrasts.crossed import crossings
from sidecar.inference.contrasts.excepted import of_all, of_no_menu, of_some, of_those_only, taken_in
from sidecar.inference.contrasts.lacking import Lacking, fields_of_row, lacking
from sidecar.inference.contrasts.listed import denied_below, listed_otherwise, lists_of
from sidecar.inference.contrasts.matrix import marked
from sidecar.inference.contrasts.names import Misnamed, misnamed, other_acronym
from sidecar.inference.contrasts.paired import exchanged_with, pairs_of
from sidecar.inference.contrasts.phases import of_another_phase, phases_of
from sidecar.inference.contrasts.reading import Reading, carrying, read
from sidecar.inference.contrasts.records import exchanged, fields_of
from sidecar.inference.contrasts.sections import OF_ANOTHER, Line, misattributed, named
from sidecar.inference.contrasts.steps import ASKED_FOR, tells_steps, turned_steps
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import EncodedDocument
from sidecar.inference.embedding.text import content_stem, read_words
from sidecar.inference.grounding.contradiction import CERTAIN, NOTHING_CONTRARY, Contrary, plainly
from sidecar.inference.grounding.placed import items_of
from sidecar.inference.grounding.values_said import Said
from sidecar.inference.values.labelled import SECTIONS, Label
from sidecar.inference.values.read import read_values
from sidecar.inference.values.reference import Position, positions, references, says_where
from sidecar.inference.values.tables import header_of

_FROM, _CLEAR = 0.3, 0.7  # shares of the claim's words that stand with the contrary
_OF_NAMES = 0.5  # another name
_LEAST_ROWS = 2  # of a table
_MOST_STEPS = 80  # sentences of a document
_REQUESTS = 64
_REMEMBERED = 1024  # sentences and claims; those of a request come again with each claim
_LONGEST_REMEMBERED = 600  # characters


class Contraries:
    """Compares claims with the sentences chosen for them; sentences are read once for all claims of a request."""

    def __init__(self, idf: Idf) -> None:
        self._weight = idf.of
        self._reading = functools.lru_cache(maxsize=_REMEMBERED)(_reading)
        self._denied_below = functools.lru_cache(maxsize=_REQUESTS)(denied_below)
        self._references = functools.lru_cache(maxsize=_REQUESTS)(functools.partial(references, stem=content_stem))
        self._fields = functools.lru_cache(maxsize=_REQUESTS)(functools.partial(fields_of, stem=content_stem))
        self._classes = functools.lru_cache(maxsize=_REQUESTS)(functools.partial(classes_of, stem=content_stem))
        self._phases = functools.lru_cache(maxsize=_REQUESTS)(functools.partial(phases_of, stem=content_stem))
        self._lists = functools.lru_cache(maxsize=_REQUESTS)(functools.partial(lists_of, stem=content_stem))

    def of(
        self,
        claim: str,
        said: Said,
        places: Sequence[tuple[int, int]],
        texts: Sequence[str],
        documents: Sequence[EncodedDocument],
        labels: Mapping[tuple[int, int], Label],
        question: str,
    ) -> Contrary:
        """What the sentences at `places` (document, sentence) say otherwise. `said` is what they say of the claim's values, `labels` are those of lists and
        sections, of which `question` may name the one that the claim is about."""
        pieces = [self._in_its_place(number, n, texts, documents) for number, n in places]
        others = _of_other_things(claim, question, places, labels)
        of_it = [self._read("") if place in others else piece for place, piece in zip(places, pieces, strict=True)]
        found = contrasts(_without_values(self._read(claim), said, pieces), of_it, self._weight, content_stem)
        both = () if said.outside else (found.opposed, found.negated)
        words = [one for one in both if one is not None and one.strength > _FROM]
        words = [
            one for one in words if not (said.bounds(claim, one.end) and not _bounds(one, places, texts, documents))
        ]
        words = [
            one for one in words if not _is_of_head(claim[one.start : one.end], places[one.piece], texts, documents)
        ]
        other = self._misplaced(claim, pieces, places, texts, documents)
        if other is not None:
            there = _evidence(documents, *places[other.piece], other.other_start, other.other_end)
            return Contrary(CERTAIN, (ValueConflict(other.start, other.end, there), *said.conflicts))
        lies = positions(claim, self._references(tuple(texts)), content_stem) if says_where(claim) else []
        own, asked = self._read(claim), self._read(question)
        ways = (of_all, of_some, of_those_only)
        first = next((one for way in ways if (one := way(own, pieces, self._weight)) is not None), None)
        first = first or told_first(own, asked, pieces, self._weight)
        if first is not None and not first.right:
            there = _evidence(documents, *places[first.piece], first.other_start, first.other_end)
            return Contrary(CERTAIN, (ValueConflict(first.start, first.end, there), *said.conflicts), plain=True)
        words = [] if first else [one for one in words if not any(lie.start <= one.start < lie.end for lie in lies)]
        told = self._listed(claim, texts, documents) or self._recorded(claim, lies, texts)
        told = told or (self._elsewhere(claim, question, texts, documents, labels) if labels else None)
        if told is not None:
            return replace(told, conflicts=(*told.conflicts, *said.conflicts))
        lacks = self._lacks(claim, places, texts, documents)
        if lacks is not None and not lacks.right:
            there = _evidence(documents, *places[lacks.cell.text], lacks.cell.start, lacks.cell.end)
            return Contrary(CERTAIN, (ValueConflict(lacks.start, lacks.end, there), *said.conflicts))
        words = [] if lacks is not None else words
        sentences = [texts[number][_span(documents, number, n)] for number, n in places]
        name = misnamed(claim, sentences, texts, self._weight) or other_acronym(claim, sentences, texts, self._weight)
        otherwise: list[Contrast | Misnamed] = [*words, name] if name else [*words]
        clear = max((said.disagree, _OF_NAMES if name else 0.0, *(one.strength for one in words)))
        certain = said.certain or (said.of_another_unit and said.disagree >= _CLEAR)
        return Contrary(
            CERTAIN if certain else min(1.0, max(0.0, (clear - _FROM) / (_CLEAR - _FROM))),
            (*(_conflict(one, places, documents) for one in otherwise), *said.conflicts),
            stated=lacks is not None,
        )

    def together(
        self,
        claims: Sequence[Claim],
        places: Sequence[tuple[int, int]],
        texts: Sequence[str],
        documents: Sequence[EncodedDocument],
    ) -> dict[int, Contrary]:
        """What an answer's claims say to the contrary by how they stand together, by the claim's number: clauses that have changed the
        places of two at `places`, and steps in another order than a document that has one of these tells them in."""
        parts = [self._read(claim.text) for claim in claims]
        counted = frozenset[int]()
        if claims and ASKED_FOR.search(claims[0].question):
            counted = frozenset(n for n, claim in enumerate(claims) if claim.numbered)
        pieces = [self._read(texts[number][_span(documents, number, n)]) for number, n in places]
        found: dict[int, Contrary] = {}
        for one in crossings(parts, pieces, self._weight):
            for clause, other in zip(one.own, one.other, strict=True):
                there = _evidence(documents, *places[other.text], other.start, other.end)
                _add(found, clause.text, ValueConflict(clause.start, clause.end, there))
        under = exchanged_with(pairs_of([claim.text for claim in claims], content_stem), texts, content_stem)
        if under is not None:
            there = Evidence(under.text, under.start, under.end)
            for pair in (under.one, under.other):
                _add(found, pair.part, ValueConflict(pair.start, pair.end, there))
        for number in {number for number, _ in places} if tells_steps(parts, counted) else ():
            spans = documents[number].spans[:_MOST_STEPS]
            steps = [self._read(texts[number][span.start : span.end]) for span in spans]
            for turned in turned_steps(parts, steps, self._weight, counted):
                there = _evidence(documents, number, turned.other.text, turned.other.start, turned.other.end)
                _add(found, turned.later.text, ValueConflict(turned.later.start, turned.later.end, there))
        return found

    def _misplaced(
        self,
        claim: str,
        pieces: Sequence[Reading],
        places: Sequence[tuple[int, int]],
        texts: Sequence[str],
        documents: Sequence[EncodedDocument],
    ) -> Misplaced | None:
        """Where a claim says of a row of a table what another one has."""
        heads = [header_of(texts[number], documents[number].spans[n].start) for number, n in places]
        rows = [
            row
            for k, ((number, n), head) in enumerate(zip(places, heads, strict=True))
            if head and (row := row_of(k, texts[number][_span(documents, number, n)], head)) is not None
        ]
        if len(rows) < _LEAST_ROWS:
            return None
        return misplaced(self._read(claim), rows, [one for one, head in zip(pieces, heads, strict=True) if not head])

    def _lacks(
        self,
        claim: str,
        places: Sequence[tuple[int, int]],
        texts: Sequence[str],
        documents: Sequence[EncodedDocument],
    ) -> Lacking | None:
        """What a claim says that a row of a table lacks, or has."""
        read = self._read(claim)
        heads = [header_of(texts[number], documents[number].spans[n].start) for number, n in places]
        rows = [(k, texts[number][_span(documents, number, n)]) for k, (number, n) in enumerate(places)]
        cells = [one for (k, row), head in zip(rows, heads, strict=True) if head for one in fields_of_row(k, row, head)]
        return (lacking(read, cells) if any(read.negated) else None) or (marked(read, cells) if cells else None)

    def _listed(self, claim: str, texts: Sequence[str], documents: Sequence[EncodedDocument]) -> Contrary | None:
        """Where a claim says of a thing what a list denies of it, or the other way round, or puts it into another class or phase."""
        for number, text in enumerate(texts):
            other = classed_otherwise(self._read(claim), groups) if (groups := self._classes(text)) else None
            if other is not None:
                return plainly(0, len(claim), Evidence(number, other.start, other.end))
            phases = of_another_phase(claim, self._phases(text), content_stem)
            if phases is not None:
                return plainly(0, len(claim), Evidence(number, phases.start, phases.end))
        included = taken_in(claim, texts, content_stem) or of_no_menu(claim, texts)
        if included is not None:
            there = Evidence(included.text, included.other_start, included.other_end)
            return plainly(included.start, included.end, there)
        lists = [(number, one) for number, text in enumerate(texts) for one in self._lists(text)]
        if not lists:
            return None
        others = [frozenset(one.stems) for document in documents for one in document.words]
        item = listed_otherwise(self._read(claim), [one for _, one in lists], others)
        if item is None:
            return None
        number = next(number for number, one in lists if one is item)
        return Contrary(CERTAIN, (ValueConflict(0, len(claim), Evidence(number, item.start, item.end)),))

    def _recorded(self, claim: str, lies: Sequence[Position], texts: Sequence[str]) -> Contrary | None:
        """Where a claim says that a value lies elsewhere than beside its range, or under one label what a record has under another."""
        for one in lies:
            if not one.right:
                there = Evidence(one.reference.text, one.reference.start, one.reference.end)
                return Contrary(CERTAIN, (ValueConflict(one.start, one.end, there),))
        records = [self._fields(text) for text in texts]
        under = exchanged(claim, records, content_stem) if any(records) else None
        if under is None:
            return None
        there = Evidence(under.text, under.other.start, under.other.end)
        return Contrary(CERTAIN, (ValueConflict(under.start, under.end, there),))

    def _elsewhere(
        self,
        claim: str,
        question: str,
        texts: Sequence[str],
        documents: Sequence[EncodedDocument],
        labels: Mapping[tuple[int, int], Label],
    ) -> Contrary | None:
        """Where a claim says of one line, or one section, what stands in another."""
        items, others = items_of(labels, texts, documents)
        item = astray(self._read(claim), items, others)
        if item is not None:
            there = _evidence(documents, *item.item.place, item.item.start, item.item.end)
            return Contrary(CERTAIN, (ValueConflict(item.start, item.end, there),))
        if OF_ANOTHER.search(f"{claim} {question}"):
            return None
        lines = [
            Line(label.row, frozenset(documents[number].words[n].stems), (number, n))
            for (number, n), label in labels.items()
            if label.group == SECTIONS
        ]
        asked = _words_of(question)
        line = misattributed(self._read(claim), asked, lines, others, self._weight) if lines else None
        if line is None:
            return None
        number, n = line.place
        return Contrary(
            1.0, (ValueConflict(0, len(claim), _evidence(documents, number, n, 0, _length(documents, number, n))),)
        )

    def _in_its_place(self, number: int, n: int, texts: Sequence[str], documents: Sequence[EncodedDocument]) -> Reading:
        """A sentence with what its pronouns stand for; of one that a heading denies each clause is of a part, so that it is compared with none of the whole."""
        text, span = texts[number], documents[number].spans[n]
        before = self._read(text[_span(documents, number, n - 1)]) if n else None
        own = carrying(self._read(text[span.start : span.end]), before)
        below = self._denied_below(text)
        partly = {
            clause
            for (start, _), clause in zip(own.spans if below else (), own.clauses, strict=False)
            if any(begins <= span.start + start < end for begins, end in below)
        }
        return replace(own, partly=own.partly | partly) if partly else own

    def _read(self, text: str) -> Reading:
        return self._reading(text) if len(text) <= _LONGEST_REMEMBERED else _reading(text)


def _reading(text: str) -> Reading:
    return read(text, content_stem)


def _bounds(
    one: Contrast, places: Sequence[tuple[int, int]], texts: Sequence[str], documents: Sequence[EncodedDocument]
) -> bool:
    """Whether the word of the evidence stands right before a value too: "after 15 March", not "after the sample has been taken"."""
    number, n = places[one.piece]
    sentence = texts[number][_span(documents, number, n)]
    begins = one.other_end + len(sentence[one.other_end :]) - len(sentence[one.other_end :].lstrip())
    return any(value.start == begins for value in read_values(sentence))


def _of_other_things(
    claim: str, question: str, places: Sequence[tuple[int, int]], labels: Mapping[tuple[int, int], Label]
) -> frozenset[tuple[int, int]]:
    """The sentences of sections that are about another thing than the one that a claim, or else its question, names: they say nothing to the contrary."""
    rows = {place: label.row for place, label in labels.items() if label.group == SECTIONS}
    every = set(rows.values())
    mine = named(every, _words_of(claim)) or named(every, _words_of(question)) if every else None
    return frozenset(place for place in places if mine is not None and rows.get(place, mine) != mine)


def _words_of(text: str) -> frozenset[str]:
    read = read_words(text)
    return frozenset(read.stems) | read.numbers


def _is_of_head(words: str, place: tuple[int, int], texts: Sequence[str], documents: Sequence[EncodedDocument]) -> bool:
    """Whether words name a column of the table that a row is of, so that what the row has in others is no contrary: "Free from"."""
    number, n = place
    head = header_of(texts[number], documents[number].spans[n].start)
    own = words_of_cell(words) if head else frozenset[str]()
    return bool(own) and own <= words_of_cell(head.replace("|", " "))


def _without_values(claim: Reading, said: Said, pieces: Sequence[Reading]) -> Reading:
    """The claim without the words of values that the evidence writes otherwise: "half an hour" of 30 minutes tells nothing apart."""
    otherwise = said.written_otherwise.difference(*(piece.stems for piece in pieces))
    return replace(claim, stems=tuple(None if one in otherwise else one for one in claim.stems)) if otherwise else claim


def _span(documents: Sequence[EncodedDocument], number: int, n: int) -> slice:
    span = documents[number].spans[n]
    return slice(span.start, span.end)


def _length(documents: Sequence[EncodedDocument], number: int, n: int) -> int:
    span = documents[number].spans[n]
    return span.end - span.start


def _evidence(documents: Sequence[EncodedDocument], number: int, n: int, start: int, end: int) -> Evidence:
    """Characters `start` to `end` of a sentence."""
    begins = documents[number].spans[n].start
    return Evidence(number, begins + start, begins + end)


def _add(found: dict[int, Contrary], claim: int, conflict: ValueConflict) -> None:
    found[claim] = Contrary(1.0, (*found.get(claim, NOTHING_CONTRARY).conflicts, conflict))


def _conflict(
    one: Contrast | Misnamed, places: Sequence[tuple[int, int]], documents: Sequence[EncodedDocument]
) -> ValueConflict:
    there = _evidence(documents, *places[one.piece], one.other_start, one.other_end)
    return ValueConflict(one.start, one.end, there)
