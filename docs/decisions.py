"""The index of the decisions: number and title of every file under docs/adr."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path("docs/adr")
INDEX = FOLDER / "README.md"


def page(root: Path) -> str:
    """The index, from the first line of every decision."""
    files = sorted(path for path in (root / FOLDER).glob("*.md") if path.name != INDEX.name)
    lines = [f"- {path.name[:4]} [{_title(path)}]({path.name})" for path in files]
    head = "# Decisions\n\nOne file a decision that a reader would question: what was decided, why, what it costs, what would change it.\n\n"
    return head + "\n".join(lines) + "\n"


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
