"""A user's text shows in no log line, on no stream and in no span of ours, wherever it stands and whatever breaks over it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.exporters.otlp_sinks import http_sink
from tests.unit.observe.canary_job import CANARY

ROOT = Path(__file__).parents[3]
# What must have been said, so that the canary's absence says something.
EXPECTED = (
    r"evaluator faithfulness broke: RuntimeError",
    r"record broke: ValueError at canary_job\.py:\d+ in decode",
    r"a record of topic t cannot be read: unknown_format",
    r"exporter refuses fails",
    r"exporter refuses did not stop cleanly",
    r"an exception that nobody took \(Task-\d+\)",
    r"an exception that nobody took \(no task\)",
    r"LookupError at .*canary_job\.py:\d+ in called",
    r"ArithmeticError at canary_job\.py:\d+ in __del__",
    r"ValueError at .*canary_job\.py:\d+ in <lambda>",
    r"\(withheld\)",
    r"cannot send \.\.\., 3 times",
    r"cannot send: UnicodeError",
    r"UserWarning at canary_job\.py:\d+",
    r"the process ends: RuntimeError at canary_job\.py:\d+ in <module>",
)


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_users_text_never_shows(form: str) -> None:
    with http_sink() as sink:
        done = subprocess.run(
            [sys.executable, "-m", "tests.unit.observe.canary_job", form, sink.url],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    written = done.stdout + done.stderr
    assert CANARY not in written, next(line for line in written.splitlines() if CANARY in line)
    assert "Traceback" not in written
    assert done.returncode == 1
    for pattern in EXPECTED:
        assert re.search(pattern, written), pattern + "\n" + written
    if form == "json":
        assert all(json.loads(line)["level"] for line in done.stderr.splitlines())
    assert len(sink.spans) > 50
    assert CANARY not in str(sink.traces)
