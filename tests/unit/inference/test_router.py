"""Which models a request gets, and what is said of rules and models that are wrong."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.config import build
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.base import Claim
from sidecar.inference.router import Router
from sidecar.inference.rules import ROLES, ModelsConfig, Rule
from sidecar.inference.runtime import PACKAGED, InferenceConfig, ModelRuntime
from sidecar.inference.serving import beside
from sidecar.inference.shelf import Shelf
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.errors import ConfigError
from tests.unit.evaluate.fakes import request

DEFAULTS = {"grounding": "g", "relevance": "r", "embedding": "e"}
RULES = (
    Rule(service="support-*", language="de", grounding="german"),
    Rule(service="support-*", relevance="better"),
    Rule(language="fr", grounding="french", embedding="many"),
)
_KAFKA = {"bootstrap_servers": "localhost:9092", "topics": ["t"]}


@pytest.mark.parametrize(
    ("service", "languages", "differs"),
    [
        ("kb", {"en"}, {}),
        ("support-eu", {"de", "en"}, {"grounding": "german"}),
        ("support-eu", {"en"}, {"relevance": "better"}),
        ("support-eu", {"fr"}, {"relevance": "better"}),
        ("my-support-eu", {"de"}, {}),
        ("kb", {"fr"}, {"grounding": "french", "embedding": "many"}),
        ("kb", set(), {}),
    ],
)
def test_the_first_rule_that_fits_counts(service: str, languages: set[str], differs: dict[str, str]) -> None:
    shelf = Shelf(limit_bytes=1, telemetry=Telemetry(), clock=ManualClock())
    router = Router(RULES, DEFAULTS, shelf)
    assert router.names(service, lambda: frozenset(languages)) == {**DEFAULTS, **differs}


def test_languages_are_found_once_and_only_where_a_rule_asks() -> None:
    asked: Iterator[frozenset[str]] = iter([frozenset({"it"})])
    shelf = Shelf(limit_bytes=1, telemetry=Telemetry(), clock=ManualClock())
    none_asks = Router((Rule(service="kb", grounding="x"),), DEFAULTS, shelf)
    assert none_asks.names("kb", lambda: next(asked))["grounding"] == "x"
    assert none_asks.names("other", lambda: next(asked))["grounding"] == "g"
    assert Router(RULES, DEFAULTS, shelf).names("support-1", lambda: next(asked))["relevance"] == "better"
    assert list(asked) == []


@pytest.mark.parametrize(
    ("inference", "said"),
    [
        ({"grounding": "hehm"}, r"inference\.grounding: no grounding model 'hehm'; did you mean hhem\?"),
        ({"relevance": "x"}, r"inference\.relevance: no relevance model 'x'; known are embedded"),
        (
            {"rules": [{"service": "a"}, {"service": "b", "grounding": "german"}]},
            r"inference\.rules\.1\.grounding: no grounding model 'german'; known are auto, hhem, embedded",
        ),
        ({"rules": [{"servce": "a"}]}, r"inference\.rules\.0\.servce: no such setting"),
        ({"rules": [{"language": "German"}]}, r"inference\.rules\.0\.language: must be a code of two letters"),
        (
            {"rules": [{"language": "hr", "grounding": "embedded"}]},
            r"inference\.rules\.0\.language: no request is told to be in hr, .* of ar, bn, cs, .*, zh$",
        ),
        (
            {"models": {"grounding": {"german": {"directory": "/x"}}}},
            r"inference\.models\.grounding\.german: say where it is, `onnx: FOLDER` .* or its `kind` \(hhem, embedded",
        ),
        (
            {"models": {"grounding": {"german": {"kind": "hem"}}}},
            r"inference\.models\.grounding\.german\.kind: no such model; did you mean hhem\?",
        ),
        (
            {"models": {"grounding": {"german": {"kind": "hhem", "directry": "/x"}}}},
            r"inference\.models\.grounding\.german\.directry: no such setting; did you mean directory\?",
        ),
        (
            {"models": {"grounding": {"hhem": {"detector": {"sensitivity": 2}}}}},
            r"inference\.models\.grounding\.hhem\.detector\.sensitivity: ",
        ),
        (
            {"models": {"relevance": {"embedded": {"x": 1}}}},
            r"inference\.models\.relevance\.embedded\.x: no such setting; this model has none",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_path(inference: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build({"receive": _KAFKA, "inference": inference})


def test_every_entry_has_a_name_of_its_own_and_closed_settings() -> None:
    for entries in ROLES.values():
        names = [entry.name for entry in entries]
        assert len(set(names)) == len(names)
        for entry in entries:
            assert entry.config.model_config.get("extra") == "forbid"
            assert entry.config.model_config.get("frozen")


@pytest.fixture
def second(tmp_path: Path) -> Path:
    """A copy of the packaged models, to break."""
    shutil.copytree(PACKAGED, tmp_path / "models")
    return tmp_path / "models"


def with_second(kind: str = "embedded") -> InferenceConfig:
    return InferenceConfig.model_validate(
        {
            "grounding": "embedded",
            "rules": [{"service": "other", "grounding": "second"}],
            "models": {"grounding": {"second": {"kind": kind}}},
        }
    )


async def test_requests_of_a_service_get_the_model_of_its_rule() -> None:
    telemetry = Telemetry()
    runtime = ModelRuntime(with_second(), telemetry)
    await runtime.start()
    try:
        assert telemetry.value("rag_sidecar_models_loaded", role="grounding") == 1
        async with runtime.router.route(service="kb", languages=frozenset) as models:
            assert models.grounder is runtime.models.grounder
        async with runtime.router.route(service="other", languages=frozenset) as models:
            assert models.grounder is not runtime.models.grounder
            assert models.relevance is runtime.models.relevance
            [support] = await models.grounder.support([Claim("It is blue.")], ["It is blue."])
            assert support.probability > models.grounder.threshold
        assert telemetry.value("rag_sidecar_models_loaded", role="grounding") == 2
        assert telemetry.value("rag_sidecar_model_info", role="grounding_by_rule") == 1
    finally:
        await runtime.stop()


async def test_a_model_whose_files_went_bad_fails_the_requests_of_its_rule_alone(second: Path) -> None:
    config = with_second("lexical-zh").model_copy(update={"model_dir": second})
    runtime = ModelRuntime(config, telemetry := Telemetry())
    (second / "lexical-zh" / "heads.json").write_bytes(b"damaged")
    engine = Engine(EvaluateConfig(), runtime.router)
    await runtime.start()
    try:
        other = await engine.evaluate(request(service="other"))
        assert {(e.outcome, e.reason) for e in other.evaluations} == {("failed", "load")}
        assert (await engine.evaluate(request())).outcome == "scored"
        assert telemetry.value("rag_sidecar_inference_failures_total", model="second", reason="load") == 1
    finally:
        await runtime.stop()


async def test_models_of_rules_can_be_asked_before_a_request_needs_them(second: Path) -> None:
    runtime = ModelRuntime(with_second("lexical-zh").model_copy(update={"model_dir": second}), Telemetry())
    assert [(role, one.name) for role, one in await runtime.ask_others()] == [("grounding by rule", "lexical-zh")]
    (second / "lexical-zh" / "heads.json").write_bytes(b"damaged")
    with pytest.raises(ConfigError, match=r"heads\.json: sha256 is"):
        await runtime.ask_others()


def test_a_model_of_a_rule_that_is_not_there_is_named_at_the_start(tmp_path: Path) -> None:
    settings = {"rules": [{"service": "a", "grounding": "hhem"}], "hhem_dir": str(tmp_path), "grounding": "embedded"}
    with pytest.raises(ConfigError, match="models export hhem"):
        ModelRuntime(InferenceConfig.model_validate(settings), Telemetry())


def test_a_fallback_that_reads_chinese_itself_has_nothing_beside_it() -> None:
    models = ModelsConfig()
    assert beside(models, {("grounding", "mine"): "lexical-zh"}) == {}
    [(key, inside)] = beside(models, {("grounding", "mine"): "embedded"}).items()
    assert (key, inside.name) == (("grounding", "embedded"), "embedded-zh")
