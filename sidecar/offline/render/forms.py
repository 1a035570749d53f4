"""The forms of a report, by the ending of its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from sidecar.offline.record import Report
from sidecar.offline.render.junit import junit
from sidecar.offline.render.markdown import markdown
from sidecar.offline.render.page import page
from sidecar.record.errors import ConfigError


def as_json(report: Report) -> str:
    """What `compare`, `--against` and the next run read."""
    return report.model_dump_json(by_alias=True) + "\n"


FORMS: Mapping[str, Callable[[Report], str]] = {
    ".json": as_json,
    ".html": page,
    ".md": markdown,
    ".xml": junit,
}


def form_of(target: Path) -> Callable[[Report], str]:
    """How a report is written to a file of this name; standard output gets JSON. Raises ConfigError for an ending that is none."""
    if str(target) == "-":
        return as_json
    if target.suffix.lower() not in FORMS:
        known = ", ".join(FORMS)
        raise ConfigError("-o", f"{target}: no form of a report has this ending", f"name a file that ends in {known}")
    return FORMS[target.suffix.lower()]
