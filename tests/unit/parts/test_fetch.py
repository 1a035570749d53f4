"""Fetching parts: what is there is left alone, what cannot be had says how to get it."""

from __future__ import annotations

import os
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.parts import paths
from tests.parts.fetch import LANES, ensure, main
from tests.parts.fetching import LOCKS, FetchError, Part, check_sums, pip_settings, uv


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
    assert "locks/mlserver.lock` failed" in lines["mlserver"]
    assert "MISSING" in lines["mlserver"]
    with pytest.raises(paths.MissingPartError, match="make parts"):
        paths.find("promtool")
    with pytest.raises(paths.MissingPartError, match="make parts"):
        paths.find_kafka_jars()


@pytest.mark.parametrize(
    ("lock", "package", "version"),
    [
        ("mlserver", "mlserver", paths.MLSERVER_VERSION),
        ("phoenix", "arize-phoenix", paths.PHOENIX_VERSION),
        ("wheels", "chdb-core", paths.CLICKHOUSE_VERSION),
        ("wheels", "onnxruntime-openvino", paths.OPENVINO_VERSION),
        ("wheels", "pyspark", paths.SPARK_VERSION),
        ("wheels", "ray", paths.RAY_VERSION),
    ],
)
def test_a_lock_holds_the_version_that_is_looked_for(lock: str, package: str, version: str) -> None:
    for kind in ("in", "lock"):
        lines = (LOCKS / f"{lock}.{kind}").read_text(encoding="utf-8").splitlines()
        assert f"{package}=={version}" in [line.removesuffix(" \\") for line in lines], kind


def test_a_file_that_is_not_what_it_was_is_refused(tmp_path: Path) -> None:
    (jar := tmp_path / f"kafka_2.13-{paths.KAFKA_VERSION}.jar").write_bytes(b"not a jar")
    with pytest.raises(FetchError, match=r"kafka_2\.13-.*\.jar has the SHA-256 .*files\.sha256 says [0-9a-f]{64}"):
        check_sums([jar])
    (unknown := tmp_path / "unknown.jar").write_bytes(b"")
    with pytest.raises(FetchError, match=r"unknown\.jar .* says None"):
        check_sums([unknown])


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what this machine says of indexes, and of a proxy, which would answer for addresses that nobody listens on."""
    for name in [one for one in os.environ if one.startswith(("PIP_", "UV_")) or one.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.mark.usefixtures("bare")
def test_uv_is_told_of_the_index_that_pip_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is not one of pip's, so that nothing is asked: uv fails at the port that nobody listens on, and says whose it is."""
    (config := tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = http://127.0.0.1:9/global\n[install]\nindex-url = http://127.0.0.1:9/install\n"
        "extra-index-url =\n    http://127.0.0.1:9/a\n    http://127.0.0.1:9/b\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    assert pip_settings()["index-url"] == "http://127.0.0.1:9/install"
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/environment")
    assert pip_settings()["index-url"] == "http://127.0.0.1:9/environment"
    monkeypatch.delenv("PIP_INDEX_URL")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    with pytest.raises(FetchError, match=r"http://127\.0\.0\.1:9/a/"):
        uv("--target", tmp_path / "made", "--no-cache", "rag-sidecar-is-nowhere")
    monkeypatch.setenv("UV_INDEX", "")
    with pytest.raises(FetchError, match=r"http://127\.0\.0\.1:9/install/"):
        uv("--target", tmp_path / "made", "--no-cache", "rag-sidecar-is-nowhere")


def wheel(index: Path, version: str) -> None:
    """An index of a package `thing` in this version alone."""
    (folder := index / "thing").mkdir(parents=True)
    about = f"thing-{version}.dist-info"
    files = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: thing\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(folder / f"thing-{version}-py3-none-any.whl", "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
        made.writestr(f"{about}/RECORD", "".join(f"{name},,\n" for name in (*files, f"{about}/RECORD")))


@pytest.mark.usefixtures("bare")
def test_a_version_is_found_where_an_extra_index_has_others_of_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip looks at all of its indexes; uv by itself at the first that has the name, which is the extra one."""
    wheel(tmp_path / "all", "2.0")
    wheel(tmp_path / "extra", "1.0")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/all")
        monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"http://127.0.0.1:{server.server_port}/extra")
        uv("--target", tmp_path / "made", "--no-cache", "thing==2.0")
        server.shutdown()
    assert (tmp_path / "made/thing-2.0.dist-info").is_dir()


def test_a_part_can_be_asked_for_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["helm", "hlem"]) == 2
    assert "no such part: hlem; there are alertmanager, axe-core, chromium" in capsys.readouterr().out
