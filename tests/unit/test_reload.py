"""Settings that change while the sidecar runs: taken as a whole or refused as a whole."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs import configuration
from sidecar import config
from sidecar.app import App
from sidecar.config import Config, load
from sidecar.record.clock import ManualClock
from sidecar.record.request import Document, ModelCall, RagTrace, Tokens
from sidecar.reload import Reloader, fingerprint, reloading
from sidecar.settings.live import LIVE, changed, is_live

BASE: dict[str, Any] = {
    "receive": {"bootstrap_servers": "k:9092", "topics": ["spans"]},
    "admin": {"host": "127.0.0.1", "port": 0},
    "reload": {"interval_seconds": 0.02},
    "sample": {"rate": 0.5},
}
TRACE = RagTrace(
    trace_id="0" * 32,
    service="kb",
    convention="native",
    timestamp=0.0,
    question="How tall is the tower?",
    answer="The tower is 330 metres tall.",
    documents=(Document(rank=1, text="The tower is 330 metres tall."),),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "config.yaml")


def write(path: Path, **sections: Any) -> Path:
    path.write_text(yaml.safe_dump({**BASE, **sections}), encoding="utf-8")
    return path


def started(path: Path) -> tuple[App, Reloader]:
    settings = load(path)
    app = App(settings, clock=ManualClock())
    return app, Reloader(path, settings, app)


def refused(app: App) -> float:
    return app.telemetry.value("rag_sidecar_config_refused")


def test_rates_rules_thresholds_prices_and_the_level_take_effect_together(path: Path) -> None:
    app, reloader = started(path)
    first = fingerprint(reloader.config)
    write(
        path,
        sample={"rate": 0.25, "rules": [{"service": "kb", "rate": 0.125}]},
        evaluate={"groundedness": {"threshold": 0.9}},
        price={"models": {"own": {"input": 1.0, "output": 2.0}}},
        log={"level": "ERROR"},
    )
    assert reloader.reload() == "ok"
    assert app.sampler.decide(TRACE).probability == 0.125
    assert app.telemetry.value("rag_sidecar_config_info", sha256=fingerprint(reloader.config)) == 1
    assert [labels for labels, _ in app.telemetry.values("rag_sidecar_config_info")] == [
        {"sha256": fingerprint(reloader.config)}
    ]
    assert fingerprint(reloader.config) != first
    assert changed(reloader.config, load(path)) == []
    assert reloader.reload() == "unchanged"


def test_settings_that_are_as_they_were_are_told(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _, reloader = started(path)
    with caplog.at_level("INFO", logger="sidecar.reload"):
        assert reloader.reload() == "unchanged"
    assert [(one.levelname, one.getMessage()) for one in caplog.records if one.name == "sidecar.reload"] == [
        ("INFO", "settings were read again, and nothing has changed")
    ]


async def test_a_threshold_that_changed_is_that_of_the_next_evaluation(path: Path) -> None:
    app, reloader = started(path)
    await app.runtime.start()
    write(path, evaluate={"groundedness": {"threshold": 0.123, "thresholds": {"strict": 0.9}}})
    assert reloader.reload() == "ok"
    evaluated = [await app.engine.evaluate(trace) for trace in (TRACE, replace(TRACE, service="strict"))]
    await app.runtime.stop()
    found = [{one.evaluator: one.threshold for one in each.evaluations}["groundedness"] for each in evaluated]
    assert found == [0.123, 0.9]


@pytest.mark.parametrize(
    ("sections", "outcome", "said"),
    [
        ({"sample": {"rate": 2}}, "invalid", "sample.rate: must be at most 1"),
        ({"sample": {"rates": 0.1}}, "invalid", "sample.rates: no such setting"),
        ({"sample": {"rate": 0.1}, "receive": {**BASE["receive"], "group_id": "other"}}, "needs_restart", "receive.group_id"),
        ({"sample": {"rate": 0.1, "salt": "new"}}, "needs_restart", "sample.salt"),
        ({"evaluate": {"evaluators": ["faithfulness"]}}, "needs_restart", "evaluate.evaluators"),
    ],
)  # fmt: skip
def test_settings_with_a_fault_or_in_need_of_a_restart_are_refused_whole(
    path: Path, caplog: pytest.LogCaptureFixture, sections: dict[str, Any], outcome: str, said: str
) -> None:
    app, reloader = started(path)
    before = reloader.config
    write(path, **{"log": {"level": "DEBUG"}, **sections})
    assert reloader.reload() == outcome
    assert reloader.config is before
    assert app.sampler.decide(TRACE).probability == 0.5
    assert refused(app) == 1
    assert said in caplog.text
    assert app.telemetry.value("rag_sidecar_config_reloads_total", outcome=outcome) == 1
    write(path)
    assert reloader.reload() == "unchanged"
    assert refused(app) == 0


def test_a_file_that_is_gone_or_no_yaml_is_refused(path: Path) -> None:
    app, reloader = started(path)
    path.write_text("sample: [", encoding="utf-8")
    assert reloader.reload() == "invalid"
    path.unlink()
    assert reloader.reload() == "invalid"
    assert refused(app) == 1


def test_a_change_is_taken_when_it_was_there_twice(path: Path) -> None:
    app, reloader = started(path)
    assert (reloader.look(), reloader.look()) == (None, None)
    write(path, sample={"rate": 0.25})
    assert (reloader.look(), reloader.look(), reloader.look()) == (None, "ok", None)
    write(path, sample={"rate": 0.2})
    assert reloader.look() is None
    write(path, sample={"rate": 0.3})
    assert (reloader.look(), reloader.look()) == (None, "ok")
    assert app.sampler.decide(TRACE).rule == "default"


def test_the_link_of_a_config_map_that_is_moved_is_seen(tmp_path: Path) -> None:
    for name, rate in (("..one", 0.5), ("..two", 0.25)):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "config.yaml", sample={"rate": rate})
        os.utime(tmp_path / name / "config.yaml", (1, 1))
    (tmp_path / "..data").symlink_to("..one")
    (tmp_path / "config.yaml").symlink_to("..data/config.yaml")
    _, reloader = started(tmp_path / "config.yaml")
    (tmp_path / "..new").symlink_to("..two")
    (tmp_path / "..new").rename(tmp_path / "..data")
    assert (reloader.look(), reloader.look()) == (None, "ok")
    assert reloader.config.sample.rate == 0.25


async def test_a_signal_and_a_changed_file_reload_while_the_loop_runs(path: Path) -> None:
    settings = load(path)
    app = App(settings, clock=ManualClock())
    async with asyncio.timeout(20), reloading(path, settings, app) as reloader:
        write(path, sample={"rate": 0.25})
        os.kill(os.getpid(), signal.SIGHUP)
        while reloader.config.sample.rate != 0.25:  # noqa: ASYNC110 - a state, no event
            await asyncio.sleep(0.01)
        write(path, sample={"rate": 0.125})
        while reloader.config.sample.rate != 0.125:  # noqa: ASYNC110 - the same
            await asyncio.sleep(0.01)
    assert app.telemetry.value("rag_sidecar_config_reloads_total", outcome="ok") == 2


def test_prices_that_changed_are_those_of_the_next_request(path: Path) -> None:
    app, reloader = started(path)
    call = ModelCall(provider=None, model="own", tokens=Tokens(input=1_000_000, output=0))
    assert app.pipeline.ending.pricer.price([call]).cost_usd is None
    write(path, price={"models": {"own": {"input": 1.0, "output": 2.0}}})
    assert reloader.reload() == "ok"
    assert sum((app.pipeline.ending.pricer.price([call]).cost_usd or {}).values()) == 1.0


def test_every_live_pattern_is_a_setting_and_the_page_marks_it() -> None:
    places = [place for place, _ in configuration.walk(Config, ())]
    live = [place for place in places if is_live(place)]
    assert all(any(is_live(place) and len(place) == len(one) for place in live) for one in LIVE)
    page = configuration.page()
    marked = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `") and "*live*" in line}
    assert marked == {".".join(place) for place in live}
    assert {"sample.rate", "evaluate.groundedness.threshold", "log.level", "price.models"} <= marked
    assert not {"sample.salt", "receive.group_id", "evaluate.evaluators"} & marked


def test_the_fingerprint_holds_no_secret() -> None:
    one, other = (
        config.build({**BASE, "admin": {**BASE["admin"], "bearer_token": token}}) for token in ("first", "second")
    )
    assert fingerprint(one) == fingerprint(other)
