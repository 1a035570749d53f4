"""A folder with a model of one's own, as Optimum writes it: config.json, tokenizer.json and the graphs.

card.json beside them is ours: `rag-sidecar models quantise` and `rag-sidecar calibrate` write it.
"""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from tokenizers import Tokenizer

from exporters.result import ModelIdentity
from sidecar.record.errors import ConfigError
from sidecar.settings.messages import first_of

CARD = "card.json"
GRAPH = "model.onnx"
PAIR = ("encoder_model.onnx", "decoder_model.onnx")
EXPORT = "export it with `optimum-cli export onnx`, see docs/models/own.md"
# Positions that RoBERTa and its kin keep for themselves.
_KEPT = {"roberta": 2, "xlm-roberta": 2, "xlm-roberta-xl": 2, "camembert": 2, "mpnet": 2}
_POSITIONS = 512
_MOST_TOKENS = 1024
_MOST_NAMED = 5
_POINTER = b"version https://git-lfs.github.com/spec/"
_MOST_CONFIG_BYTES = 5_000_000


class _Config(BaseModel):
    """What is read of config.json, of the types that transformers writes."""

    architectures: list[str] | None = None
    id2label: dict[str, Any] | None = None
    num_labels: int | None = Field(default=None, ge=1)
    problem_type: str | None = None
    pad_token_id: int | None = None
    decoder_start_token_id: int | None = None
    type_vocab_size: int | None = None


class _Calibration(BaseModel):
    slope: float
    intercept: float


class _Card(BaseModel):
    """What is read of card.json; `detector` is looked at where it is used."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    name: str | None = None
    version: str | None = None
    files: dict[str, str] | None = None
    languages: list[str] | None = None
    threshold: float | None = Field(default=None, ge=0, le=1)
    answer_threshold: float | None = Field(default=None, ge=0, le=1)
    calibration: _Calibration | None = None


class Task(enum.Enum):
    """What a model was trained to say."""

    SEQUENCE = "ForSequenceClassification"
    TOKENS = "ForTokenClassification"
    GENERATION = "ForConditionalGeneration"
    STATES = "Model"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that was looked through. `field` is the setting that named it, `graphs` are one file, or encoder and decoder;
    `card` is empty where there is none."""

    path: Path
    field: str
    graphs: tuple[Path, ...]
    config: Mapping[str, Any]
    card: Mapping[str, Any]

    @property
    def task(self) -> Task:
        """By the architecture. Raises ConfigError."""
        names = [str(name) for name in self.config.get("architectures") or []]
        for name in names:
            for task in Task:
                if name.endswith(task.value):
                    return task
        said = ", ".join(names) or "none"
        raise self.wrong(f"config.json: no architecture that is known: {said}", EXPORT)

    @property
    def labels(self) -> list[str]:
        """id2label in the order of the logits; one label where there is one logit. Raises ConfigError."""
        given = self.config.get("id2label") or {
            str(n): f"LABEL_{n}" for n in range(int(self.config.get("num_labels") or 2))
        }
        try:
            return [str(given[key]) for key in sorted(given, key=int)]
        except (AttributeError, TypeError, ValueError) as error:
            raise self.wrong("config.json: id2label is not a map of numbers to names", EXPORT) from error

    @property
    def names_labels(self) -> bool:
        """Whether config.json says what its logits are called."""
        return bool(self.config.get("id2label"))

    def most_tokens(self, asked: int | None) -> int:
        """How many tokens are read at once: what is asked for, else what the model was made for, at most 1,024. Raises ConfigError."""
        kept = _KEPT.get(str(self.config.get("model_type")), 0)
        found = self.config.get("max_position_embeddings") or self.config.get("n_positions") or _POSITIONS
        own = int(found) - kept if isinstance(found, int) and found > kept else _POSITIONS
        if asked is not None and asked > own:
            raise self.wrong(
                f"max_tokens is {asked}, the model has {own} positions", f"set max_tokens to {own} or less"
            )
        return asked or min(own, _MOST_TOKENS)

    def tokenizer(self) -> Tokenizer:
        """Without padding and truncation. Raises ConfigError."""
        path = self.path / "tokenizer.json"
        try:
            found = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises bare Exception
            raise self.wrong(f"{path}: {type(error).__name__}", "save the fast tokenizer of the model there") from error
        found.no_padding()
        found.no_truncation()
        return found

    def identity(self, name: str) -> ModelIdentity:
        """By the bytes of the graphs, and by what was calibrated. Raises ConfigError where the card was made for others."""
        digest = hashlib.sha256()
        for path in self.graphs:
            digest.update(bytes.fromhex(own := sha256_of(path)))
            pinned = (self.card.get("files") or {}).get(path.name)
            if pinned not in (None, own):
                problem = f"{path}: sha256 is {own[:12]}..., {CARD} says {pinned[:12]}..."
                raise self.wrong(problem, f"the graph was changed: remove {CARD}, or calibrate again")
        sha256 = own if len(self.graphs) == 1 else digest.hexdigest()
        version = calibrated_version(str(self.card.get("version") or sha256[:12]), self.card)
        return ModelIdentity(str(self.card.get("name") or name), version, sha256)

    @property
    def size_bytes(self) -> int:
        """Of the graphs, with weights that lie beside them."""
        return sum(path.stat().st_size for path in {*self.graphs, *_beside(self.path)})

    def wrong(self, problem: str, mend: str) -> ConfigError:
        """An error of the setting that named the folder."""
        return ConfigError(self.field, problem, mend)


