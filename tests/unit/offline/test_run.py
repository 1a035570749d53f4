"""What makes another run of a run: settings that change what is said, and those that do not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sidecar import config
from sidecar.offline.run import settings_hash


def hashed(given: Mapping[str, Any]) -> str:
    return settings_hash(config.build(given, kafka=False))


@pytest.mark.parametrize(
    "changed",
    [
        {"judge": {"most_chars": 20_000}},
        {"judge": {"redact": False}},
        {"judge": {"replies": "text"}},
        {"judge": {"most_output_tokens": 100}},
        {"judge": {"model": "another"}},
        {"judge": {"parameters": {"seed": 1}}},
        {"evaluate": {"faithfulness": {"threshold": 0.9}}},
        {"redact": {"terms": ["Acme"]}},
        {"price": {"models": {"m": {"input": 1.0, "output": 2.0}}}},
    ],
    ids=str,
)
def test_settings_that_change_what_is_said_make_another_run(changed: Mapping[str, Any]) -> None:
    assert hashed(changed) != hashed({})


@pytest.mark.parametrize(
    "changed", [{"judge": {"api_key": "k"}}, {"judge": {"concurrency": 2, "timeout_seconds": 90}}], ids=str
)
def test_logins_and_pace_do_not(changed: Mapping[str, Any]) -> None:
    assert hashed(changed) == hashed({})
