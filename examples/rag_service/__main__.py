"""`python -m rag_service`: serve on HOST and PORT; KNOBS is a JSON object of knobs to begin with."""

from __future__ import annotations

import json
import os

import uvicorn

from rag_service.knobs import Knobs
from rag_service.service import Service
from rag_service.tracing import Tracing


def main() -> None:
    """Serve until SIGINT or SIGTERM."""
    service = Service(Knobs().turned(json.loads(os.environ.get("KNOBS", "{}"))), Tracing())
    host, port = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000"))
    uvicorn.run(service.app(), host=host, port=port, log_level="warning", timeout_graceful_shutdown=5)


if __name__ == "__main__":
    main()
