"""What is wrong with a folder or its settings is told at the start, with the setting and the mend."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.config import build
from sidecar.inference.onnx import CPU, OpenGraph, check_providers
from sidecar.inference.own.folder import open_folder
from sidecar.inference.own.settings import GroundingConfig, PairConfig, RelevanceConfig
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError
from tests.unit.inference.own.made import FIELD, MADE, copied, judge

_KAFKA = {"bootstrap_servers": "localhost:9092", "topics": ["t"]}


def _without(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def _with(name: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("name", "break_it", "config", "said"),
    [
        ("bert-nli", _without("config.json"), GroundingConfig(), r"config\.json: no such file \(export it with"),
        ("bert-nli", _without("tokenizer.json"), GroundingConfig(), r"tokenizer\.json: no such file"),
        ("bert-nli", _without("model.onnx"), GroundingConfig(), r"model\.onnx: no such file"),
        ("t5-minicheck", _without("decoder_model.onnx"), GroundingConfig(), r"model\.onnx: no such file"),
        ("bert-nli", _with("config.json", "{"), GroundingConfig(), r"config\.json: JSONDecodeError \(it should be a JSON object"),
        ("bert-nli", _with("config.json", "[]"), GroundingConfig(), r"config\.json: TypeError"),
        ("bert-nli", _with("tokenizer.json", "{}"), GroundingConfig(), r"tokenizer\.json: Exception \(save the fast tokenizer"),
        ("bert-nli", _with("model.onnx", "no"), GroundingConfig(), r"model\.onnx: \w+ \(export it again"),
        ("bert-nli", _with("card.json", "{"), GroundingConfig(), r"card\.json: JSONDecodeError"),
        (
            "bert-nli",
            _with("card.json", json.dumps({"files": {"model.onnx": "00" * 32}})),
            GroundingConfig(),
            r"sha256 is .*card\.json says 000000000000.*calibrate again",
        ),
        ("bert-nli", _with("card.json", '{"calibration": {"slope": 1}}'), GroundingConfig(), r"card\.json: calibration\.intercept: is required"),
        ("bert-nli", _with("card.json", '{"languages": "en"}'), GroundingConfig(), r"card\.json: languages: must be a list"),
        ("bert-nli", _with("card.json", '{"threshold": "high"}'), GroundingConfig(), r"card\.json: threshold: must be a number"),
        ("t5-minicheck", None, GroundingConfig(max_tokens=32, prompt="a {premise} " * 1 + "long " * 40 + "{hypothesis}"), r"prompt is \d+ tokens of the 32"),
        ("bert-nli", None, GroundingConfig(label="entails"), r"label: no label 'entails' in id2label \(known are contradiction, entailment, neutral"),
        ("bert-nli", None, RelevanceConfig(), r"id2label has contradiction, entailment, neutral: none of them says relevant \(set label"),
        ("modernbert-tokens", None, GroundingConfig(), r"no id2label, which says .* \(add them in the order .*, or set label to one of LABEL_0, LABEL_1"),
        ("modernbert-tokens", None, GroundingConfig(label="LABEL_1", prompt="{premise} {hypothesis}"), r"prompt names \{hypothesis\}"),
        ("modernbert-tokens", None, RelevanceConfig(label="LABEL_1"), r"is no model for relevance \(name a sequence classifier"),
        ("bert-embedding", None, GroundingConfig(), r"Model is no model for grounding"),
        ("bert-nli", None, GroundingConfig(max_tokens=65), r"max_tokens is 65, the model has 64 positions \(set max_tokens to 64 or less"),
        ("xlmr-rerank", None, RelevanceConfig(max_tokens=129), r"the model has 128 positions"),
        ("t5-minicheck", None, GroundingConfig(words=("1", "1")), r"words: '1' and '1' begin with the same token"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_mend(
    tmp_path: Path, name: str, break_it: Callable[[Path], object] | None, config: PairConfig, said: str
) -> None:
    folder = copied(name, tmp_path)
    if break_it:
        break_it(folder)
    with pytest.raises(ConfigError, match=said) as raised:
        judge(folder, config)
    assert raised.value.field == FIELD


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"architectures": None}, "no architecture that is known: none"),
        ({"architectures": ["BertForQuestionAnswering"]}, "no architecture that is known: BertForQuestionAnswering"),
        ({"id2label": ["a"]}, "id2label: must be a map"),
        ({"num_labels": "three"}, "num_labels: must be a whole number"),
        ({"pad_token_id": "none"}, "pad_token_id: must be a whole number"),
        ({"architectures": "BertForSequenceClassification"}, "architectures: must be a list"),
        ({"id2label": {"x": "a", "y": "b"}}, "id2label is not a map of numbers to names"),
    ],
)
def test_a_config_that_says_nothing_is_named(tmp_path: Path, config: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        judge(copied("bert-nli", tmp_path, **config))


def test_a_graph_that_asks_for_other_things_is_named(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    (folder / "model.onnx").write_bytes((MADE / "t5-minicheck" / "decoder_model.onnx").read_bytes())
    with pytest.raises(ConfigError, match=r"asks for encoder_attention_mask, encoder_hidden_states"):
        judge(folder)
    (folder / "model.onnx").write_bytes((MADE / "bert-embedding" / "model.onnx").read_bytes())
    with pytest.raises(ConfigError, match=r"gives last_hidden_state, and no logits"):
        judge(folder)


def test_a_graph_of_another_name_is_named_itself(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    (folder / "model.onnx").rename(folder / "model.int8.onnx")
    one, _ = judge(folder / "model.int8.onnx")
    assert one.identity.name == "mine"
    assert one.identity.sha256.startswith(one.identity.version)


def test_the_card_beside_a_model_names_it(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    (folder / "card.json").write_text(json.dumps({"name": "nli-de", "version": "3"}))
    assert (judge(folder)[0].identity.name, judge(folder)[0].identity.version) == ("nli-de", "3")


@pytest.mark.parametrize(
    ("name", "moved", "said"),
    [
        ("bert-nli", {"model.onnx": "onnx/model.onnx"}, r"model\.onnx: no such file \(copy \S+/onnx/model\.onnx to \S+/bert-nli, with"),
        ("bert-nli", {"model.onnx": "model_quantized.onnx"}, r"; model_quantized\.onnx is there \(name the file itself, as \S+/bert-nli/model_quantized\.onnx\)"),
        ("bert-nli", {"model.onnx": "onnx/model_int8.onnx"}, r"; onnx/model_int8\.onnx is there \(.* as \S+/bert-nli/model_int8\.onnx, once it is copied there"),
        (
            "t5-minicheck",
            {"encoder_model.onnx": "onnx/encoder_model.onnx", "decoder_model.onnx": "onnx/decoder_model.onnx"},
            r"\(copy \S+/onnx/encoder_model\.onnx and \S+/onnx/decoder_model\.onnx to ",
        ),
        ("t5-minicheck", {"decoder_model.onnx": "decoder_model_int8.onnx"}, r"model\.onnx: no such file \(export it with"),
    ],
)  # fmt: skip
def test_a_graph_that_lies_elsewhere_is_named_with_the_mend(
    tmp_path: Path, name: str, moved: dict[str, str], said: str
) -> None:
    folder = copied(name, tmp_path)
    (folder / "onnx").mkdir()
    for old, new in moved.items():
        (folder / old).rename(folder / new)
    with pytest.raises(ConfigError, match=said):
        open_folder(folder, FIELD)


def test_a_folder_of_graphs_alone_is_told_what_to_copy(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    for given in (folder / "onnx", folder / "onnx" / "model.onnx"):
        with pytest.raises(
            ConfigError, match=r"onnx/config\.json: no such file \(copy \S+/bert-nli/config\.json there\)"
        ):
            open_folder(given, FIELD)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json", "model.onnx_data"])
def test_a_pointer_of_git_lfs_is_called_one(tmp_path: Path, name: str) -> None:
    folder = copied("bert-nli", tmp_path)
    (folder / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    with pytest.raises(ConfigError, match=rf"{name} is a Git LFS pointer, .*`git lfs pull`"):
        judge(folder)


def test_what_was_calibrated_is_part_of_the_version(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    card = {"version": "3", "threshold": 0.4, "detector": {"sensitivity": 0.8}}
    measured = {"slope": 1.5, "intercept": 0.1}
    found = []
    for more in (
        {},
        {"calibration": measured},
        {"calibration": {**measured, "slope": 1.6}},
        {"calibration": measured, "threshold": 0.5},
        {"calibration": measured, "languages": ["de"]},
    ):
        (folder / "card.json").write_text(json.dumps({**card, **more}))
        found.append(judge(folder)[0].identity.version)
    assert found[0] == "3"
    assert all(one.startswith("3+") and len(one) == 10 for one in found[1:])
    assert found[4] == found[1]
    assert len(set(found)) == 4


def test_a_provider_that_is_not_there_is_named_with_the_wheel_that_has_it() -> None:
    with pytest.raises(
        ConfigError,
        match=r"inference\.providers: CUDAExecutionProvider is not among .*CPUExecutionProvider.*onnxruntime-gpu",
    ):
        ModelRuntime(InferenceConfig(providers=("CUDAExecutionProvider", "CPUExecutionProvider")), Telemetry())
    with pytest.raises(ConfigError, match="onnxruntime-openvino"):
        check_providers(("OpenVINOExecutionProvider",))
    check_providers(CPU)
    assert OpenGraph(MADE / "bert-nli" / "model.onnx", field=FIELD, threads=1).outputs == ["logits"]
    with pytest.raises(ConfigError, match=r"inference\.providers\.0: must be one of"):
        build({"receive": _KAFKA, "inference": {"providers": ["TensorRT"]}})


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"inference\.models\.grounding\.mine: .*no such folder \(name a folder that holds"
    ):
        open_folder(tmp_path / "none", FIELD)
