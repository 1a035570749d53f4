"""Small RAG services on real frameworks, with the instrumentations that people use: how their traces become scores without a line of ours.

model_server.py   an OpenAI-compatible server that answers out of the documents by rule, in place of a model
on_langchain.py   LangChain
on_llamaindex.py  LlamaIndex
on_haystack.py    Haystack
on_openai.py      the OpenAI client alone
instrument.py     what makes spans of them
__main__.py       `python -m frameworks`
"""
