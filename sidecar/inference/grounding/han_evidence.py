"""What a cross-encoder for Chinese reads beside a text: the sentences that hold most of it, and those around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sidecar.inference.embedding.idf import Idf
from sidecar.inference.grounding.han import Piece, Read, choose

READ_CHARACTERS = 200
_MORE = 20  # rather than to leave a sentence out


def passage(
    asked: Sequence[Read], sentences: Sequence[Piece], texts: Sequence[str], idf: Idf, most: int = READ_CHARACTERS
) -> str:
    """About `most` characters of `texts`, of which `sentences` are all, as they stand there; everything where that is not more. `asked`: what is to be
    held, the most important first."""
    if sum(map(len, texts)) <= most:
        return "\n".join(text.strip() for text in texts)
    taken: set[int] = set()
    size = 0
    for n in _in_turn(asked, sentences, idf):
        length = sentences[n].span.end - sentences[n].span.start
        if n not in taken and (not taken or size + length <= most + _MORE):
            taken.add(n)
            size += length
    return "\n".join(_text(sentences[n], texts) for n in sorted(taken))


def _text(piece: Piece, texts: Sequence[str]) -> str:
    return texts[piece.document][piece.span.start : piece.span.end].strip()


def _in_turn(asked: Sequence[Read], sentences: Sequence[Piece], idf: Idf) -> Iterator[int]:
    """Numbers of sentences: the best for each that is asked, the others chosen for these, what stands beside them, then what comes first."""
    place = {id(piece): n for n, piece in enumerate(sentences)}
    chosen = [[place[id(piece)] for piece in choose(one, sentences, idf)] for one in asked]
    found = [own[0] for own in chosen if own] + [n for own in chosen for n in own[1:]]
    yield from found
    for n in found:
        yield from (other for other in (n + 1, n - 1) if _beside(n, other, sentences))
    yield from range(len(sentences))


def _beside(n: int, other: int, sentences: Sequence[Piece]) -> bool:
    return 0 <= other < len(sentences) and sentences[other].document == sentences[n].document
