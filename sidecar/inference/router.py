"""Each request's models, by its service and its languages: the first rule that fits, else the defaults."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

from sidecar.inference.base import Models
from sidecar.inference.rules import ROLES, Rule
from sidecar.inference.shelf import Shelf


class Router:
    """inference.base.ModelSource over a shelf that holds every model that the rules and the defaults name."""

    def __init__(self, rules: Sequence[Rule], defaults: Mapping[str, str], shelf: Shelf) -> None:
        self._rules = rules
        self._defaults = defaults
        self._shelf = shelf

    @asynccontextmanager
    async def route(self, *, service: str, languages: Callable[[], frozenset[str]]) -> AsyncIterator[Models]:
        """As inference.base.ModelSource says."""
        names = self.names(service, languages)
        async with self._shelf.lease([(role, names[role]) for role in ROLES]) as (grounder, relevance, embedder):
            yield Models(embedder, grounder, relevance)

    def names(self, service: str, languages: Callable[[], frozenset[str]]) -> dict[str, str]:
        """Role to the name of its model."""
        found: frozenset[str] | None = None
        for rule in self._rules:
            if not rule.fits(service):
                continue
            if rule.language is not None:
                found = languages() if found is None else found
                if rule.language not in found:
                    continue
            return {**self._defaults, **rule.names()}
        return dict(self._defaults)
