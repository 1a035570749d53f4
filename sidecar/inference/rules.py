"""Names of models, their settings, and the rules that say which request gets which."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from sidecar.inference.embedding.registry import EMBEDDING
from sidecar.inference.entry import Entry
from sidecar.inference.grounding.registry import GROUNDING
from sidecar.inference.languages import Language
from sidecar.inference.relevance.registry import RELEVANCE
from sidecar.settings.messages import plain_of_setting

AUTO = "auto"
OWN = ("onnx", "remote")
ROLES: Mapping[str, Sequence[Entry[Any]]] = {"grounding": GROUNDING, "relevance": RELEVANCE, "embedding": EMBEDDING}


class Rule(BaseModel):
    """Models for some requests. A role that is left out has its default model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    service: str = Field(
        default="*", min_length=1, description="Services that it is for; * and ? stand for any characters."
    )
    language: Language | None = Field(
        default=None,
        description="ISO 639-1 code: requests with a question, answer or document in this language; by default all.",
    )
    grounding: str | None = Field(default=None, description="The grounding model.")
    relevance: str | None = Field(default=None, description="The relevance model.")
    embedding: str | None = Field(default=None, description="The embedding model.")

    def fits(self, service: str) -> bool:
        """Whether the rule is for this service."""
        return fnmatchcase(service, self.service)

    def names(self) -> dict[str, str]:
        """Role to the name of its model, of the roles that the rule speaks of."""
        return {role: name for role in ROLES if (name := getattr(self, role)) is not None}


class NamedModel(BaseModel):
    """A model by a name of one's own, or other settings of one that is known. Further keys are settings of its kind."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: str | None = Field(
        default=None,
        description="Which model it is; by default the one of that name, and one of your own where it says `onnx` or `remote`.",
    )
    services: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(),
        description="Services that it is for; * and ? stand for any characters. By default it is for those of the rules that name it; "
        "one of your own that nothing names is for all.",
    )
    languages: tuple[Language, ...] | None = Field(
        default=None,
        min_length=1,
        description="ISO 639-1 codes of the requests that it is for: those with no text in another language. Of a model of your own also "
        "what it reads. Where it has services alone it is for what it reads: the languages of its card, else English.",
    )

    @property
    def own(self) -> str | None:
        """Where a model of one's own is: `onnx` or `remote`; None for one that is known."""
        return next((key for key in OWN if key in (self.model_extra or {})), None)

    def kind_of(self, name: str) -> str:
        """The entry that it is, given the name that it has."""
        return self.kind or self.own or name

    def settings(self, entry: Entry[Any]) -> BaseModel:
        """Its settings. Raises ValidationError."""
        given = dict(self.model_extra or {})
        if self.languages is not None and "languages" in entry.config.model_fields:
            given["languages"] = self.languages
        return entry.config.model_validate(given)


class ModelsConfig(BaseModel):
    """Models by name, for each role."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    grounding: Mapping[str, NamedModel] = Field(default={}, description="Grounding models.")
    relevance: Mapping[str, NamedModel] = Field(default={}, description="Relevance models.")
    embedding: Mapping[str, NamedModel] = Field(default={}, description="Embedding models.")

    @field_validator("grounding", "relevance", "embedding")
    @classmethod
    def _settings(cls, models: Mapping[str, NamedModel], info: ValidationInfo) -> Mapping[str, NamedModel]:
        for name, model in models.items():
            role = str(info.field_name)
            entry = _find(role, model.kind_of(name))
            if entry is None:
                kinds = [one.name for one in ROLES[role]]
                if model.kind is None:
                    for key in model.model_extra or {}:
                        if close := difflib.get_close_matches(key, OWN, n=1):
                            raise wrong("unknown_key", (name, key), f"no such setting; did you mean {close[0]}?")
                    mend = f"say where it is, `onnx: FOLDER` or `remote: ADDRESS`, or its `kind` ({', '.join(kinds)})"
                    raise wrong("no_place", (name,), mend)
                raise wrong("unknown_kind", (name, "kind"), f"no such model; {hint(model.kind_of(name), kinds)}")
            if entry.name in OWN and (name == AUTO or _find(role, name) is not None):
                raise wrong("taken_name", (name,), f"{name} is a model that is known: give yours another name")
            try:
                model.settings(entry)
            except ValidationError as error:
                raise _below(name, error, entry.config) from None
        return models

    def known(self, role: str) -> list[str]:
        """Names that may be given for a role."""
        names = [*getattr(self, role), *(entry.name for entry in ROLES[role] if entry.name not in OWN)]
        return list(dict.fromkeys([AUTO, *names] if role == "grounding" else names))

    def resolve(self, role: str, name: str) -> tuple[Entry[Any], BaseModel]:
        """The entry that a known name stands for (`auto` excepted), and its settings."""
        given = getattr(self, role).get(name)
        entry = _find(role, given.kind_of(name) if given else name)
        if entry is None:
            raise KeyError(name)
        return entry, given.settings(entry) if given else entry.config.model_validate({})


def wrong(kind: str, place: tuple[str | int, ...], message: str) -> ValidationError:
    """An error of a setting at a place below the one that is validated."""
    problem = PydanticCustomError(kind, "{message}", {"message": message})
    return ValidationError.from_exception_data("settings", [InitErrorDetails(type=problem, loc=place, input=None)])


def hint(word: str, known: Iterable[str]) -> str:
    """What to write instead."""
    names = list(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {close[0]}?" if close else "known are " + ", ".join(names)


def _find(role: str, kind: str) -> Entry[Any] | None:
    return next((entry for entry in ROLES[role] if entry.name == kind), None)


def _below(name: str, error: ValidationError, config: type[BaseModel]) -> ValidationError:
    """The same error, one level deeper."""
    first = error.errors(include_url=False)[0]
    message = plain_of_setting(first)
    if first["type"] == "extra_forbidden":
        known = list(config.model_fields)
        message = f"no such setting; {hint(str(first['loc'][-1]), known) if known else 'this model has none'}"
    return wrong("model_setting", (name, *first["loc"]), message)
