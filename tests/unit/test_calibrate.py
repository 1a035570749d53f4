"""`rag-sidecar calibrate`: the rates of the verdict on labelled requests, and settings that can be pasted."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
import yaml

from sidecar import config
from sidecar.commands.calibrate import Calibration
from sidecar.commands.calibrate import measure as measure_file
from sidecar.commands.demo.corpus import Corpus, Kind
from sidecar.commands.demo.spans import SpanMaker
from sidecar.inference.grounding.detector import Detector
from sidecar.record.errors import ConfigError


def labelled(path: Path, kinds: list[Kind], *, wrong: int = 0) -> Path:
    """A file with one labelled request of each kind; the first `wrong` labels are the opposite of what is true."""
    corpus, spans, lines = Corpus(5), SpanMaker(5), []
    for number, kind in enumerate(kinds):
        _, record = spans.native(corpus.compose(kind), time.time())
        grounded = (kind is Kind.FAITHFUL) == (number >= wrong)
        lines.append(json.dumps({**json.loads(record), "label": "grounded" if grounded else "hallucinated"}))
    path.write_text("\n".join([*lines, ""]))
    return path


async def measure(path: Path) -> Calibration:
    return await measure_file(path, config.load(None, kafka=False))


async def test_the_rates_are_counts_of_verdicts_against_labels(tmp_path: Path) -> None:
    kinds = [Kind.FAITHFUL] * 40 + [Kind.HALLUCINATED] * 40 + [Kind.ABSTAINING] * 3
    right = await measure(labelled(tmp_path / "right.jsonl", kinds))
    assert right.without_verdict >= 3
    assert right.found.hallucinated + right.found.grounded + right.without_verdict == len(kinds)
    assert right.found.sensitivity > 0.6
    assert right.found.specificity > 0.6
    # Ten faithful answers labelled as hallucinated: those that pass are now misses.
    wrong = await measure(labelled(tmp_path / "wrong.jsonl", kinds, wrong=10))
    assert wrong.found.hallucinated == right.found.hallucinated + 10
    assert wrong.found.sensitivity < right.found.sensitivity


async def test_what_is_printed_is_settings_that_load(tmp_path: Path) -> None:
    found = Detector(sensitivity=0.875, specificity=0.75, hallucinated=40, grounded=80)
    lines = Calibration(found, 2, 0.5, "embedded 1").lines()
    # Wilson by hand for 35 of 40: centre (0.875 + 3.8416 / 80) / 1.09604, half width 0.1032.
    assert "sensitivity 0.875 (0.739 to 0.945)" in "\n".join(lines)
    settings = yaml.safe_load("\n".join(lines[lines.index("") :]))
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(settings))
    assert config.load(path, kafka=False).inference.detector == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"request_id": "1", "question": "q", "answer": "a"}', "line 1: no label"),
        ('\n{"request_id": "1", "question": "q", "answer": "a", "label": 2}', "line 2: no label"),
        ("not json", "line 1"),
        ('{"request_id": "1", "label": 1}', "line 1: missing_field"),
    ],
)
async def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        await measure(path)


async def test_too_few_labelled_requests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="hallucinated requests got a verdict"):
        await measure(labelled(tmp_path / "few.jsonl", [Kind.FAITHFUL] * 31 + [Kind.HALLUCINATED] * 29))
