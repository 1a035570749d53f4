"""The main job on librdkafka's mock cluster: hermetic and quick."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kafka.main_job import MainJobSuite
from tests.parts.mock_kafka import MockKafka


@pytest.fixture(scope="module")
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        yield mock


class TestMainJobOnMock(MainJobSuite):
    """Without any real part."""
