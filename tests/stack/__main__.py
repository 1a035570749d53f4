"""`python -m tests.stack`, `make stack`: the services of compose.yaml without containers, until Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from types import FrameType

from tests.stack.stack import WITHOUT, Stack

_WHAT = {
    "rag-service": "ask a RAG service, and turn the knobs that make it fail",
    "sidecar": "the status page: user demo, password demo",
    "prometheus": "targets, rules and series",
    "alertmanager": "alerts",
    "phoenix": "traces, with scores beside them",
    "collector": "OTLP over HTTP, for a service of your own",
}


def main() -> int:
    """0 after Ctrl-C or SIGTERM, 1 where a service ended by itself."""
    parser = argparse.ArgumentParser(prog="make stack", description=__doc__)
    parser.add_argument(
        "--without", nargs="*", default=[], metavar="NAME", help="services to leave out, such as phoenix"
    )
    without = parser.parse_args().without
    asked = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        asked.set()

    signal.signal(signal.SIGTERM, ask)
    print(
        f"Starting what compose.yaml says, without {', '.join(sorted(WITHOUT.union(without)))}. This takes about a minute."
    )
    try:
        with Stack(without=without) as stack:
            signal.signal(signal.SIGINT, ask)
            for name, what in _WHAT.items():
                if name in stack.services:
                    print(f"{stack.url(name):24} {what}")
            print("Ctrl-C ends all of it.", flush=True)
            while not asked.wait(1):
                if ended := stack.ended():
                    print(f"{ended.name} has ended:\n{ended.tail()}")
                    return 1
            print("Ending.", flush=True)
    except KeyboardInterrupt:
        return 0
    except RuntimeError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
