"""Erasures in the results topic: a record without a value for a trace. Compaction then removes its results, and every replica's page forgets its answers."""

from __future__ import annotations

from collections.abc import Collection

from exporters.kafka import KafkaResultsConfig
from exporters.text import clean
from sidecar.kafka.produce.now import send_now
from sidecar.kafka.settings import ReceiveConfig


class Tombstones:
    """Writes them where results are written."""

    def __init__(self, results: KafkaResultsConfig, receive: ReceiveConfig) -> None:
        self._results = results
        self._receive = receive

    @property
    def possible(self) -> bool:
        """Whether results go to a topic."""
        return self._results.topic is not None

    async def write(self, traces: Collection[str]) -> None:
        """Erase the results of traces, where it is possible. Raises BrokerError naming the step that failed, ConfigError for a file of the login."""
        topic = self._results.topic
        if traces and topic is not None:
            brokers = self._results.brokers(self._receive.brokers)
            records = [(clean(trace_id), None) for trace_id in sorted(traces)]
            await send_now(self._receive, brokers, topic, records, client="erase")
