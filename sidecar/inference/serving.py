"""Which requests a model of one's own is for where no rule names it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from sidecar.inference.grounding.embedded_zh import NAME as EMBEDDED_ZH
from sidecar.inference.grounding.lexical_zh import NAME as LEXICAL_ZH
from sidecar.inference.rules import ROLES, ModelsConfig, NamedModel, Rule, hint
from sidecar.record.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Serving:
    """A model for the requests of some services, in some languages; None = in any."""

    role: str
    name: str
    services: tuple[str, ...]
    languages: frozenset[str] | None

    def fits(self, service: str, languages: Callable[[], frozenset[str]]) -> bool:
        """Whether it is for a request. A text in another language is not for it, and one in no known language neither."""
        if not any(fnmatchcase(service, pattern) for pattern in self.services):
            return False
        return self.languages is None or (bool(found := languages()) and found <= self.languages)


def for_all(models: ModelsConfig, rules: Sequence[Rule], role: str) -> list[str]:
    """Names of models of one's own that nothing confines: no service, no language, no rule."""
    named = {rule.names().get(role) for rule in rules}
    own: Mapping[str, NamedModel] = getattr(models, role)
    return [
        name
        for name, one in own.items()
        if one.own and not one.services and one.languages is None and name not in named
    ]


def serving(models: ModelsConfig, rules: Sequence[Rule], defaults: Mapping[str, str]) -> Iterator[Serving]:
    """Models with services, and those with languages that nothing else names: first those that name both, else as listed. A chart lists by name."""
    for role in ROLES:
        named = {defaults[role], *(rule.names().get(role) for rule in rules)}
        for name, one in sorted(getattr(models, role).items(), key=lambda own: not _names_both(own[1])):
            if one.services or (one.languages is not None and name not in named):
                languages = None if one.languages is None else frozenset(one.languages)
                yield Serving(role, name, one.services or ("*",), languages)


def _names_both(one: NamedModel) -> bool:
    return bool(one.services) and one.languages is not None


def packaged(defaults: Mapping[str, Any]) -> Iterator[Serving]:
    """The models inside the package for a language that the default model of a role (by role) does not read."""
    return (inside for inside in _INSIDE if "zh" not in defaults[inside.role].languages)


def fallback_of(models: ModelsConfig, role: str, name: str) -> str | None:
    """The name of what stands in for a model. Raises ConfigError where there is no such model."""
    entry, settings = models.resolve(role, name)
    fallback = entry.fallback(settings)
    known = [one for one in models.known(role) if one != name]
    if fallback is not None and fallback not in known:
        problem = f"no {role} model {fallback!r} that could stand in"
        raise ConfigError(f"inference.models.{role}.{name}.fallback", problem, hint(fallback, known))
    return fallback


def beside(models: ModelsConfig, fallbacks: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], Serving]:
    """What stands in for a model, (role, name), together with one inside the package that does not read a language of its requests."""
    return {
        (inside.role, name): inside
        for inside in _INSIDE
        for (role, _), name in fallbacks.items()
        if role == inside.role
        and name not in (inside.name, LEXICAL_ZH)
        and not (name in (own := getattr(models, role)) and own[name].own)
    }


_INSIDE = tuple(Serving(role, EMBEDDED_ZH, ("*",), frozenset({"zh"})) for role in ("grounding", "relevance"))
