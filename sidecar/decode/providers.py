"""Providers of models, in the words of OTel GenAI."""

from __future__ import annotations

from sidecar.decode.values.scalars import first_text
from sidecar.record.record import Attributes

_PROVIDERS_NOT = frozenset({"langchain", "llamaindex", "llama_index", "haystack", "spring_ai", "unknown"})
_PROVIDER_ALIASES = {
    "az.ai.openai": "azure.ai.openai",
    "vertexai": "gcp.vertex_ai",
    "mistralai": "mistral_ai",
    "az.ai.inference": "azure.ai.inference",
    "xai": "x_ai",
    "google": "gcp.gen_ai",
}
_PROVIDER_ENDINGS = (".chat", ".messages", ".responses", ".completion")


def provider_name(value: str | None) -> str | None:
    """A provider in the words of OTel GenAI; orchestrators are none."""
    if value is None:
        return None
    name = value.lower()
    for ending in _PROVIDER_ENDINGS:
        name = name.removesuffix(ending)
    return None if name in _PROVIDERS_NOT else _PROVIDER_ALIASES.get(name, name)


def provider_beside(attributes: Attributes) -> str | None:
    """The provider that LangChain's metadata names, where the span itself names an orchestrator or none."""
    keys = ("traceloop.association.properties.ls_provider", "langsmith.metadata.ls_provider")
    return provider_name(first_text(attributes, *keys))
