"""Vectara's HHEM-2.1-Open as ONNX: a T5 encoder, and a two-way head that is read at the first token.

The layout of the snapshot (weights under `t5.`, prompt, softmax over two logits at the first token, class 1 = consistent) is that of
huggingface.co/vectara/hallucination_evaluation_model, whose own code is not needed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import onnx
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from sidecar.inference.export.graph import Floats, Graph, Scheme
from sidecar.inference.export.spiece import from_spiece
from sidecar.inference.export.t5 import Shape, encoder
from sidecar.record.errors import ConfigError

HUB = "https://huggingface.co"
HUB_ID = "vectara/hallucination_evaluation_model"
TOKENIZER_ID = "google/flan-t5-base"
PROMPT = (
    "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {premise}\n\nHypothesis: {hypothesis}"
)
MAX_TOKENS = 2048
THRESHOLD = 0.5
FILES: Mapping[str, Scheme] = {"model.fp32.onnx": "fp32", "model.int8.onnx": "rows"}
_COMMIT = re.compile(r"[0-9a-f]{40}")
_HUB_NAME = re.compile(r"^[\w.-]++/[\w.-]++")
_PREFIX = "t5."


def export(source: str, out: Path, *, tokenizer: Path | None = None, say: Callable[[str], None] = print) -> None:
    """Write both ONNX files, tokenizer.json and card.json to `out`. `source` is a snapshot's directory or a hub id; the
    tokenizer of flan-t5-base is looked for in `tokenizer`, then beside the weights. Raises ConfigError."""
    with tempfile.TemporaryDirectory() as folder:
        directory, revision = Path(source), None
        if not directory.is_dir():
            directory, revision = Path(folder), _download(source, Path(folder), say)
        config = _config(directory)
        weights = _weights(directory / "model.safetensors")
        out.mkdir(parents=True, exist_ok=True)
        find_tokenizer(tokenizer or directory, vocabulary=weights["transformer.shared.weight"].shape[0]).save(
            str(out / "tokenizer.json")
        )
        for name, scheme in FILES.items():
            (out / name).write_bytes(build(weights, scheme).SerializeToString())
            say(f"{out / name}: {(out / name).stat().st_size / 1e6:.1f} MB")
        card = {
            "name": "HHEM-2.1-Open",
            "version": "1-int8",
            "licence": "Apache-2.0",
            "source": source if revision else HUB_ID,
            "revision": revision or _revision(directory),
            "source_sha256": _sha256(directory / "model.safetensors"),
            "languages": ["en"],
            "architecture": "T5 encoder, token-classification head at the first token",
            "prompt": _prompt(config),
            "max_tokens": MAX_TOKENS,
            "threshold": THRESHOLD,
            "files": {name: _sha256(out / name) for name in (*FILES, "tokenizer.json")},
        }
        (out / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
        say(f"{out / 'card.json'}: revision {card['revision'] or 'unknown'}")


def build(weights: Mapping[str, Floats], scheme: Scheme) -> onnx.ModelProto:
    """The graph: input_ids and attention_mask (batch, tokens) to `consistent` (batch,), the probability in 0..1."""
    graph = Graph(scheme)
    states = encoder(
        graph,
        {name.removeprefix("transformer."): value for name, value in weights.items() if "embed_tokens" not in name},
    )
    first = graph.node("Gather", [states, graph.constant("first", np.array(0, np.int64))], "first.state", axis=1)
    head = graph.constant("head.weight", np.ascontiguousarray(weights["classifier.weight"].T))
    product = graph.node("MatMul", [first, head], "head.product")
    logits = graph.node("Add", [product, graph.constant("head.bias", weights["classifier.bias"])], "logits")
    both = graph.node("Softmax", [logits], "probabilities", axis=-1)
    graph.node("Gather", [both, graph.constant("class", np.array(1, np.int64))], "consistent", axis=1)
    return graph.finish(["input_ids", "attention_mask"], {"consistent": ["batch"]})


def _config(directory: Path) -> dict[str, Any]:
    path = directory / "config.json"
    try:
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _wrong(path, type(error).__name__) from error
    return config


def _prompt(config: Mapping[str, Any]) -> str:
    """The snapshot's prompt with our names in it."""
    prompt = str(config.get("prompt", PROMPT)).replace("{text1}", "{premise}").replace("{text2}", "{hypothesis}")
    if "{premise}" not in prompt or "{hypothesis}" not in prompt:
        raise ConfigError("SOURCE", "config.json: `prompt` names no premise and hypothesis", "download it again")
    return prompt


