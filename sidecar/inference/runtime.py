"""Which models there are, and how they are built: a model is a card and the files that the card pins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import threadpoolctl
from pydantic import BaseModel, ConfigDict, Field

from exporters.result import ModelIdentity
from sidecar.inference.base import Grounder, Models
from sidecar.inference.calibrated import Logistic
from sidecar.inference.card import Card
from sidecar.inference.cpu import cpu_limit
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import MiniLM
from sidecar.inference.grounding import hhem
from sidecar.inference.grounding.detector import Detector
from sidecar.inference.grounding.embedded import ANSWER_FEATURES, CLAIM_FEATURES, EmbeddedGrounder, Heads
from sidecar.inference.grounding.features import FEATURES
from sidecar.inference.grounding.hhem import HHEM_DIR, HhemGrounder
from sidecar.inference.onnx import read_verified
from sidecar.inference.pairs import PairModel
from sidecar.inference.relevance.embedded import RELEVANCE_FEATURES, FeatureRelevance
from sidecar.observe.telemetry import Telemetry

PACKAGED = Path(__file__).parent / "models"
CROSS_ENCODER = "cross_encoder.onnx"


class InferenceConfig(BaseModel):
    """Settings of the local models."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    grounding: Literal["auto", "embedded", "hhem"] = Field(
        default="auto",
        description="The grounding model: embedded is inside the package, auto is hhem where `hhem_dir` has it, else embedded.",
    )
    model_dir: Path = Field(default=PACKAGED, description="Directory with the model folders.")
    hhem_dir: Path = Field(
        default=HHEM_DIR, description="Where `rag-sidecar models export hhem` put Vectara's HHEM; ~ is the home folder."
    )
    detector: Detector | None = Field(
        default=None,
        description="Error rates of the verdict, as `rag-sidecar calibrate` prints them; by default those of the model's card.",
    )
    threads: int | None = Field(
        default=None, ge=1, description="Threads of a model; by default the CPU quota of the cgroup."
    )
    batch_tokens: int = Field(default=1024, ge=256, description="Most tokens, padding included, in one batch.")
    cache_megabytes: int = Field(default=96, ge=0, description="Memory for encodings of documents that come again.")


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
        self.detector = config.detector
        self._pairs, grounder = self._grounding(config, idf, heads, embedded_card)
        self.models = Models(
            embedder=self._encoder,
            grounder=grounder,
            relevance=FeatureRelevance(
                self._encoder,
                document_model=Logistic.from_card(heads["document_relevance"], RELEVANCE_FEATURES),
                answer_model=Logistic.from_card(heads["answer_relevance"], RELEVANCE_FEATURES),
                identity=identity,
                document_threshold=heads["document_relevance"]["threshold"],
                answer_threshold=heads["answer_relevance"]["threshold"],
            ),
        )

    def _grounding(
        self, config: InferenceConfig, idf: Idf, heads: Mapping[str, Any], card: Card
    ) -> tuple[PairModel, Grounder]:
        threads = config.threads or cpu_limit()
        directory = hhem.at_home(config.hhem_dir)
        if config.grounding == "hhem" or (config.grounding == "auto" and hhem.present(directory)):
            model = hhem.load(
                directory,
                file=hhem.SCORING_FILE,
                threads=threads,
                batch_tokens=config.batch_tokens,
                telemetry=self._telemetry,
            )
            threshold = float(hhem.load_card(directory).data["threshold"])
            return model, HhemGrounder(self._encoder, idf, model, threshold=threshold)
        model = PairModel(
            config.model_dir / "embedded" / CROSS_ENCODER,
            config.model_dir / "minilm" / "tokenizer.json",
            identity=card.identity(CROSS_ENCODER),
            output="logit",
            max_tokens=int(card.data["max_tokens"]),
            threads=threads,
            batch_tokens=config.batch_tokens,
            telemetry=self._telemetry,
        )
        own = Heads(
            lexical=Logistic.from_card(heads["lexical"], FEATURES),
            claim=Logistic.from_card(heads["claim"], CLAIM_FEATURES),
            answer=Logistic.from_card(heads["answer"], ANSWER_FEATURES),
            claim_threshold=heads["claim"]["threshold"],
            answer_threshold=heads["answer"]["threshold"],
        )
        self.detector = config.detector or Detector.model_validate(heads["detector"])
        identity = card.identity("heads.json")
        return model, EmbeddedGrounder(self._encoder, idf, model, heads=own, identity=identity)

    async def start(self) -> None:
        """Start the batchers and say in `rag_sidecar_model_info` which models are in use."""
        await self._encoder.start()
        await self._pairs.start()
        for role, identity in self.infos():
            self._telemetry.set(
                "rag_sidecar_model_info",
                1,
                role=role,
                name=identity.name,
                version=identity.version,
                sha256=identity.sha256,
            )
        if self.detector:
            for rate in ("sensitivity", "specificity"):
                self._telemetry.set("rag_sidecar_detector_rate", getattr(self.detector, rate), rate=rate)
            for label in ("hallucinated", "grounded"):
                self._telemetry.set("rag_sidecar_detector_labelled", getattr(self.detector, label), label=label)

    async def stop(self) -> None:
        """Stop the batchers."""
        await self._pairs.stop()
        await self._encoder.stop()

    def infos(self) -> list[tuple[str, ModelIdentity]]:
        """(role, identity) of each model in use."""
        return [
            ("embedding", self.models.embedder.identity),
            ("grounding", self.models.grounder.identity),
            ("relevance", self.models.relevance.identity),
        ]
