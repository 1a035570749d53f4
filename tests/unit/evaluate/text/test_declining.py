"""The phrases of abstention, and what is looked for before them."""

from __future__ import annotations

import json
from pathlib import Path

from sidecar.evaluate.text import declining

GOLDEN = Path(__file__).parents[3] / "golden" / "evaluate"
ANSWERS = [
    json.loads(line)["answer"]
    for name in ("abstain", "abstain_blind", "abstain_held", "abstain_four")
    for line in (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_a_sign_stands_wherever_a_phrase_does() -> None:
    found = [one for one in ANSWERS if declining._ABSTAINS.search(one) or declining._NOT_SAID.search(one)]
    assert len(found) > 150
    assert [one for one in found if not declining._SIGN.search(one)] == []
