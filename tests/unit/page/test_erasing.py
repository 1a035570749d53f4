"""Erasure: by nobody unknown; in the results topic all or nothing as far as the page goes, and whoever was refused asks again."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Collection
from typing import Any

import httpx
import pytest

from exporters.kafka import KafkaResultsConfig
from sidecar.observe.admin import Admin, AdminConfig, serving
from sidecar.observe.telemetry import Telemetry
from sidecar.page import Watch
from sidecar.page.estimates import Estimator
from sidecar.page.overview import Overview
from sidecar.page.routes import Routes
from sidecar.page.tombstones import Tombstones
from sidecar.record.errors import BrokerError
from tests.unit.page.answers import RECEIVE, feed, result, watch

OWN = {"x-rag-sidecar": "1"}


class Stones(Tombstones):
    """Remembers what it is given. Each time one of `errors` is raised first; what `meanwhile` does happens while it writes."""

    def __init__(self, *errors: Exception, meanwhile: Callable[[], None] = lambda: None) -> None:
        super().__init__(KafkaResultsConfig(topic="results"), RECEIVE)
        self.written: list[str] = []
        self._errors = list(errors)
        self._meanwhile = meanwhile

    async def write(self, traces: Collection[str]) -> None:
        self._meanwhile()
        if self._errors:
            raise self._errors.pop(0)
        self.written += sorted(traces)


@contextlib.asynccontextmanager
async def erasing(seen: Watch, stones: Stones, **admin: Any) -> AsyncIterator[httpx.AsyncClient]:
    telemetry = Telemetry()
    overview = Overview(seen, telemetry, Estimator(None), labels=False, redacted=True)
    page = Routes(overview, None, stones)
    settings = AdminConfig.model_validate({"host": "127.0.0.1", "port": 0, **admin})
    made = Admin(settings, telemetry.registry, alive=lambda: None, ready=lambda: None, page=page.made)
    async with serving(made), httpx.AsyncClient(base_url=f"http://127.0.0.1:{made.port}", timeout=60) as asked:
        yield asked


async def test_an_erasure_that_the_topic_did_not_take_erases_nothing_and_can_be_asked_again() -> None:
    seen = watch()
    feed(seen, result(1), result(2), user="ada")
    feed(seen, result(3), user="bob")
    stones = Stones(BrokerError("connect", "no broker answers", "start it"))
    async with erasing(seen, stones) as asked:
        failed = await asked.post("/api/erase", json={"user": "ada", "topic": True}, headers=OWN)
        assert failed.status_code == 503
        assert failed.json()["error"].startswith("nothing was erased")
        assert (len(seen.shelf), stones.written) == (3, [])
        again = await asked.post("/api/erase", json={"user": "ada", "topic": True}, headers=OWN)
        assert again.json() == {"erased": 2, "traces_in_topic": 2}
    assert stones.written == [result(1).trace_id, result(2).trace_id]
    assert [kept.result.id for kept in seen.shelf] == [result(3).id]


async def test_what_comes_of_a_user_while_tombstones_are_written_is_erased_in_the_topic_too() -> None:
    seen = watch()
    feed(seen, result(1), user="ada")
    stones = Stones(meanwhile=lambda: feed(seen, result(2), user="ada"))
    async with erasing(seen, stones) as asked:
        gone = await asked.post("/api/erase", json={"user": "ada", "topic": True}, headers=OWN)
    assert gone.json() == {"erased": 2, "traces_in_topic": 2}
    assert stones.written == [result(1).trace_id, result(2).trace_id]
    assert len(seen.shelf) == 0


async def test_a_trace_that_is_not_kept_here_is_erased_in_the_topic_all_the_same() -> None:
    stones = Stones()
    async with erasing(watch(), stones) as asked:
        gone = await asked.post("/api/erase", json={"trace_id": "ab" * 16, "topic": True}, headers=OWN)
    assert (gone.json(), stones.written) == ({"erased": 0, "traces_in_topic": 1}, ["ab" * 16])


EVERYWHERE = "0.0.0.0"


@pytest.mark.parametrize("topic", [False, True], ids=["from the page", "from the topic too"])
async def test_nobody_erases_where_no_login_is_asked_for(topic: bool) -> None:
    seen, stones = watch(), Stones()
    feed(seen, result(1), user="ada")
    async with erasing(seen, stones, host=EVERYWHERE) as asked:
        for wanted in ({"user": "ada"}, {"trace_id": result(1).trace_id}):
            refused = await asked.post("/api/erase", json={**wanted, "topic": topic}, headers=OWN)
            assert refused.status_code == 403
            assert "set admin.basic_username and admin.basic_password_file" in refused.json()["error"]
        assert (await asked.get("/api/answers")).json()["found"] == 1, "what only reads is open as before"
    assert stones.written == []


@pytest.mark.parametrize(
    ("login", "sent"),
    [
        ({"bearer_token": "s3cret"}, {"authorization": "Bearer s3cret"}),
        ({"basic_username": "ops", "basic_password": "s3cret"}, {"authorization": "Basic b3BzOnMzY3JldA=="}),
    ],
    ids=["a token", "a password"],
)
async def test_who_has_a_login_erases(login: dict[str, str], sent: dict[str, str]) -> None:
    seen, stones = watch(), Stones()
    feed(seen, result(1), user="ada")
    async with erasing(seen, stones, host=EVERYWHERE, **login) as asked:
        told = {"user": "ada", "topic": True}
        assert (await asked.post("/api/erase", json=told, headers=OWN)).status_code == 401
        gone = await asked.post("/api/erase", json=told, headers={**OWN, **sent})
    assert gone.json() == {"erased": 1, "traces_in_topic": 1}
    assert stones.written == [result(1).trace_id]
