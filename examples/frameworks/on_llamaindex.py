"""RAG on LlamaIndex: a vector index and its query engine."""

from __future__ import annotations

from llama_index.core import Document, VectorStoreIndex
from llama_index.embeddings.openai import OpenAIEmbedding
from llama_index.llms.openai import OpenAI

from frameworks.model_server import EMBEDDING_MODEL, MODEL
from rag_service.retrieval import Knowledge


class Service:
    """Answers questions."""

    def __init__(self, url: str, knowledge: Knowledge) -> None:
        embedding = OpenAIEmbedding(model=EMBEDDING_MODEL, api_base=url, api_key="none")
        documents = [Document(id_=one.id, text=one.text) for one in knowledge.documents]
        index = VectorStoreIndex.from_documents(documents, embed_model=embedding)
        self._engine = index.as_query_engine(llm=OpenAI(model=MODEL, api_base=url, api_key="none"), similarity_top_k=3)

    def answer(self, question: str, session: str) -> str:
        """The answer to a question of a conversation."""
        return str(self._engine.query(question))
