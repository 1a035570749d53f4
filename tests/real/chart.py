"""Rendering the chart. `python -m tests.real.chart` writes helm/rag-sidecar/examples/*.yaml anew."""

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
KUBERNETES = "1.34"
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


def render(*arguments: str | Path) -> str:
    """What the chart renders to. Raises RuntimeError with Helm's words."""
    done = helm("template", "rag-sidecar", ".", "--namespace", NAMESPACE, "--kube-version", KUBERNETES, *arguments)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def objects(text: str) -> list[dict[str, Any]]:
    """The rendered objects."""
    return [one for one in yaml.safe_load_all(text) if one]


def examples() -> dict[Path, str]:
    """Each example and what it has to be."""
    made = {EXAMPLES / "default.yaml": _example(render(), "")}
    for values in sorted(EXAMPLES.glob("*-values.yaml")):
        target = values.with_name(values.name.replace("-values", ""))
        made[target] = _example(render("-f", values), f" -f {values.name}")
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
