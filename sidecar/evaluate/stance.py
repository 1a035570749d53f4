"""How far an answer declines: by rules, and where these find that it answers, by a model too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from exporters.result import Abstention
from sidecar.evaluate.text.abstain import DECLINES, Stance, stance_of
from sidecar.evaluate.text.claims import claims_of
from sidecar.inference.base import AbstentionModel

# A longer answer is left to the rules: the model reads an answer whole or not at all.
MOST_CHARS = 600


async def stance_by(model: AbstentionModel, question: str, answer: str) -> Stance:
    """What an answer states and how far it declines. What the model is not sure of, or cannot read whole, stays as the rules have it. Raises InferenceError."""
    stance = stance_of(answer)
    if stance.kind in DECLINES or len(answer) > MOST_CHARS:
        return stance
    [likely] = await model.kinds(question, [answer])
    if likely is None:
        return stance
    if declining(likely) >= model.threshold and not await _answers_beside(model, question, stance):
        return Stance(max(DECLINES, key=likely.__getitem__), (), by=model.identity)
    if stance.kind is Abstention.NONE and likely[Abstention.PARTIAL] >= model.part_threshold:
        return await _in_part(model, question, stance)
    return stance


async def _answers_beside(model: AbstentionModel, question: str, stance: Stance) -> bool:
    """Whether an answer that declines in part by the rules states figures that the model, which reads it whole, takes for an answer by themselves."""
    left = claims_of(stance.left) if stance.kind is Abstention.PARTIAL else []
    texts = [claim.text for claim in left if any(map(str.isdigit, claim.text))]
    return not all(_is_silent(model, one) for one in await model.kinds(question, texts))


def declining(likely: Mapping[Abstention, float]) -> float:
    """The probability that an answer answers nothing."""
    return sum(likely[kind] for kind in DECLINES)


def _is_silent(model: AbstentionModel, likely: Mapping[Abstention, float] | None) -> bool:
    """Whether a part of an answer declines so surely that it is not judged."""
    return likely is not None and declining(likely) >= model.part_threshold


async def _in_part(model: AbstentionModel, question: str, stance: Stance) -> Stance:
    """A stance without the claims that decline, where some do and some do not."""
    texts = [claim.text for claim in claims_of(stance.left)]
    likely = await model.kinds(question, texts)
    silent = frozenset(text for text, one in zip(texts, likely, strict=True) if _is_silent(model, one))
    if not silent or silent.issuperset(texts):
        return stance
    return replace(stance, kind=Abstention.PARTIAL, silent=silent, by=model.identity)
