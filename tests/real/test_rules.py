"""promtool reads the rules, finds nothing to complain of, and every alert fires and is silent when it should."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.parts import paths

pytestmark = pytest.mark.real
RULES = Path(__file__).parents[2] / "dashboards/rules"
TESTS = sorted((RULES / "tests").glob("*.yml"))


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(paths.find("promtool")), *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_promtool_finds_nothing_to_complain_of() -> None:
    done = promtool("check", "rules", "--lint=all", "--lint-fatal", RULES / "rag-sidecar.yml")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_rules_give_the_numbers_and_alerts_that_they_should(path: Path) -> None:
    done = promtool("test", "rules", path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_expectation_would_be_found(tmp_path: Path) -> None:
    text = (RULES / "tests/quality.yml").read_text(encoding="utf-8")
    (tmp_path / "rag-sidecar.yml").write_bytes((RULES / "rag-sidecar.yml").read_bytes())
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(
        text.replace("../rag-sidecar.yml", "rag-sidecar.yml").replace("0.2857", "0.2858"), encoding="utf-8"
    )
    assert promtool("test", "rules", wrong).returncode == 1
