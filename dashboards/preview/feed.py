"""A sidecar at work for a few minutes: the demo's traffic, the real sidecar, and a real Prometheus with our rules."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dashboards import generate
from dashboards.objectives import Windows
from dashboards.preview.ask import Span
from sidecar.commands.demo.broker import TOPICS, EmbeddedBroker
from sidecar.commands.demo.producer import DemoProducer
from tests.parts.process import Server, free_ports
from tests.parts.prometheus import Prometheus

ROOT = Path(__file__).parents[2]
RESULTS = "rag_results"
WINDOW = "90s"
RATE_INTERVAL = "30s"
_SHORT = Windows(WINDOW, "30s", "120s", "45s", ticket="180s", ticket_check="100s", long_ticket="240s")
_SCRAPE_SECONDS = 5.0
# Before this much of the time has passed, windows are not full, and are not shown.
_WARM_UP = 60.0


@contextlib.contextmanager
def fed(folder: Path, seconds: float, *, rate: float) -> Iterator[tuple[Prometheus, Span]]:
    """Feed `rate` requests a second for `seconds`, the share of made-up answers rising half way; then Prometheus, and the time that it has seen."""
    (port,) = free_ports(1)
    rules = folder / "rules.yml"
    rules.write_text(generate.rules_yaml(_SHORT, interval="5s", wait="10s"), encoding="utf-8")
    with EmbeddedBroker((*TOPICS, RESULTS)) as broker:
        config = folder / "config.yaml"
        config.write_text(json.dumps(_settings(broker.bootstrap_servers, port)), encoding="utf-8")
        command = [sys.executable, "-m", "sidecar", "run", "--config", str(config)]
        sidecar = Server("rag-sidecar", command, log=folder / "sidecar.log", cwd=ROOT)
        try:
            sidecar.wait_until(lambda: _ready(port), seconds=300)
            target = {"rag-sidecar": f"127.0.0.1:{port}"}
            with Prometheus(target, rule_files=[rules], scrape_interval=_SCRAPE_SECONDS) as prometheus:
                started = time.time()
                asyncio.run(_produce(broker, seconds, rate))
                yield (
                    prometheus,
                    Span(
                        started + _WARM_UP,
                        time.time(),
                        step=_SCRAPE_SECONDS,
                        rate_interval=RATE_INTERVAL,
                        window=WINDOW,
                    ),
                )
        finally:
            sidecar.stop()


def _settings(servers: str, port: int) -> Mapping[str, Any]:
    """Half of the requests are scored, so that weights, bounds and the funnel have something to show."""
    return {
        "receive": {
            "bootstrap_servers": servers,
            "topics": list(TOPICS),
            "auto_offset_reset": "earliest",
            "lag_interval_seconds": 1,
        },
        "assemble": {"quiet_seconds": 1, "quiet_without_root_seconds": 3},
        "sample": {"rate": 0.5},
        "results": {"topic": RESULTS},
        "admin": {"host": "127.0.0.1", "port": port},
    }


async def _produce(broker: EmbeddedBroker, seconds: float, rate: float) -> None:
    producer = DemoProducer(broker, rate=rate, turn_seconds=_WARM_UP + (seconds - _WARM_UP) / 2)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await producer.run()


def _ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
