"""What was made of documents, shared by all who ask for it at the same time, kept for those who ask later, within bounds.

Token states are large: a document of 200,000 characters has 70 MB of them, and nobody asks for one document alone. So whoever
uses documents holds a lease on them, and leases wait for each other where they would not fit together.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

_PER_ASCII = 400  # token states of a character of English prose, four to a token
_PER_OTHER = 1600  # one to a token


class Sized(Protocol):
    """Something made of a document."""

    @property
    def size_bytes(self) -> int: ...


Made = TypeVar("Made", bound=Sized)


def estimate(text: str) -> int:
    """About how many bytes the token states of a text will take."""
    if text.isascii():
        return _PER_ASCII * len(text)
    # Every character other than ASCII is two bytes of UTF-8 at least.
    other = len(text.encode("utf-8", "replace")) - len(text)
    return _PER_ASCII * len(text) + min(other, len(text)) * (_PER_OTHER - _PER_ASCII)


@dataclass(slots=True)
class _Group(Generic[Made]):
    """Documents that are made together, and how many leases there are on them."""

    keys: tuple[bytes, ...]
    done: asyncio.Future[dict[bytes, Made]]
    size_bytes: int
    leases: int = 0


class Shared(Generic[Made]):
    """`make` turns texts by key into what is made of them. At most `most_bytes` are leased at once, but one lease is always
    let in; `cache_bytes` are kept beside that. `show` is told how many are leased whenever that changes."""

    def __init__(
        self,
        make: Callable[[Mapping[bytes, str]], Coroutine[Any, Any, dict[bytes, Made]]],
        *,
        most_bytes: int,
        cache_bytes: int,
        show: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._make = make
        self._most_bytes = most_bytes
        self._show = show
        self._live: dict[bytes, _Group[Made]] = {}
        self._leased_bytes = 0
        self._turn = asyncio.Lock()
        self._freed = asyncio.Event()
        self._cache: OrderedDict[bytes, Made] = OrderedDict()
        self._cache_bytes = cache_bytes
        self._cached_bytes = 0

    @property
    def leased_bytes(self) -> int:
        """Bytes leased now, estimated where the work is not done."""
        return self._leased_bytes

    @asynccontextmanager
    async def lease(self, texts: Sequence[str]) -> AsyncIterator[list[Made]]:
        """What was made of each text, in order. What `make` raises is raised to all who wait for it. Where the last who waits
        is cancelled, the work is."""
        keys = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text in texts]
        groups = await self._admit(dict(zip(keys, texts, strict=True)))
        try:
            made: dict[bytes, Made] = {}
            for group in groups:
                made |= await asyncio.shield(group.done)
            yield [made[key] for key in keys]
        finally:
            self._release(groups)

    async def _admit(self, texts: Mapping[bytes, str]) -> list[_Group[Made]]:
        """Wait for room. Who came first is let in first, so that a large request is not passed over for ever; nobody waits
        here while holding a lease, so that all who hold one come to their end."""
        async with self._turn:
            while self._leased_bytes and self._leased_bytes + self._needed(texts) > self._most_bytes:
                self._freed.clear()
                await self._freed.wait()
            groups = self._groups(texts)
            for group in groups:
                group.leases += 1
            return groups

    def _needed(self, texts: Mapping[bytes, str]) -> int:
        return sum(self._size(key, text) for key, text in texts.items() if key not in self._live)

    def _size(self, key: bytes, text: str) -> int:
        cached = self._cache.get(key)
        return estimate(text) if cached is None else cached.size_bytes

    def _groups(self, texts: Mapping[bytes, str]) -> list[_Group[Made]]:
        live = {id(group): group for key in texts if (group := self._live.get(key))}
        new = {key: text for key, text in texts.items() if key not in self._live}
        cached = {key: self._cache[key] for key in new if key in self._cache}
        for key in cached:
            self._cache.move_to_end(key)
        missing = {key: text for key, text in new.items() if key not in cached}
        groups = list(live.values())
        if cached:
            known: asyncio.Future[dict[bytes, Made]] = asyncio.get_running_loop().create_future()
            known.set_result(cached)
            groups.append(self._open(cached, known, sum(one.size_bytes for one in cached.values())))
        if missing:
            task = asyncio.create_task(self._make(missing), name="documents")
            group = self._open(missing, task, sum(estimate(text) for text in missing.values()))
            task.add_done_callback(lambda _: self._finished(group))
            groups.append(group)
        return groups

    def _open(self, keys: Iterable[bytes], done: asyncio.Future[dict[bytes, Made]], size_bytes: int) -> _Group[Made]:
        group = _Group(tuple(keys), done, size_bytes)
        self._live.update(dict.fromkeys(group.keys, group))
        self._count(size_bytes)
        return group

    def _finished(self, group: _Group[Made]) -> None:
        """Remember what was made, and count what it really takes."""
        if group.done.cancelled() or group.done.exception() is not None:
            return
        made = group.done.result()
        for key, one in made.items():
            self._remember(key, one)
        if group.leases:
            size_bytes = sum(one.size_bytes for one in made.values())
            self._count(size_bytes - group.size_bytes)
            group.size_bytes = size_bytes

    def _release(self, groups: Iterable[_Group[Made]]) -> None:
        for group in groups:
            group.leases -= 1
            if group.leases == 0:
                # Forgotten at once: who asks for the same a moment later must not be given work that was called off.
                for key in group.keys:
                    del self._live[key]
                group.done.cancel()
                self._count(-group.size_bytes)

    def _count(self, more: int) -> None:
        self._leased_bytes += more
        self._show(self._leased_bytes)
        if more < 0:
            self._freed.set()

    def _remember(self, key: bytes, made: Made) -> None:
        if key in self._cache or made.size_bytes > self._cache_bytes:
            return
        self._cache[key] = made
        self._cached_bytes += made.size_bytes
        while self._cached_bytes > self._cache_bytes:
            _, oldest = self._cache.popitem(last=False)
            self._cached_bytes -= oldest.size_bytes
