"""How telling a word is: inverse document frequencies, counted over the training documents."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from sidecar.inference.embedding.text import stem


class Idf:
    """idf of stems, natural logarithm. A stem that is not listed is rarer than all that are."""

    def __init__(self, table: Mapping[str, float], rare: float) -> None:
        self._table = dict(table)
        self._rare = rare

    @classmethod
    def load(cls, path: Path) -> Idf:
        """From a gzipped JSON object {"rare": idf of unlisted stems, "stems": {stem: idf}}."""
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            data = json.load(stream)
        return cls(data["stems"], data["rare"])

    def of(self, stemmed: str) -> float:
        """idf of a stem, > 0."""
        return self._table.get(stemmed, self._rare)

    def of_word(self, word: str) -> float:
        """idf of a lower-case word; marks and the commonest words weigh least."""
        return self.of(stem(word)) if word[:1].isalnum() else 0.05

    def total(self, stems: Iterable[str]) -> float:
        """Sum of the idf of some stems."""
        return sum(self.of(one) for one in stems)
