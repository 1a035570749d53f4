"""What looks wrong in what a model says of examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from sidecar.inference import example
from sidecar.inference.base import Claim, Support
from sidecar.record.errors import PermanentInferenceError


class Says:
    """Answers, in turn, what it was given."""

    threshold = 0.5

    def __init__(self, *said: float, languages: frozenset[str] = frozenset({"en"})) -> None:
        self._said, self.languages, self.claims = said, languages, list[str]()

    async def support(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        self.claims = [claim.text for claim in claims]
        return [Support(one, None) for one in self._said]

    async def documents(self, question: str, documents: Sequence[str]) -> list[float]:
        return list(self._said)

    async def embed(self, texts: Sequence[str]) -> list[np.ndarray]:
        return [np.asarray([np.cos(one), np.sin(one)], np.float32) for one in self._said]


@pytest.mark.parametrize(
    ("role", "said", "doubt"),
    [
        ("grounding", (0.9, 0.1, 0.3), None),
        ("grounding", (0.98, 0.97, 0.3), "says 0.98 of a true claim, and 0.97 of its contrary"),  # a reranker
        ("grounding", (0.1, 0.9, 0.3), "says 0.10 of a true claim"),
        ("grounding", (0.4, 0.1, 0.3), "(threshold 0.5)"),
        ("relevance", (0.3, 0.2, 0.3), None),
        (
            "relevance",
            (0.2, 0.9, 0.3),
            "says 0.20 of a text that answers a question, and 0.90 of one of something else",
        ),
        ("embedding", (0.0, 0.5, 1.5, 0.1), None),
        ("embedding", (0.0, 1.5, 0.5, 0.1), "of a question beside a text that answers it"),
    ],
)
async def test_wrong_and_right_are_told_apart(role: str, said: tuple[float, ...], doubt: str | None) -> None:
    found = await example.ask(role, Says(*said))
    assert found is None if doubt is None else doubt in str(found)


async def test_a_model_of_chinese_alone_is_asked_in_chinese() -> None:
    for languages, first in (({"zh"}, "埃菲尔"), ({"zh", "en"}, "The Eiffel"), ({"de"}, "The Eiffel")):
        model = Says(0.9, 0.1, 0.3, languages=frozenset(languages))
        await example.ask("grounding", model)
        assert model.claims[0].startswith(first)


@pytest.mark.parametrize("role", ["grounding", "relevance", "embedding"])
async def test_what_is_no_number_is_no_answer(role: str) -> None:
    with pytest.raises(PermanentInferenceError, match="bad_score"):
        await example.ask(role, Says(*[float("nan")] * (4 if role == "embedding" else 3)))
