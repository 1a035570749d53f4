"""What a model reads of a premise and a hypothesis: one input where both fit, else windows of them, never a cut.

A window of the hypothesis beside each window of the premise makes a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tokenizers import Encoding, Tokenizer

from exporters.text import clean

_OVERLAP_TOKENS = 32
_LEAST_PREMISE_TOKENS = 48
_LEAST_TOKENS = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One window of the hypothesis, from character `start` of it, beside each window of the premise."""

    start: int
    encodings: tuple[Encoding, ...]


@dataclass(frozen=True, slots=True)
class Reader:
    """How pairs become tokens. A `prompt` that names {hypothesis} makes one text of both; one that names {premise} alone frames
    the premise. Without, they are two segments, the premise first unless `hypothesis_first`.

    `plain` and `framing` are the same tokenizer twice: what a user writes is text, also where it looks like a special token, and
    only a prompt may hold some. Which of the two it does is a state of a tokenizer, and several threads read at once.
    """

    plain: Tokenizer
    framing: Tokenizer
    max_tokens: int
    prompt: str | None = None
    hypothesis_first: bool = False

    def __post_init__(self) -> None:
        self.plain.encode_special_tokens = True

    @property
    def segment(self) -> int | None:
        """Which segment the hypothesis is; None where there is one text."""
        return None if self.prompt and "{hypothesis}" in self.prompt else int(not self.hypothesis_first)

    def encode(self, premise: str, hypothesis: str) -> Encoding:
        """The tokens of a pair, of whatever length. Texts never make special tokens."""
        if self.prompt and self.segment is None:
            given = self.prompt.format(premise=self._plain(premise), hypothesis=self._plain(hypothesis))
            return self.framing.encode(clean(given))
        premise = self.prompt.format(premise=premise) if self.prompt else premise
        first, second = (hypothesis, premise) if self.hypothesis_first else (premise, hypothesis)
        return self.plain.encode(clean(first), clean(second))

    def rows(self, premise: str, hypothesis: str) -> list[Row]:
        """The inputs of a pair, none longer than `max_tokens`."""
        premise, hypothesis = clean(premise), clean(hypothesis)
        whole = self.encode(premise, hypothesis)
        if len(whole.ids) <= self.max_tokens:
            return [Row(0, (whole,))]
        room = max(self.max_tokens - len(self.encode("", "").ids), 2 * _LEAST_TOKENS)
        rows = []
        for start, part in self._parts(hypothesis, room - min(_LEAST_PREMISE_TOKENS, room // 2)):
            left = room - len(self._bare(part).ids)
            pieces = [piece for _, piece in self._parts(premise, max(left, _LEAST_TOKENS))]
            rows.append(Row(start, tuple(one for piece in pieces for one in self._fitting(piece, part))))
        return rows

    def _fitting(self, premise: str, hypothesis: str) -> Iterator[Encoding]:
        """A pair that fits by its tokens may have one or two more where it is read anew: then its premise is halved."""
        encoding = self.encode(premise, hypothesis)
        if len(encoding.ids) <= self.max_tokens or len(premise) < 2:
            yield encoding
        else:
            middle = len(premise) // 2
            yield from self._fitting(premise[:middle], hypothesis)
            yield from self._fitting(premise[middle:], hypothesis)

    def _parts(self, text: str, most: int) -> list[tuple[int, str]]:
        """Substrings of at most so many tokens with their places, overlapping; the text itself where it fits."""
        encoding = self._bare(text)
        if len(encoding.ids) <= most:
            return [(0, text)]
        step = max(1, most - min(_OVERLAP_TOKENS, most // 4))
        spans = [encoding.offsets[start : start + most] for start in range(0, len(encoding.ids) - (most - step), step)]
        return [(span[0][0], text[span[0][0] : span[-1][1]]) for span in spans]

    def _bare(self, text: str) -> Encoding:
        return self.plain.encode(text, add_special_tokens=False)

    def _plain(self, text: str) -> str:
        """A text without what a prompt's tokenizer would take for special tokens."""
        for token in self.framing.get_added_tokens_decoder().values():
            if token.special and token.content in text:
                text = text.replace(token.content, " ")
        return text
