"""HHEM from a snapshot to a score: exported, verified, loaded and asked, on made weights in the real layout."""

from __future__ import annotations

import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer
from typer.testing import CliRunner

from sidecar.__main__ import cli
from sidecar.inference.base import Claim
from sidecar.inference.export.hhem import HUB_ID, export
from sidecar.inference.export.spiece import from_spiece
from sidecar.inference.export.t5 import bucket
from sidecar.inference.export.verify import verify
from sidecar.inference.grounding.hhem import load
from sidecar.inference.pairs import PairModel
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError
from training.made_hhem import TINY, make_snapshot

GOLDEN = json.loads((Path(__file__).parents[3] / "golden" / "inference" / "hhem.json").read_text(encoding="utf-8"))
PAIRS = [(row["premise"], row["hypothesis"]) for row in GOLDEN["pairs"]]


def quiet(_: str) -> None:
    """Say nothing."""


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("snapshot")
    make_snapshot(directory, TINY, [text for pair in PAIRS for text in pair], GOLDEN["seed"])
    return directory


@pytest.fixture(scope="session")
def exported(snapshot: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("hhem")
    export(str(snapshot), out, say=quiet)
    return out


def model(directory: Path, file: str = "model.fp32.onnx") -> PairModel:
    return load(directory, file=file, threads=1, batch_tokens=4096, telemetry=Telemetry())


def test_scores_and_tokens_are_those_of_the_reference_implementation(exported: Path) -> None:
    fp32 = model(exported)
    for row in GOLDEN["pairs"]:
        encoding = fp32.encode(row["premise"], row["hypothesis"])
        assert encoding.ids == row["ids"]
        assert fp32.compute([encoding])[0][0] == pytest.approx(row["score"], abs=1e-5)


def test_int8_stays_near_and_does_not_depend_on_its_batch(exported: Path) -> None:
    int8 = model(exported, "model.int8.onnx")
    encodings = [int8.encode(premise, hypothesis) for premise, hypothesis in PAIRS]
    together = int8.compute(encodings)
    for encoding, score, row in zip(encodings, together, GOLDEN["pairs"], strict=True):
        assert score == pytest.approx(row["score"], abs=0.05)
        assert int8.compute([encoding])[0][0] == pytest.approx(score[0], abs=1e-5)


def test_int8_holds_whole_numbers_where_the_weights_are(exported: Path) -> None:
    stored = {one.name: one for one in onnx.load(exported / "model.int8.onnx").graph.initializer}
    linear = [
        one for name, one in stored.items() if name.endswith((".qkv.weight", ".o.weight", ".wi.weight", ".wo.weight"))
    ]
    assert len(linear) == 4 * TINY.layers
    assert {one.data_type for one in linear} == {onnx.TensorProto.INT8}
    assert stored["bias.table"].data_type == stored["words.table"].data_type == onnx.TensorProto.FLOAT


@pytest.mark.parametrize(
    ("distance", "expected"), [(0, 0), (-1, 1), (1, 17), (-7, 7), (-8, 8), (-127, 15), (-5000, 15), (5000, 31)]
)
def test_buckets_of_distances(distance: int, expected: int) -> None:
    assert bucket(distance, 32) == expected


def test_the_card_pins_every_file(snapshot: Path, exported: Path) -> None:
    card = json.loads((exported / "card.json").read_text(encoding="utf-8"))
    assert set(card["files"]) == {"model.fp32.onnx", "model.int8.onnx", "tokenizer.json"}
    assert card["licence"] == "Apache-2.0"
    assert card["revision"] is None
    assert "{premise}" in card["prompt"]
    (copy := exported.parent / "damaged").mkdir()
    for name in [*card["files"], "card.json"]:
        shutil.copy(exported / name, copy / name)
    (copy / "model.int8.onnx").write_bytes(b"damaged")
    with pytest.raises(ConfigError, match="sha256"):
        model(copy, "model.int8.onnx")


def test_a_sentencepiece_model_gives_the_same_tokens(snapshot: Path, exported: Path, tmp_path: Path) -> None:
    for name in ("config.json", "model.safetensors", "spiece.model"):
        shutil.copy(snapshot / name, tmp_path / name)
    export(str(tmp_path), tmp_path / "out", say=quiet)
    own, known = (
        Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json")),
        Tokenizer.from_file(str(exported / "tokenizer.json")),
    )
    for premise, hypothesis in PAIRS:
        assert own.encode(premise + hypothesis).ids == known.encode(premise + hypothesis).ids
    with pytest.raises(ValueError, match="not a SentencePiece model"):
        from_spiece(b"\xff\xff\xff")


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda d: (d / "config.json").unlink(), "config.json"),
        (lambda d: (d / "config.json").write_text("{"), "config.json"),
        (lambda d: (d / "model.safetensors").write_bytes(b"no"), "model.safetensors"),
        (lambda d: (d / "tokenizer.json").write_text("{}"), "tokenizer"),
        (lambda d: [(d / name).unlink() for name in ("tokenizer.json", "spiece.model")], "spiece.model"),
        (lambda d: _without(d, "t5.classifier.weight"), "classifier.weight"),
        (lambda d: _without(d, "t5.transformer.encoder.block.0.layer.0.SelfAttention.q.weight"), "SelfAttention.q"),
    ],
)  # fmt: skip
def test_a_wrong_snapshot_is_named(snapshot: Path, tmp_path: Path, break_it, said: str) -> None:  # type: ignore[no-untyped-def]
    shutil.copytree(snapshot, tmp_path / "source")
    break_it(tmp_path / "source")
    with pytest.raises(ConfigError, match=said):
        export(str(tmp_path / "source"), tmp_path / "out", say=quiet)


