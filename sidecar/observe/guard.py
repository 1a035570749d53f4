"""Connections that say nothing, or do not read what they asked for, cost little: uvicorn's protocol with a time for the headers, another
one for the answer, and with room for whoever comes next.

uvicorn times only the pause between two requests of a connection. Sockets that never send a request would stay for ever, and once there
are as many as are allowed, everyone else is answered 503: probes too, upon which Kubernetes kills a pod that is well. And an answer is complete
for uvicorn when it is in the buffers: a connection that is closed then waits for these, for ever where nobody reads.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct

from uvicorn.protocols.http.h11_impl import H11Protocol

_NO_LINGER = struct.pack("ii", 1, 0)


def guarded(header_seconds: float, answer_seconds: float) -> type[H11Protocol]:
    """The protocol, for connections whose requests' headers are there within `header_seconds`, and whose answers are read `answer_seconds`
    after that."""

    class Guarded(_Guarded):
        seconds, reads_within = header_seconds, answer_seconds

    return Guarded


class _Guarded(H11Protocol):
    """A connection waits (for headers, or for the next request) or is busy with a request. A new one beyond `limit_concurrency` takes
    the place of the one that has waited longest; only where all are busy uvicorn refuses it."""

    seconds: float
    reads_within: float
    _answering: asyncio.TimerHandle | None = None
    _timer: asyncio.TimerHandle | None = None
    _waits_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait(self.seconds)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._stop_answering()
        self._waits_since = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        was_busy = self._busy()
        super().data_received(data)
        if self._busy() and not was_busy:
            self._work()
        elif not self._busy() and self._timer is None:
            self._wait(self.seconds)  # the first bytes of another request

    def on_response_complete(self) -> None:
        self._wait(None)  # uvicorn times the pause between requests
        super().on_response_complete()
        if self._busy():
            self._work()

    def _busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _work(self) -> None:
        self._stop_timer()
        self._stop_answering()
        self._waits_since = None
        self._answering = self.loop.call_later(self.reads_within, self._unread)

    def _unread(self) -> None:
        """The time for an answer is up, and it may still be with us."""
        if self._busy() or self.transport.get_write_buffer_size():
            self._cut_off()

    def _cut_off(self) -> None:
        """End the connection and all that waits to be read; without this the kernel would keep its part of that."""
        sock = self.transport.get_extra_info("socket")
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.transport.abort()

    def _wait(self, seconds: float | None) -> None:
        self._stop_timer()
        self._waits_since = self.loop.time()
        if seconds is not None:
            self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stop_answering(self) -> None:
        if self._answering is not None:
            self._answering.cancel()
            self._answering = None

    def _make_room(self) -> None:
        others = [one for one in self.connections if isinstance(one, _Guarded) and one._stays()]
        waiting = [(one._waits_since, one) for one in others if one is not self and one._waits_since is not None]
        if self.limit_concurrency is not None and len(others) >= self.limit_concurrency and waiting:
            longest = min(waiting, key=lambda each: each[0])[1]
            longest._waits_since = None
            if longest.transport.get_write_buffer_size():
                longest._cut_off()
            else:
                longest.transport.abort()

    def _stays(self) -> bool:
        """Whether the connection would go on to count. One that closes does while there is something to be read."""
        return not self.transport.is_closing() or (
            self._waits_since is not None and self.transport.get_write_buffer_size() > 0
        )
