"""RAG Sidecar: scores production RAG traces from Kafka and publishes the numbers.

Read the package in the order of the pipeline: receive, decode, assemble, sample, evaluate, deliver.
"""

__version__ = "0.1.0"
