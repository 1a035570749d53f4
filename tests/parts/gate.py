"""A gate in front of a server, which can be shut: connections are taken and stay, and nothing passes until it is opened again."""

from __future__ import annotations

import asyncio
import threading


class Gate:
    """Passes TCP from one port of 127.0.0.1 to another, in a thread of its own, until `stop`."""

    def __init__(self, port: int, upstream: int) -> None:
        self._port, self._upstream = port, upstream
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="gate", daemon=True)
        self._opened = asyncio.Event()
        self._opened.set()
        self._serving: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)

    def stop(self) -> None:
        """Close every connection, and stop to listen."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def shut(self) -> None:
        """Let nothing pass, in either direction."""
        self._loop.call_soon_threadsafe(self._opened.clear)

    def open(self) -> None:
        """Let everything pass, also what has waited."""
        self._loop.call_soon_threadsafe(self._opened.set)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port)

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving.add(task := asyncio.create_task(self._serve(reader, writer), name="gate"))
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._opened.wait()
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._upstream)
        except OSError:
            writer.close()
            return
        except asyncio.CancelledError:
            writer.close()
            raise
        both = [asyncio.create_task(self._copy(reader, up_writer)), asyncio.create_task(self._copy(up_reader, writer))]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            writer.close()
            up_writer.close()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            await self._opened.wait()
            writer.write(data)
            await writer.drain()
