"""Models of one's own by a line of the settings: which requests they get, and what comes out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from exporters.result import Outcome
from sidecar.config import build
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.base import Claim
from sidecar.inference.rules import OWN, ROLES, ModelsConfig
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError
from tests.unit.evaluate.fakes import request
from tests.unit.inference.own.made import MADE, copied

_KAFKA = {"bootstrap_servers": "localhost:9092", "topics": ["t"]}
NLI, DEBERTA, TOKENS = (str(MADE / name) for name in ("bert-nli", "deberta-nli", "modernbert-tokens"))
GERMAN = request(
    question="Wie lange gilt die Garantie für dieses Gerät?",
    answer="Die Garantie gilt für dieses Gerät zwei Jahre lang.",
    documents=("Die Garantie gilt für dieses Gerät zwei Jahre lang, wenn es hier gekauft wurde.",),
)


def runtime(telemetry: Telemetry | None = None, **inference: Any) -> ModelRuntime:
    return ModelRuntime(InferenceConfig.model_validate(inference), telemetry or Telemetry())


def names(one: ModelRuntime, service: str = "kb", *languages: str) -> tuple[str, str, str]:
    found = one.router.names(service, lambda: frozenset(languages or ("en",)))
    return found["grounding"], found["relevance"], found["embedding"]


def test_one_line_makes_a_model_the_one_for_all_requests() -> None:
    one = runtime(
        models={"grounding": {"mine": {"onnx": NLI}}, "embedding": {"bert": {"onnx": str(MADE / "bert-embedding")}}}
    )
    assert names(one) == ("mine", "embedded", "bert")
    assert [(role, identity.name) for role, identity in one.infos()] == [
        ("embedding", "bert"),
        ("grounding", "mine"),
        ("relevance", "embedded"),
        ("abstention", "abstention"),
    ]


async def test_services_and_languages_say_which_requests_a_model_is_for() -> None:
    models = {
        "grounding": {
            "support": {"onnx": NLI, "services": ["support-*"]},
            "german": {"onnx": DEBERTA, "languages": ["de", "en"]},
            "kept": {"onnx": NLI, "languages": ["fr"]},
        },
        "relevance": {"ranker": {"onnx": str(MADE / "xlmr-rerank"), "languages": ["de"], "services": ["kb"]}},
    }
    one = runtime(models=models, rules=[{"service": "special", "grounding": "kept"}])
    assert names(one) == ("german", "embedded", "minilm")
    assert names(one, "kb", "de") == ("german", "ranker", "minilm")
    assert names(one, "kb", "de", "en") == ("german", "embedded", "minilm")
    assert names(one, "support-eu") == names(one, "support-eu", "und") == ("support", "embedded", "minilm")
    assert names(one, "support-eu", "de") == ("german", "embedded", "minilm")
    assert names(one, "support-eu", "zh") == ("embedded-zh", "embedded-zh", "minilm")
    assert names(one, "kb", "fr") == ("embedded", "embedded", "minilm")
    assert names(one, "kb", "und") == ("embedded", "embedded", "minilm")
    assert names(one, "special", "it") == ("kept", "embedded", "minilm")
    await one.start()
    try:
        assert [role for role, _ in await one.ask_others()] == ["grounding by rule"] * 3 + ["relevance by rule"]
    finally:
        await one.stop()


def test_a_model_of_some_services_that_names_no_languages_is_for_those_of_its_card(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    own = {"onnx": str(folder), "services": ["kb"]}
    assert names(runtime(models={"grounding": {"mine": own}}), "kb", "en", "zh")[0] == "embedded"
    (folder / "card.json").write_text(json.dumps({"languages": ["en", "zh"]}))
    for chinese in (("zh",), ("en", "zh")):
        assert names(runtime(models={"grounding": {"mine": own}}), "kb", *chinese)[0] == "mine"
    far = {"remote": "http://127.0.0.1:1", "tokenizer": str(folder), "services": ["kb"]}
    assert names(runtime(models={"grounding": {"far": far}}), "kb", "zh")[0] == "far"
    known = {"embedded": {"services": ["kb"]}}
    assert names(runtime(models={"grounding": known}), "kb", "zh")[0] == "embedded-zh"


@pytest.mark.parametrize(
    ("inference", "said"),
    [
        (
            {"rules": [{"service": "a"}, {"language": "de", "grounding": "embedded"}]},
            r"^inference\.rules\.1\.grounding: embedded does not read de: it reads en \(name a model that reads it\)$",
        ),
        (
            {"rules": [{"language": "de", "relevance": "embedded-zh"}]},
            r"^inference\.rules\.0\.relevance: embedded-zh does not read de: it reads zh",
        ),
        (
            {"rules": [{"language": "de", "grounding": "auto"}]},
            r"^inference\.rules\.0\.grounding: (embedded|hhem) does not read de: it reads en",
        ),
        (
            {"rules": [{"language": "de", "embedding": "minilm"}]},
            r"^inference\.rules\.0\.embedding: minilm does not read de: it reads en",
        ),
        (
            {"models": {"grounding": {"mine": {"onnx": NLI}}}, "rules": [{"language": "de", "grounding": "mine"}]},
            r"^inference\.rules\.0\.grounding: mine does not read de: it reads en \(name a model that reads it, or add it to the "
            r"languages of mine where it does\)$",
        ),
        (
            {"models": {"grounding": {"eu": {"kind": "embedded", "languages": ["de", "en", "fr"]}}}},
            r"^inference\.models\.grounding\.eu\.languages: eu does not read de, fr: it reads en",
        ),
    ],
)
def test_a_language_that_is_given_to_a_model_that_does_not_read_it_is_an_error(inference: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        runtime(**inference)


def test_a_rule_may_give_a_language_to_a_model_that_is_said_to_read_it(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    (folder / "card.json").write_text(json.dumps({"languages": ["de"]}))
    own = {"card": {"onnx": str(folder)}, "set": {"onnx": NLI, "languages": ["de", "en"]}}
    for name in own:
        one = runtime(models={"grounding": own}, rules=[{"language": "de", "grounding": name}])
        assert names(one, "kb", "de", "en")[0] == name


def test_a_card_with_no_language_that_is_told_is_an_error(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    (folder / "card.json").write_text(json.dumps({"languages": ["sk"]}))
    with pytest.raises(
        ConfigError, match=r"^inference\.models\.grounding\.mine\.languages: no request is told to be in sk"
    ):
        runtime(models={"grounding": {"mine": {"onnx": str(folder)}}})


@pytest.mark.parametrize(
    ("role", "name"),
    [(role, one.name) for role, entries in ROLES.items() for one in entries if one.name not in (*OWN, "hhem")],
)
async def test_what_an_entry_is_said_to_read_is_what_its_model_reads(role: str, name: str) -> None:
    one = ModelRuntime(InferenceConfig.model_validate({role: name}), Telemetry())
    model = {"grounding": one.models.grounder, "relevance": one.models.relevance, "embedding": one.models.embedder}[
        role
    ]
    entry, settings = ModelsConfig().resolve(role, name)
    assert entry.reads(settings, one._dependencies) == model.languages  # type: ignore[attr-defined]


def test_a_model_that_names_services_and_languages_goes_first_however_they_are_listed() -> None:
    wide, narrow = {"onnx": DEBERTA, "languages": ["de", "en"]}, {"onnx": NLI, "services": ["kb"], "languages": ["de"]}
    for listed in ({"wide": wide, "narrow": narrow}, {"narrow": narrow, "wide": wide}):
        one = runtime(models={"grounding": listed})
        assert names(one, "kb", "de")[0] == "narrow"
        assert names(one, "kb", "en")[0] == names(one, "other", "de")[0] == "wide"


def test_a_model_that_is_named_is_for_those_who_name_it() -> None:
    mine = {"grounding": {"mine": {"onnx": NLI}}}
    assert names(runtime(models=mine, rules=[{"service": "a", "grounding": "mine"}])) == (
        "embedded",
        "embedded",
        "minilm",
    )
    assert names(runtime(models=mine, grounding="embedded")) == ("embedded", "embedded", "minilm")
    assert names(runtime(models=mine, grounding="mine"), "any", "de") == ("mine", "embedded", "minilm")


@pytest.mark.parametrize(
    ("models", "said"),
    [
        (
            {"grounding": {"a": {"onnx": "/x"}, "b": {"onnx": "/y"}}},
            r"inference\.models\.grounding: a and b are both for all requests: give them services or languages, or set inference\.grounding",
        ),
        (
            {"grounding": {"embedded": {"onnx": "/x"}}},
            r"inference\.models\.grounding\.embedded: embedded is a model that is known",
        ),
        ({"grounding": {"auto": {"onnx": "/x"}}}, r"inference\.models\.grounding\.auto: auto is a model that is known"),
        ({"grounding": {"a": {"kind": "onnx"}}}, r"inference\.models\.grounding\.a\.onnx: "),
        (
            {"grounding": {"a": {"onnx": "/x", "lable": "x"}}},
            r"inference\.models\.grounding\.a\.lable: no such setting; did you mean label\?",
        ),
        ({"grounding": {"a": {"onnx": "/x", "threshold": 2}}}, r"inference\.models\.grounding\.a\.threshold: "),
        (
            {"grounding": {"a": {"onnx": "/x", "prompt": "{text}"}}},
            r"inference\.models\.grounding\.a\.prompt: .*must name \{premise\}",
        ),
        *(
            (
                {"grounding": {"a": {"onnx": "/x", "prompt": prompt}}},
                rf"inference\.models\.grounding\.a\.prompt: .*{mend}",
            )
            for prompt, mend in (
                ("{premise!x} {hypothesis}", r"must name \{premise\} bare, without a conversion"),
                ("{premise} {hypothesis:>5q}", r"must name \{hypothesis\} bare"),
                ("{premise} } {hypothesis}", r"a brace that is text is written twice"),
            )
        ),
        (
            {"relevance": {"a": {"onnx": "/x", "prompt": "{query!s} {passage}"}}},
            r"\.prompt: .*must name \{query\} bare",
        ),
        ({"relevance": {"a": {"onnx": "/x", "prompt": "{query}"}}}, r"\.prompt: .*must name \{query\} and \{passage\}"),
        ({"grounding": {"a": {"onnx": "/x", "languages": ["German"]}}}, r"inference\.models\.grounding\.a\.languages"),
        (
            {"embedding": {"a": {"onnx": "/x", "languages": ["cs", "sk"]}}},
            r"inference\.models\.embedding\.a\.languages\.1: no request is told to be in sk, .* of ar, bn, cs, .*, zh$",
        ),
        ({"embedding": {"a": {"onnx": "/x", "pooling": "max"}}}, r"inference\.models\.embedding\.a\.pooling: "),
    ],
)
def test_wrong_settings_are_named_with_their_path(models: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build({"receive": _KAFKA, "inference": {"models": models}})


def test_a_model_that_only_some_requests_need_is_looked_at_when_the_sidecar_starts(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    models = {"grounding": {"mine": {"onnx": str(folder), "services": ["a"], "label": "entails"}}}
    with pytest.raises(ConfigError, match=r"inference\.models\.grounding\.mine: label: no label 'entails'"):
        runtime(models=models)


async def test_results_name_the_model_that_judged_each_service(tmp_path: Path) -> None:
    folder = copied("deberta-nli", tmp_path)
    (folder / "card.json").write_text(
        json.dumps({"name": "nli-de", "version": "7", "languages": ["de", "en"], "threshold": 0.2})
    )
    telemetry = Telemetry()
    one = runtime(
        telemetry,
        models={
            "grounding": {
                "mine": {"onnx": NLI, "threshold": 0.4},
                "german": {"onnx": str(folder), "services": ["de-*"]},
            }
        },
    )
    engine = Engine(EvaluateConfig(), one.router)
    await one.start()
    try:
        found = {service: await engine.evaluate(request(service=service)) for service in ("kb", "de-shop")}
        told = {
            service: {
                (e.model.name, e.threshold) for e in each.evaluations if e.model and e.subject == "answer" and e.claims
            }
            for service, each in found.items()
        }
        assert told == {"kb": {("mine", 0.4)}, "de-shop": {("nli-de", 0.2)}}
        assert telemetry.value("rag_sidecar_model_info", role="grounding", name="mine") == 1
        assert telemetry.value("rag_sidecar_model_info", role="grounding_by_rule", name="nli-de", version="7") == 1
    finally:
        await one.stop()


async def test_a_language_that_the_model_reads_is_scored_and_another_is_not() -> None:
    models = {"grounding": {"mine": {"onnx": NLI, "languages": ["de"]}}}
    one = runtime(models=models, grounding="mine")
    engine = Engine(EvaluateConfig.model_validate({"evaluators": ["faithfulness", "groundedness"]}), one.router)
    await one.start()
    try:
        german = await engine.evaluate(GERMAN)
        assert german.outcome is Outcome.SCORED
        english = await engine.evaluate(replace(GERMAN, question="How long does the warranty last for this device?"))
        assert (english.outcome, english.reason) == ("unscorable", "language")
    finally:
        await one.stop()


async def test_claims_of_an_entailment_model_are_contradicted_or_not_said() -> None:
    one = runtime(models={"grounding": {"mine": {"onnx": NLI, "threshold": 0.9}}})
    await one.start()
    try:
        found = await Engine(EvaluateConfig.model_validate({"evaluators": ["faithfulness"]}), one.router).evaluate(
            request()
        )
        supports = await one.models.grounder.support([Claim("It is blue.")], ["It is blue."])
    finally:
        await one.stop()
    assert supports[0].contradicted is not None
    labels = [claim.label for each in found.evaluations for claim in each.claims]
    assert labels
    assert set(labels) <= {"contradicted", "not_said"}


async def test_words_that_no_document_says_are_marked_in_the_claim() -> None:
    one = runtime(models={"grounding": {"mine": {"onnx": TOKENS, "label": "LABEL_1"}}})
    await one.start()
    try:
        claims = [Claim("The warranty covers three years."), Claim("Nothing was said.")]
        supports = await one.models.grounder.support(claims, ["The warranty covers two years."])
        assert any(support.unsupported for support in supports)
        for claim, support in zip(claims, supports, strict=True):
            assert bool(support.unsupported) is (support.probability <= 0.5)
            assert all(0 <= start < end <= len(claim.text) for start, end in support.unsupported or ())
            assert support.evidence is not None
        nothing = await one.models.grounder.support(claims, [" "])
        assert [support.probability for support in nothing] == [0.001, 0.001]
    finally:
        await one.stop()


async def test_an_answer_is_as_good_as_its_worst_claim_or_read_as_one() -> None:
    models = {
        "grounding": {
            "claims": {"onnx": NLI, "services": ["a"]},
            "whole": {"onnx": NLI, "answer": "whole", "services": ["b"]},
        }
    }
    one = runtime(models=models)
    await one.start()
    try:
        claims, documents = (
            [Claim("Ships leave once."), Claim("Paris is the capital.")],
            ["Ships leave twice a day. Paris."],
        )
        answer = "Ships leave once. Paris is the capital."
        said = {}
        for service in ("a", "b"):
            async with one.router.route(service=service, languages=frozenset) as models_of:
                supports = await models_of.grounder.support(claims, documents)
                said[service] = await models_of.grounder.consistency(answer, claims, supports, documents)
        assert said["a"] == min(support.probability for support in supports)
        assert said["b"] != said["a"]
    finally:
        await one.stop()


async def test_a_reranker_scores_documents_and_answers() -> None:
    one = runtime(
        models={"relevance": {"mine": {"onnx": str(MADE / "xlmr-rerank"), "threshold": 0.3, "answer_threshold": 0.6}}}
    )
    await one.start()
    try:
        model = one.models.relevance
        found = await model.documents(
            "How long is the warranty?", ["Two years.", "Ships leave twice a day.", "Two years."]
        )
        assert found[0] == found[2] != found[1]
        assert 0 < await model.answer("How long is the warranty?", "Two years.") < 1
        assert await model.answer("How long is the warranty?", "Two years.") == pytest.approx(found[0], abs=2e-6)
        assert (model.document_threshold, model.answer_threshold) == (0.3, 0.6)
        assert await model.documents("q", []) == []
    finally:
        await one.stop()
