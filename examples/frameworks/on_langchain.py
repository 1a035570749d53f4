"""RAG on LangChain: a vector store, a prompt, a chat model, in one chain."""

from __future__ import annotations

from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

from frameworks.model_server import EMBEDDING_MODEL, MODEL
from rag_service.retrieval import Knowledge

_PROMPT = "Answer the question using only the context.\n\nContext:\n{context}"


class Service:
    """Answers questions."""

    def __init__(self, url: str, knowledge: Knowledge) -> None:
        embedding = OpenAIEmbeddings(
            model=EMBEDDING_MODEL, base_url=url, api_key="none", check_embedding_ctx_length=False
        )
        store = InMemoryVectorStore(embedding)
        store.add_documents([Document(id=one.id, page_content=one.text) for one in knowledge.documents])
        prompt = ChatPromptTemplate.from_messages([("system", _PROMPT), ("user", "{question}")])
        model = ChatOpenAI(model=MODEL, base_url=url, api_key="none")
        found = store.as_retriever(search_kwargs={"k": 3}) | _joined
        self._chain = {"context": found, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()

    def answer(self, question: str, session: str) -> str:
        """The answer to a question of a conversation."""
        return self._chain.invoke(question, {"run_name": "rag", "metadata": {"session_id": session}})


def _joined(documents: list[Document]) -> str:
    return "\n\n".join(one.page_content for one in documents)
