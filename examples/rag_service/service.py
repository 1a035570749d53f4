"""The HTTP side: `POST /ask`, `GET` and `POST /knobs`, and a page to turn them by hand."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from opentelemetry.propagate import extract
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from rag_service import answers
from rag_service.knobs import Knobs
from rag_service.retrieval import Found, Knowledge, SearchError
from rag_service.tracing import Tracing, asked, retrieved, said

MODEL = "rules-1"
_SYSTEM = "Answer the question using only the context.\n\nContext:\n"
_PAGE = Path(__file__).with_name("page.html")


class Service:
    """Answers questions, as well as its knobs let it."""

    def __init__(self, knobs: Knobs, tracing: Tracing, *, seed: int | None = None) -> None:
        self.knobs = knobs
        self._knowledge = Knowledge.read()
        self._chance = random.Random(seed)  # noqa: S311 - faults for a demo
        self._tracing = tracing

    def app(self) -> Starlette:
        """The ASGI application."""
        routes = [
            Route("/", self._page),
            Route("/ask", self._ask, methods=["POST"]),
            Route("/knobs", self._show),
            Route("/knobs", self._turn, methods=["POST"]),
        ]
        return Starlette(routes=routes, lifespan=self._living)

    async def answer(self, question: str, headers: Mapping[str, str] | None = None) -> dict[str, object]:
        """The answer and its documents. The trace goes on from that of the caller, whose tracestate may say that a probe asks. Raises SearchError where the
        search does not work."""
        context = extract(headers or {})
        with self._tracing.span("CHAIN", "ask", {"input.value": question}, context) as span:
            found = await self._retrieve(question)
            answer = await self._generate(question, found)
            span.set_attribute("output.value", answer)
            trace_id = f"{span.get_span_context().trace_id:032x}"
        return {
            "answer": answer,
            "documents": [one.document.id for one in found],
            "contexts": [{"id": one.document.id, "text": one.document.text} for one in found],
            "trace_id": trace_id,
        }

    async def _retrieve(self, question: str) -> list[Found]:
        with self._tracing.span("RETRIEVER", "search", {"input.value": question}) as span:
            await asyncio.sleep(self._chance.lognormvariate(-3.5, 0.4))
            if self._falls(self.knobs.retrieval_fails):
                raise SearchError("the index does not answer")
            found = [] if self._falls(self.knobs.retrieve_nothing) else self._knowledge.search(question)
            span.set_attributes(retrieved(found))
        return found

    async def _generate(self, question: str, found: list[Found]) -> str:
        system = _SYSTEM + "\n\n".join(one.document.text for one in found)
        with self._tracing.span("LLM", "generate", asked(system, question, MODEL)) as span:
            more = self.knobs.slow_seconds if self._falls(self.knobs.slow) else 0.0
            await asyncio.sleep(self._chance.lognormvariate(-2.0, 0.4) + more)
            answer = self._decide(question, found)
            span.set_attributes(said(answer))
        return answer

    def _decide(self, question: str, found: list[Found]) -> str:
        if self._falls(self.knobs.refuse):
            return answers.REFUSAL
        answer = answers.faithful(question, found)
        if self._falls(self.knobs.hallucinate):
            return answers.made_up(answer, self._knowledge.inventions, self._chance)
        return answer

    def _falls(self, share: float) -> bool:
        return self._chance.random() < share

    async def _page(self, _: Request) -> Response:
        return FileResponse(_PAGE)

    async def _ask(self, request: Request) -> Response:
        body = await _json(request)
        question = body.get("question") if isinstance(body, dict) else None
        if not isinstance(question, str) or not question.strip():
            return _refused("question", 'a text is needed, for example {"question": "When is the station open?"}')
        try:
            return JSONResponse(await self.answer(question, request.headers))
        except SearchError as error:
            return JSONResponse({"error": str(error)}, 502)

    async def _show(self, _: Request) -> Response:
        return JSONResponse(self.knobs.model_dump())

    async def _turn(self, request: Request) -> Response:
        try:
            self.knobs = self.knobs.turned(await _json(request))
        except ValidationError as error:
            wrong = error.errors()[0]
            return _refused(str(wrong["loc"][-1]), wrong["msg"])
        return await self._show(request)

    @contextlib.asynccontextmanager
    async def _living(self, _: Starlette) -> AsyncIterator[None]:
        traffic = asyncio.create_task(self._traffic(), name="traffic")
        try:
            yield
        finally:
            traffic.cancel()
            await asyncio.gather(traffic, return_exceptions=True)
            await asyncio.to_thread(self._tracing.stop)

    async def _traffic(self) -> None:
        async with asyncio.TaskGroup() as group:
            while True:
                rate = self.knobs.traffic
                await asyncio.sleep(self._chance.expovariate(rate) if rate else 0.5)
                if rate and self.knobs.traffic:
                    group.create_task(self._own(self._chance.choice(self._knowledge.questions)))

    async def _own(self, question: str) -> None:
        with contextlib.suppress(SearchError):
            await self.answer(question)


async def _json(request: Request) -> object:
    try:
        value: object = json.loads(await request.body())
    except ValueError:
        return None
    return value


def _refused(name: str, why: str) -> Response:
    return JSONResponse({"error": f"{name}: {why}"}, 400)
