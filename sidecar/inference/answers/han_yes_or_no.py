"""A bare yes or no in Chinese: "否。" to "可以刷信用卡吗？" of "本店不接受信用卡"."""

from __future__ import annotations

import re

from sidecar.inference.answers.han_reading import DENIED, plain_denials

_ASKS = re.compile(r"(?:吗|么|嘛)\s?[？?]?\s?\Z")
_YES = re.compile(
    r"\A(?:是|是的|可以|可以的|能|能的|行|有|有的|会|会的|对|对的|要|需要|支持|接受|好的|没问题|当然|当然可以)\Z"
)
_NO = re.compile(r"\A(?:否|不|不是|不能|不可以|不行|没有|不用|不需要|不会|不要|无|不支持|不接受)\Z")
_CONDITION = re.compile(r"若|如|除|仅|只|限|但|或|\d|[以之]外|不得不|未经|凭|超过|以[上下内]|前|后")
_NEEDS = re.compile(r"需|须|凭")
_LITTLE = frozenset("请问可以能吗么嘛的了在我们你您有没是否会要需这那个？? ，,。")
_PART = re.compile(r"[，,；;]")
_SAME = frozenset("刷里内用交拿办养还也都来去把给到个间")  # characters that a sentence may lack
_LEAST_SHARE, _LEAST = 0.6, 3  # of the question's characters, characters


def yes_or_no(question: str, claim: str, sentence: str) -> bool | None:
    """Whether a bare yes or no is right by a sentence that says, or denies, what its question asks; None where that is not plain."""
    yes, no = _YES.match(claim) is not None, _NO.match(claim) is not None
    asks = _ASKS.search(question)
    if yes == no or asks is None or _CONDITION.search(question) or _CONDITION.search(sentence):
        return None
    own = frozenset(question) - _LITTLE
    if len(own) < _LEAST or len(own & frozenset(sentence)) < _LEAST_SHARE * len(own):
        return None
    tail = question[: asks.start()][-2:]
    if tail not in sentence:
        return None
    if not own - frozenset(sentence) <= _SAME or plain_denials(sentence) is None:
        return None
    if any(DENIED.search(one) and tail not in one for one in _PART.split(sentence)):
        return None
    denied, asks_denied = len(DENIED.findall(sentence)), DENIED.search(question) is not None
    if denied > 1 or asks_denied:
        without = asks_denied and not denied and _NEEDS.search(sentence) is not None
        return no if without and question[: asks.start()].find("能") > 0 else None
    return yes != (denied == 1)
