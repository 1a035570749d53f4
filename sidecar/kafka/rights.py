"""What this user may do with a topic, as the brokers say it: nothing is written to find out.

aiokafka speaks Metadata up to version 5; what is allowed is told from version 8 on (KIP-430, Kafka 2.3). These are that version's two messages.
"""

from __future__ import annotations

from typing import Any

from aiokafka.conn import AIOKafkaConnection
from aiokafka.errors import IncompatibleBrokerVersion
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.types import Array, Boolean, Int16, Int32, Schema, String

_KEY, _VERSION = 3, 8
# Numbers of org.apache.kafka.common.acl.AclOperation: of each operation one bit.
_WRITE = 4
_UNKNOWN = -(2**31)


class _Answer(Response):  # type: ignore[misc]
    API_KEY = _KEY
    API_VERSION = _VERSION
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        ("brokers", Array(("node_id", Int32), ("host", String()), ("port", Int32), ("rack", String()))),
        ("cluster_id", String()),
        ("controller_id", Int32),
        (
            "topics",
            Array(
                ("error_code", Int16),
                ("topic", String()),
                ("is_internal", Boolean),
                (
                    "partitions",
                    Array(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", Array(Int32)),
                        ("isr", Array(Int32)),
                        ("offline_replicas", Array(Int32)),
                    ),
                ),
                ("authorized_operations", Int32),
            ),
        ),
        ("cluster_authorized_operations", Int32),
    )


class _Question(RequestStruct):  # type: ignore[misc]
    API_KEY = _KEY
    API_VERSION = _VERSION
    RESPONSE_TYPE = _Answer
    SCHEMA = Schema(
        ("topics", Array(String())),
        ("allow_auto_topic_creation", Boolean),
        ("include_cluster_authorized_operations", Boolean),
        ("include_topic_authorized_operations", Boolean),
    )


class _Rights(Request[_Question]):  # type: ignore[misc]
    API_KEY = _KEY

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def build(self, request_struct_class: type[_Question]) -> Any:
        return request_struct_class([self._topic], False, False, True)


async def may_write(connection: AIOKafkaConnection, topic: str) -> bool | None:
    """Whether we may write to a topic; None where the brokers do not say. Raises KafkaError, OSError or TimeoutError."""
    try:
        answer = await connection.send(_Rights(topic))
    except (NotImplementedError, IncompatibleBrokerVersion):
        return None  # Older brokers.
    for _, name, _, _, operations in answer.topics:
        if name == topic and operations != _UNKNOWN:
            return bool(operations >> _WRITE & 1)
    return None
