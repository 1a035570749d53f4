"""The version, where files that cannot import it repeat it: the chart and the Dockerfile. It stands in sidecar/__init__.py."""

from __future__ import annotations

import re
from pathlib import Path

from sidecar import __version__

_PLACES = {
    Path("helm/rag-sidecar/Chart.yaml"): r"^(?:version|appVersion): (.+)$",
    Path("Dockerfile"): r'org\.opencontainers\.image\.version="(.+?)"',
}


def files(root: Path) -> dict[Path, str]:
    """Each file with the present version in its places."""
    return {path: _stamped((root / path).read_text(encoding="utf-8"), pattern) for path, pattern in _PLACES.items()}


def _stamped(text: str, pattern: str) -> str:
    def replace(found: re.Match[str]) -> str:
        return found[0][: found.start(1) - found.start()] + __version__ + found[0][found.end(1) - found.start() :]

    stamped, count = re.subn(pattern, replace, text, flags=re.MULTILINE)
    if not count:
        raise ValueError(f"no place for the version: {pattern}")
    return stamped
