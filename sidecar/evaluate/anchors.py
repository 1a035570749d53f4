"""What people's labels say of the local verdict, as series: the rules make the anchored ratio of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from exporters.tally import label_value
from sidecar.evaluate.estimate import wilson
from sidecar.inference.grounding.detector import Anchor
from sidecar.observe.telemetry import Telemetry


def show_anchors(anchors: Mapping[str, Anchor], telemetry: Telemetry) -> None:
    """Set the series of each service: the rates with their bounds (Wilson), and how many labels they were measured on."""
    for service, one in anchors.items():
        named = {"rag_service": label_value(service), "identity": one.identity}
        for rate, label in (("sensitivity", "hallucinated"), ("specificity", "grounded")):
            share, count = float(getattr(one, rate)), int(getattr(one, label))
            lower, upper = wilson(np.asarray(share), np.asarray(float(count)))
            for bound, value in (("share", share), ("lower", float(lower)), ("upper", float(upper))):
                telemetry.set("rag_sidecar_label_rate", value, rate=rate, bound=bound, **named)
            telemetry.set("rag_sidecar_labelled_answers", count, label=label, **named)
