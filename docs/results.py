"""docs/results.schema.json, from the model of a result as it is read."""

from __future__ import annotations

import json
from pathlib import Path

from exporters import record

SCHEMA = Path("docs/results.schema.json")


def schema() -> str:
    """The JSON Schema of a result."""
    return json.dumps(record.schema(), indent=1, ensure_ascii=False) + "\n"
