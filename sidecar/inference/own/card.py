"""card.json beside a model of one's own: what was measured of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sidecar.inference.own.folder import CARD
from sidecar.record.errors import ConfigError


def write_card(folder: Path, **values: Any) -> Path:
    """Put values into the card of a folder, those that it has kept; where it lies. Raises ConfigError."""
    path = folder / CARD
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    part = path.with_suffix(".json.part")
    try:
        part.write_text(json.dumps({**known, **values}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        part.replace(path)  # a half-written card would be a wrong setting at the next start
    except OSError as error:
        raise ConfigError(
            "--write", f"{part}: {type(error).__name__}", "it must be writable for who runs the command"
        ) from error
    return path
