"""Vectara's HHEM as the grounding model: exported files in, probabilities of consistency out.

The claim is the hypothesis, the evidence selected for it the premise. The whole answer is read against the evidence of all its
claims together, so that a long context costs no more than a short one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from exporters.result import ModelIdentity
from sidecar.inference.base import Grounder
from sidecar.inference.card import Card
from sidecar.inference.entry import Built, Dependencies, Entry
from sidecar.inference.grounding.beside import JudgedGrounder
from sidecar.inference.grounding.detector import Detector
from sidecar.inference.onnx import size_of, verify
from sidecar.inference.own.folder import at_home
from sidecar.inference.own.judge import Judged, Pair
from sidecar.inference.pairs import PairModel
from sidecar.observe.telemetry import Telemetry

HHEM_DIR = Path("~/.local/share/rag-sidecar/models/hhem")
SCORING_FILE = "model.int8.onnx"


class HhemConfig(BaseModel):
    """Settings of Vectara's HHEM."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    directory: Path | None = Field(
        default=None, description="Where it was exported to; by default `inference.hhem_dir`."
    )
    detector: Detector | None = Field(
        default=None, description="Error rates of its verdict, as `rag-sidecar calibrate` prints them."
    )


def present(directory: Path) -> bool:
    """Whether an exported model is there."""
    return (directory / "card.json").is_file()


def load_card(directory: Path) -> Card:
    """The card that the export wrote. Raises ConfigError."""
    return Card.load(directory, "inference.hhem_dir", "run `rag-sidecar models export hhem SOURCE`")


def load(directory: Path, *, file: str, threads: int, batch_tokens: int, telemetry: Telemetry) -> PairModel:
    """One of the exported graphs. Raises ConfigError naming the file and the mend."""
    card = load_card(directory)
    verify(directory / "tokenizer.json", card.files["tokenizer.json"])
    return PairModel(
        directory / file,
        directory / "tokenizer.json",
        identity=card.identity(file),
        output="consistent",
        max_tokens=int(card.data["max_tokens"]),
        threads=threads,
        batch_tokens=batch_tokens,
        telemetry=telemetry,
        prompt=str(card.data["prompt"]),
    )


class _Judge:
    """The exported model as a judge of pairs."""

    def __init__(self, model: PairModel) -> None:
        self.identity: ModelIdentity = model.identity
        self._model = model

    async def judge(self, pairs: Sequence[Pair], *, context: Sequence[str] = ()) -> list[Judged]:
        """As Judge says."""
        return [Judged(score) for score in await self._model.score(pairs)]


def _directory(config: HhemConfig, dependencies: Dependencies) -> Path:
    return at_home(config.directory or dependencies.hhem_dir)


def _build(config: HhemConfig, dependencies: Dependencies) -> Built[Grounder]:
    directory = _directory(config, dependencies)
    model = load(
        directory,
        file=SCORING_FILE,
        threads=dependencies.threads,
        batch_tokens=dependencies.batch_tokens,
        telemetry=dependencies.telemetry,
    )
    grounder = JudgedGrounder(
        dependencies.encoder,
        dependencies.idf,
        _Judge(model),
        threshold=float(load_card(directory).data["threshold"]),
        languages=frozenset({"en"}),
    )
    return Built(grounder, (model,), config.detector)


def _size(config: HhemConfig, dependencies: Dependencies) -> int:
    directory = _directory(config, dependencies)
    load_card(directory)
    return size_of(directory / SCORING_FILE)


ENTRY: Entry[Grounder] = Entry(
    "hhem", HhemConfig, _build, size=_size, auto=lambda config, dependencies: present(_directory(config, dependencies))
)
