"""Quantised, verified and calibrated: what the commands write beside a model, and what comes of it."""

from __future__ import annotations

import asyncio
import json
import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from tokenizers import Encoding
from typer.testing import CliRunner

from sidecar.__main__ import cli
from sidecar.inference.export.verify import PUBLISHED
from sidecar.inference.export.verify_own import verify
from sidecar.inference.onnx import CPU
from sidecar.inference.own.card import write_card
from sidecar.inference.own.fit import composed, fit, platt
from sidecar.inference.own.folder import open_folder
from sidecar.inference.own.graph import Graph
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError
from tests.unit.inference.own.made import FIELD, MADE, copied, judge, rows

SHAPES = ["bert-nli", "deberta-nli", "modernbert-tokens", "xlmr-rerank", "t5-minicheck", "bert-embedding"]


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    return result.exit_code, result.output + (f"{result.exception}" if result.exception else "")


@pytest.mark.parametrize("name", SHAPES)
def test_eight_bits_stay_near_and_do_not_depend_on_the_batch(tmp_path: Path, name: str) -> None:
    code, said = run("models", "quantise", MADE / name, "--out", tmp_path / "int8")
    assert code == 0, said
    code, said = run("models", "verify", "own", "--dir", tmp_path / "int8")
    assert code == 0, said
    exact, made = open_folder(MADE / name, FIELD), open_folder(tmp_path / "int8", FIELD)
    outputs = ("logits", "last_hidden_state")
    graphs = [Graph(folder, outputs=outputs, threads=1, providers=CPU) for folder in (exact, made)]
    tokenizer = exact.tokenizer()
    for row in rows(name):
        pair = (row["first"],) if name == "bert-embedding" else (row["first"], row["second"])
        first, second = (graph.run([tokenizer.encode(*pair)])[0] for graph in graphs)
        spread = float(np.abs(first).max())
        assert np.abs(first - second).max() < 0.1 * spread + 0.02
    assert made.size_bytes < exact.size_bytes
    stored = [one for path in made.graphs for one in onnx.load(path).graph.initializer]
    assert any(one.data_type == onnx.TensorProto.INT8 and len(one.dims) == 2 for one in stored)
    card = json.loads((tmp_path / "int8" / "card.json").read_text())
    assert card["version"] == f"int8-{made.identity('x').sha256[:8]}"
    assert set(card["files"]) == set(card["quantised_from"]) == {path.name for path in exact.graphs}


def test_a_model_far_from_its_source_is_beyond_tolerance(tmp_path: Path) -> None:
    code, said = run("models", "verify", "own", "--dir", MADE / "bert-nli", "--source", MADE / "deberta-nli")
    assert (code, "beyond tolerance" in said.replace("\n", " ") or "beyond" in said) == (1, True)


@pytest.mark.parametrize("name", ["bert-nli", "modernbert-tokens"])
def test_labels_that_are_not_those_of_the_graph_are_named(tmp_path: Path, name: str) -> None:
    folder = copied(name, tmp_path, id2label={str(n): f"label {n}" for n in range(7)}, label2id=None)
    code, said = run("models", "verify", "own", "--dir", folder)
    assert (code, "id2label has 7, logits are" in " ".join(said.split())) == (1, True)


def test_a_t5_is_verified_as_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[list[int]] = []
    run_graph = Graph.run
    folder = MADE / "t5-minicheck"

    def seen(graph: Graph, batch: list[Encoding]) -> np.ndarray:
        read.extend(one.ids for one in batch)
        found = run_graph(graph, batch)
        # Beside the words that decide, all that is said depends on the batch.
        other = np.setdiff1d(np.arange(found.shape[-1]), words)
        found[:, :, other] += len(batch)
        return found

    one, _ = judge(folder)
    words = [one.reader.plain.encode(word, add_special_tokens=False).ids[0] for word in "01"]
    monkeypatch.setattr(Graph, "run", seen)
    [row] = verify(folder)
    assert row.well
    premise, hypothesis, _ = PUBLISHED[0]
    assert read[0] == one.reader.encode(premise, hypothesis).ids
    read.clear()
    verify(folder, prompt="{hypothesis} in {premise}", words=("1", "0"))
    assert read[0] == replace(one.reader, prompt="{hypothesis} in {premise}").encode(premise, hypothesis).ids
    with pytest.raises(ConfigError, match=r"--prompt: must name \{premise\}"):
        verify(folder, prompt="{text}")


def test_an_embedding_model_is_verified_as_it_is_pooled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = copied("bert-embedding", tmp_path)
    (folder / "1_Pooling").mkdir(exist_ok=True)
    run_graph = Graph.run

    def seen(graph: Graph, batch: list[Encoding]) -> np.ndarray:
        found = run_graph(graph, batch)
        found[:, 1:] += len(batch)  # all but the first state depends on the batch
        return found

    monkeypatch.setattr(Graph, "run", seen)
    for cls in (True, False):
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": cls}))
        assert verify(folder)[0].well is cls


def test_a_folder_of_ones_own_must_be_named_to_be_verified() -> None:
    assert "--dir: no folder is named" in run("models", "verify", "own")[1]
    assert "--prompt: HHEM is asked as it was trained" in run("models", "verify", "hhem", "--prompt", "x")[1]


