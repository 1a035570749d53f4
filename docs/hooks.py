"""Hooks of MkDocs: pages link to files beside docs/, as they must on a code host; on the site those that are pages go along, the others are only named."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
# Pages outside docs/ that the site has under project/.
BESIDE = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "dashboards/README.md",
    "examples/frameworks/README.md",
    "examples/results/README.md",
    "examples/stack/README.md",
    "helm/rag-sidecar/README.md",
)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that lie beside docs/."""
    for name in BESIDE:
        files.append(File.generated(config, f"project/{name}", content=(ROOT / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links as they must be on the site."""
    return relinked(markdown, page.file.src_uri)


def relinked(markdown: str, place: str) -> str:
    """The text of a page of the site with links by where things lie on the site; what is not on it is named without a link."""
    beside = place.startswith("project/")
    folder = posixpath.dirname(place.removeprefix("project/") if beside else f"docs/{place}")

    def link(found: re.Match[str]) -> str:
        picture, text, target, anchor = found[1], found[2], found[3], found[4] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return found[0]
        name = posixpath.normpath(posixpath.join(folder, target))
        inside = (
            name.removeprefix("docs/") if name.startswith("docs/") else f"project/{name}" if name in BESIDE else None
        )
        if not (ROOT / name).exists():
            return found[0]  # A dead link is for the strict build to find.
        if inside is None or not (ROOT / name).is_file() or name.endswith(".py"):
            return text
        return f"{picture}[{text}]({posixpath.relpath(inside, posixpath.dirname(place) or '.')}{anchor})"

    return _LINK.sub(link, markdown)
