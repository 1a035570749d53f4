"""Chinese requests are judged out of the box by a cross-encoder of their own: by what is said, not by words in common alone."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from exporters.result import Verdict
from sidecar.evaluate.engine import Engine, Evaluated
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.base import Claim
from sidecar.inference.common import Common
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.grounding.embedded_zh import as_it_is, in_few_words, whole
from sidecar.inference.grounding.han import pieces, read
from sidecar.inference.grounding.han_evidence import passage
from sidecar.inference.pairs import PairModel, packaged_pairs
from sidecar.inference.runtime import PACKAGED, InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from tests.unit.evaluate.fakes import request

DOCUMENTS = (
    "本公司所有电热水壶自购买之日起享有两年保修。电池不在保修范围内，只保修六个月。",
    "退货须在收到商品后30天内提出，并附上发票。运费为15元，由买方承担；质量问题由本公司承担。",
)
FLAT = Idf({}, 1.0)


@pytest.fixture
async def runtime() -> AsyncIterator[ModelRuntime]:
    runtime = ModelRuntime(InferenceConfig(grounding="embedded"), Telemetry())
    await runtime.start()
    yield runtime
    await runtime.stop()


@pytest.fixture
def engine(runtime: ModelRuntime) -> Engine:
    return Engine(EvaluateConfig(), runtime.router)


async def evaluate(engine: Engine, answer: str, question: str = "电热水壶保修多久？") -> Evaluated:
    return await engine.evaluate(request(question=question, answer=answer, documents=DOCUMENTS))


async def support(engine: Engine, answer: str, question: str = "电热水壶保修多久？") -> float:
    return next(one.claims for one in (await evaluate(engine, answer, question)).evaluations if one.claims)[0].support


async def test_every_evaluator_of_a_chinese_request_names_the_model(engine: Engine) -> None:
    found = await evaluate(engine, "电热水壶保修两年。")
    assert found.verdict is Verdict.GROUNDED
    assert {(one.evaluator, one.model.name) for one in found.evaluations if one.model} == {
        (one.evaluator, "embedded-zh") for one in found.evaluations
    }


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("水壶买来以后两年之内坏了可以免费修。", "电热水壶自购买之日起享有三年保修。"),
        ("想退货，得在收货后一个月之内说。", "退货须在收到商品后60天内提出，并附上发票。"),
        ("退货要带发票。", "退货不需要发票。"),
        ("电热水壶享有两年保修。", "电热水壶不享有任何保修。"),
    ],
)
async def test_what_is_said_in_other_words_stands_above_what_copies_words_and_changes_a_fact(
    engine: Engine, right: str, wrong: str
) -> None:
    assert await support(engine, right) > await support(engine, wrong)


async def test_a_sentence_that_is_copied_is_said_and_a_part_of_one_is_not_by_that(engine: Engine) -> None:
    assert await support(engine, "电池不在保修范围内，只保修六个月。") == pytest.approx(0.999)
    assert await support(engine, "电池不在保修范围内，只保修六个月！") == pytest.approx(0.999)
    assert await support(engine, "电池在保修范围内。") < 0.9


@pytest.mark.parametrize(
    ("document", "claim", "copied"),
    [
        ("电池容量为3.5千瓦时。", "电池容量为3.5千瓦时", True),
        ("电池容量为3.5千瓦时。", "电池容量为35千瓦时。", False),
        ("一般1-5天内发货。", "一般15天内发货。", False),
        ("最低-5摄氏度可以使用。", "最低5摄氏度可以使用。", False),
        ("本产品支持七天无理由退货？\n不支持。", "本产品支持七天无理由退货。", False),
        ("特价商品不可以退货。", "可以退货。", False),
        (f"{'很长的句子没有标点' * 30}可以退货两次。", "很长的句子没有标点" * 13 + "很长的", False),
    ],
)
def test_only_a_whole_sentence_with_its_marks_is_copied(document: str, claim: str, *, copied: bool) -> None:
    assert (as_it_is(claim) in {whole(one, [document]) for one in pieces([document])}) is copied


async def test_an_answer_in_a_few_words_is_judged_by_where_it_stands(engine: Engine) -> None:
    assert await support(engine, "六个月", "电池保修多久？") > await support(engine, "八个月", "电池保修多久？")
    assert in_few_words(Claim("六个月", question="电池保修多久？", short=True))
    assert not in_few_words(Claim("六个月", short=True))
    assert not in_few_words(Claim("电热水壶享有两年保修。", question="电池保修多久？"))


async def test_what_stands_there_but_for_a_value_is_not_supported(engine: Engine) -> None:
    assert await support(engine, "电池不在保修范围内，只保修九个月。") < 0.05
    assert await support(engine, "运费为25元，由买方承担；质量问题由本公司承担。") < 0.1


@pytest.mark.parametrize("answer", ["电热水壶不享有任何保修。", "退货不需要附上发票。", "运费由卖方承担。"])
async def test_the_contrary_of_what_a_document_says_is_not_supported(engine: Engine, answer: str) -> None:
    assert (await evaluate(engine, answer)).verdict is Verdict.HALLUCINATED


async def test_what_is_contradicted_is_told_from_what_is_not_said(engine: Engine) -> None:
    async def label(answer: str) -> str | None:
        [claim] = next(one.claims for one in (await evaluate(engine, answer)).evaluations if one.claims)
        return claim.label

    assert await label("电热水壶享有两年保修。") == "supported"
    assert await label("电池不在保修范围内，只保修九个月。") == "contradicted"
    assert await label("公司的总部设在上海，有三千名员工。") == "not_said"


async def test_the_document_with_the_answer_is_the_more_relevant(engine: Engine) -> None:
    found = await evaluate(engine, "电热水壶保修两年。")
    documents = next(one.documents for one in found.evaluations if one.evaluator == "context_relevance")
    assert documents[0].score > documents[1].score


@pytest.mark.parametrize(
    ("question", "answers", "beside"),
    [
        ("电热水壶保修多久？", ("电热水壶保修两年。", "两年"), ("您可以在官网申请退货。", "运费由买方承担。")),
        ("FHA贷款的最低首付是多少？", ("FHA贷款的最低首付是3.5%。", "3.5%"), ("很多人都觉得这种贷款是不错的选择。",)),
    ],
)
async def test_an_answer_is_relevant_in_a_sentence_and_in_a_word(
    runtime: ModelRuntime, question: str, answers: tuple[str, ...], beside: tuple[str, ...]
) -> None:
    async with runtime.router.route(service="a", languages=lambda: frozenset({"zh"})) as models:
        model = models.relevance
        assert all([await model.answer(question, one) >= model.answer_threshold for one in answers])
        assert not any([await model.answer(question, one) >= model.answer_threshold for one in beside])


async def test_nothing_to_read_supports_nothing(runtime: ModelRuntime) -> None:
    async with runtime.router.route(service="a", languages=lambda: frozenset({"zh"})) as models:
        [found] = await models.grounder.support([Claim("电池保修六个月。")], ["", " "])
        assert found.probability == pytest.approx(0.001)
        assert found.evidence is None
        empty, there = await models.relevance.documents("电池保修多久？", ["", "电池保修六个月。"])
        assert empty < there


def test_short_documents_are_read_whole() -> None:
    texts = ["水壶保修两年。", "运费十五元。\n"]
    assert passage([read("颜色")], pieces(texts), texts, FLAT, 100) == "水壶保修两年。\n运费十五元。"


def test_of_longer_ones_the_sentences_of_the_claim_and_beside_it_are_read_in_their_order() -> None:
    texts = [
        f"第一句话没有用。水壶的颜色是蓝色。它在浙江制造。{'最后这些话也没有用。' * 3}",
        "运费是十五元。别的都不相干。",
    ]
    found = passage([read("水壶是蓝色")], pieces(texts), texts, FLAT, 1)
    assert found == "水壶的颜色是蓝色。\n它在浙江制造。"
    both = passage([read("水壶是蓝色"), read("运费多少")], pieces(texts), texts, FLAT, 1)
    assert both == "水壶的颜色是蓝色。\n运费是十五元。"


def test_what_is_read_fits_the_model() -> None:
    texts = ["，".join(["这句话有三十多个字而且没有句号所以被切开成为好几段来读"] * 40)]
    assert len(passage([read("这句话")], pieces(texts), texts, FLAT)) <= 220


def test_a_common_model_is_in_memory_for_as_long_as_somebody_holds_it() -> None:
    common = Common(
        lambda: packaged_pairs(
            PACKAGED, "embedded-zh", tokenizer="embedded-zh", threads=1, batch_tokens=512, telemetry=Telemetry()
        )
    )
    first, second = common.lease(), common.lease()
    assert first.model is second.model
    there = weakref.ref(first.model)
    del first
    gc.collect()
    assert there() is not None
    del second
    gc.collect()
    assert there() is None


async def test_a_common_model_runs_for_as_long_as_one_of_its_users_wants_it() -> None:
    common = Common(
        lambda: packaged_pairs(
            PACKAGED, "embedded-zh", tokenizer="embedded-zh", threads=1, batch_tokens=512, telemetry=Telemetry()
        )
    )
    first, second = common.lease(), common.lease()
    await first.start()
    # One begins while the other ends: who comes second waits, and finds it running.
    await asyncio.gather(first.stop(), second.start())
    assert await second.model.score([("水壶保修两年。", "水壶保修两年。")])
    await second.stop()


def test_leases_of_several_threads_are_of_one_model() -> None:
    def load() -> PairModel:
        time.sleep(0.05)
        return packaged_pairs(
            PACKAGED, "embedded-zh", tokenizer="embedded-zh", threads=1, batch_tokens=512, telemetry=Telemetry()
        )

    common = Common(load)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: common.lease(), range(2))
    assert first.model is second.model
