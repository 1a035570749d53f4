"""Which of several steps comes first, in Chinese: "先缴费，再填申请表" of "先填写申请表，再到窗口缴费"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sidecar.inference.answers.han_reading import DENIED

_ORDERED = re.compile(r"先|首先|流程|步骤|第一步")
_CUT = re.compile(r"[，,；;、→]|(?:然后|接着|随后|最后|再)|(?<=[一-鿿]{2})后(?=[一-鿿]{2})")
_LABEL = re.compile(r"\A[^：:]{1,12}[：:]")
_FIRST = re.compile(r"\A先(?P<one>.{2,20}?)[，,]?(?:再|然后|后|才)(?P<other>.{2,20})\Z")
_AFTER = re.compile(r"\A(?P<one>.{2,20}?)(?:完|了)?(?:之后|以后|后)[，,]?(?:再|才|就)?(?P<other>.{2,20})\Z")
_BEFORE = re.compile(r"\A(?P<other>.{2,20}?)(?:之前|以前|前)[，,]?(?:要|须|需|应)?(?:先)?(?P<one>.{2,20})\Z")
_ASKS_FIRST, _ASKS_LAST = re.compile(r"第一步|首先|最先|先做"), re.compile(r"最后一步|最后做|最后")
_LITTLE = frozenset("先再请到要的是了把后最完一步第，,。 就才到")
_START = re.compile(r"(?<![优预首事])先(?![生进后])|首先|第一步")
_NEXT = re.compile(r"接下来|之后|以后|完成后|完后|下一步|然后|第二|之前|以前")
_LAST, _MARKS, _COMMAS = re.compile("最后"), re.compile("[，,；;、→]"), re.compile("[，,；;]")
_LEAST_SHARE = 0.5
_LEAST = 2


def steps(question: str, claim: str, sentence: str) -> bool | None:
    """Whether a claim tells two steps in the order of a sentence, or the step that its question asks for; None where that is not plain."""
    if not _ORDERED.search(sentence) or DENIED.search(sentence) or DENIED.search(claim):
        return None
    if len(_START.findall(sentence)) > 1 or "优先" in sentence:
        return None
    parts = [
        frozenset(one) - _LITTLE
        for one in _CUT.split(_LABEL.sub("", sentence, count=1))
        if len(frozenset(one) - _LITTLE) > 1
    ]
    if len(parts) < _LEAST:
        return None
    claim = claim.rstrip("。！! ")
    asked = _ASKS_FIRST.search(question) is not None, _ASKS_LAST.search(question) is not None
    if any(asked) and (_NEXT.search(question) or _CUT.search(claim)):
        return None
    if any(asked) and not all(asked):
        return _at(claim, sentence, asked[0], parts)
    found = _FIRST.match(claim) or _AFTER.match(claim) or _BEFORE.match(claim)
    if found is None:
        return None
    one, other = _place(found["one"], parts), _place(found["other"], parts)
    return None if one is None or other is None or one == other else one < other


def _place(text: str, parts: Sequence[frozenset[str]]) -> int | None:
    """The one part of a sentence that has most characters of a text, but for those that all steps have."""
    own = frozenset(text) - _LITTLE
    shares = [len(own & part) / len(own) if own else 0.0 for part in parts]
    best = max(shares)
    return shares.index(best) if best >= _LEAST_SHARE and shares.count(best) == 1 else None


def _at(claim: str, sentence: str, first: bool, parts: Sequence[frozenset[str]]) -> bool | None:
    """Whether a claim is the step that a sentence marks as the first one, or the last one; of a bare list by its place."""
    place = _place(claim, parts)
    if place is None:
        return None
    marks = list((_START if first else _LAST).finditer(sentence))
    if len(marks) == 1:
        after = next((one for one in _CUT.split(sentence[marks[0].end() :]) if len(frozenset(one) - _LITTLE) > 1), "")
        return place == _place(after, parts) if after and _place(after, parts) is not None else None
    if marks or len(frozenset(_MARKS.findall(_LABEL.sub("", sentence, count=1)))) != 1 or _COMMAS.search(sentence):
        return None
    return place == (0 if first else len(parts) - 1)
