"""What a model of one's own says of examples, for `rag-sidecar check`: whether it answers, and whether it tells right from wrong."""

from __future__ import annotations

import math
from typing import Any

from sidecar.inference.base import Claim
from sidecar.record.errors import PermanentInferenceError

_LONG = "It is blue. " * 300
_QUESTION = "How tall is the Eiffel Tower?"
_TEXT = "The Eiffel Tower in Paris is 330 metres tall and was finished in 1889."
_OTHER = "Bees collect nectar in spring and bring it to their hive."
_TRUE, _FALSE = "The Eiffel Tower was finished in 1889.", "The Eiffel Tower was never finished."
_ZH_TEXT = "巴黎的埃菲尔铁塔高330米，于1889年建成。"
_ZH_TRUE, _ZH_FALSE = "埃菲尔铁塔于1889年建成。", "埃菲尔铁塔从未建成。"


async def ask(role: str, model: Any) -> str | None:
    """What a model's answers to examples look wrong by; None where they look right. Raises InferenceError where it does not answer, also where what
    it answers are no numbers. One text is longer than any model reads at once: a graph may have fewer positions than its config.json says."""
    if role == "grounding":
        return await _grounding(model)
    if role == "relevance":
        right, wrong, _ = _finite(await model.documents(_QUESTION, [_TEXT, _OTHER, _LONG]))
        of_what = "a text that answers a question", "one of something else"
        return None if right > wrong else _doubt(of_what, (right, wrong), "another label or order")
    vectors = await model.embed([_QUESTION, _TEXT, _OTHER, _LONG])
    _finite([float(vector @ vector) for vector in vectors])
    right, wrong = float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])
    of_what = "a question beside a text that answers it", "beside one of something else"
    return None if right > wrong else _doubt(of_what, (right, wrong), "another pooling or prefix")


async def _grounding(model: Any) -> str | None:
    chinese = "zh" in model.languages and "en" not in model.languages
    text, true, false = (_ZH_TEXT, _ZH_TRUE, _ZH_FALSE) if chinese else (_TEXT, _TRUE, _FALSE)
    said = await model.support([Claim(true), Claim(false), Claim(_LONG)], [text, _LONG])
    right, wrong, _ = _finite([one.probability for one in said])
    if right >= model.threshold > wrong:
        return None
    found = _doubt(("a true claim", "its contrary"), (right, wrong), "a reranker, or another label, order or prompt")
    return f"{found} (threshold {model.threshold:g})"


def _doubt(of_what: tuple[str, str], said: tuple[float, float], why: str) -> str:
    return f"says {said[0]:.2f} of {of_what[0]}, and {said[1]:.2f} of {of_what[1]}: is it {why}?"


def _finite(said: list[float]) -> list[float]:
    if not all(map(math.isfinite, said)):
        raise PermanentInferenceError("bad_score", "what it answers are no numbers")
    return said
