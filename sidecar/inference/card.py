"""What is known of a model, in a file beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exporters.result import ModelIdentity
from sidecar.record.errors import ConfigError

PACKAGE = "install the package again, or name a folder of models"


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
    def load(cls, directory: Path, field: str = "inference.model_dir", mend: str = PACKAGE) -> Card:
        """From card.json. Raises ConfigError for `field` with the `mend`."""
        try:
            data = json.loads((directory / "card.json").read_text(encoding="utf-8"))
            return cls(
                data["name"], data["version"], data["licence"], frozenset(data["languages"]), data["files"], data
            )
        except (OSError, ValueError, KeyError) as error:
            problem = f"{directory / 'card.json'}: {type(error).__name__}"
            raise ConfigError(field, problem, mend) from error

    def identity(self, file: str) -> ModelIdentity:
        """The identity that goes on every score, by the file that holds the weights."""
        return ModelIdentity(self.name, self.version, self.files[file])
