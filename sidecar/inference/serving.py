"""Which requests a model of one's own is for where no rule names it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from sidecar.inference.grounding.embedded_zh import NAME as EMBEDDED_ZH
from sidecar.inference.grounding.lexical_zh import NAME as LEXICAL_ZH
from sidecar.inference.languages import TOLD, UNKNOWN
from sidecar.inference.rules import ROLES, ModelsConfig, NamedModel, Rule, hint
from sidecar.record.errors import ConfigError

# Languages that a model, (role, name), reads; None where that is not known. Raises ConfigError.
Reads = Callable[[tuple[str, str]], frozenset[str] | None]


@dataclass(frozen=True, slots=True)
class Serving:
    """A model for the requests of some services, in some languages; None = in any that it `reads`, and None of these = in any."""

    role: str
    name: str
    services: tuple[str, ...]
    languages: frozenset[str] | None
    reads: frozenset[str] | None = None

    def fits(self, service: str, languages: Callable[[], frozenset[str]]) -> bool:
        """Whether it is for a request. A text in another language is not for it; one in no known language neither, where it names languages."""
        if not any(fnmatchcase(service, pattern) for pattern in self.services):
            return False
        if self.languages is None:
            return self.reads is None or languages() - {UNKNOWN} <= self.reads
        return bool(found := languages()) and found <= self.languages


def for_all(models: ModelsConfig, rules: Sequence[Rule], role: str) -> list[str]:
    """Names of models of one's own that nothing confines: no service, no language, no rule."""
    named = {rule.names().get(role) for rule in rules}
    own: Mapping[str, NamedModel] = getattr(models, role)
    return [
        name
        for name, one in own.items()
        if one.own and not one.services and one.languages is None and name not in named
    ]


def serving(
    models: ModelsConfig, rules: Sequence[Rule], defaults: Mapping[str, str], reads: Reads
) -> Iterator[Serving]:
    """Models with services, and those with languages that nothing else names: first those that name both, else as listed. A chart lists by name."""
    for role in ROLES:
        named = {defaults[role], *(rule.names().get(role) for rule in rules)}
        for name, one in sorted(getattr(models, role).items(), key=lambda own: not _names_both(own[1])):
            if one.services or (one.languages is not None and name not in named):
                languages = None if one.languages is None else frozenset(one.languages)
                yield Serving(role, name, one.services or ("*",), languages, reads((role, name)))


def _names_both(one: NamedModel) -> bool:
    return bool(one.services) and one.languages is not None


def packaged(defaults: Mapping[str, Any]) -> Iterator[Serving]:
    """The models inside the package for a language that the default model of a role (by role) does not read."""
    return (inside for inside in _INSIDE if "zh" not in defaults[inside.role].languages)


def check_languages(models: ModelsConfig, rules: Sequence[Rule], used: Iterable[tuple[str, str]], reads: Reads) -> None:
    """Raise ConfigError for a language that is given to a model that does not read it, and for a model in use, (role, name), that reads none that a request
    is told to be in. Rules name models that are there."""
    for field, key, asked in _given(models, rules):
        read = reads(key)
        if read is not None and not read.issuperset(asked):
            raise _unread(field, set(asked) - read, key[1], read, getattr(models, key[0]))
    for role, name in sorted(used):
        if (read := reads((role, name))) is not None and TOLD.isdisjoint(read):
            problem = f"no request is told to be in {_listed(read)}, which is all that its card says it reads"
            field = f"inference.models.{role}.{name}.languages"
            raise ConfigError(field, problem, f"name languages of {_listed(TOLD)}")


def _given(models: ModelsConfig, rules: Sequence[Rule]) -> Iterator[tuple[str, tuple[str, str], tuple[str, ...]]]:
    """Where languages are given to a model, which, and they. A model of one's own reads those of its entry."""
    for n, rule in enumerate(rules):
        for role, name in rule.names().items():
            yield f"inference.rules.{n}.{role}", (role, name), () if rule.language is None else (rule.language,)
    for role in ROLES:
        for name, one in getattr(models, role).items():
            if not one.own:
                yield f"inference.models.{role}.{name}.languages", (role, name), one.languages or ()


def _unread(
    field: str, asked: Iterable[str], name: str, read: Iterable[str], models: Mapping[str, NamedModel]
) -> ConfigError:
    mend = "name a model that reads it"
    if name in models and models[name].own:
        mend += f", or add it to the languages of {name} where it does"
    return ConfigError(field, f"{name} does not read {_listed(asked)}: it reads {_listed(read)}", mend)


def _listed(codes: Iterable[str]) -> str:
    return ", ".join(sorted(codes))


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
