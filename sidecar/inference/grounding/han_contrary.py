"""How clearly a Chinese claim says the contrary of its evidence: the weight is set, as for English (contrary.py, ADR 0070)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from exporters.result import Evidence, ValueConflict
from sidecar.inference.base import Claim
from sidecar.inference.contrasts.han_compare import Weight, contrasts
from sidecar.inference.contrasts.han_reading import Reading, read
from sidecar.inference.contrasts.han_words import folded
from sidecar.inference.grounding.contradiction import NOTHING_CONTRARY, Contrary
from sidecar.inference.grounding.han import Piece
from sidecar.inference.values.compare import equal
from sidecar.inference.values.han_changes import current
from sidecar.inference.values.han_stated import han_stated, tokens_of, versions
from sidecar.inference.values.match import Outcome, match
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.value import Kind, Value

_FROM, _CLEAR = 0.05, 0.25  # shares of the claim's words that stand with the contrary and not with its own
_VALUE_FROM, _VALUE_CLEAR = 0.2, 0.45  # the same, of another value
_MOST_SENTENCES = 40  # beside those chosen
_OF_A_NAME, _ASKED, _OF_ITS_TITLE = 2.0, 0.6, 0.9
_LEAST_SAID = 4  # pairs of characters about a value
_MARK = re.compile("[，,。；;！!？?]")
_TITLE = re.compile(r"\A\s{0,8}(?:#{1,6} |\*\*)?([^:：\n。；;]{2,40}?)(?:\*\*)?(?:[:：]|\n)")
_HALVED = re.compile("减半|減半|半[价價]|一半|对折|對折")
_HALF = Value(kind=Kind.PERCENT, start=0, end=0, amount=50.0)


class HanContraries:
    """Compares claims with the sentences of their documents; each sentence is read once."""

    def __init__(self, documents: Sequence[str], sentences: Sequence[Piece], weight: Weight) -> None:
        self._documents = documents
        self._sentences = sentences
        self._weight = weight
        self._read: dict[tuple[int, int], Reading] = {}
        self._values: dict[tuple[int, int], tuple[Stated, ...]] = {}
        self._titled = Titled(documents)

    def of(self, claim: Claim, evidence: Sequence[Piece]) -> Contrary:
        """What the sentences chosen for it say otherwise, and what any says of its values."""
        words, values = self._by_words(claim.text, evidence), self._by_values(claim, evidence)
        known = {(one.start, one.end) for one in values.conflicts}
        left = tuple(one for one in words.conflicts if (one.start, one.end) not in known)
        return values.and_also(replace(words, conflicts=left))

    def _by_words(self, claim: str, evidence: Sequence[Piece]) -> Contrary:
        found = contrasts(read(claim), [self._reading(one) for one in evidence], self._weight)
        if found is None or found.strength <= _FROM:
            return NOTHING_CONTRARY
        place = _place(evidence[found.piece], found.other_start, found.other_end)
        clear = min(1.0, (found.strength - _FROM) / (_CLEAR - _FROM))
        return Contrary(clear, (ValueConflict(found.start, found.end, place),))

    def _by_values(self, claim: Claim, evidence: Sequence[Piece]) -> Contrary:
        own, asked = current(claim.text, han_stated(folded(claim.text))), han_stated(folded(claim.question))
        if not own:
            return NOTHING_CONTRARY
        about = _tokens(claim.question)
        if claim.short:
            own = tuple(_with(one, about, _ASKED) if len(one.words) < _LEAST_SAID else one for one in own)
        row = self._titled.named(_tokens(claim.text)) or self._titled.named(about)
        own = tuple(_with(one, row, 1.0) for one in own)
        others = (one for one in self._sentences if one not in evidence)
        chosen = [*evidence, *itertools.islice(others, _MOST_SENTENCES)]
        known = [one.value for one in asked]
        if any(_HALVED.search(self._text(one)) for one in chosen):
            known.append(_HALF)
        found = match(own, [self._stated(one) for one in chosen], self._of_a_word, known)
        stated = {one.value: one for one in own}
        brought = _brought(claim.question, [one.value for one in asked])
        wrong = [
            one
            for one in found
            if one.outcome is Outcome.DISAGREES
            and _counts(stated[one.value])
            and not any(equal(one.value, other) for other in brought)
        ]
        clear = max((one.strength for one in wrong), default=0.0)
        if clear <= _VALUE_FROM:
            return NOTHING_CONTRARY
        conflicts = [
            ValueConflict(one.value.start, one.value.end, _place(chosen[one.piece], one.other.start, one.other.end))
            for one in wrong
            if one.other is not None
        ]
        return Contrary(min(1.0, (clear - _VALUE_FROM) / (_VALUE_CLEAR - _VALUE_FROM)), tuple(conflicts))

    def _of_a_word(self, token: str) -> float:
        """How telling a pair of characters is; a name in Latin letters, which may be all that tells A型 and B型 apart, as much as two pairs."""
        return self._weight(token) * (_OF_A_NAME if token.isascii() else 1.0)

    def _reading(self, one: Piece) -> Reading:
        key = one.document, one.span.start
        if key not in self._read:
            self._read[key] = read(self._text(one))
        return self._read[key]

    def _stated(self, one: Piece) -> tuple[Stated, ...]:
        key = one.document, one.span.start
        if key not in self._values:
            row, title = self._titled.rows[one.document], self._titled.titles[one.document]
            values = (_with(value, title, _OF_ITS_TITLE) for value in han_stated(folded(self._text(one))))
            self._values[key] = tuple(replace(value, row=row) if row else value for value in values)
        return self._values[key]

    def _text(self, one: Piece) -> str:
        return self._documents[one.document][one.span.start : one.span.end]


def _brought(question: str, asked: Sequence[Value]) -> list[Value]:
    """The values of a question that the asker states before asking: 我有个箱子28公斤，能托运吗？"""
    asks = max((mark.start() for mark in _MARK.finditer(question.rstrip("？?。 "))), default=0)
    return [one for one in asked if one.end <= asks]


def _counts(own: Stated) -> bool:
    """Whether a value is one: a number that counts nothing may be a name, 5096, and the first of something is no amount."""
    kind = own.value.kind
    return kind is not Kind.ORDINAL and (kind is not Kind.NUMBER or own.noun != "")


class Titled:
    """Documents told apart by their titles, 企业版发布记录 and 个人版发布记录. `titles` are their words, `rows` what stands for each as for a row of a table,
    nothing for one without a title."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.titles = titles = [
            _tokens(found[1]) if (found := _TITLE.match(text)) else frozenset[str]() for text in documents
        ]
        others = [frozenset[str]().union(*(titles[:n] + titles[n + 1 :])) for n in range(len(titles))]
        self._own = [title - other for title, other in zip(titles, others, strict=True)]
        apart = sum(bool(one) for one in self._own) > 1
        self.rows = [frozenset({f"§{n}"} if apart and own else ()) for n, own in enumerate(self._own)]

    def named(self, tokens: frozenset[str]) -> frozenset[str]:
        """The row of the one document of which there is a word of its title that no other has."""
        named = [row for row, own in zip(self.rows, self._own, strict=True) if row and own & tokens]
        return named[0] if len(named) == 1 else frozenset()


def _with(one: Stated, words: frozenset[str], share: float) -> Stated:
    """The value with more words about it."""
    return replace(one, words={**dict.fromkeys(words, share), **one.words}) if words else one


def _tokens(text: str) -> frozenset[str]:
    text = folded(text)
    return frozenset(token for token, _ in (*tokens_of(text), *versions(text)))


def _place(piece: Piece, start: int, end: int) -> Evidence:
    return Evidence(piece.document, piece.span.start + start, piece.span.start + end)
