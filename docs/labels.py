"""docs/label.schema.json, from the model of a label."""

from __future__ import annotations

import json
from pathlib import Path

from sidecar.labels.record import Label

SCHEMA = Path("docs/label.schema.json")


def schema() -> str:
    """The JSON Schema of a label."""
    found = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Label.model_json_schema(by_alias=True)}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