def _without(directory: Path, name: str) -> None:
    weights = load_file(directory / "model.safetensors")
    del weights[name]
    save_file(weights, directory / "model.safetensors")


def test_a_text_longer_than_the_model_reads_is_windowed_not_cut(exported: Path) -> None:
    long = model(exported)
    long._max_tokens = 96
    filler = "Ships leave for the mainland twice a day in summer . " * 20
    rows = long.windows(filler + "The capital of France is Berlin .", "Ships leave .")
    assert len(rows) == 1
    assert len(rows[0]) > 3
    assert all(len(encoding.ids) <= 96 for encoding in rows[0])
    assert long.encode("", "").ids[:5] == rows[0][0].ids[:5]
    berlin = long._tokenizer.encode("Berlin .", add_special_tokens=False).ids
    assert any(set(berlin) <= set(encoding.ids) for encoding in rows[0])
    both = long.windows(filler, filler)
    assert len(both) > 1
    assert all(len(encoding.ids) <= 96 for row in both for encoding in row)


async def test_support_is_the_models_score_of_claim_and_evidence(exported: Path) -> None:
    runtime = ModelRuntime(InferenceConfig(hhem_dir=exported), Telemetry())
    await runtime.start()
    try:
        grounder = runtime.models.grounder
        assert grounder.identity.name == "HHEM-2.1-Open"
        assert grounder.threshold == 0.5
        claims = [Claim("Ships leave twice a day."), Claim("Mark was a fan.")]
        text = "The harbour lies in the north. Ships leave for the mainland twice a day."
        supports = await grounder.support(claims, [text])
        int8 = model(exported, "model.int8.onnx")
        for claim, support in zip(claims, supports, strict=True):
            assert support.probability == pytest.approx(int8.compute([int8.encode(text, claim.text)])[0][0], abs=1e-5)
        assert supports[0].evidence is not None
        assert (
            text[supports[0].evidence.start : supports[0].evidence.end] == "Ships leave for the mainland twice a day."
        )
        whole = await grounder.consistency("Ships leave twice a day. Mark was a fan.", claims, supports, [text])
        assert 0 <= whole <= 1
        assert [one.probability for one in await grounder.support(claims, [" "])] == [0.001, 0.001]
    finally:
        await runtime.stop()


