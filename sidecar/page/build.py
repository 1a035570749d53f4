"""The page of a configuration, put together."""

from __future__ import annotations

from sidecar.inference.grounding.detector import Detector
from sidecar.kafka.produce.labels import LabelsConfig
from sidecar.kafka.settings import ReceiveConfig
from sidecar.labels.store import Store, Topic
from sidecar.observe.telemetry import Telemetry
from sidecar.page.estimates import Estimator
from sidecar.page.labelling import Labelling
from sidecar.page.overview import Overview
from sidecar.page.routes import Routes
from sidecar.page.watch import Watch


def page_of(
    watch: Watch,
    telemetry: Telemetry,
    *,
    detector: Detector | None,
    labels: LabelsConfig,
    receive: ReceiveConfig,
    anchor_days: int = 0,
) -> Routes:
    """The page. `detector` are the measured errors of the judge, labels anchor for `anchor_days`."""
    labelling = None
    if watch.with_texts and (labels.file is not None or labels.topic is not None):
        topic = None if labels.topic is None else Topic(labels.topic, receive)
        labelling = Labelling(watch, Store(labels.file, topic))
    overview = Overview(watch, telemetry, Estimator(detector, anchor_days=anchor_days), labels=labelling is not None)
    return Routes(overview, labelling)
