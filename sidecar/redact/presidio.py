"""Presidio as a detector: names, places and what else it knows. Only where it is installed (`pip install '.[presidio]'`).

It finds by a language model of spaCy, which whoever installs it chooses and downloads; nothing is downloaded here. Its recogniser of
e-mail addresses would fetch a list of domains from the network: leave those to the built-in pattern.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sidecar.record.errors import ConfigError
from sidecar.redact.detect import Found
from sidecar.redact.settings import PresidioConfig

_MOST_CHARACTERS = 100_000


class Recognised(Protocol):
    """What Presidio says of a part of a text."""

    entity_type: str
    start: int
    end: int
    score: float


class Analyzer(Protocol):
    """The one method of presidio_analyzer.AnalyzerEngine that is used."""

    def analyze(
        self, text: str, language: str, *, entities: list[str] | None = None, score_threshold: float | None = None
    ) -> Sequence[Recognised]: ...


@dataclass(frozen=True, slots=True)
class Presidio:
    """Asks an analyzer, in pieces of a size that its model takes."""

    config: PresidioConfig
    analyzer: Analyzer
    name: str = "presidio"
    in_ids: bool = False

    def find(self, text: str) -> Iterator[Found]:
        """What it found, called by the name of the entity in small letters."""
        for begin in range(0, len(text), _MOST_CHARACTERS):
            piece = text[begin : begin + _MOST_CHARACTERS]
            for one in self.analyzer.analyze(
                piece,
                self.config.language,
                entities=list(self.config.entities),
                score_threshold=self.config.least_score,
            ):
                start, end = begin + one.start, begin + one.end
                if start < end <= len(text):
                    value = " ".join(text[start:end].casefold().split())
                    yield Found(start, end, one.entity_type.lower(), value)


def open_presidio(config: PresidioConfig) -> Presidio:
    """The library's own engine over a model that is installed. Raises ConfigError where library, model or entity is missing."""
    try:
        library: Any = importlib.import_module("presidio_analyzer")
        engines: Any = importlib.import_module("presidio_analyzer.nlp_engine")
    except ImportError as error:
        mend = "pip install '.[presidio]' in a clone, or switch it off"
        raise ConfigError("redact.presidio.enabled", "Presidio is not installed", mend) from error
    if importlib.util.find_spec(config.model) is None:  # The library would download it.
        mend = f"python -m spacy download {config.model}"
        raise ConfigError("redact.presidio.model", f"the model {config.model} is not installed", mend)
    models = [{"lang_code": config.language, "model_name": config.model}]
    provider = engines.NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models})
    engine = library.AnalyzerEngine(nlp_engine=provider.create_engine(), supported_languages=[config.language])
    known = set(engine.get_supported_entities(config.language))
    if unknown := sorted(set(config.entities) - known):
        mend = f"known are {', '.join(sorted(known))}"
        raise ConfigError("redact.presidio.entities", f"{', '.join(unknown)} is not known", mend)
    return Presidio(config, engine)
