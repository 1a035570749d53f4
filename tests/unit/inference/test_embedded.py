"""The embedded models themselves: against a reference that is not onnxruntime, and on sentences with a known answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from sidecar.inference.base import Claim
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError

GOLDEN = Path(__file__).parents[2] / "golden" / "inference" / "minilm.json"
TOWER = "The Eiffel Tower in Paris is 330 metres tall. It was finished in 1889 for the world's fair. Gustave Eiffel's company built it."


@pytest_asyncio.fixture
async def runtime() -> AsyncIterator[ModelRuntime]:
    one = ModelRuntime(InferenceConfig(), Telemetry())
    await one.start()
    yield one
    await one.stop()


async def test_error_rates_of_a_benchmark_are_no_series_and_those_of_the_users_own_answers_are() -> None:
    own = {"sensitivity": 0.7, "specificity": 0.9, "hallucinated": 60, "grounded": 240}
    chinese = {"rules": [{"language": "zh", "grounding": "lexical-zh"}]}
    for inference, known in ((chinese, []), ({"detector": own}, [0.7, 0.9])):
        telemetry = Telemetry()
        one = ModelRuntime(InferenceConfig.model_validate(inference), telemetry)
        await one.start()
        await one.stop()
        assert [value for _, value in telemetry.values("rag_sidecar_detector_rate")] == known
        assert len(list(telemetry.values("rag_sidecar_detector_labelled"))) == len(known)


async def test_embeddings_are_those_of_the_reference_implementation(runtime: ModelRuntime) -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    found = await runtime.models.embedder.embed([one["text"] for one in golden])
    for one, vector in zip(golden, found, strict=True):
        # What eight bits of activations with one scale a tensor cost (ADR 0006).
        assert float(np.dot(vector, one["embedding"])) > 0.985, one["text"]


async def test_an_embedding_does_not_depend_on_what_shares_its_batch(runtime: ModelRuntime) -> None:
    text = "The warranty is two years."
    [alone] = await runtime.models.embedder.embed([text])
    together = await runtime.models.embedder.embed([text, "word " * 200, "x"])
    assert np.abs(alone - together[0]).max() < 1e-5


async def test_a_long_text_is_windowed_not_cut(runtime: ModelRuntime) -> None:
    start = "The museum opens at ten. " * 60
    plain, longer = await runtime.models.embedder.embed([start, start + "Penguins live in the south. " * 60])
    assert float(plain @ longer) < 0.95


async def test_a_claim_that_is_in_the_document_has_more_support_than_one_that_is_not(runtime: ModelRuntime) -> None:
    claims = [
        Claim("The Eiffel Tower is 330 metres tall."),
        Claim("The Eiffel Tower is 450 metres tall."),
        Claim("Bananas are yellow."),
    ]
    good, number, other = await runtime.models.grounder.support(claims, ["The museum opens at ten.", TOWER])
    assert good.probability > runtime.models.grounder.threshold
    assert good.probability > max(number.probability, other.probability)
    assert good.evidence is not None
    assert good.evidence.document == 1
    assert TOWER[good.evidence.start : good.evidence.end] == "The Eiffel Tower in Paris is 330 metres tall."


async def test_a_value_that_the_document_has_otherwise_is_named_and_weighs(runtime: ModelRuntime) -> None:
    document = "Sale items may be returned within 14 days. The shop was opened on 3 September 2019 for $4.2bn."
    claims = [
        Claim("Sale items may be returned within 40 days."),
        Claim("Sale items may be returned within two weeks."),
        Claim("The shop was opened on 2019-11-03."),
        Claim("The shop was opened on 2019-09-03."),
    ]
    grounder = runtime.models.grounder
    days, weeks, november, september = await grounder.support(claims, ["Bread should rest for an hour.", document])
    assert days.probability < grounder.threshold < weeks.probability
    assert november.probability < grounder.threshold < september.probability
    assert (weeks.conflicts, september.conflicts) == ((), ())
    [conflict] = days.conflicts
    assert claims[0].text[conflict.start : conflict.end] == "40 days"
    assert conflict.evidence.document == 1
    assert document[conflict.evidence.start : conflict.evidence.end] == "14 days"


async def test_a_value_in_a_few_words_that_is_clearly_another_weighs(runtime: ModelRuntime) -> None:
    question = "How many households does the wind farm supply?"
    documents = ["The wind farm supplies about 1,500 households."]
    claims = [Claim(f"About {said} households.", question=question, short=True) for said in ("1.5k", "15k")]
    grounder = runtime.models.grounder
    same, other = [(await grounder.support([one], documents))[0].probability for one in claims]
    assert other < 0.1 < grounder.threshold < same


async def test_evidence_spread_over_two_documents_is_found(runtime: ModelRuntime) -> None:
    claim = Claim("The tower is 330 metres tall and was finished in 1889.")
    documents = ["The tower is 330 metres tall.", "The tower was finished in 1889."]
    [both] = await runtime.models.grounder.support([claim], documents)
    [one] = await runtime.models.grounder.support([claim], documents[:1])
    assert both.probability > one.probability


async def test_documents_that_answer_are_more_relevant_than_those_that_do_not(runtime: ModelRuntime) -> None:
    question = "How tall is the Eiffel Tower?"
    good, bad = await runtime.models.relevance.documents(question, [TOWER, "Bread dough should rest for an hour."])
    assert good > runtime.models.relevance.document_threshold > bad
    relevant = await runtime.models.relevance.answer(question, "The Eiffel Tower is 330 metres tall.")
    assert relevant > await runtime.models.relevance.answer(question, "Bread dough should rest for an hour.")


async def test_a_request_that_is_given_up_leaves_no_document_to_encode(runtime: ModelRuntime) -> None:
    grounder, encoder = runtime.models.grounder, runtime._dependencies.encoder
    # Sentences that are all others, so that many batches of them wait however slowly the test runs beside them.
    texts = [" ".join(f"Lock {text} rusts on day {n}." for n in range(3000)) for text in range(2)]
    waiting = [asyncio.create_task(grounder.support([Claim("It is so.")], [text])) for text in texts]
    async with asyncio.timeout(60):
        while not encoder._batcher._queue:  # noqa: ASYNC110 - the queue has nothing to wait on
            await asyncio.sleep(0.001)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await asyncio.sleep(0)
    assert all(one.future.done() for one in encoder._batcher._queue)
    assert runtime._telemetry.value("rag_sidecar_buffer_bytes", buffer="documents") == 0


def test_a_folder_without_models_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"inference\.model_dir: .*card\.json"):
        ModelRuntime(InferenceConfig(model_dir=tmp_path), Telemetry())
