"""Prompts: files beside this one, each with a name, a version that goes up with every change, and the instruction."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import yaml

FOLDER = Path(__file__).parent / "prompts"


@dataclass(frozen=True, slots=True)
class Prompt:
    """An instruction to the judge. `text` is ours or of the settings alone: what a request says never becomes part of it."""

    name: str
    version: int
    text: str

    @property
    def identity(self) -> str:
        """Name and version in one word."""
        return f"{self.name}-{self.version}"

    @property
    def sha256(self) -> str:
        """Of the text, hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def filled(self, **values: str) -> Prompt:
        """The same with `{name}` replaced by words of the settings, each place once."""
        text = self.text
        for name, value in values.items():
            before, place, after = text.partition(f"{{{name}}}")
            if not place:
                raise KeyError(name)
            text = before + value + after
        return replace(self, text=text)


@cache
def load(name: str) -> Prompt:
    """A prompt of the package; every one of them ends with the rules that all have."""
    own = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    rules = yaml.safe_load((FOLDER / "rules.yaml").read_text(encoding="utf-8"))
    return Prompt(name, int(own["version"]), f"{own['text'].strip()}\n\n{rules['text'].strip()}")
