"""What people's labels say of the local verdict, as series: the rules make the anchored ratio of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import numpy as np

from exporters.tally import label_value
from sidecar.evaluate.estimate import wilson
from sidecar.inference.grounding.detector import Anchor
from sidecar.observe.telemetry import Telemetry

logger = logging.getLogger(__name__)


def show_anchors(anchors: Mapping[str, Anchor], telemetry: Telemetry, *, expire_days: int, now: float) -> None:
    """Set the series of each service: the rates with their bounds (Wilson), how many labels they were measured on, and when these are too old, which the
    rules hold against the time. Those that are so `now` (seconds since the epoch) are told in the log."""
    expired = 0
    for service, one in anchors.items():
        named = {"rag_service": label_value(service), "identity": one.identity}
        for rate, label in (("sensitivity", "hallucinated"), ("specificity", "grounded")):
            share, count = float(getattr(one, rate)), int(getattr(one, label))
            lower, upper = wilson(np.asarray(share), np.asarray(float(count)))
            for bound, value in (("share", share), ("lower", float(lower)), ("upper", float(upper))):
                telemetry.set("rag_sidecar_label_rate", value, rate=rate, bound=bound, **named)
            telemetry.set("rag_sidecar_labelled_answers", count, label=label, **named)
        expiry = one.expiry(expire_days)
        if expiry is not None:
            telemetry.set("rag_sidecar_labels_expiry_timestamp_seconds", expiry, **named)
            expired += expiry <= now
    if expired:
        logger.warning(
            "%d of %d entries of evaluate.anchors are labelled more than %d days ago and anchor nothing: label anew (docs/labels.md)",
            expired,
            len(anchors),
            expire_days,
        )
