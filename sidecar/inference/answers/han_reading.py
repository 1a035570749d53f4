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
# Words that have a character of denial and deny nothing, or that stop, waive or except something without one.
_LOOK_ALIKE = re.compile(
    r"非常|无障碍|未成年|未婚|未来|无理由|无条件|无限|无线|无论|不论|不管|不仅|不但|不只|不限|不锈钢|不动产|不良|不满|不同|不断|不错|不少|不低于|不超过|无人机|无烟|无糖|无息|"
    r"非遗|非机动|除非|没收|暂停|停止|取消|停用|停运|停办|停业|停售|严禁|勿|禁用|售罄|下架|已满|关闭|撤销|终止|失效|作废|暂缓|忌|难以|免收|免交|免缴|免付|豁免|原定|原价|另付|另收|自费"
)
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


def told_apart(text: str) -> frozenset[str]:
    """Pairs of characters that stand together, and names in Latin letters and figures."""
    return _remembered(text) if len(text) <= LONGEST else _told_apart(text)


def _told_apart(text: str) -> frozenset[str]:
    found = set[str]()
    for run in _RUN.findall(text):
        if run[0].isascii():
            found.add(run.lower())
        else:
            found.update(run[n : n + 2] for n in range(len(run) - 1))
    return frozenset(found) - _LITTLE


_remembered = functools.lru_cache(maxsize=4 * _REMEMBERED)(_told_apart)


def plain_denials(text: str) -> int | None:
    """How often a text denies; None where a word only looks like that, or stops or waives something."""
    return None if _LOOK_ALIKE.search(text) else len(DENIED.findall(text))
