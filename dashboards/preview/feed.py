"""A sidecar at work for a few minutes: the demo's traffic and its judge, the real sidecar, and a real Prometheus with our rules."""

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
from dashboards.objectives import WINDOWS, Windows
from dashboards.preview.ask import Span
from dashboards.preview.truth import TruthServer
from sidecar.commands.demo.broker import TOPICS, EmbeddedBroker
from sidecar.commands.demo.corpus import Corpus
from sidecar.commands.demo.judge import MODEL, ScriptedJudge
from sidecar.commands.demo.producer import DemoProducer
from tests.parts.process import Server, free_ports
from tests.parts.prometheus import Prometheus

ROOT = Path(__file__).parents[2]
RESULTS = "rag_results"
# The service that most of the traffic is of: the others have too little in so short windows.
FAVOURITE = "support-bot"
WINDOW = "210s"
DAY = "70s"
RATE_INTERVAL = "30s"
JUDGED = 0.1
# What an hour is to the alerts is more here than six: a judge on a tenth needs minutes, and days must be short.
_SHORT = Windows(WINDOW, "30s", "80s", "90s", ticket="240s", ticket_check="60s", long_ticket="300s", day=DAY)
_SCRAPE_SECONDS = 5.0
# Before this much of the time has passed, windows are not full, and are not shown.
_WARM_UP = 180.0


@contextlib.contextmanager
def fed(folder: Path, seconds: float, *, rate: float) -> Iterator[tuple[Prometheus, Span]]:
    """Feed `rate` requests a second for `seconds`, the share of made-up answers rising half way; then Prometheus, and the time that it has seen."""
    (port,) = free_ports(1)
    rules = folder / "rules.yml"
    rules.write_text(generate.rules_yaml(_SHORT, interval="5s", wait="10s"), encoding="utf-8")
    turn = _WARM_UP + (seconds - _WARM_UP) / 2
    with EmbeddedBroker((*TOPICS, RESULTS)) as broker, ScriptedJudge(Corpus()) as judge:
        producer = DemoProducer(broker, rate=rate, turn_seconds=turn, favourite=FAVOURITE)
        config = folder / "config.yaml"
        config.write_text(json.dumps(_settings(broker.bootstrap_servers, port, judge.url)), encoding="utf-8")
        command = [sys.executable, "-m", "sidecar", "run", "--config", str(config)]
        # No proxy stands between the sidecar and the judge on this machine.
        direct = {"no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"}
        sidecar = Server("rag-sidecar", command, log=folder / "sidecar.log", cwd=ROOT, environment=direct)
        try:
            sidecar.wait_until(lambda: _ready(port), seconds=300)
            with TruthServer(producer.answers) as truth:
                targets = {"rag-sidecar": f"127.0.0.1:{port}", "truth": truth.address}
                with Prometheus(targets, rule_files=[rules], scrape_interval=_SCRAPE_SECONDS) as prometheus:
                    started = time.time()
                    asyncio.run(_produce(producer, seconds))
                    yield (
                        prometheus,
                        Span(
                            started + _WARM_UP,
                            time.time(),
                            step=_SCRAPE_SECONDS,
                            rate_interval=RATE_INTERVAL,
                            windows=dict(zip(WINDOWS.all(), _SHORT.all(), strict=True)),
                        ),
                    )
        finally:
            sidecar.stop()


def _settings(servers: str, port: int, judge: str) -> Mapping[str, Any]:
    """Some of the requests are scored, so that weights, bounds and the funnel have something to show."""
    return {
        "receive": {
            "bootstrap_servers": servers,
            "topics": list(TOPICS),
            "auto_offset_reset": "earliest",
            "lag_interval_seconds": 1,
        },
        "assemble": {"quiet_seconds": 1, "quiet_without_root_seconds": 3},
        "sample": {"rate": 0.7},
        "evaluate": {"groundedness": {"by": "both", "judge_rate": JUDGED}},
        "judge": {"url": judge, "model": MODEL, "redact": False},
        # What a small model in the cloud costs.
        "price": {"models": {MODEL: {"input": 0.15, "output": 0.60}}},
        "results": {"topic": RESULTS},
        "admin": {"host": "127.0.0.1", "port": port},
    }


async def _produce(producer: DemoProducer, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await producer.run()


def _ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
