"""Chinese sentences, and what their words are told apart by: pairs of characters, and names in Latin letters or figures."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from sidecar.inference.contrasts.han_words import folded

LONGEST = 150  # characters of a sentence, or of an answer, that is read
_LONGEST_TEXT, _REMEMBERED = 20_000, 256
_SENTENCE = re.compile(r"[^。！？!?\n]+")
_RUN = re.compile(r"[一-鿿]+|[A-Za-z0-9][A-Za-z0-9_.+-]{0,40}")
DENIED = re.compile(r"不|没|未|无|非|禁止|谢绝|拒")
CLAUSE = re.compile(r"[，,；;、]")
_LITTLE = frozenset(
    "可以 以吗 是的 不可 不能 能吗 吗的 多少 少钱 什么 请问 一个 我们 你们 的是 现在 需要 要吗 哪个 怎么".split()
)


def sentences_of(texts: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(document, where it begins, sentence), simplified, of what is short enough to be read."""
    for number, text in enumerate(texts):
        for start, sentence in _sentences(text[:_LONGEST_TEXT]):
            yield number, start, sentence


@functools.lru_cache(maxsize=_REMEMBERED)
def _sentences(text: str) -> tuple[tuple[int, str], ...]:
    text = folded(text)
    return tuple(
        (one.start(), one.group())
        for one in _SENTENCE.finditer(text)
        if len(one.group()) <= LONGEST and one.group().strip()
    )


@functools.lru_cache(maxsize=4 * _REMEMBERED)
def told_apart(text: str) -> frozenset[str]:
    """Pairs of characters that stand together, and names in Latin letters and figures."""
    found = set[str]()
    for run in _RUN.findall(text):
        if run[0].isascii():
            found.add(run.lower())
        else:
            found.update(run[n : n + 2] for n in range(len(run) - 1))
    return frozenset(found) - _LITTLE
