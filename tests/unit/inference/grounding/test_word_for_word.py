"""A claim that stands in a document as a whole sentence."""

from __future__ import annotations

import pytest

from sidecar.inference.base import Claim
from sidecar.inference.grounding.embedded import WORD_FOR_WORD, EmbeddedGrounder
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry

DOCUMENTS = ["The lamp costs $5. It is blue.", 'The guide says: "Mind the gap." Nobody is 1.5 m tall.']


@pytest.mark.parametrize(
    ("claim", "copied"),
    [
        ("It is blue.", True),
        ("it  is BLUE", True),
        ("**The lamp costs $5.**", True),
        ("The lamp costs €5.", False),
        ("Nobody is 15 m tall.", False),
        ("Is blue.", False),
        ("It is not blue.", False),
    ],
)
async def test_only_a_sentence_with_the_same_words_is_one(claim: str, copied: bool) -> None:
    runtime = ModelRuntime(InferenceConfig(grounding="embedded"), Telemetry())
    await runtime.start()
    try:
        [support] = await runtime.models.grounder.support([Claim(claim)], DOCUMENTS)
    finally:
        await runtime.stop()
    assert (support.probability == WORD_FOR_WORD) is copied


async def test_what_one_document_says_word_for_word_has_no_contrary() -> None:
    runtime = ModelRuntime(InferenceConfig(grounding="embedded"), Telemetry())
    await runtime.start()
    try:
        documents = ["The small lamp costs $5. It is blue.", "The small lamp costs $7."]
        [own, other] = await runtime.models.grounder.support(
            [Claim("The small lamp costs $5."), Claim("The small lamp costs $6.")], documents
        )
    finally:
        await runtime.stop()
    assert (own.contrary, own.conflicts) == (0.0, ())
    assert other.contrary > 0


async def test_it_is_its_own_evidence(grounder: EmbeddedGrounder) -> None:
    claims = [Claim("Nobody is 1.5 m tall."), Claim("It is blue.")]
    found = await grounder.support(claims, DOCUMENTS)
    there = [DOCUMENTS[one.evidence.document][one.evidence.start : one.evidence.end] for one in found if one.evidence]
    assert there == ["Nobody is 1.5 m tall.", "It is blue."]


@pytest.mark.parametrize(
    ("answer", "parts", "read"),
    [
        ("The lamp costs $5. It is blue.", ["The lamp costs $5.", "It is blue."], False),
        ("No. The lamp costs $5. It is blue.", ["The lamp costs $5.", "It is blue."], True),
        ("The lamp costs $5. It is quite blue.", ["The lamp costs $5.", "It is quite blue."], False),
        ("It costs $5. It is quite blue.", ["It costs $5.", "It is quite blue."], True),
    ],
)
async def test_an_answer_of_such_sentences_and_one_more_is_not_read(
    grounder: EmbeddedGrounder, asked: list[str], answer: str, parts: list[str], read: bool
) -> None:
    claims = [Claim(part) for part in parts]
    supports = await grounder.support(claims, DOCUMENTS)
    asked.clear()
    score = await grounder.consistency(answer, claims, supports, DOCUMENTS)
    assert (answer in asked) is read
    assert score > grounder.answer_threshold


STEPS = [
    "Setting up.\n1. Level the machine.\n2. Remove the four bolts.\n3. Connect the water supply.\n4. Run one empty cycle."
]


@pytest.mark.parametrize(
    ("question", "told", "wrong"),
    [
        ("In what order do I set it up?", [0, 1, 2, 3], []),
        ("In what order do I set it up?", [0, 2, 3, 1], [3]),
        ("How do I set it up?", [1, 3], []),
        ("What belongs to setting it up?", [0, 2, 3, 1], []),
    ],
)
async def test_a_step_of_a_numbered_list_in_the_wrong_place_is_a_contrary(
    grounder: EmbeddedGrounder, question: str, told: list[int], wrong: list[int]
) -> None:
    steps = [
        "Level the machine.",
        "Remove the four bolts.",
        "Connect the water supply.",
        "Run one empty cycle.",
    ]
    claims = [Claim(steps[n], question=question, numbered=True) for n in told]
    found = await grounder.support(claims, STEPS)
    assert [n for n, one in enumerate(found) if one.probability < 0.1] == wrong
    assert [n for n, one in enumerate(found) if one.conflicts] == wrong