def _weights(path: Path) -> dict[str, Floats]:
    """The weights without their prefix, as fp32, checked for the names that the graph needs."""
    try:
        found = load_file(path)
    except (OSError, SafetensorError, TypeError, KeyError) as error:
        raise _wrong(path, type(error).__name__) from error
    weights = {k.removeprefix(_PREFIX): v.astype(np.float32) for k, v in found.items() if k.startswith(_PREFIX)}
    try:
        Shape.of({name.removeprefix("transformer."): value for name, value in weights.items()})
        shapes = weights["classifier.weight"].shape[0], weights["transformer.shared.weight"].ndim
    except KeyError as error:
        raise _wrong(path, f"no weight named {_PREFIX}...{error.args[0]}") from error
    if shapes != (2, 2):
        raise _wrong(path, "the head has not two classes")
    return weights


def find_tokenizer(directory: Path, *, vocabulary: int) -> Tokenizer:
    """flan-t5-base's tokenizer from tokenizer.json or spiece.model. Raises ConfigError where it cannot be this model's."""
    ready, pieces = directory / "tokenizer.json", directory / "spiece.model"
    try:
        if ready.is_file():
            tokenizer = Tokenizer.from_file(str(ready))
        elif pieces.is_file():
            tokenizer = from_spiece(pieces.read_bytes())
        else:
            raise ConfigError(
                "--tokenizer",
                f"{directory} has neither tokenizer.json nor spiece.model",
                f"put those of {TOKENIZER_ID} there",
            )
    except ConfigError:
        raise
    except Exception as error:  # tokenizers raises bare Exception
        raise ConfigError("--tokenizer", f"{directory}: {error}", f"take those of {TOKENIZER_ID}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    ids = tokenizer.encode("<pad> a").ids
    if ids[0] != tokenizer.token_to_id("<pad>") or ids[-1] != tokenizer.token_to_id("</s>") or max(ids) >= vocabulary:
        problem = f"{directory}: <pad> and </s> are not read as tokens of this model's vocabulary"
        raise ConfigError("--tokenizer", problem, f"take the tokenizer of {TOKENIZER_ID}")
    return tokenizer


def _revision(directory: Path) -> str | None:
    """The hub's commit, as its caches keep it: the name of a snapshot's folder, or a file's download metadata."""
    if _COMMIT.fullmatch(directory.resolve().name):
        return directory.resolve().name
    metadata = directory / ".cache" / "huggingface" / "download" / "model.safetensors.metadata"
    lines = metadata.read_text(encoding="utf-8").split("\n") if metadata.is_file() else [""]
    return lines[0] if _COMMIT.fullmatch(lines[0]) else None


def _download(source: str, folder: Path, say: Callable[[str], None]) -> str:
    """Fetch a snapshot and the tokenizer from the hub (HF_ENDPOINT, HF_TOKEN); the commit."""
    if not _HUB_NAME.fullmatch(source):
        raise ConfigError("SOURCE", f"{source} is neither a directory nor a hub id", f"for example {HUB_ID}")
    hub = os.environ.get("HF_ENDPOINT", HUB).rstrip("/")
    token = os.environ.get("HF_TOKEN")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    revision = ""
    files = [(source, "config.json"), (source, "model.safetensors"), (TOKENIZER_ID, "tokenizer.json")]
    try:
        with httpx.Client(follow_redirects=True, headers=headers, timeout=httpx.Timeout(30, read=120)) as client:
            for repository, name in files:
                url = f"{hub}/{repository}/resolve/main/{name}"
                with client.stream("GET", url) as response, (folder / name).open("wb") as target:
                    response.raise_for_status()
                    seen = [response, *response.history]
                    commit = next((r.headers["x-repo-commit"] for r in seen if "x-repo-commit" in r.headers), "")
                    for part in response.iter_bytes(1 << 20):
                        target.write(part)
                revision = commit if name == "model.safetensors" else revision
                say(f"{url}: {(folder / name).stat().st_size / 1e6:.1f} MB")
    except httpx.HTTPError as error:
        problem = f"{source} could not be fetched from {hub}: {type(error).__name__}"
        raise ConfigError(
            "SOURCE", problem, "download the snapshot where the hub can be reached, and name its directory"
        ) from error
    return revision or "unknown"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _wrong(path: Path, problem: str) -> ConfigError:
    return ConfigError("SOURCE", f"{path}: {problem}", f"name a directory with a snapshot of {HUB_ID}")
