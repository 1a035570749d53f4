"""Every PromQL expression of the project, and where it stands."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[3]
RULES = ROOT / "dashboards/rules/rag-sidecar.yml"


def rules(text: str | None = None) -> list[dict[str, Any]]:
    """The rules of a rule file; of the project's own by default."""
    groups = yaml.safe_load(text if text is not None else RULES.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def boards() -> dict[str, dict[str, Any]]:
    """The dashboards by the names of their files."""
    return {
        path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "dashboards").glob("*.json"))
    }


def expressions() -> dict[str, list[str]]:
    """Where a PromQL expression stands, and the expressions there."""
    found: dict[str, list[str]] = {"rules": [rule["expr"] for rule in rules()]}
    for name, board in boards().items():
        found[name] = [target["expr"] for panel in board["panels"] for target in panel.get("targets") or []]
        found[name] += [annotation["expr"] for annotation in board["annotations"]["list"]]
        asked = [v["query"]["query"] for v in board["templating"]["list"] if v["type"] == "query"]
        found[name] += [re.sub(r"label_values\((.+), (\w+)\)", r"sum by (\2) (\1)", query) for query in asked]
    for path in sorted((ROOT / "docs/runbooks").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        found[f"runbooks/{path.name}"] = re.findall(r"```promql\n(.+?)```", text, re.DOTALL)
    return found
