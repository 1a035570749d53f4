"""Documents in use: made once for all who ask, called off when nobody waits, within a bound of bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from sidecar.inference.embedding.shared import Shared, estimate
from sidecar.record.errors import RetryableInferenceError


@dataclass(frozen=True)
class Made:
    """A text, and how large what was made of it is."""

    text: str
    size_bytes: int


@dataclass
class Maker:
    """Makes documents when `go` is set; remembers what it was asked for and what was called off."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[str] = field(default_factory=list)
    called_off: list[str] = field(default_factory=list)
    bytes_each: int = 400
    error: RetryableInferenceError | None = None

    async def __call__(self, texts: Mapping[bytes, str]) -> dict[bytes, Made]:
        self.asked.extend(texts.values())
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.called_off.extend(texts.values())
            raise
        if self.error:
            raise self.error
        return {key: Made(text, self.bytes_each) for key, text in texts.items()}


def shared(maker: Maker, *, most: int = 10_000, cache: int = 0) -> Shared[Made]:
    return Shared(maker, most_bytes=most, cache_bytes=cache)


async def read(documents: Shared[Made], *texts: str) -> list[str]:
    async with documents.lease(texts) as made:
        return [one.text for one in made]


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_all_who_ask_at_once_share_the_work_and_have_it_in_their_order() -> None:
    maker = Maker()
    documents = shared(maker)
    tasks = [asyncio.create_task(read(documents, *texts)) for texts in ("ab", "ba", "bcb")]
    await settle()
    maker.go.set()
    assert await asyncio.gather(*tasks) == [["a", "b"], ["b", "a"], ["b", "c", "b"]]
    assert maker.asked == ["a", "b", "c"]
    assert documents.leased_bytes == 0


async def test_what_one_still_waits_for_goes_on_and_what_nobody_waits_for_is_called_off() -> None:
    maker = Maker()
    documents = shared(maker)
    first, second = (asyncio.create_task(read(documents, "a")) for _ in range(2))
    await settle()
    first.cancel()
    await settle()
    assert maker.called_off == []
    second.cancel()
    await settle()
    assert maker.called_off == ["a"]
    assert documents.leased_bytes == 0
    again = asyncio.create_task(read(documents, "a"))
    await settle()
    maker.go.set()
    assert await again == ["a"]
    assert maker.asked == ["a", "a"]


async def test_work_that_was_called_off_is_not_given_to_who_asks_a_moment_later() -> None:
    maker = Maker()
    documents = shared(maker)
    first = asyncio.create_task(read(documents, "a"))
    await settle()
    first.cancel()
    second = asyncio.create_task(read(documents, "a"))
    await settle()
    maker.go.set()
    assert await second == ["a"]


async def test_an_error_is_that_of_all_who_wait_and_is_not_kept() -> None:
    maker = Maker(error=RetryableInferenceError("stopped"))
    documents = shared(maker, cache=10_000)
    tasks = [asyncio.create_task(read(documents, "a")) for _ in range(2)]
    await settle()
    maker.go.set()
    failed = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(one) for one in failed] == [RetryableInferenceError] * 2
    maker.error = None
    assert await read(documents, "a") == ["a"]


async def test_leases_wait_where_they_do_not_fit_and_come_in_turn() -> None:
    maker = Maker(bytes_each=4000)
    maker.go.set()
    shown: list[int] = []
    documents = Shared(maker, most_bytes=8000, cache_bytes=0, show=shown.append)
    order: list[str] = []

    async def take(text: str) -> None:
        async with documents.lease([text]):
            order.append(text[0])
            assert documents.leased_bytes <= 8000

    async with documents.lease(["a" * 10]), documents.lease(["b" * 10]):
        assert shown[-1] == 8000
        waiting = [asyncio.create_task(take(name * 10)) for name in "cdae"]
        await settle()
        assert order == []
    await asyncio.gather(*waiting)
    assert order == ["c", "d", "a", "e"]
    assert (max(shown), shown[-1]) == (8000, 0)


async def test_one_larger_than_the_bound_is_let_in_alone() -> None:
    maker = Maker(bytes_each=50_000)
    maker.go.set()
    documents = shared(maker, most=1000)
    async with documents.lease(["large"]):
        assert documents.leased_bytes == 50_000
        other = asyncio.create_task(read(documents, "small"))
        await settle()
        assert not other.done()
    assert await asyncio.wait_for(other, 5) == ["small"]


async def test_one_that_gives_up_waiting_for_room_lets_the_next_in() -> None:
    maker = Maker(bytes_each=1000)
    maker.go.set()
    documents = shared(maker, most=1000)
    async with documents.lease(["a"]):
        waiting = asyncio.create_task(read(documents, "b"))
        await settle()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert await asyncio.wait_for(read(documents, "c"), 5) == ["c"]
    assert maker.asked == ["a", "c"]


async def test_what_is_kept_is_not_made_again_and_stays_within_its_bound() -> None:
    maker = Maker(bytes_each=400)
    maker.go.set()
    documents = shared(maker, cache=1000)
    for text in ("a", "b", "a", "c", "a", "b"):
        await read(documents, text)
    assert maker.asked == ["a", "b", "c", "b"]
    async with documents.lease(["a"]):
        assert documents.leased_bytes == 400  # in use, it could be dropped from what is kept


def test_texts_are_estimated_by_the_tokens_that_they_may_have() -> None:
    assert estimate("a" * 100) == 40_000
    assert estimate("é" * 100) == estimate("語" * 100) == 160_000
    assert estimate("") == 0
    assert estimate("\udcff") > 0