def test_hhem_is_the_default_where_it_is_and_embedded_where_not(exported: Path, tmp_path: Path) -> None:
    def name(**settings: object) -> str:
        return ModelRuntime(InferenceConfig.model_validate(settings), Telemetry()).models.grounder.identity.name

    assert name(hhem_dir=exported) == "HHEM-2.1-Open"
    assert name(hhem_dir=tmp_path) == "embedded"
    assert name(hhem_dir=exported, grounding="embedded") == "embedded"
    with pytest.raises(ConfigError, match="models export hhem"):
        name(hhem_dir=tmp_path, grounding="hhem")


async def test_the_exported_folder_is_a_model_of_ones_own_too(exported: Path, tmp_path: Path) -> None:
    mine = {"grounding": {"mine": {"onnx": str(exported), "services": ["kb"]}}}
    runtime = ModelRuntime(InferenceConfig.model_validate({"models": mine, "hhem_dir": tmp_path}), Telemetry())
    assert runtime.models.grounder.identity.name == "embedded"
    assert runtime.router.names("kb", frozenset)["grounding"] == "mine"
    await runtime.start()
    try:
        assert [(role, one.name) for role, one in await runtime.ask_others()] == [
            ("grounding by rule", "HHEM-2.1-Open")
        ]
    finally:
        await runtime.stop()


def test_verify_says_how_far_off_each_file_is(exported: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"premise": "a", "hypothesis": "b"}) + "\n")
    rows = {row.what: row for row in verify(exported, pairs=tmp_path / "pairs.jsonl")}
    assert rows["int8 from fp32"].well
    assert rows["int8 from fp32"].pairs == 8
    published = rows["fp32 from the published scores"]
    assert not published.well  # made weights are not Vectara's
    known = [(row["score"], score) for row, score in zip(GOLDEN["pairs"], (0.0111, 0.6474, 0.1290), strict=False)]
    assert published.largest >= max(abs(one - other) for one, other in known) - 1e-4
    (tmp_path / "pairs.jsonl").write_text("{}\n")
    with pytest.raises(ConfigError, match="--pairs"):
        verify(exported, pairs=tmp_path / "pairs.jsonl")


def test_the_command_line_exits_1_beyond_tolerance(snapshot: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    done = runner.invoke(cli, ["models", "export", "hhem", str(snapshot), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert runner.invoke(cli, ["models", "verify", "hhem", "--dir", str(tmp_path), "--no-published"]).exit_code == 0
    beyond = runner.invoke(cli, ["models", "verify", "hhem", "--dir", str(tmp_path)])
    assert beyond.exit_code == 1
    assert "beyond" in beyond.output


@pytest.fixture
def hub(snapshot: Path) -> Iterator[str]:
    """A hub with the snapshot and the tokenizer under their ids."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            repository, _, name = self.path.strip("/").partition("/resolve/main/")
            known = {HUB_ID: ("config.json", "model.safetensors"), "google/flan-t5-base": ("tokenizer.json",)}
            if name not in known.get(repository, ()):
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("x-repo-commit", "a" * 40)
            self.end_headers()
            self.wfile.write((snapshot / name).read_bytes())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_hub_id_is_fetched(hub: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub)
    export(HUB_ID, tmp_path, say=quiet)
    assert json.loads((tmp_path / "card.json").read_text(encoding="utf-8"))["revision"] == "a" * 40
    assert np.isfinite(model(tmp_path).compute([model(tmp_path).encode("a", "b")])).all()
    with pytest.raises(ConfigError, match="HTTPStatusError"):
        export("someone/else", tmp_path, say=quiet)
    with pytest.raises(ConfigError, match="neither a directory nor a hub id"):
        export("nowhere", tmp_path, say=quiet)
