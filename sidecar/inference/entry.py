"""What a registry of models holds: a name, its settings, and how it is built.

A new model is a file with an `Entry` and a line in its role's registry.py. Settings of an entry are given under
`inference.models.ROLE.NAME`; names and settings that nobody knows are errors with their path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from sidecar.inference.card import Card
from sidecar.inference.common import Common
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import MiniLM
from sidecar.inference.grounding.detector import Detector
from sidecar.inference.onnx import CPU, Provider
from sidecar.inference.own.local import Host
from sidecar.observe.telemetry import Telemetry
from sidecar.redact.redactor import Redactor

Model_co = TypeVar("Model_co", covariant=True)


class NoSettings(BaseModel):
    """An entry without settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Running(Protocol):
    """A part of a model that works in the background."""

    async def start(self) -> None:
        """Safe to call twice."""
        ...

    async def stop(self) -> None:
        """What waits fails as retryable."""
        ...


@dataclass(frozen=True, slots=True)
class Built(Generic[Model_co]):
    """A model with its files read. `parts` run while it is in use; `detector` says how often a grounding model's verdict is right on answers of the user's own.
    `away` says why it cannot be asked now; None of one that can."""

    model: Model_co
    parts: tuple[Running, ...] = ()
    detector: Detector | None = None
    away: Callable[[], str | None] = lambda: None


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What models are built of. `card` and `heads` are those of the models inside the package, `directory` their folder;
    `encoder` and `idf` rank the evidence of whatever model judges it, `cross_encoder` is that of both embedded
    models, `chinese` that of both for Chinese. `role` and `name`
    are what the model that is built is named by, `providers` what a model of one's own runs on. `redactor` gives what texts pass before they leave the process, None where that is
    switched off; `away` is told when the model of a key goes away, and when it is back."""

    directory: Path
    hhem_dir: Path
    card: Card
    heads: Mapping[str, Any]
    encoder: MiniLM
    idf: Idf
    cross_encoder: Common
    chinese: Common
    threads: int
    batch_tokens: int
    telemetry: Telemetry
    providers: Sequence[Provider] = CPU
    role: str = ""
    name: str = ""
    redactor: Callable[[], Redactor | None] = lambda: None
    away: Callable[[tuple[str, str], bool], None] = lambda _, __: None

    @property
    def field(self) -> str:
        """The setting that the model is named by."""
        return f"inference.models.{self.role}.{self.name}"

    @property
    def host(self) -> Host:
        """What a model of one's own runs on."""
        return Host(self.threads, self.batch_tokens, self.providers, self.telemetry)


@dataclass(frozen=True, slots=True)
class Entry(Generic[Model_co]):
    """One kind of model. `build` blocks and reads files; `size` is the bytes of those files, about what the model takes of
    memory. Both raise ConfigError naming the file and the mend. `auto` says whether `auto` may take this model,
    `fallback` which model of the role stands in while it is away. `reads` gives the ISO 639-1 codes of what it reads, by default English; None where that
    is not known. It may read files and raise ConfigError too."""

    name: str
    config: type[BaseModel]
    build: Callable[[Any, Dependencies], Built[Model_co]]
    size: Callable[[Any, Dependencies], int]
    auto: Callable[[Any, Dependencies], bool] = lambda _, __: False
    fallback: Callable[[Any], str | None] = lambda _: None
    reads: Callable[[Any, Dependencies], frozenset[str] | None] = lambda _, __: frozenset({"en"})
