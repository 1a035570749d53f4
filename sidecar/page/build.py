"""The page of a configuration, put together."""

from __future__ import annotations

from exporters.kafka import KafkaResultsConfig
from sidecar.kafka.consume.tail import Tail
from sidecar.kafka.produce.labels import LabelsConfig
from sidecar.kafka.settings import ReceiveConfig
from sidecar.labels.store import Store, Topic
from sidecar.observe.telemetry import Telemetry
from sidecar.page.estimates import Estimator
from sidecar.page.labelling import Labelling
from sidecar.page.others import Others
from sidecar.page.overview import Overview
from sidecar.page.reading import Reading
from sidecar.page.routes import Routes
from sidecar.page.settings import StatusPageConfig
from sidecar.page.tombstones import Tombstones
from sidecar.page.watch import Watch
from sidecar.record.clock import Clock


def others_of(
    watch: Watch,
    results: KafkaResultsConfig,
    receive: ReceiveConfig,
    *,
    writer: str,
    telemetry: Telemetry,
    clock: Clock,
) -> Others | None:
    """What reads the results topic for the page; None where there is none, or nothing is to be read. `writer` is our name in it."""
    config = watch.config
    if not reads_others(config, results) or results.topic is None:
        return None
    tail = Tail(
        receive,
        results.brokers(receive.brokers),
        results.topic,
        back_seconds=config.look_back_hours * 3600,
        most_back=config.look_back_results,
        clock=clock,
    )
    return Others(watch, tail, Reading(results.topic, writer), telemetry=telemetry, clock=clock)


def reads_others(config: StatusPageConfig, results: KafkaResultsConfig) -> bool:
    """Whether the page shows what other replicas wrote."""
    return config.enabled and config.read_results and results.topic is not None


def page_of(
    watch: Watch,
    telemetry: Telemetry,
    *,
    estimator: Estimator,
    labels: LabelsConfig,
    results: KafkaResultsConfig,
    receive: ReceiveConfig,
    redacted: bool,
) -> Routes:
    """The page. `redacted` says whether texts are."""
    labelling = None
    if watch.with_texts and (labels.file is not None or labels.topic is not None):
        topic = None if labels.topic is None else Topic(labels.topic, receive)
        labelling = Labelling(watch, Store(labels.file, topic))
    overview = Overview(watch, telemetry, estimator, labels=labelling is not None, redacted=redacted)
    return Routes(overview, labelling, Tombstones(results, receive))
