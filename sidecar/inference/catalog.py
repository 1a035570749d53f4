"""Which models there are, and how they are built: a model is a card and the files that the card pins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import threadpoolctl
from pydantic import BaseModel, ConfigDict, Field

from exporters.result import ModelIdentity
from sidecar.errors import ConfigError
from sidecar.inference.base import Models
from sidecar.inference.calibrated import Logistic
from sidecar.inference.cpu import cpu_limit
from sidecar.inference.embed import MiniLM
from sidecar.inference.features import FEATURES
from sidecar.inference.ground import ANSWER_FEATURES, FeatureGrounder
from sidecar.inference.idf import Idf
from sidecar.inference.onnx import read_verified
from sidecar.inference.relevance import RELEVANCE_FEATURES, FeatureRelevance
from sidecar.telemetry import Telemetry

PACKAGED = Path(__file__).parent / "models"


class InferenceConfig(BaseModel):
    """Settings of the local models."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    grounding: Literal["embedded"] = Field(
        default="embedded", description="The grounding model: embedded is inside the package."
    )
    model_dir: Path = Field(default=PACKAGED, description="Directory with the model folders.")
    threads: int | None = Field(
        default=None, ge=1, description="Threads of a model; by default the CPU quota of the cgroup."
    )
    batch_tokens: int = Field(default=1024, ge=256, description="Most tokens, padding included, in one batch.")
    cache_megabytes: int = Field(default=96, ge=0, description="Memory for encodings of documents that come again.")


@dataclass(frozen=True, slots=True)
class Card:
    """What is known of a model. `files` maps names to sha256 (hex); `data` is the whole card."""

    name: str
    version: str
    licence: str
    languages: frozenset[str]
    files: Mapping[str, str]
    data: Mapping[str, Any]

    @classmethod
    def load(cls, directory: Path) -> Card:
        """From card.json. Raises ConfigError."""
        try:
            data = json.loads((directory / "card.json").read_text(encoding="utf-8"))
            return cls(
                data["name"], data["version"], data["licence"], frozenset(data["languages"]), data["files"], data
            )
        except (OSError, ValueError, KeyError) as error:
            problem = f"{directory / 'card.json'}: {type(error).__name__}"
            raise ConfigError(
                "inference.model_dir", problem, "install the package again, or name a folder of models"
            ) from error

    def identity(self, file: str) -> ModelIdentity:
        """The identity that goes on every score, by the file that holds the weights."""
        return ModelIdentity(self.name, self.version, self.files[file])


class ModelRuntime:
    """The models, loaded. `models` may be handed out before `start`, and answers after it."""

    def __init__(self, config: InferenceConfig, telemetry: Telemetry) -> None:
        """Load every file. Raises ConfigError naming the file and the mend."""
        self._telemetry = telemetry
        # numpy's BLAS would start threads of its own beside onnxruntime's: measured, a third of the speed is lost to that.
        threadpoolctl.threadpool_limits(limits=1, user_api="blas")
        encoder_card = Card.load(config.model_dir / "minilm")
        embedded_card = Card.load(config.model_dir / "embedded")
        for name, sha256 in embedded_card.files.items():
            read_verified(config.model_dir / "embedded" / name, sha256)
        read_verified(config.model_dir / "minilm" / "tokenizer.json", encoder_card.files["tokenizer.json"])
        idf = Idf.load(config.model_dir / "embedded" / "idf.json.gz")
        heads = json.loads((config.model_dir / "embedded" / "heads.json").read_text(encoding="utf-8"))
        self._encoder = MiniLM(
            config.model_dir / "minilm",
            identity=encoder_card.identity("model.onnx"),
            idf=idf,
            threads=config.threads or cpu_limit(),
            batch_tokens=config.batch_tokens,
            cache_bytes=config.cache_megabytes * 1_000_000,
            telemetry=telemetry,
            max_tokens=int(encoder_card.data["max_tokens"]),
        )
        identity = embedded_card.identity("heads.json")
        self.models = Models(
            embedder=self._encoder,
            grounder=FeatureGrounder(
                self._encoder,
                idf,
                claim_model=Logistic.from_card(heads["claim"], FEATURES),
                answer_model=Logistic.from_card(heads["answer"], ANSWER_FEATURES),
                identity=identity,
                threshold=heads["claim"]["threshold"],
                answer_threshold=heads["answer"]["threshold"],
            ),
            relevance=FeatureRelevance(
                self._encoder,
                idf,
                document_model=Logistic.from_card(heads["document_relevance"], RELEVANCE_FEATURES),
                answer_model=Logistic.from_card(heads["answer_relevance"], RELEVANCE_FEATURES),
                identity=identity,
                document_threshold=heads["document_relevance"]["threshold"],
                answer_threshold=heads["answer_relevance"]["threshold"],
            ),
        )

    async def start(self) -> None:
        """Start the batchers and say in `rag_sidecar_model_info` which models are in use."""
        await self._encoder.start()
        for role, identity in self.infos():
            self._telemetry.set(
                "rag_sidecar_model_info",
                1,
                role=role,
                name=identity.name,
                version=identity.version,
                sha256=identity.sha256,
            )

    async def stop(self) -> None:
        """Stop the batchers."""
        await self._encoder.stop()

    def infos(self) -> list[tuple[str, ModelIdentity]]:
        """(role, identity) of each model in use."""
        return [
            ("embedding", self.models.embedder.identity),
            ("grounding", self.models.grounder.identity),
            ("relevance", self.models.relevance.identity),
        ]
