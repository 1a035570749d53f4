"""How far an answer declines: by rules, and where these find that it answers, by a model too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from exporters.result import Abstention
from sidecar.evaluate.text.abstain import DECLINES, Stance, stance_of
from sidecar.evaluate.text.claims import claims_of
from sidecar.evaluate.text.clauses import is_sentence
from sidecar.evaluate.text.declining import names_choices, needs_more
from sidecar.evaluate.text.silence import is_of_the_house
from sidecar.inference.base import AbstentionModel

# A longer answer is left to the rules: the model reads an answer whole or not at all.
MOST_CHARS = 600
_WORD, _STEM = re.compile(r"[^\W\d_]{4,}"), 5
_OF_THE_TALK = re.compile(
    r"\b(?:i|me|us|let['’]s|depend\w*|differ\w*|var(?:y|ies)|hinge\w*|several|various|could mean|each|both|there are)\b|\bi['’]|\bwe (?:have|offer|sell)\b|"
    r"\byou(?:['’]|r\b|(?! (?:can|may|must|have to|get|need to|are allowed|cannot|can['’]t)\b))",
    re.IGNORECASE,
)
# What any question back has, without a question mark too: "I need the model", "Tell me which one you have", "That depends on your plan."
_ASKS = re.compile(
    r"[?？]|\b(?:i|me|we|us|you|your|which|what|whether|depends?|need|needs|clarify|specify|specific|more|unclear|mean|several|two|both|either|let['’]s)\b",
    re.IGNORECASE,
)
_SHARED = 2  # words of the question in a sentence beside one that declines
_SURELY_STATES = 0.1
_STATES = 0.5  # likelihood of declining below which a sentence beside a question back is taken for a statement


async def stance_by(model: AbstentionModel, question: str, answer: str) -> Stance:
    """What an answer states and how far it declines. What the model is not sure of, or cannot read whole, stays as the rules have it. Raises InferenceError."""
    stance = stance_of(answer)
    if stance.kind in DECLINES or len(answer) > MOST_CHARS:
        return stance
    [likely] = await model.kinds(question, [answer])
    if likely is None:
        return stance
    kind = max(DECLINES, key=likely.__getitem__)
    asks = kind is Abstention.CLARIFICATION and stance.asks
    if kind is Abstention.CLARIFICATION and not (stance.asks or _ASKS.search(answer)):
        return stance
    if declining(likely) >= model.threshold and not await _answers_beside(model, question, stance, asks=asks):
        return Stance(kind, (), by=model.identity)
    if stance.kind is Abstention.NONE and likely[Abstention.PARTIAL] >= model.part_threshold:
        return await _in_part(model, question, stance)
    return stance


async def _answers_beside(model: AbstentionModel, question: str, stance: Stance, *, asks: bool) -> bool:
    """Whether the model, which reads an answer whole, takes what that states for an answer by itself: figures of one that declines in part
    by the rules, or a sentence with two words of the question, a sentence about what was asked beside a question back ("The warranty lasts five years. Which model do you have?")."""
    texts = [claim.text for claim in claims_of(stance.left)]
    if texts and all(map(is_of_the_house, texts)):
        return True
    if asks:
        stated = [text for text in texts if _is_of(text, question)]
        likely = await model.kinds(question, stated)
        return any(one is not None and declining(one) < _STATES for one in likely)
    if stance.kind is not Abstention.PARTIAL:
        return False
    figures = [text for text in texts if any(map(str.isdigit, text))]
    if not all(_is_silent(model, one) for one in await model.kinds(question, figures)):
        return True
    told = [text for text in texts if _is_of(text, question) and len(_begins(text) & _begins(question)) >= _SHARED]
    likely = await model.kinds(question, told)
    return any(one is not None and declining(one) < _SURELY_STATES for one in likely)


def _is_of(text: str, question: str) -> bool:
    """Whether a sentence states something of what was asked, with a word of the question, and is not about the talk or why more must be known."""
    if not is_sentence(text) or needs_more(text) or names_choices(text) or _OF_THE_TALK.search(text):
        return False
    return not _begins(text).isdisjoint(_begins(question))


def _begins(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM].lower() for word in _WORD.findall(text))


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
