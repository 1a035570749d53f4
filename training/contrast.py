"""Rows that differ from labelled ones in one value: changed, so that the text does not say it, or written in another way."""

from __future__ import annotations

import random
from collections.abc import Sequence

from training.data import Row
from training.selector import sentences
from training.values import changed_value, same_value

SET = "made/values"
_WORDS = range(6, 36)
_CHANGED, _SAME = 0.6, 0.7


def rows_of_values(rows: Sequence[Row], most: int, seed: int) -> list[Row]:
    """At most about so many rows, of supported claims and of sentences of the texts, changed (label 0) and in another format (1)."""
    rng = random.Random(seed)
    made: list[Row] = []
    for row in rng.sample(list(rows), len(rows)):
        for claim in _claims(row, rng):
            changed, same = changed_value(claim, rng), same_value(claim, rng)
            if changed and rng.random() < _CHANGED:
                made.append({**row, "claim": changed.text, "label": 0})
            if same and rng.random() < _SAME:
                made.append({**row, "claim": same.text, "label": 1})
        if len(made) >= most:
            break
    return made


def _claims(row: Row, rng: random.Random) -> list[str]:
    claims = [row["claim"]] if row["label"] == 1 else []
    copies = [one for one in sentences(row["context"]) if len(one.split()) in _WORDS]
    return [*claims, rng.choice(copies)] if copies else claims
