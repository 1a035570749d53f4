"""The embedding model, borrowed by judged evaluators for one call at a time: it is never held while the judge is waited for."""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.evaluate.case import Case
from sidecar.evaluate.metrics.semantic_similarity import cosine
from sidecar.inference.base import UNREACHABLE, ModelSource
from sidecar.record.errors import InferenceError, Unscorable


async def admit_embedder(models: ModelSource, case: Case) -> None:
    """Before anything is spent: raise Unscorable(language) where the embedding model does not read the request."""
    async with models.route(service=case.trace.service, languages=lambda: case.languages) as given:
        read = given.embedder.languages
    if read is not None and not case.languages <= read:
        raise Unscorable("language")


async def cosines(models: ModelSource, case: Case, text: str, others: Sequence[str]) -> list[float]:
    """Cosine of a text and each of others: -1..1. Where the model went away meanwhile, what stands in for it is asked, if it reads
    the request."""
    try:
        return await _cosines(models, case, text, others)
    except InferenceError as error:
        if error.reason != UNREACHABLE:
            raise
        await admit_embedder(models, case)
        return await _cosines(models, case, text, others)


async def _cosines(models: ModelSource, case: Case, text: str, others: Sequence[str]) -> list[float]:
    async with models.route(service=case.trace.service, languages=lambda: case.languages) as given:
        vectors = await given.embedder.embed([text, *others])
    return [cosine(vectors[0], one) for one in vectors[1:]]
