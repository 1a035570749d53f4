"""The forms of a report, by the ending of its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from sidecar.offline.record import Compared, Report
from sidecar.offline.render.junit import junit
from sidecar.offline.render.markdown import compared_markdown, markdown
from sidecar.offline.render.page import compared_page, page
from sidecar.record.errors import ConfigError

Made = TypeVar("Made", Report, Compared)


def as_json(made: Report | Compared) -> str:
    """What `compare`, `--against` and other programs read."""
    return made.model_dump_json(by_alias=True) + "\n"


FORMS: Mapping[str, Callable[[Report], str]] = {
    ".json": as_json,
    ".html": page,
    ".md": markdown,
    ".xml": junit,
}
COMPARED_FORMS: Mapping[str, Callable[[Compared], str]] = {
    ".json": as_json,
    ".html": compared_page,
    ".md": compared_markdown,
}


def form_of(target: Path, forms: Mapping[str, Callable[[Made], str]]) -> Callable[[Made], str]:
    """How something is written to a file of this name; standard output gets JSON. Raises ConfigError for an ending that is none."""
    if str(target) == "-":
        return as_json
    if target.suffix.lower() not in forms:
        known = ", ".join(forms)
        raise ConfigError("-o", f"{target}: no form of it has this ending", f"name a file that ends in {known}")
    return forms[target.suffix.lower()]