def test_quantising_twice_or_into_itself_is_refused(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    assert "is the folder itself" in run("models", "quantise", folder, "--out", folder)[1]
    assert run("models", "quantise", folder)[0] == 0
    assert (tmp_path / "bert-nli-int8" / "config.json").is_file()
    assert "no linear layer of 32 bits" in run("models", "quantise", tmp_path / "bert-nli-int8")[1]


def test_what_is_no_graph_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    for text, expected in (
        ("<html>", "no ONNX graph"),
        ("version https://git-lfs.github.com/spec/v1", "is a Git LFS pointer"),
    ):
        (folder / "model.onnx").write_text(text)
        code, said = run("models", "quantise", folder, "--out", tmp_path / "out")
        assert code != 0
        assert expected in said.replace("\n", " ")
        assert not (tmp_path / "out").exists()


def test_error_rates_of_a_card_that_are_none_are_named(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    (folder / "card.json").write_text(json.dumps({"detector": {"sensitivity": 3}}))
    config = {"models": {"grounding": {"mine": {"onnx": str(folder)}}}}
    with pytest.raises(ConfigError, match=r"grounding\.mine: .*card\.json: detector\.sensitivity"):
        ModelRuntime(InferenceConfig.model_validate(config), Telemetry())


def test_what_was_measured_is_not_carried_over_to_eight_bits(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    (folder / "card.json").write_text(
        json.dumps({"name": "nli", "languages": ["de"], "threshold": 0.3, "detector": {}})
    )
    assert run("models", "quantise", folder, "--out", tmp_path / "out")[0] == 0
    card = json.loads((tmp_path / "out" / "card.json").read_text())
    assert (card["name"], card["languages"]) == ("nli", ["de"])
    assert not {"threshold", "detector"} & set(card)


def test_a_fit_finds_the_scale_and_passes_good_answers() -> None:
    chance = random.Random(7)
    scores, good = [], []
    for _ in range(4000):
        x = chance.gauss(0, 2)
        good.append(chance.random() < 1 / (1 + math.exp(-(0.5 * x - 1))))
        scores.append(1 / (1 + math.exp(-x)))
    found = fit(scores, good)
    assert found.slope == pytest.approx(0.5, abs=0.1)
    assert found.intercept == pytest.approx(-1, abs=0.15)
    assert found.specificity == pytest.approx(0.95, abs=0.03)
    assert found.sensitivity > 0.1
    assert abs(found.hallucinated + found.grounded - 2000) <= 1
    again = composed({"slope": 2.0, "intercept": 1.0}, found)
    assert again["slope"] == pytest.approx(2 * found.slope, abs=1e-5)
    assert again["intercept"] == pytest.approx(found.slope + found.intercept, abs=1e-5)
    assert platt(np.array([-1.0, 1.0] * 50), np.array([True, False] * 50))[0] > 0


async def test_the_card_that_calibrate_writes_is_what_the_model_is_judged_by(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    lines = []
    for n in range(140):
        good = n % 2 == 0
        answer = f"Ships leave {n} times." if good else f"The warranty covers {n} years."
        record = {
            "request_id": str(n),
            "question": "How often do the ships leave in summer?",
            "answer": answer,
            "contexts": ["Ships leave twice a day in summer."],
        }
        lines.append(json.dumps({**record, "label": good}))
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    (tmp_path / "config.yaml").write_text(
        json.dumps({"inference": {"models": {"grounding": {"mine": {"onnx": str(folder)}}}}})
    )
    words = ("calibrate", tmp_path / "in.jsonl", "--config", tmp_path / "config.yaml", "--model", "mine", "--write")
    code, said = await asyncio.to_thread(run, *words)
    assert code == 0, said
    card = json.loads((folder / "card.json").read_text())
    assert set(card) == {"calibration", "threshold", "detector"}
    assert card["detector"]["hallucinated"] + card["detector"]["grounded"] == 70
    models = {"grounding": {"mine": {"onnx": str(folder)}}}
    runtime = ModelRuntime(InferenceConfig.model_validate({"models": models}), Telemetry())
    assert runtime.models.grounder.answer_threshold == runtime.models.grounder.threshold == card["threshold"]
    assert runtime.detector is not None
    assert runtime.detector.grounded == card["detector"]["grounded"]
    raw, part = judge(MADE / "bert-nli")
    calibrated, other = judge(folder)
    for one in (part, other):
        await one.start()
    pair = [("Ships leave twice.", "Ships leave once.")]
    x = math.log((p := (await raw.judge(pair))[0].probability) / (1 - p))
    expected = 1 / (1 + math.exp(-(card["calibration"]["slope"] * x + card["calibration"]["intercept"])))
    assert (await calibrated.judge(pair))[0].probability == pytest.approx(expected, abs=1e-4)
    for one in (part, other):
        await one.stop()


def test_a_card_is_for_a_model_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("")
    assert (
        "embedded has no folder of yours"
        in run("calibrate", tmp_path / "in.jsonl", "--model", "embedded", "--write")[1]
    )
    with pytest.raises(ConfigError, match=r"card\.json\.part: FileNotFoundError \(it must be writable"):
        write_card(tmp_path / "none", threshold=0.5)
    assert "no grounding model 'mine'" in run("calibrate", tmp_path / "in.jsonl", "--model", "mine")[1]


@pytest.mark.parametrize("write", [(), ("--write",)])
def test_a_model_of_another_role_is_said_to_have_no_calibration(tmp_path: Path, write: tuple[str, ...]) -> None:
    (tmp_path / "in.jsonl").write_text("")
    models = {"relevance": {"ranker": {"onnx": str(MADE / "xlmr-rerank")}}, "embedding": {"e5": {"onnx": "/x"}}}
    (tmp_path / "config.yaml").write_text(json.dumps({"inference": {"models": models}}))
    for name, role in (("ranker", "relevance"), ("e5", "embedding")):
        words = ("calibrate", tmp_path / "in.jsonl", "--config", tmp_path / "config.yaml", "--model", name, *write)
        said = " ".join(run(*words)[1].split())
        assert f"'{name}' is a model for {role}, which is not calibrated (it is for grounding models alone" in said
        assert ("threshold" in said) is (role == "relevance")
