"""The table of words that the packaged English graphs have in common: one file, and one copy in memory for all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sidecar.inference.card import PACKAGE, Card
from sidecar.inference.embedding.minilm import FOLDER
from sidecar.inference.onnx import Tables, read_verified
from sidecar.record.errors import ConfigError

FILE = "words.i8"
NAME = "words.table"


def words_of(directory: Path) -> Tables:
    """The table (words, width) int8 of the models in a folder, by its name in their graphs. Raises ConfigError."""
    card = Card.load(directory / FOLDER)
    if FILE not in card.files:
        raise ConfigError("inference.model_dir", f"{directory / FOLDER}: its card names no {FILE}", PACKAGE)
    data = read_verified(directory / FOLDER / FILE, card.files[FILE])
    return {NAME: np.frombuffer(data, np.int8).reshape(-1, int(card.data["width"]))}
