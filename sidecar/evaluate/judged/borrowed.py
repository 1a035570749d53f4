"""The embedding model, borrowed by judged evaluators for one call at a time: it is never held while the judge is waited for."""

from __future__ import annotations

from collections.abc import Sequence

from exporters.result import ModelIdentity
from sidecar.evaluate.case import Case
from sidecar.evaluate.metrics.semantic_similarity import cosine
from sidecar.inference.base import UNREACHABLE, ModelSource
from sidecar.record.errors import InferenceError, Unscorable


async def admit_embedder(models: ModelSource, case: Case) -> ModelIdentity:
    """Before anything is spent: which the embedding model is. Raises Unscorable(language) where it does not read the request."""
    async with models.route(service=case.trace.service, languages=lambda: case.languages) as given:
        read, identity = given.embedder.languages, given.embedder.identity
    if read is not None and not case.languages <= read:
        raise Unscorable("language")
    return identity


async def cosines(
    models: ModelSource, case: Case, text: str, others: Sequence[str]
) -> tuple[list[float], ModelIdentity]:
    """Cosine of a text and each of others: -1..1; and the embedding model that says so. Where the model went away meanwhile, what stands in for it is asked, if it reads
    the request."""
    try:
        return await _cosines(models, case, text, others)
    except InferenceError as error:
        if error.reason != UNREACHABLE:
            raise
        await admit_embedder(models, case)
        return await _cosines(models, case, text, others)


async def _cosines(
    models: ModelSource, case: Case, text: str, others: Sequence[str]
) -> tuple[list[float], ModelIdentity]:
    async with models.route(service=case.trace.service, languages=lambda: case.languages) as given:
        vectors, identity = await given.embedder.embed([text, *others]), given.embedder.identity
    return [cosine(vectors[0], one) for one in vectors[1:]], identity
