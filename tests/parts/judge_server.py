"""An OpenAI-compatible server on 127.0.0.1 that says what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

DATA_BEGIN, DATA_END = "<data>\n", "\n</data>"


@dataclass(frozen=True, slots=True)
class Asked:
    """One call: its path, its headers with names in lower case, and its body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        text: str = self.body["messages"][0]["content"]
        return text

    @property
    def user(self) -> str:
        text: str = self.body["messages"][1]["content"]
        return text

    @property
    def data(self) -> dict[str, Any]:
        """What stands in the data block."""
        found: dict[str, Any] = json.loads(self.user.removeprefix(DATA_BEGIN).removesuffix(DATA_END))
        return found

    @property
    def schema(self) -> str:
        """Name of the reply that is asked for."""
        name: str = self.body["response_format"]["json_schema"]["name"]
        return name


@dataclass(frozen=True, slots=True)
class Said:
    """An answer. `body` is sent as it is where it is bytes; else it is the text of a completion, JSON where it is no text."""

    body: object
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    finish: str = "stop"
    usage: Mapping[str, Any] | None = None
    after: float = 0.0


@dataclass(slots=True)
class JudgeServer:
    """Used as `async with JudgeServer(answer) as server`. `answer` is asked for each call; what is no Said is a completion of that."""

    answer: Callable[[Asked], object]
    asked: list[Asked] = field(default_factory=list)
    most_at_once: int = 0
    _now: int = 0
    _server: asyncio.Server | None = None
    _serving: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> JudgeServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        try:
            await self._answer(reader, writer)
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            first, *head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in head)}
            body = json.loads(await reader.readexactly(int(headers["content-length"])))
            asked = Asked(first.split(" ")[1], headers, body)
            self.asked.append(asked)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            try:
                made = self.answer(asked)
                said = made if isinstance(made, Said) else Said(made)
                await asyncio.sleep(said.after)
            finally:
                self._now -= 1
            writer.write(_whole(said, str(body["model"])))
            await writer.drain()


def _whole(said: Said, model: str) -> bytes:
    body = said.body if isinstance(said.body, bytes) else json.dumps(_completion(said, model)).encode()
    lines = [f"HTTP/1.1 {said.status} Said", f"content-length: {len(body)}", "connection: close"]
    lines += [f"{name}: {value}" for name, value in said.headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def _completion(said: Said, model: str) -> dict[str, Any]:
    if said.status != 200:
        return {"error": said.body}
    text = said.body if isinstance(said.body, str) else json.dumps(said.body, ensure_ascii=False)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "finish_reason": said.finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        if said.usage is None
        else said.usage,
    }


@contextlib.contextmanager
def in_a_thread(answer: Callable[[Asked], object]) -> Iterator[JudgeServer]:
    """The same for tests that are not asynchronous: it serves on a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="judge server")
    thread.start()
    server = JudgeServer(answer)
    try:
        asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(30)
        try:
            yield server
        finally:
            asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(30)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
