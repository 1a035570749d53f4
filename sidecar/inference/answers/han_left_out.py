"""What a Chinese sentence leaves out: "特价商品可以退货" of "除特价商品外，均可退货", "老用户也能用" of "仅限新用户使用"."""

from __future__ import annotations

import re

from sidecar.inference.answers.han_reading import DENIED, plain_denials, told_apart

_BUT = re.compile(r"除(?:了)?(?P<what>[^，,；;]{2,14}?)(?:以外|之外|外)[，,]?(?P<rest>[^，,；;]{2,40})")
_BEHIND = re.compile(r"(?P<rest>[^；;]{2,40})[，,（(](?P<what>[^，,；;（()]{2,16}?)除外")
_ONLY = re.compile(
    r"(?:只有|仅限|仅|只限|限)(?P<what>[^，,；;]{2,12}?)(?:才能|才可以|才可|方可|可以|可|使用|享有|享受|参加|购买|申请|办理)(?P<rest>[^；;]{0,30})"
)
_ALL = re.compile(r"所有|任何|人人|都|也")
_EXCEPT = re.compile(r"除|仅|只有|只限")
_EVERY = re.compile("所有|其他|其余|全部|各")
_PARTS = re.compile("[，,；;]")
_FURTHER = re.compile(r"还|另|也|又")
_GENERIC = frozenset("用户人员客会员者的和或与以上下内可享")
_SPLIT = re.compile(r"[、和及与或]")
_ALSO = re.compile(r"均|都|全|每|一律|皆|任何|所有|包|免")


def left_out(question: str, claim: str, sentence: str) -> bool | None:
    """Whether a sentence says of what it leaves out, or of all others than those that it names alone, what a claim does; None where that is not plain."""
    if _EXCEPT.search(claim):
        return None
    denials = plain_denials(claim)
    if denials is None or denials > 1:
        return None
    denied = denials == 1
    if (found := _BUT.search(sentence) or _BEHIND.search(sentence)) is not None:
        parts = [one for one in _SPLIT.split(found["what"]) if len(one) > 1]
        named = any(one in claim and not any(f"{no}{one}" in claim for no in "未非不无") for one in parts)
        if any(sentence.count(one) > 1 for one in parts) or _FURTHER.search(found["rest"]):
            return None
        subject = _EVERY.sub("", _ALSO.split(found["rest"].lstrip("所有其他"))[0])
        bare = claim.replace(next((one for one in parts if one in claim), ""), " ")
        if len(subject) > 1 and subject in bare:
            return None  # "除房租外，租客均需自付水电费": what is left out is not one of those that the rest is about
        if ("免" in found["rest"]) != ("免" in claim) or (said := plain_denials(found["rest"])) is None or said > 1:
            return None
        if not named or not _ALSO.search(found["rest"]) or not told_apart(claim) & told_apart(found["rest"]):
            return None
        return denied != (said == 1)
    if (found := _ONLY.search(sentence)) is not None and not DENIED.search(sentence):
        clause = next(one for one in _PARTS.split(sentence) if found["what"] in one)
        if told_apart(claim) & (told_apart(sentence) - told_apart(clause)) or (
            frozenset(found["what"]) - _GENERIC
        ) & frozenset(claim):
            return None
        apart = found["what"] not in claim and _ALL.search(claim) is not None
        return denied if apart and told_apart(claim) & told_apart(found["rest"] + sentence[: found.start()]) else None
    return None
