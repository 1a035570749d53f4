"""An installation has its own numbers by a file, and a wrong one is refused with the name and the mend."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def generate(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    mine = folder / "mine.yaml"
    mine.write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "dashboards.generate", "--output", str(folder)],
        cwd=ROOT,
        env={**os.environ, "DASHBOARDS_OBJECTIVES": str(mine)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_rules_panels_and_what_follows_from_a_number_are_made_of_those_that_are_given(tmp_path: Path) -> None:
    done = generate(tmp_path, "HALLUCINATION_BUDGET: 0.05\nLEARNING_DAYS: 5\nREQUEST_SECONDS: 5\n")
    assert done.returncode == 0, done.stderr
    rules, own = (
        (folder / "dashboards/rules/rag-sidecar.yml").read_text(encoding="utf-8") for folder in (tmp_path, ROOT)
    )
    for made, default in (
        ("anchored_lower95_rate1h > 0.72", "anchored_lower95_rate1h > 0.288"),
        ("offset 118h", "offset 70h"),
        ('le="5.0"', 'le="10.0"'),
        ("took longer than 5 s.", "took longer than 10 s."),
    ):
        assert (made in rules, default in own) == (True, True)
        assert made not in own
    assert "of the 5 days before" in (tmp_path / "dashboards/rag-quality.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("LOWER_BOND: 0.2", "LOWER_BOND: no such objective; did you mean LOWER_BOUND?"),
        ("FAST_BURN_RATIO: 0.2", "FAST_BURN_RATIO: no such objective"),
        ("EMBEDDED_MODEL: 3", "EMBEDDED_MODEL: no such objective"),
        ("LOWER_BOUND: true", "LOWER_BOUND: give a number above 0"),
        ("LEARNING_DAYS: 2.5", "LEARNING_DAYS: give a whole number"),
        ("EMPTY_SHARE: 20", "EMPTY_SHARE: it is a share: give one under 1"),
        ("HALLUCINATION_BUDGET: 1", "HALLUCINATION_BUDGET: it is a share: give one under 1"),
        ("HALLUCINATION_BUDGET: 0.07", "FAST_BURN (14.4) times 0.07 is 1.008, and no share is above 1"),
        ("HALLUCINATION_BUDGET: 0.1", "give 0.0694 at the most, or a smaller FAST_BURN"),
        ("FAST_BURN: 4\nHALLUCINATION_BUDGET: 0.2", "SLOW_BURN (6) times 0.2 is 1.2"),
        ("REQUEST_BUDGET: 0.1", "REQUEST_BUDGET: FAST_BURN (14.4) times 0.1 is 1.44"),
        ("REQUEST_SECONDS: 6", "REQUEST_SECONDS: give an edge of the buckets: 0.25, 0.5, 1"),
        ("- 1", "a name and a number a line are wanted"),
        ("[", "give a readable YAML file"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_name(tmp_path: Path, text: str, told: str) -> None:
    done = generate(tmp_path, text)
    assert done.returncode == 1
    assert told in done.stderr
    assert not (tmp_path / "dashboards").exists()
