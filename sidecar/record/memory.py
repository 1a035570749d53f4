"""One budget of bytes for everything that waits in memory. Safe for threads; knows no clock, no metrics, no tasks.

Each buffer has a name. It takes bytes before it keeps something and gives them back when it lets go, so that all buffers
together stay below one limit whatever the traffic looks like. Who is refused says what happens instead: the oldest trace
ends, intake pauses, a result is dropped and counted. Sizes are approximate; they are counted the same way in both directions.
"""

from __future__ import annotations

import threading

from sidecar.record.request import RagTrace


class MemoryBudget:
    """Bytes shared by named buffers."""

    def __init__(self, most_bytes: int) -> None:
        """`most_bytes` > 0 is the limit of all buffers together."""
        self.most_bytes = most_bytes
        self._used: dict[str, int] = {}
        self._total = 0
        self._lock = threading.Lock()

    def take(self, name: str, amount: int) -> bool:
        """Take `amount` >= 0 bytes for a buffer. False where they do not fit: then nothing was taken."""
        with self._lock:
            if self._total + amount > self.most_bytes:
                return False
            self._add(name, amount)
            return True

    def charge(self, name: str, amount: int) -> None:
        """Count bytes that are there whatever the limit says (what cannot be refused); the total may pass the limit."""
        with self._lock:
            self._add(name, amount)

    def give(self, name: str, amount: int) -> None:
        """Give bytes back. More than the buffer has is a bug and raises ValueError: the books would never be right again."""
        with self._lock:
            if amount > self._used.get(name, 0):
                raise ValueError(f"buffer {name} gives back {amount} bytes and has {self._used.get(name, 0)}")
            self._add(name, -amount)

    @property
    def used(self) -> int:
        """Bytes taken by all buffers."""
        return self._total

    @property
    def fill(self) -> float:
        """Share of the limit that is taken; over 1 where something could not be refused."""
        return self._total / self.most_bytes

    def by_buffer(self) -> dict[str, int]:
        """Bytes by name, of every buffer that ever took any."""
        with self._lock:
            return dict(self._used)

    def _add(self, name: str, amount: int) -> None:
        self._used[name] = self._used.get(name, 0) + amount
        self._total += amount


def trace_bytes(trace: RagTrace) -> int:
    """About what a request holds in memory."""
    texts = [trace.question or "", trace.answer or "", trace.reference or ""]
    texts += [document.text or "" for document in trace.documents]
    texts += [message.text or str(message.tool_calls) for message in trace.messages]
    texts += trace.authored.texts() if trace.authored else ()
    return 2000 + sum(map(_held, texts)) + 200 * (len(trace.documents) + len(trace.messages))


def _held(text: str) -> int:
    return 2 * len(text)
