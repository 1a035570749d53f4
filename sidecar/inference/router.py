"""Each request's models, by its service and its languages: the first rule that fits, else the models that serve it, else the defaults."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache

from sidecar.inference.base import AbstentionModel, Models
from sidecar.inference.rules import Rule
from sidecar.inference.serving import Serving
from sidecar.inference.shelf import Key, Shelf


class Router:
    """inference.base.ModelSource over a shelf that holds every model that the rules and the defaults name."""

    def __init__(
        self,
        rules: Sequence[Rule],
        defaults: Mapping[str, str],
        shelf: Shelf,
        *,
        serving: Sequence[Serving] = (),
        fallbacks: Mapping[Key, str] | None = None,
        beside: Mapping[Key, Serving] | None = None,
        abstention: AbstentionModel | None = None,
    ) -> None:
        """`fallbacks` are names of models that stand in while that of a key is away; `beside` are what does so in place of such a one, for the
        requests that it fits."""
        self.abstention = abstention
        self._rules = rules
        self._serving = serving
        self._fallbacks = fallbacks or {}
        self._beside = beside or {}
        self._defaults = defaults
        self._shelf = shelf

    @asynccontextmanager
    async def route(self, *, service: str, languages: Callable[[], frozenset[str]]) -> AsyncIterator[Models]:
        """As inference.base.ModelSource says."""
        known = cache(languages)
        keys = [self._there(key, service, known) for key in self.names(service, known).items()]
        async with self._shelf.lease(keys) as found:
            models = {role: model for (role, _), model in zip(keys, found, strict=True)}
            yield Models(models["embedding"], models["grounding"], models["relevance"])

    def _there(self, key: Key, service: str, languages: Callable[[], frozenset[str]]) -> Key:
        """The key, or that of what stands in for its model."""
        fallback = self._fallbacks.get(key)
        if fallback is None or self._shelf.away(key) is None:
            return key
        other = self._beside.get((key[0], fallback))
        return key[0], other.name if other and other.fits(service, languages) else fallback

    def names(self, service: str, languages: Callable[[], frozenset[str]]) -> dict[str, str]:
        """Role to the name of its model."""
        known = cache(languages)
        ruled: Mapping[str, str] = next(
            (r.names() for r in self._rules if r.fits(service) and (r.language is None or r.language in known())), {}
        )
        served: dict[str, str] = {}
        for one in self._serving:
            if one.role not in ruled and one.role not in served and one.fits(service, known):
                served[one.role] = one.name
        return {**self._defaults, **served, **ruled}
