"""What the traffic of the pictures knows of itself: how many answers it made up, as series that Prometheus scrapes, and the picture that holds the
estimates against it."""

from __future__ import annotations

from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType

from dashboards import estimate, promql
from dashboards.board import new_dashboard
from dashboards.objectives import WINDOWS
from dashboards.panels import Dashboard, Panel, Target, add

_ANSWERS = "demo_answers_total"
_HOUR = WINDOWS.fast


class TruthServer:
    """Serves the counts of answers by (service, made up) on 127.0.0.1 for as long as the block lasts."""

    def __init__(self, answers: Mapping[tuple[str, bool], int]) -> None:
        self._server = _Server(answers)
        self._thread = Thread(target=self._server.serve_forever, args=(0.1,), name="truth", daemon=True)

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> TruthServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def exposition(answers: Mapping[tuple[str, bool], int]) -> str:
    """The counts as Prometheus reads them; of each service both, so that a rate of either is one."""
    lines = [f"# TYPE {_ANSWERS} counter"]
    for service in sorted({service for service, _ in answers}):
        for made_up in (False, True):
            labels = f'rag_service="{service}",made_up="{str(made_up).lower()}"'
            lines.append(f"{_ANSWERS}{{{labels}}} {answers.get((service, made_up), 0)}")
    return "\n".join([*lines, ""])


def dashboard(service: str) -> Dashboard:
    """One panel: the truth about a service, what a judge on a tenth of it makes of it, and what the local model flags."""
    own = f'rag_service="{service}"'
    truth = promql.ratio(*(f"sum(rate({_ANSWERS}{{{own}{extra}}}[{_HOUR}]))" for extra in (',made_up="true"', "")))
    recorded = promql.selector(own)
    board = new_dashboard(title="Made-up answers", uid="truth", description="The truth beside the estimates.")
    targets = (
        Target(truth, "in truth"),
        Target(estimate.ratio(_HOUR) + recorded, "anchored estimate"),
        Target(estimate.bound(_HOUR, upper=False) + recorded, "its lower bound"),
        Target(estimate.bound(_HOUR, upper=True) + recorded, "its upper bound"),
        Target(promql.hallucination_ratio(_HOUR, where=own), "flagged by the local model"),
    )
    panel = Panel(
        title=f"{service}: share of made-up answers",
        description="",
        unit="percentunit",
        width=24,
        height=13,
        targets=targets,
        bands=".* bound",
        ratio=True,
    )
    add(board, "A judge on a tenth of what is scored, which errs on one answer in twenty", [panel])
    return board.build()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answers: Mapping[tuple[str, bool], int]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        """The counts."""
        body = exposition(self.server.answers).encode()
        self.send_response(200)
        self.send_header("content-type", "text/plain; version=0.0.4")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""
