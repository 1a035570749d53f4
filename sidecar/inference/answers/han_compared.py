"""Which of the things of a Chinese sentence has more, by their values: "C套餐最便宜" of "A套餐每月39元，B套餐每月69元，C套餐每月129元"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sidecar.inference.answers.han_reading import DENIED, told_apart
from sidecar.inference.values.compare import dimension
from sidecar.inference.values.read import read_values
from sidecar.inference.values.units import in_base
from sidecar.inference.values.value import Kind

_ITEMS = re.compile(r"[，,；;、]")
_MORE = {
    "贵": "money",
    "高": "",
    "多": "",
    "长": "time length",
    "重": "mass",
    "大": "",
    "远": "length",
    "久": "time",
    "慢": "time",
}
_LESS = {
    "便宜": "money",
    "低": "",
    "少": "",
    "短": "time length",
    "轻": "mass",
    "小": "",
    "近": "length",
    "快": "time",
    "省": "money",
}
_ADJECTIVE = "|".join([*_MORE, *_LESS])
_THAN = re.compile(rf"\A(?P<one>.{{1,14}}?)比(?P<other>.{{1,14}}?)(?:要|更|还)?(?P<how>{_ADJECTIVE})")
_MOST = re.compile(rf"(?P<most>最|更|比较)(?P<how>{_ADJECTIVE})")
_ASKS = re.compile(rf"(?:哪|谁|什么).{{0,10}}?(?:最|更|比较)(?P<how>{_ADJECTIVE})(?!消费|起|额|期|限)")
_OTHER_SCALE = re.compile(r"最|起[存订购付]|至[少多]|折|第\s?\d|名次|排名|出生|原价|再减|另")
_RATE = re.compile(r"每[年月周日天季人次]|/[年月周日天]")
_FIGURE = re.compile(r"\d")
_OF_SOME = re.compile(r"和|与|跟|还是|相比|之间|除|两|第[二三]|其次")
_DIFFERENCE = re.compile(r"(?:多|少|贵|便宜|高|低|长|短)(?:了|出)?\s?\d")


@dataclass(frozen=True, slots=True)
class _Item:
    """A thing of a sentence, by what it is told apart by, its amount, and what that measures."""

    words: frozenset[str]
    amount: float
    measures: str


def compared(question: str, claim: str, sentence: str) -> bool | None:
    """Whether the values of a sentence say what a claim, beside its question, says of which has more; None where that is not plain."""
    found = _THAN.search(claim)
    asks = _ASKS.search(question)
    most = _MOST.search(claim)
    if len(_MOST.findall(question)) > 1:
        return None
    how = found["how"] if found else most["how"] if most else asks["how"] if asks else ""
    if not how or DENIED.search(claim) or _DIFFERENCE.search(claim):
        return None
    if (
        _OTHER_SCALE.search(sentence)
        or len(frozenset(_RATE.findall(sentence))) > 1
        or (asks and _FIGURE.search(question, asks.end()))
    ):
        return None
    items = _items(sentence)
    if len(items) > 2 and not found and _OF_SOME.search(question):
        return None
    if not items or ((needs := _MORE.get(how, _LESS.get(how, ""))) and items[0].measures not in needs.split()):
        return None
    one = _which(
        found["one"] if found else claim[: most.start()] if most and claim[: most.start()].strip("是的") else claim,
        items,
    )
    if one is None:
        return None
    amounts = [item.amount for item in items]
    if len(set(amounts)) < len(amounts):
        return None
    if found:
        other = _which(found["other"], items)
        if other is None or other is one:
            return None
        return (one.amount > other.amount) == (how in _MORE)
    if "更" in claim + question and len(items) > 2:
        return None
    return one.amount == (max(amounts) if how in _MORE else min(amounts))


def _items(sentence: str) -> list[_Item]:
    """The things that a sentence gives one value each, all of one dimension; none where that is not so."""
    parts = [(one, read_values(one)) for one in _ITEMS.split(sentence) if one.strip()]
    if len(parts) < 2 or any(len(values) != 1 for _, values in parts):
        return []
    told = [(told_apart(text[: values[0].start]), values[0]) for text, values in parts]
    if len({(dimension(one), one.unit if one.kind is Kind.MONEY else "") for _, one in told}) != 1:
        return []
    found = []
    for n, (words, value) in enumerate(told):
        others = frozenset[str]().union(*(each for k, (each, _) in enumerate(told) if k != n))
        measures = "money" if value.kind is Kind.MONEY else dimension(value)
        found.append(
            _Item(
                words - others,
                in_base(value.amount, value.unit) if value.kind is Kind.QUANTITY else value.amount,
                measures,
            )
        )
    return found if all(one.words for one in found) else []


def _which(text: str, items: list[_Item]) -> _Item | None:
    named = [one for one in items if one.words & told_apart(text)]
    return named[0] if len(named) == 1 else None
