""".ci/audit tells what is weak from what nobody could be asked about."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

AUDIT = Path(__file__).parents[3] / ".ci/audit"
CLEAN = {"name": "one", "version": "1.0", "vulns": []}
WEAK = {"name": "two", "version": "2.0", "vulns": [{"id": "PYSEC-2026-1", "fix_versions": []}]}
SKIPPED = {"name": "three", "skip_reason": "not found"}


def audit(folder: Path, *answers: object, words: tuple[str, ...] = ()) -> tuple[int, list[str]]:
    """Run the script with a pip-audit that gives these answers, one for each time that it is asked; None is no answer."""
    for number, answer in enumerate(answers):
        if answer is not None:
            (folder / f"answer-{number}").write_text(json.dumps({"dependencies": answer}))
    program = folder / "pip-audit"
    program.write_text(
        f"#!{sys.executable}\n"
        "import pathlib, shutil, sys\n"
        "here = pathlib.Path(__file__).parent\n"
        "count = len(list(here.glob('asked-*')))\n"
        "(here / f'asked-{count}').write_text(' '.join(sys.argv))\n"
        "answer = here / f'answer-{count}'\n"
        "if answer.is_file(): shutil.copy(answer, sys.argv[sys.argv.index('--output') + 1])\n"
        "sys.exit(1)\n"
    )
    program.chmod(0o755)
    lock = folder / "some.lock"
    lock.write_text("one==1.0 \\\n    --hash=sha256:00\ntwo==2.0 \\\n    --hash=sha256:00\n")
    command = [sys.executable, str(AUDIT), "--pip-audit", str(program), *words, str(lock)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


def test_what_is_clean_passes(tmp_path: Path) -> None:
    assert audit(tmp_path, [CLEAN]) == (0, ["some.lock: 1 packages checked, 0 known weaknesses"])


def test_a_known_weakness_fails(tmp_path: Path) -> None:
    code, lines = audit(tmp_path, [CLEAN, WEAK])
    assert (code, lines[1]) == (1, "  WEAK: two 2.0: PYSEC-2026-1")


@pytest.mark.parametrize("answers", [(None, None), ([SKIPPED], None), ([SKIPPED], [SKIPPED])])
def test_a_source_out_of_reach_is_said_and_no_failure_unless_that_is_wanted(
    tmp_path: Path, answers: tuple[object, ...]
) -> None:
    code, lines = audit(tmp_path, *answers)
    assert (code, lines) == (
        0,
        [
            "some.lock: 0 packages checked, 0 known weaknesses",
            "  NOT CHECKED, the source of advisories has no answer: 2 packages (one, two)",
        ],
    )
    for old in tmp_path.glob("asked-*"):
        old.unlink()
    assert audit(tmp_path, *answers, words=("--require",))[0] == 1


def test_the_second_source_is_asked_where_the_first_has_no_answer(tmp_path: Path) -> None:
    code, lines = audit(tmp_path, None, [CLEAN, WEAK])
    assert (code, lines[0]) == (1, "some.lock: 2 packages checked, 1 known weaknesses")


def test_packages_that_were_passed_over_are_named(tmp_path: Path) -> None:
    code, lines = audit(tmp_path, [CLEAN, SKIPPED])
    assert code == 0
    assert lines[1] == "  NOT CHECKED, the source of advisories has no answer: 1 packages (three)"