def open_folder(given: Path, field: str) -> Folder:
    """Look through a folder, or the folder of a named .onnx file. Raises ConfigError naming `field` and the mend."""
    given = at_home(given)
    folder, named = (given.parent, given) if given.suffix == ".onnx" else (given, None)
    if not folder.is_dir():
        raise ConfigError(
            field, f"{folder}: no such folder", "name a folder that holds config.json, tokenizer.json and model.onnx"
        )
    graphs: tuple[Path, ...] = (named or folder / GRAPH,)
    if named is None and not graphs[0].is_file() and all((folder / name).is_file() for name in PAIR):
        graphs = tuple(folder / name for name in PAIR)
    for path in (folder / "config.json", folder / "tokenizer.json", *graphs):
        if not path.is_file():
            raise _missing(path, field, of_graph=path == graphs[0])
    _refuse_pointers(field, (folder / "config.json", folder / "tokenizer.json", *graphs, *_beside(folder)))
    return Folder(folder, field, graphs, _json(folder / "config.json", field, _Config), _card(folder, field))


def open_texts(given: Path, field: str) -> Folder:
    """A folder with config.json and tokenizer.json, whose graph is elsewhere. Raises ConfigError."""
    folder = at_home(given)
    for path in (folder / "config.json", folder / "tokenizer.json"):
        if not path.is_file():
            raise ConfigError(
                field, f"{path}: no such file", "save the model's configuration and its fast tokenizer there"
            )
    _refuse_pointers(field, (folder / "config.json", folder / "tokenizer.json"))
    return Folder(folder, field, (), _json(folder / "config.json", field, _Config), _card(folder, field))


def calibrated_version(version: str, card: Mapping[str, Any]) -> str:
    """The version of a model with a hash of its calibration and thresholds behind it, which say what its scores mean; as it is where
    the card has no calibration."""
    if not card.get("calibration"):
        return version
    measured = {name: card.get(name) for name in ("calibration", "threshold", "answer_threshold")}
    return f"{version}+{hashlib.sha256(json.dumps(measured, sort_keys=True).encode()).hexdigest()[:8]}"


def at_home(path: Path) -> Path:
    """The path with ~ resolved; as it is where there is no home, as in a container with a bare user number."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def sha256_of(path: Path) -> str:
    """Of a file of whatever size, hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _missing(path: Path, field: str, *, of_graph: bool) -> ConfigError:
    """What to do about a file that is not there, by what is: hubs keep graphs in a folder of their own, and under other names."""
    problem, folder = f"{path}: no such file", path.parent
    if not of_graph:
        above = folder.parent / path.name
        return ConfigError(field, problem, f"copy {above} there" if above.is_file() else EXPORT)
    within = folder / "onnx"
    for names in ((GRAPH,), PAIR):
        if path.name == GRAPH and all((within / name).is_file() for name in names):
            mend = (
                f"copy {' and '.join(str(within / name) for name in names)} to {folder}, with files of weights beside"
            )
            return ConfigError(field, problem, f"{mend}, if any")
    found = [one for where in (folder, within) for one in sorted(where.glob("*.onnx")) if "coder" not in one.name]
    if not found:
        return ConfigError(field, problem, EXPORT)
    there = ", ".join(one.name if one.parent == folder else f"onnx/{one.name}" for one in found[:_MOST_NAMED])
    which = f"as {found[0]}" if found[0].parent == folder else f"as {folder / found[0].name}, once it is copied there"
    return ConfigError(field, f"{problem}; {there} is there", f"name the file itself, {which}")


def _refuse_pointers(field: str, paths: Iterable[Path]) -> None:
    """Raise ConfigError for a file that Git LFS has yet to fetch."""
    for path in paths:
        if _is_pointer(path):
            problem = f"{path} is a Git LFS pointer, not the file itself"
            raise ConfigError(field, problem, "run `git lfs pull` where it was cloned, or download the file")


def _is_pointer(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_POINTER)) == _POINTER
    except OSError:  # told by what reads it
        return False


def _beside(folder: Path) -> list[Path]:
    """Weights that lie beside the graphs."""
    return [*folder.glob("*.onnx_data"), *folder.glob("*.onnx.data")]


def _card(folder: Path, field: str) -> Mapping[str, Any]:
    return _json(folder / CARD, field, _Card) if (folder / CARD).is_file() else {}


def _json(path: Path, field: str, read: type[BaseModel]) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > _MOST_CONFIG_BYTES:
            raise ValueError("too long")
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise TypeError("not a map")
        read.model_validate(found)
    except ValidationError as error:
        raise ConfigError(field, f"{path}: {first_of(error)}", "it should be as the model was saved") from error
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(field, f"{path}: {type(error).__name__}", "it should be a JSON object") from error
    return found
