"""Rendering the chart. `python -m tests.real.chart` writes helm/rag-sidecar/examples/*/rendered.yaml anew."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.parts import paths

CHART = Path(__file__).parents[2] / "helm/rag-sidecar"
EXAMPLES = CHART / "examples"
# The oldest that the chart takes, one between, and the newest whose definitions we have.
VERSIONS = ("1.25", "1.31", "1.37")
KUBERNETES = VERSIONS[-1]
NAMESPACE = "monitoring"

# What these templates render comes from files/, whose text is compared with its source; an example need not repeat it.
_LEFT_OUT = ("dashboards.yaml", "prometheusrule.yaml")
_HEADER = (
    "# helm template rag-sidecar helm/rag-sidecar{values}, without the rules and dashboards, which come from files/.\n"
)


def helm(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Helm in the chart's directory."""
    command = [str(paths.find("helm")), *(str(argument) for argument in arguments)]
    return subprocess.run(command, cwd=CHART, capture_output=True, text=True, timeout=120, check=False)


def render(*arguments: str | Path, kubernetes: str = KUBERNETES) -> str:
    """What the chart renders to. Raises RuntimeError with Helm's words."""
    done = helm("template", "rag-sidecar", ".", "--namespace", NAMESPACE, "--kube-version", kubernetes, *arguments)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def objects(text: str) -> list[dict[str, Any]]:
    """The rendered objects."""
    return [one for one in yaml.safe_load_all(text) if one]


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """A definition of a custom resource without room for names that it does not know: the API server passes over these, and says nothing."""
    made = _closed(schema)
    # Of these a definition says no more than that they are there.
    made["properties"]["metadata"] = {"type": "object"}
    return made


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    made = {
        name: _closed(one) if isinstance(one, dict) else one for name, one in schema.items() if name != "properties"
    }
    if isinstance(pattern := schema.get("pattern"), str):
        made["pattern"] = pattern.replace("^(?i)", "(?i)^")  # Go takes flags anywhere, Python at the start.
    if "properties" in schema:
        made["properties"] = {name: _closed(one) for name, one in schema["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            made.setdefault("additionalProperties", False)
    return made


def values_of(case: str) -> Path:
    """The values of an example."""
    return EXAMPLES / case / "values.yaml"


CASES = tuple(sorted(path.parent.name for path in EXAMPLES.glob("*/values.yaml")))


def examples() -> dict[Path, str]:
    """Each example and what it has to be."""
    made = {}
    for case in CASES:
        values = values_of(case)
        made[values.with_name("rendered.yaml")] = _example(render("-f", values), f" -f {values.relative_to(CHART)}")
    return made


def _example(text: str, values: str) -> str:
    parts = re.split(r"^---\n", text, flags=re.MULTILINE)
    kept = [part for part in parts if part.strip() and not part.split("\n", 1)[0].endswith(_LEFT_OUT)]
    return _HEADER.format(values=values) + "".join(f"---\n{part.rstrip()}\n" for part in kept)


def main() -> int:
    """Write every example."""
    for path, text in examples().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(CHART))
    return 0


if __name__ == "__main__":
    sys.exit(main())
