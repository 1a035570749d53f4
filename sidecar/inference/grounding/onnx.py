"""A grounding model of one's own, out of a folder: entailment, token classification, or a T5 that says yes or no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import Field, ValidationError, field_validator

from sidecar.inference.base import Grounder
from sidecar.inference.entry import Built, Dependencies, Entry
from sidecar.inference.grounding import hhem
from sidecar.inference.grounding.beside import JudgedGrounder, Reads
from sidecar.inference.grounding.detector import Detector
from sidecar.inference.own.folder import at_home, open_folder
from sidecar.inference.own.judge import Judge
from sidecar.inference.own.local import Asked, checked, local_judge
from sidecar.inference.own.settings import FolderConfig, GroundingConfig, check_prompt, languages_of, number_of
from sidecar.record.errors import ConfigError
from sidecar.settings.messages import first_of

_HALF = 0.5


class OwnGrounding(GroundingConfig):
    """What is set of a grounding model of one's own, wherever it runs."""

    detector: Detector | None = Field(
        default=None,
        description="Error rates of its verdict, as `rag-sidecar calibrate` prints them; by default those of its card.",
    )

    @field_validator("prompt")
    @classmethod
    def _prompt(cls, prompt: str | None) -> str | None:
        return check_prompt(prompt, needs=("premise",), may=("hypothesis",))

    def asked(self) -> Asked:
        """How a folder's model is asked."""
        return Asked("grounding", self, self.prompt, self.order == "hypothesis_premise", self.tokens)


class OnnxGrounding(OwnGrounding, FolderConfig):
    """A grounding model of one's own, in this process."""


def grounder_of(
    judge: Judge, config: OwnGrounding, card: Mapping[str, Any], dependencies: Dependencies
) -> Built[Grounder]:
    """The grounder of a judge, by its settings and what its card says; without parts."""
    languages = languages_of(config, card)
    reads: Reads = config.reads or ("evidence" if languages <= {"en"} else "documents")
    threshold = number_of(config.threshold, card, "threshold", _HALF)
    grounder = JudgedGrounder(
        dependencies.encoder,
        dependencies.idf,
        judge,
        threshold=threshold,
        languages=languages,
        reads=reads,
        answer=config.answer,
    )
    return Built(grounder, detector=config.detector or _detector_of(card, dependencies.field))


def _detector_of(card: Mapping[str, Any], field: str) -> Detector | None:
    try:
        return Detector.model_validate(card["detector"]) if card.get("detector") else None
    except ValidationError as error:
        raise ConfigError(
            field, f"card.json: {first_of(error, inside='detector')}", "calibrate again, or correct the card"
        ) from error


def _build(config: OnnxGrounding, dependencies: Dependencies) -> Built[Grounder]:
    if _is_hhem(config):
        return hhem.ENTRY.build(_as_hhem(config, dependencies.field), dependencies)
    folder = open_folder(config.onnx, dependencies.field)
    judge, predictor = local_judge(folder, dependencies.name, config.asked(), dependencies.host)
    return replace(grounder_of(judge, config, folder.card, dependencies), parts=(predictor,))


def _size(config: OnnxGrounding, dependencies: Dependencies) -> int:
    if _is_hhem(config):
        return hhem.ENTRY.size(_as_hhem(config, dependencies.field), dependencies)
    return checked(open_folder(config.onnx, dependencies.field), config.asked()).size_bytes


def _reads(config: OnnxGrounding, dependencies: Dependencies) -> frozenset[str] | None:
    if _is_hhem(config):
        return hhem.ENTRY.reads(config, dependencies)
    return languages_of(config, open_folder(config.onnx, dependencies.field).card)


def _is_hhem(config: OnnxGrounding) -> bool:
    """Whether the folder is one that `rag-sidecar models export hhem` wrote."""
    folder = at_home(config.onnx)
    return (folder / hhem.SCORING_FILE).is_file() and not (folder / "config.json").is_file()


def _as_hhem(config: OnnxGrounding, field: str) -> hhem.HhemConfig:
    """Its settings. Raises ConfigError for one that HHEM has not."""
    for name in sorted(config.model_fields_set - {"onnx", "detector"}):
        if name != "languages" or set(config.languages or ()) != {"en"}:
            raise ConfigError(f"{field}.{name}", "a folder of HHEM is read as HHEM is", "leave it out")
    return hhem.HhemConfig(directory=config.onnx, detector=config.detector)


ENTRY: Entry[Grounder] = Entry("onnx", OnnxGrounding, _build, size=_size, reads=_reads)
