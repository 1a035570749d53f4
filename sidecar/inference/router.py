"""Each request's models, by its service and its languages: the first rule that fits, else the models that serve it, else the defaults."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache

from sidecar.inference.base import Models
from sidecar.inference.rules import ROLES, Rule
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
    ) -> None:
        """`fallbacks` are names of models that stand in while that of a key is away."""
        self._rules = rules
        self._serving = serving
        self._fallbacks = fallbacks or {}
        self._defaults = defaults
        self._shelf = shelf

    @asynccontextmanager
    async def route(self, *, service: str, languages: Callable[[], frozenset[str]]) -> AsyncIterator[Models]:
        """As inference.base.ModelSource says."""
        names = self.names(service, languages)
        async with self._shelf.lease([self._there((role, names[role])) for role in ROLES]) as (
            grounder,
            relevance,
            embedder,
        ):
            yield Models(embedder, grounder, relevance)

    def _there(self, key: Key) -> Key:
        """The key, or that of what stands in for its model."""
        fallback = self._fallbacks.get(key)
        return key if fallback is None or self._shelf.away(key) is None else (key[0], fallback)

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
