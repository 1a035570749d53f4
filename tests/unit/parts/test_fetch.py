"""Fetching parts: what is there is left alone, what cannot be had says how to get it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parts import paths
from tests.parts.fetch import LANES, ensure, main
from tests.parts.fetching import FetchError, Part
from tests.parts.paths import MLSERVER_VERSION


def test_a_part_that_is_there_is_not_fetched_again(capsys: pytest.CaptureFixture[str]) -> None:
    fetched: list[str] = []
    assert ensure(Part("thing", "thing 1.2", lambda: "1.2", lambda: fetched.append("again")))
    assert fetched == []
    assert capsys.readouterr().out.split() == ["thing", "1.2,", "there"]


def test_a_part_that_is_missing_is_fetched_and_looked_at_again(capsys: pytest.CaptureFixture[str]) -> None:
    there: list[str] = []
    assert ensure(Part("thing", "thing 1.2", lambda: there[0] if there else None, lambda: there.append("1.2")))
    assert "fetched in" in capsys.readouterr().out


def test_a_part_that_cannot_be_had_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    def fetch() -> None:
        raise FetchError("needs tar, which is not in PATH; Debian: apt-get install tar")

    assert not ensure(Part("thing", "thing 1.2", lambda: None, fetch))
    assert "apt-get install tar" in capsys.readouterr().out


def test_a_part_that_does_not_run_after_it_was_fetched_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert not ensure(Part("thing", "thing 1.2", lambda: None, lambda: None))
    assert "does not run as thing 1.2" in capsys.readouterr().out


def test_without_any_tool_or_registry_each_part_names_the_tool_and_the_way_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("RAG_SIDECAR_CACHE", str(tmp_path / "cache"))
    assert main() == 1
    told = capsys.readouterr().out.splitlines()
    # What a tool said of its failure stands below the part, indented.
    lines = {line.split()[0]: line for line in told if not line.startswith(" ")}
    assert set(lines) == {part.name for lane in LANES for part in lane}
    assert "needs go" in lines["collector"]
    assert "needs go" in lines["helm"]
    assert "needs go" in lines["keda"]
    assert "needs mvn" in lines["kafka"]
    assert "apt-get install chromium" in lines["chromium"]
    assert f"mlserver=={MLSERVER_VERSION}" in lines["mlserver"]
    assert "MISSING" in lines["mlserver"]
    with pytest.raises(paths.MissingPartError, match="make parts"):
        paths.find("promtool")
    with pytest.raises(paths.MissingPartError, match="make parts"):
        paths.find_kafka_jars()


def test_a_part_can_be_asked_for_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["helm", "hlem"]) == 2
    assert "no such part: hlem; there are alertmanager, axe-core, chromium" in capsys.readouterr().out
