"""docs/logins.md: every example is one that the sidecar, or Prometheus, takes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from sidecar import config
from tests.parts import paths

PAGE = Path(__file__).parents[3] / "docs/logins.md"
EXAMPLES: list[dict[str, Any]] = [
    yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
]
OURS = [one for one in EXAMPLES if "scrape_configs" not in one]
BROKERS = {"bootstrap_servers": "kafka:9093", "topics": ["otlp_spans"]}


@pytest.mark.parametrize("number", range(len(OURS)))
def test_an_example_is_taken(number: int) -> None:
    given = OURS[number]
    built = config.build({**given, "receive": {**BROKERS, **given.get("receive", {})}})
    security, admin = given.get("receive", {}).get("security", {}), given.get("admin", {})
    assert security or admin
    assert built.receive.security.model_fields_set == security.keys()
    assert built.admin.model_fields_set == admin.keys()


def test_every_mechanism_has_an_example() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for word in ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "token_file", "oauth:", "cert_file"):
        assert word in text


@pytest.mark.real
def test_prometheus_takes_the_job(tmp_path: Path) -> None:
    (job,) = [one for one in EXAMPLES if "scrape_configs" in one]
    text = yaml.safe_dump(job).replace("/etc/prometheus/rag-sidecar", str(tmp_path))
    for name in ("ca.crt", "password"):
        (tmp_path / name).touch()
    (tmp_path / "prometheus.yml").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [str(paths.find("promtool")), "check", "config", str(tmp_path / "prometheus.yml")],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
