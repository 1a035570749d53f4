"""Scores where the traces are: Phoenix and Langfuse."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from exporters.base import PermanentExportError, RetryableExportError
from exporters.langfuse import LangfuseConfig, LangfuseExporter
from exporters.phoenix import PhoenixConfig, PhoenixExporter
from exporters.result import Evaluation, Outcome, Result, Verdict
from sidecar.config import build
from sidecar.record.errors import ConfigError
from tests.unit.exporters.samples import CONTEXT, FAILED, GROUNDEDNESS, HOSTILE, MODEL, SCORED, SECRET, UNSCORABLE
from tests.unit.exporters.score_sinks import Backend, langfuse_sink, phoenix_sink

ANSWER, RETRIEVAL = SCORED.span_id, SCORED.retrieval_span_id
ABSTAINED = replace(
    SCORED, id="ab5", verdict=Verdict.ABSTAINED,
    evaluations=(Evaluation(evaluator="groundedness", outcome=Outcome.UNSCORABLE, reason="abstained", decides_verdict=True),),
)  # fmt: skip
JUDGED = replace(
    SCORED,
    id="1ud",
    evaluations=(replace(GROUNDEDNESS, evaluator="groundedness_judge", judged=True, explanation=SECRET),),
)
NOWHERE = (
    UNSCORABLE, FAILED, HOSTILE, replace(SCORED, trace_id="order 4711"), replace(SCORED, span_id=None, retrieval_span_id=None),
    replace(SCORED, trace_sampled=False),
)  # fmt: skip


@asynccontextmanager
async def phoenix(there: Backend, **more: Any) -> AsyncIterator[PhoenixExporter]:
    exporter = PhoenixExporter(PhoenixConfig.model_validate({"url": there.url, **more}))
    await exporter.start()
    try:
        yield exporter
    finally:
        await exporter.stop()


@asynccontextmanager
async def langfuse(there: Backend, **more: Any) -> AsyncIterator[LangfuseExporter]:
    keys = {"public_key": "pk-1", "secret_key": "sk-1"}
    exporter = LangfuseExporter(LangfuseConfig.model_validate({"url": there.url, **keys, **more}))
    await exporter.start()
    try:
        yield exporter
    finally:
        await exporter.stop()


async def to_phoenix(results: Sequence[Result], **more: Any) -> Backend:
    with phoenix_sink() as there:
        async with phoenix(there, **more) as exporter:
            await exporter.export(results)
    return there


async def to_langfuse(results: Sequence[Result], **more: Any) -> Backend:
    with langfuse_sink() as there:
        async with langfuse(there, **more) as exporter:
            await exporter.export(results)
    return there


def scores(there: Backend) -> dict[str, Any]:
    return {one["name"]: one["value"] for one in there.kept.values()}


async def test_phoenix_has_each_score_at_the_span_that_was_evaluated() -> None:
    there = await to_phoenix([SCORED])
    assert {key[:3]: one["result"] for key, one in there.kept.items() if key[3] is None} == {
        ("faithfulness", ANSWER, SCORED.id): {"score": 0.5},
        ("groundedness", ANSWER, SCORED.id): {"score": 0.25, "label": "hallucinated"},
        ("context_relevance", RETRIEVAL, SCORED.id): {"score": 0.5},
    }
    one = there.kept["groundedness", ANSWER, SCORED.id, None]
    assert one["annotator_kind"] == "CODE"
    assert one["metadata"] == {
        "result_id": SCORED.id, "service": "support-bot", "variant": "b", "version": "2", "method": "consistency", "threshold": 0.5,
        "inclusion_probability": 0.25, "model": MODEL.name, "model_version": MODEL.version, "model_sha256": MODEL.sha256,
    }  # fmt: skip


async def test_a_score_names_the_other_models_that_it_follows_from() -> None:
    told = (await to_phoenix([SCORED])).kept["faithfulness", ANSWER, SCORED.id, None]["metadata"]
    assert (told["other_models"], told["abstention_model"]) == ("minilm 1", "abstention 1+0.9+0.5")


async def test_phoenix_has_what_is_said_of_each_document_at_its_position() -> None:
    there = await to_phoenix([SCORED])
    assert {(key[1], key[3]): one["result"] for key, one in there.kept.items() if key[3] is not None} == {
        (RETRIEVAL, 0): {"score": 0.8, "label": "relevant"},
        (RETRIEVAL, 1): {"score": 0.1, "label": "not relevant"},
    }
    assert all(key[3] is None for key in (await to_phoenix([SCORED], documents=False)).kept)


async def test_what_a_judge_says_is_told_from_what_a_program_says_and_texts_go_only_where_they_are_wanted() -> None:
    [silent] = (await to_phoenix([JUDGED])).kept.values()
    assert silent["annotator_kind"] == "LLM"
    assert silent["result"] == {"score": 0.25, "label": "hallucinated"}
    [told] = (await to_phoenix([JUDGED], include_text=True, redact=["Zaphod \\w+"])).kept.values()
    assert told["result"]["explanation"] == "[redacted] lives at 42 Magrathea Lane"
    comments = {
        one["comment"] for one in (await to_langfuse([JUDGED], include_text=True, redact=["Zaphod \\w+"])).kept.values()
    }
    assert comments == {"[redacted] lives at 42 Magrathea Lane"}


async def test_an_abstention_is_a_label_without_a_score() -> None:
    [one] = (await to_phoenix([ABSTAINED])).kept.values()
    assert one["result"] == {"label": "abstained"}
    assert scores(await to_langfuse([ABSTAINED])) == {"groundedness_label": "abstained"}


async def test_what_has_no_score_or_no_span_in_the_backend_is_not_sent() -> None:
    for there in (await to_phoenix(NOWHERE), await to_langfuse(NOWHERE)):
        assert there.kept == {}


async def test_a_span_that_is_not_there_yet_is_left_for_phoenix_to_wait_for() -> None:
    with phoenix_sink() as there:
        there.spans = {str(RETRIEVAL)}
        async with phoenix(there) as exporter:
            await exporter.export([SCORED])
    assert there.paths == [
        "/v1/span_annotations?sync=true",
        "/v1/span_annotations?sync=false",
        "/v1/document_annotations?sync=false",
    ]
    assert len(there.kept) == 5


async def test_many_annotations_go_in_several_requests() -> None:
    results = [replace(SCORED, id=f"r{n}", evaluations=(CONTEXT, GROUNDEDNESS)) for n in range(300)]
    there = await to_phoenix(results)
    assert [path.partition("?")[0][4:8] for path in there.paths] == ["span", "span", "docu", "docu"]
    # Of documents Phoenix knows no identifier: the requests of one span share them.
    assert len(there.kept) == 600 + 2
    there = await to_langfuse(results)
    assert len(there.paths) == 2
    assert len(there.kept) == 900


async def test_langfuse_has_scores_and_the_verdict_under_ids_that_follow_from_the_result() -> None:
    there = await to_langfuse([SCORED], environment="production")
    assert scores(there) == {
        "faithfulness": 0.5, "groundedness": 0.25, "groundedness_label": "hallucinated", "context_relevance": 0.5,
    }  # fmt: skip
    for one in there.kept.values():
        assert one["traceId"] == SCORED.trace_id
        assert one["observationId"] == (RETRIEVAL if one["name"] == "context_relevance" else ANSWER)
        assert one["environment"] == "production"
    assert (await to_langfuse([SCORED])).kept.keys() == there.kept.keys()
    assert there.logins == [f"Basic {base64.b64encode(b'pk-1:sk-1').decode()}"]


async def test_a_better_result_overwrites_and_the_same_is_passed_over() -> None:
    better = replace(SCORED, evaluations=(replace(GROUNDEDNESS, score=0.75, label="grounded"),))
    with langfuse_sink() as there:
        async with langfuse(there) as exporter:
            await exporter.export([SCORED])
            sent = set(there.events)
            await exporter.export([SCORED])
            assert there.events == sent
            await exporter.export([better])
    assert scores(there)["groundedness"] == 0.75
    assert scores(there)["groundedness_label"] == "grounded"
    with phoenix_sink() as there:
        async with phoenix(there) as exporter:
            await exporter.export([SCORED])
            await exporter.export([better])
    assert there.kept["groundedness", ANSWER, SCORED.id, None]["result"] == {"score": 0.75, "label": "grounded"}


async def test_a_207_is_read_event_by_event() -> None:
    with langfuse_sink() as there:
        there.refused = {"faithfulness": 400, "context_relevance": 404}
        async with langfuse(there) as exporter:
            with pytest.raises(PermanentExportError) as caught:
                await exporter.export([SCORED, replace(SCORED, id="other", evaluations=(GROUNDEDNESS,))])
    # Two scores of one result were refused; the other result is taken whole.
    assert (caught.value.rejected, caught.value.error_type, caught.value.closed) == (1, "partial", False)
    assert len(there.kept) == 4


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_score_that_may_be_taken_later_is_sent_again(status: int) -> None:
    with langfuse_sink() as there:
        there.refused = {"faithfulness": status}
        async with langfuse(there) as exporter:
            with pytest.raises(RetryableExportError):
                await exporter.export([SCORED])
            there.refused = {}
            await exporter.export([SCORED])
    assert len(there.kept) == 4


@pytest.mark.parametrize(
    ("status", "error", "closed"),
    [
        (500, RetryableExportError, None),
        (503, RetryableExportError, None),
        (429, RetryableExportError, None),
        (422, PermanentExportError, False),
        (401, PermanentExportError, True),
        (403, PermanentExportError, True),
        (302, PermanentExportError, True),
    ],
)
async def test_an_answer_says_whether_to_try_again(status: int, error: type[Exception], closed: bool | None) -> None:
    with phoenix_sink() as one, langfuse_sink() as other:
        one.answers, other.answers = [status], [status]
        async with phoenix(one) as first, langfuse(other) as second:
            for exporter in (first, second):
                with pytest.raises(error) as caught:
                    await exporter.export([SCORED])
                assert caught.value.error_type == f"http_{status}"  # type: ignore[attr-defined]
                assert getattr(caught.value, "closed", None) is closed


async def test_a_phoenix_without_such_a_path_is_closed_and_no_span_that_is_missing() -> None:
    with phoenix_sink() as there:
        there.answers = [404, 404]
        async with phoenix(there) as exporter:
            with pytest.raises(PermanentExportError) as caught:
                await exporter.export([SCORED])
    assert caught.value.closed


async def test_another_service_at_the_address_is_told_from_langfuse() -> None:
    with phoenix_sink() as there:
        there.answers = [200]
        async with langfuse(there) as exporter:
            with pytest.raises(PermanentExportError) as caught:
                await exporter.export([SCORED])
    assert caught.value.error_type == "not_langfuse"


async def test_a_receiver_that_is_away_is_tried_again() -> None:
    there = Backend("http://127.0.0.1:1")
    async with phoenix(there) as first, langfuse(there) as second:
        for exporter in (first, second):
            with pytest.raises(RetryableExportError) as caught:
                await exporter.export([SCORED])
            assert caught.value.error_type == "unreachable"


async def test_the_key_goes_along_and_is_never_shown() -> None:
    there = await to_phoenix([SCORED], api_key="px-1")
    assert set(there.logins) == {"Bearer px-1"}
    assert (await to_phoenix([SCORED])).logins[0] is None
    assert "px-1" not in repr(PhoenixConfig.model_validate({"url": "http://p", "api_key": "px-1"}))


RECEIVE = {"bootstrap_servers": "k:9092", "topics": ["t"]}


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"phoenix": {"url": "phoenix:6006"}}, r"phoenix\.url: .*is no URL"),
        ({"langfuse": {"url": "http://l"}}, "url needs public_key and secret_key"),
        ({"langfuse": {"environment": "langfuse-x"}}, "environment must not begin with langfuse"),
        ({"phoenix": {"redact": ["("]}}, "is no regular expression"),
        ({"deliver": {"required": ["phoenix"]}}, r"deliver.required names phoenix, which is off: set phoenix\.url"),
    ],
    ids=str,
)
def test_wrong_settings_are_named_with_the_mend(section: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build({"receive": RECEIVE, **section})
