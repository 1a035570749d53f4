"""RAG on Haystack: a BM25 retriever, a prompt builder and a chat generator, in one pipeline."""

from __future__ import annotations

from haystack import Document, Pipeline
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import Secret

from frameworks.model_server import MODEL
from rag_service.retrieval import Knowledge

_PROMPT = "Answer the question using only the context.\n\nContext:\n{% for one in documents %}{{ one.content }}\n\n{% endfor %}"


class Service:
    """Answers questions."""

    def __init__(self, url: str, knowledge: Knowledge) -> None:
        store = InMemoryDocumentStore()
        store.write_documents([Document(id=one.id, content=one.text) for one in knowledge.documents])
        template = [ChatMessage.from_system(_PROMPT), ChatMessage.from_user("{{ question }}")]
        self._pipeline = Pipeline()
        self._pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=3))
        self._pipeline.add_component("prompt", ChatPromptBuilder(template, required_variables="*"))
        key = Secret.from_token("none")
        self._pipeline.add_component("model", OpenAIChatGenerator(api_key=key, model=MODEL, api_base_url=url))
        self._pipeline.connect("retriever", "prompt.documents")
        self._pipeline.connect("prompt", "model")

    def answer(self, question: str, session: str) -> str:
        """The answer to a question of a conversation."""
        told = self._pipeline.run({"retriever": {"query": question}, "prompt": {"question": question}})
        return str(told["model"]["replies"][0].text)
