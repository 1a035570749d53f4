"""How the cards of the status page lie, as far as its files say it; tests/real/test_status_page.py looks at it in a browser."""

from __future__ import annotations

import re
from pathlib import Path

import sidecar.page

_STATIC = Path(sidecar.page.__file__).parent / "static"
_CARDS = re.compile(r'class: "cards" \}, scores\(.*$', re.MULTILINE)
_CARD = re.compile(r"\b(?:funnel|speed|cost|itself)\(")
_COLUMNS = re.compile(r"\.cards \{[^}]{0,200}grid-template-columns: ([^;}]{1,100});")
_REPEATED = re.compile(r"repeat\((\d), minmax\(0, 1fr\)\)")


def test_the_cards_fill_every_row() -> None:
    drawn = _CARDS.search((_STATIC / "overview.js").read_text(encoding="utf-8"))
    assert drawn is not None
    cards = len(_CARD.findall(drawn.group()))
    rules = _COLUMNS.findall((_STATIC / "page.css").read_text(encoding="utf-8"))
    columns = [1 if rule == "minmax(0, 1fr)" else _repeated(rule) for rule in rules]
    assert columns == [1, 2, 4]
    assert [cards % one for one in columns] == [0, 0, 0]


def _repeated(rule: str) -> int:
    found = _REPEATED.fullmatch(rule)
    assert found is not None, f"{rule} may leave a card alone in its row"
    return int(found.group(1))
