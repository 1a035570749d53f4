"""Vectara's HHEM as the grounding model: exported files in, probabilities of consistency out.

The claim is the hypothesis, the evidence selected for it the premise. The whole answer is read against the evidence of all its
claims together, so that a long context costs no more than a short one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from exporters.result import Evidence, ModelIdentity
from sidecar.inference.base import Claim, Grounder, Support
from sidecar.inference.card import Card
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import MiniLM
from sidecar.inference.entry import Built, Dependencies, Entry
from sidecar.inference.grounding.detector import Detector
from sidecar.inference.grounding.embedded import NOTHING_TO_READ, encode_claims, place
from sidecar.inference.grounding.evidence import choose, premise, premise_words, rank
from sidecar.inference.onnx import read_verified, size_of
from sidecar.inference.pairs import PairModel
from sidecar.inference.threads import alongside, off_loop
from sidecar.observe.telemetry import Telemetry

HHEM_DIR = Path("~/.local/share/rag-sidecar/models/hhem")
SCORING_FILE = "model.int8.onnx"
_ANSWER_WORDS = 300


class HhemConfig(BaseModel):
    """Settings of Vectara's HHEM."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    directory: Path | None = Field(
        default=None, description="Where it was exported to; by default `inference.hhem_dir`."
    )
    detector: Detector | None = Field(
        default=None, description="Error rates of its verdict, as `rag-sidecar calibrate` prints them."
    )


def at_home(path: Path) -> Path:
    """The path with ~ resolved; as it is where there is no home, as in a container with a bare user number."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def present(directory: Path) -> bool:
    """Whether an exported model is there."""
    return (directory / "card.json").is_file()


def load_card(directory: Path) -> Card:
    """The card that the export wrote. Raises ConfigError."""
    return Card.load(directory, "inference.hhem_dir", "run `rag-sidecar models export hhem SOURCE`")


def load(directory: Path, *, file: str, threads: int, batch_tokens: int, telemetry: Telemetry) -> PairModel:
    """One of the exported graphs. Raises ConfigError naming the file and the mend."""
    card = load_card(directory)
    read_verified(directory / "tokenizer.json", card.files["tokenizer.json"])
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


@dataclass(frozen=True, slots=True)
class _Read:
    """What the model reads beside a claim, and the sentence nearest to it."""

    premise: str
    nearest: Evidence | None


class HhemGrounder:
    """inference.base.Grounder. Thresholds are those that Vectara uses: consistent at or above 0.5."""

    languages = frozenset({"en"})

    def __init__(self, encoder: MiniLM, idf: Idf, model: PairModel, *, threshold: float) -> None:
        self.identity: ModelIdentity = model.identity
        self.threshold = self.answer_threshold = threshold
        self._encoder = encoder
        self._idf = idf
        self._model = model

    async def support(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        """One Support a claim, in order."""
        read = await self._read(claims, documents, [premise_words(claim.text) for claim in claims])
        found = [n for n, one in enumerate(read) if one.nearest]
        scores = await self._model.score([(read[n].premise, claims[n].text) for n in found])
        supports = [Support(NOTHING_TO_READ, None)] * len(claims)
        for n, score in zip(found, scores, strict=True):
            supports[n] = Support(score, read[n].nearest)
        return supports

    async def consistency(
        self, answer: str, claims: Sequence[Claim], supports: Sequence[Support], documents: Sequence[str]
    ) -> float:
        """Probability that the whole answer is consistent with the documents."""
        if len(claims) == 1 and claims[0].text.strip() == answer.strip():
            return supports[0].probability
        words = min(_ANSWER_WORDS, sum(premise_words(claim.text) for claim in claims))
        [read] = await self._read([Claim(answer)], documents, [words])
        if read.nearest is None:
            return NOTHING_TO_READ
        [score] = await self._model.score([(read.premise, answer)])
        return score

    async def _read(self, claims: Sequence[Claim], documents: Sequence[str], words: Sequence[int]) -> list[_Read]:
        """Evidence of each claim, about so many words of it."""
        reading = encode_claims(self._encoder, claims)
        async with alongside(reading) as encoding, self._encoder.documents(documents) as encoded:
            own, asked = await encoding

            def work() -> list[_Read]:
                found = []
                for claim, vector, most in zip(own, asked, words, strict=True):
                    ranked = rank(claim, vector, encoded, self._idf)
                    text = premise(ranked, choose(ranked, encoded, most), documents, encoded) if ranked.nearest else ""
                    found.append(_Read(text, place(ranked.nearest, encoded)))
                return found

            return await off_loop(work)


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
    threshold = float(load_card(directory).data["threshold"])
    grounder = HhemGrounder(dependencies.encoder, dependencies.idf, model, threshold=threshold)
    return Built(grounder, (model,), config.detector)


def _size(config: HhemConfig, dependencies: Dependencies) -> int:
    directory = _directory(config, dependencies)
    load_card(directory)
    return size_of(directory / SCORING_FILE)


ENTRY: Entry[Grounder] = Entry(
    "hhem", HhemConfig, _build, size=_size, auto=lambda config, dependencies: present(_directory(config, dependencies))
)
