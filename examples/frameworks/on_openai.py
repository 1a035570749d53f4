"""RAG on OpenAI's client alone, with a search of its own: spans of OpenTelemetry's GenAI conventions, the model's by instrumentation, the others by hand."""

from __future__ import annotations

import json

from openai import OpenAI
from opentelemetry import trace

from frameworks.model_server import MODEL
from rag_service.retrieval import Found, Knowledge

_PROMPT = "Answer the question using only the context.\n\nContext:\n"


class Service:
    """Answers questions."""

    def __init__(self, url: str, knowledge: Knowledge) -> None:
        self._client = OpenAI(base_url=url, api_key="none")
        self._knowledge = knowledge
        self._tracer = trace.get_tracer("on-openai")

    def answer(self, question: str, session: str) -> str:
        """The answer to a question of a conversation."""
        given = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.conversation.id": session}
        with self._tracer.start_as_current_span("invoke_workflow rag", attributes=given):
            context = "\n\n".join(one.document.text for one in self._search(question))
            told = self._client.chat.completions.create(
                model=MODEL,
                messages=[{"role": "system", "content": _PROMPT + context}, {"role": "user", "content": question}],
            )
        return told.choices[0].message.content or ""

    def _search(self, question: str) -> list[Found]:
        given = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": question}
        with self._tracer.start_as_current_span("retrieval documents", attributes=given) as span:
            found = self._knowledge.search(question)
            told = [{"id": one.document.id, "score": one.score, "content": one.document.text} for one in found]
            span.set_attribute("gen_ai.retrieval.documents", json.dumps(told))
        return found
