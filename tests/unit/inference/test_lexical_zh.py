"""Chinese requests that a rule gives the lexical model: words in common, values and negation."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from exporters.result import Outcome, Verdict
from sidecar.evaluate.engine import Engine, Evaluated
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.base import Claim
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.grounding.han import choose, missing_values, pieces, read
from sidecar.inference.grounding.han_features import CLAIM_FEATURES, Question, features
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from tests.unit.evaluate.fakes import request

DOCUMENTS = (
    "本公司所有电热水壶自购买之日起享有两年保修。电池不在保修范围内，只保修六个月。",
    "退货须在收到商品后30天内提出，并附上发票。运费为15元。",
)


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    rule = {"language": "zh", "grounding": "lexical-zh", "relevance": "lexical-zh"}
    runtime = ModelRuntime(InferenceConfig.model_validate({"grounding": "embedded", "rules": [rule]}), Telemetry())
    await runtime.start()
    yield Engine(EvaluateConfig(), runtime.router)
    await runtime.stop()


async def evaluate(engine: Engine, answer: str, question: str = "电热水壶保修多久？") -> Evaluated:
    return await engine.evaluate(request(question=question, answer=answer, documents=DOCUMENTS))


@pytest.mark.parametrize(
    "answer", ["电热水壶保修两年。", "电池只保修六个月。", "退货须在30天内提出，并附上发票。", "根据文档，运费为15元。"]
)
async def test_what_the_documents_say_is_grounded(engine: Engine, answer: str) -> None:
    found = await evaluate(engine, answer)
    assert found.verdict is Verdict.GROUNDED
    assert {one.model.name for one in found.evaluations if one.model} == {"lexical-zh"}


@pytest.mark.parametrize(
    ("answer", "document", "expected"),
    [
        ("價格是三萬元。", "價格是二萬元。", Verdict.HALLUCINATED),
        ("營收為3.5萬元。", "營收為3.5億元。", Verdict.HALLUCINATED),
        ("全程需要3個月。", "全程需要3個星期。", Verdict.HALLUCINATED),
        ("价格为一千五百元。", "价格为1500元。", Verdict.GROUNDED),
        ("價格是一萬二千元。", "價格是12000元。", Verdict.GROUNDED),
        ("公司成立于二〇〇三年五月。", "公司成立于2003年5月。", Verdict.GROUNDED),
        ("营收同比增长12.5%。", "营收同比增长百分之十二点五。", Verdict.GROUNDED),
        ("价格便宜一点。", "价格便宜一些。", Verdict.GROUNDED),
    ],
)
async def test_values_are_read_in_either_script_and_in_words(
    engine: Engine, answer: str, document: str, expected: Verdict
) -> None:
    found = await engine.evaluate(request(question="多少？", answer=answer, documents=(document,)))
    assert found.verdict is expected


async def test_a_changed_value_and_a_negation_lower_the_support(engine: Engine) -> None:
    async def support(answer: str) -> float:
        claims = next(one.claims for one in (await evaluate(engine, answer)).evaluations if one.claims)
        return claims[0].support

    assert await support("电热水壶享有五年保修。") < await support("电热水壶享有两年保修。")
    assert await support("运费为25元。") < await support("运费为15元。")
    assert await support("电热水壶不享有两年保修。") < await support("电热水壶享有两年保修。")


async def test_what_the_documents_do_not_speak_of_is_hallucinated(engine: Engine) -> None:
    assert (await evaluate(engine, "总部位于上海浦东新区，员工约三千人。")).verdict is Verdict.HALLUCINATED


async def test_evidence_and_claims_know_their_places(engine: Engine) -> None:
    answer = "您好！根据文档，运费为15元。"
    [claim] = next(one.claims for one in (await evaluate(engine, answer)).evaluations if one.claims)
    assert claim.evidence is not None
    assert DOCUMENTS[1][claim.evidence.start : claim.evidence.end] == "运费为15元。"
    assert answer[claim.start : claim.end] == claim.text == "运费为15元。"


async def test_the_document_with_the_answer_is_the_more_relevant(engine: Engine) -> None:
    found = await evaluate(engine, "电热水壶保修两年。")
    documents = next(one.documents for one in found.evaluations if one.evaluator == "context_relevance")
    assert documents[0].score > documents[1].score


@pytest.mark.parametrize(
    "answer", ["The kettle has a warranty of two years.", "Der Wasserkocher hat zwei Jahre Garantie."]
)
async def test_an_answer_in_another_language_is_unscorable(engine: Engine, answer: str) -> None:
    found = await evaluate(engine, answer)
    assert (found.outcome, found.reason, found.verdict) == (Outcome.UNSCORABLE, "language", None)


async def test_an_answer_that_declines_is_abstained(engine: Engine) -> None:
    found = await evaluate(engine, "文档中没有提到颜色。")
    assert (found.verdict, found.abstention) == (Verdict.ABSTAINED, "full")


async def test_an_answer_in_a_few_words_is_judged_beside_its_question(engine: Engine) -> None:
    async def support(question: str) -> float:
        found = await evaluate(engine, "六个月。", question)
        return next(one.claims for one in found.evaluations if one.claims)[0].support

    assert await support("电池保修多久？") > await support("运费是多少？")


def test_near_what_is_asked_is_the_sentence_of_the_answer_and_those_beside_it() -> None:
    sentences = pieces(["水壶保修两年。盖子保修三年。颜色是蓝色。运费十五元。"])
    question = Question("水壶保修多久？", sentences, Idf({}, 1.0))
    near, held = question.near(read("两年"), sentences)
    assert near == held == pytest.approx(3 / 5)
    assert question.near(read("十五元"), sentences) == (0.0, held)
    assert question.near(read("运费是十五元"), sentences) == (0.0, 0.0)
    assert Question("水壶？", [], Idf({}, 1.0)).near(read("两年"), []) == (0.0, 0.0)


@pytest.mark.parametrize("text", ["電池沒有保修", "電池無保修", "电池没有保修", "电池不保修"])
def test_negations_are_read_in_both_scripts(text: str) -> None:
    assert read(text).negations == 1


def test_what_is_not_a_negation_is_not_read_as_one() -> None:
    assert read("無論如何，無線電不僅便宜，未來也一樣").negations == 0


def test_a_word_whose_opposite_stands_there_counts() -> None:
    evidence = pieces(["价格上涨了。"])
    opposites = CLAIM_FEATURES.index("opposites")
    assert [features(read(text), evidence, Idf({}, 1.0))[opposites] for text in ("价格下跌了", "价格上涨了")] == [2, 0]


def test_values_are_found_in_whatever_way_they_are_written() -> None:
    assert missing_values(read("保修2年").values, read("享有两年保修").values) == 0
    assert missing_values(read("保修3年").values, read("享有两年保修").values) == 1


def test_sentences_are_chosen_for_what_is_not_held_yet() -> None:
    sentences = pieces(["保修两年。保修两年整。运费十五元。"])
    chosen = choose(read("保修两年，运费十五元"), sentences, Idf({}, 1.0))
    assert {sentences.index(one) for one in chosen[:2]} == {0, 2}


@pytest.mark.parametrize(
    ("claim", "document", "passes"),
    [
        ("可以退货。", "特价商品不可以退货。", False),
        ("房价含早餐。", "房价不含早餐，早餐另收50元。", False),
        ("需要。", "办理时不需要预约。", False),
        ("没有保修。", "本产品有两年保修。", False),
        ("可以带宠物入住。", "酒店可以带宠物入住，每晚另收100元。", True),
        ("特价商品不可以退货。", "特价商品不可以退货，其他商品可以。", True),
    ],
)
async def test_what_is_denied_on_one_side_alone_does_not_pass(claim: str, document: str, passes: bool) -> None:
    runtime = ModelRuntime(InferenceConfig(grounding="lexical-zh"), Telemetry())
    await runtime.start()
    try:
        grounder = runtime.models.grounder
        [found] = await grounder.support([Claim(claim)], [document])
        assert (found.probability >= grounder.threshold) is passes
    finally:
        await runtime.stop()
