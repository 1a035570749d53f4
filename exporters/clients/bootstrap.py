"""An aiokafka client that finds its cluster again when every broker that it knew is gone.

aiokafka asks only the brokers of its last metadata for new ones, and never again the addresses it was given. With two brokers that restart one
after the other the last metadata may name nobody but the one that is down: then nothing is sent and nothing is read until that one is
back, however many others there are. Java's clients go back to their addresses since Kafka 4.0 (KIP-899), and so does this one.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Any

from aiokafka.client import AIOKafkaClient
from aiokafka.cluster import ClusterMetadata
from aiokafka.structs import BrokerMetadata

logger = logging.getLogger(__name__)


class RebootstrappingClient(AIOKafkaClient):  # type: ignore[misc]
    """What `rebootstrap` makes of a client."""

    async def _metadata_update(self, cluster_metadata: ClusterMetadata, topics: Collection[str]) -> bool:
        if await super()._metadata_update(cluster_metadata, topics):
            return True
        if not self.cluster._brokers:
            return False  # It was the bootstrap servers that did not answer.
        logger.warning("no known broker answers (%d); asking the bootstrap servers", len(self.cluster._brokers))
        # aiokafka asks these where it knows no broker. Who led what is kept until someone answers.
        self.cluster._bootstrap_brokers = {
            f"bootstrap-{number}": BrokerMetadata(f"bootstrap-{number}", host, port, None)
            for number, (host, port, _) in enumerate(self.hosts)
        }
        self.cluster._brokers = {}
        found: bool = await super()._metadata_update(cluster_metadata, topics)
        return found


def rebootstrap(client: Any) -> None:
    """Make an AIOKafkaClient ask the addresses of its settings again where no broker that it knows answers.

    aiokafka builds its client inside its consumer and producer, so the class of one that is there is changed.
    """
    client.__class__ = RebootstrappingClient
