"""What other tools write that holds requests and is no native record: where it is to be taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidecar.decode.wire.sniff import OTLP_KEYS

_INSPECT = "`rag-sidecar inspect --json FILE` makes native records of spans in OTLP"
_TRULENS = "ai.observability."


def elsewhere(record: Mapping[str, Any]) -> str | None:
    """In words; None of what nobody here knows. Holds no text of the record."""
    if any(name in record for name in OTLP_KEYS):
        return f"traces of OpenTelemetry, not requests: {_INSPECT}"
    if "record_attributes" in record or any(str(name).startswith(_TRULENS) for name in record):
        return f"an event of TruLens, whose requests stand in several: export its traces; {_INSPECT}"
    if "record_json" in record:
        return f"a record of TruLens, whose contexts stand in the calls of record_json: give them as `contexts`, or export its traces; {_INSPECT}"
    if isinstance(record.get("context"), Mapping) and "attributes" in record and "trace_id" in record["context"]:
        return f"a span as the SDK prints it, not a request: export it; {_INSPECT}"
    return None
