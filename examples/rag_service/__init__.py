"""A small RAG service to try RAG Sidecar on: no LLM, documents of its own, and knobs that make it fail in known ways.

documents.json  what it knows, and questions about it
knobs.py        what can be turned over HTTP
retrieval.py    documents by the words that they share with the question
answers.py      an answer out of them by rule, right or made up
tracing.py      OpenInference spans over OTLP
service.py      the HTTP side, and traffic of its own
"""
