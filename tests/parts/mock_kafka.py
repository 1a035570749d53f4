"""librdkafka's mock cluster: it speaks the Kafka protocol on ports of 127.0.0.1, in memory, and is ready at once.

The library inside the confluent-kafka wheel is called directly: its Python side knows only how many brokers to make, and
then every new group waits three seconds. What the mock cannot do: CreateTopics, SASL, TLS, ACLs, and groups of more
than one aiokafka member (a follower that syncs after the leader is refused; docs/adr/0003 has the story).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from types import TracebackType

from confluent_kafka import cimpl

_PRODUCER = 0

# Kafka's numbers of the requests that tests make fail.
PRODUCE, FETCH, OFFSET_COMMIT, JOIN_GROUP, HEARTBEAT = 0, 1, 8, 11, 12


def _library() -> ctypes.CDLL:
    """The symbols of librdkafka are found through the extension module that is linked to it."""
    library = ctypes.CDLL(cimpl.__file__)
    for name in ("rd_kafka_new", "rd_kafka_conf_new", "rd_kafka_mock_cluster_new"):
        getattr(library, name).restype = ctypes.c_void_p
    library.rd_kafka_mock_cluster_bootstraps.restype = ctypes.c_char_p
    return library


class MockKafka:
    """A mock cluster. Used as `with MockKafka() as broker`."""

    def __init__(self, *, brokers: int = 1) -> None:
        self._count = brokers
        self._library = _library()
        self._client: ctypes.c_void_p | None = None
        self._cluster: ctypes.c_void_p | None = None
        self._servers = ""

    @property
    def bootstrap_servers(self) -> str:
        return self._servers

    def __enter__(self) -> MockKafka:
        problem = ctypes.create_string_buffer(512)
        conf = ctypes.c_void_p(self._library.rd_kafka_conf_new())
        self._library.rd_kafka_conf_set(conf, b"log_level", b"0", problem, ctypes.c_size_t(512))
        client = self._library.rd_kafka_new(_PRODUCER, conf, problem, ctypes.c_size_t(512))
        if not client:
            raise RuntimeError(problem.value.decode())
        self._client = ctypes.c_void_p(client)
        self._cluster = ctypes.c_void_p(self._library.rd_kafka_mock_cluster_new(self._client, self._count))
        self._library.rd_kafka_mock_group_initial_rebalance_delay_ms(self._cluster, 0)
        self._servers = self._library.rd_kafka_mock_cluster_bootstraps(self._cluster).decode()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._cluster is not None:
            self._library.rd_kafka_mock_cluster_destroy(self._cluster)
            self._library.rd_kafka_destroy(self._client)
        self._cluster = self._client = None

    def create_topic(self, name: str, *, partitions: int = 4) -> None:
        """Make a topic."""
        self._check(self._library.rd_kafka_mock_topic_create(self._cluster, name.encode(), partitions, 1))

    def fail(self, request: int, errors: Sequence[int]) -> None:
        """Answer the next requests of a kind with these errors, one after the other, by Kafka's numbers."""
        codes = (ctypes.c_int * len(errors))(*errors)
        self._library.rd_kafka_mock_push_request_errors_array(
            self._cluster, ctypes.c_int16(request), ctypes.c_size_t(len(errors)), codes
        )

    def heal(self, request: int) -> None:
        """Forget the errors that `fail` has left for a kind of request."""
        self._library.rd_kafka_mock_clear_request_errors(self._cluster, ctypes.c_int16(request))

    def go_down(self, broker: int = 1) -> None:
        """Close a broker's connections and take no more."""
        self._check(self._library.rd_kafka_mock_broker_set_down(self._cluster, broker))

    def come_up(self, broker: int = 1) -> None:
        """Let a broker that went down answer again, with its data."""
        self._check(self._library.rd_kafka_mock_broker_set_up(self._cluster, broker))

    def _check(self, code: int) -> None:
        if code:
            raise RuntimeError(f"the mock cluster answered with error {code}")
