"""What aiokafka's consumer takes, out of our settings."""

from __future__ import annotations

from sidecar.kafka.settings import ReceiveConfig


def consumer_options(config: ReceiveConfig) -> dict[str, object]:
    """Keyword arguments of AIOKafkaConsumer. Reads the files of the login; raises OSError where one cannot be read now."""
    return {
        "group_id": config.group_id,
        "client_id": config.client_id,
        # aiokafka would move to an end of the log without a word: beginning.py and overtaken.py decide, and say so.
        "auto_offset_reset": "none",
        "enable_auto_commit": False,
        "session_timeout_ms": milliseconds(config.session_timeout_seconds),
        "heartbeat_interval_ms": milliseconds(config.heartbeat_interval_seconds),
        # The default is the session timeout: too short for the commits that we make when partitions are revoked.
        "rebalance_timeout_ms": milliseconds(config.rebalance_timeout_seconds),
        # The Receiver's own watchdog comes first: it leaves the group cleanly, and cannot be switched off by a leak.
        "max_poll_interval_ms": milliseconds(config.max_poll_interval_seconds) * 2,
        "max_partition_fetch_bytes": config.max_partition_fetch_bytes,
        "fetch_max_bytes": config.fetch_max_bytes,
        "fetch_max_wait_ms": milliseconds(config.fetch_max_wait_seconds),
        "metadata_max_age_ms": milliseconds(config.metadata_max_age_seconds),
        # A broker answers a request to join when all have joined: this must outlast a whole rebalance.
        "request_timeout_ms": milliseconds(config.rebalance_timeout_seconds + config.connect_timeout_seconds),
        **config.brokers.client_options(),
    }


def milliseconds(seconds: float) -> int:
    """Whole milliseconds."""
    return int(seconds * 1000)
