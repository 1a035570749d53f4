"""The receiver's suite on librdkafka's mock cluster."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kafka.suite import ReceiverSuite
from tests.parts.mock_kafka import MockKafka


@pytest.fixture(scope="module")
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        yield mock


class TestReceiverOnMock(ReceiverSuite):
    """Hermetic and quick."""
