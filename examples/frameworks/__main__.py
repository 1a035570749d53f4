"""`python -m frameworks FRAMEWORK INSTRUMENTATION`: ask all questions once; every other answer is made up. Prints one JSON object a question."""

from __future__ import annotations

import importlib
import json
import sys

from frameworks.instrument import INSTRUMENTATIONS, conversation, tracing
from frameworks.model_server import ModelServer
from rag_service.retrieval import Knowledge


def main() -> int:
    """0 when every question was answered."""
    chosen = tuple(sys.argv[1:])
    if len(chosen) != 2 or chosen not in INSTRUMENTATIONS:
        print("one of:", *(" ".join(one) for one in INSTRUMENTATIONS), sep="\n", file=sys.stderr)  # noqa: T201
        return 2
    framework = chosen[0]
    provider = tracing()
    INSTRUMENTATIONS[chosen](provider)
    knowledge = Knowledge.read()
    made_up = frozenset(knowledge.questions[1::2])
    with ModelServer(made_up) as server:
        service = importlib.import_module(f"frameworks.on_{framework}").Service(server.url, knowledge)
        for number, question in enumerate(knowledge.questions):
            with conversation(chosen[1], session := f"session-{number}"):
                answer = service.answer(question, session)
            print(json.dumps({"question": question, "answer": answer, "made_up": question in made_up}))  # noqa: T201
    provider.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
