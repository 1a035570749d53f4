"""Replies by the content of their questions, the latest of them, within a bound of memory."""

from __future__ import annotations

from collections import OrderedDict

# What an entry takes beside its text.
_OVERHEAD = 200


class Cache:
    """The least recently used goes first."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._entries: OrderedDict[bytes, str] = OrderedDict()
        self._size = 0

    def get(self, key: bytes) -> str | None:
        """The reply to a question of this content, None where it is not known."""
        found = self._entries.get(key)
        if found is not None:
            self._entries.move_to_end(key)
        return found

    def put(self, key: bytes, reply: str) -> None:
        """Remember a reply."""
        self._size -= self._cost(self._entries.pop(key, None))
        self._entries[key] = reply
        self._size += self._cost(reply)
        while self._size > self._most and self._entries:
            _, gone = self._entries.popitem(last=False)
            self._size -= self._cost(gone)

    @property
    def size(self) -> int:
        """Bytes, about."""
        return self._size

    def _cost(self, reply: str | None) -> int:
        return 0 if reply is None else _OVERHEAD + len(reply.encode("utf-8", "surrogatepass"))
