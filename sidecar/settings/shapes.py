"""What a setting may be: its annotation taken apart, and the way from a model down a path."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence, Set
from typing import Any

from pydantic import BaseModel


def alternatives(annotation: Any) -> list[Any]:
    """The types that a setting may have: unions and optional ones opened, None left out."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return alternatives(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return [one for part in typing.get_args(annotation) for one in alternatives(part)]
    return [] if annotation is type(None) else [annotation]


def models(annotations: Sequence[Any]) -> list[type[BaseModel]]:
    """Those of the types that are sections."""
    return [one for one in annotations if isinstance(one, type) and issubclass(one, BaseModel)]


def items(annotations: Sequence[Any]) -> list[Any]:
    """What the lists among the types hold."""
    return _held(annotations, (Sequence, Set), 0)


def values(annotations: Sequence[Any]) -> list[Any]:
    """What the maps among the types hold."""
    return _held(annotations, (Mapping,), 1)


def _held(annotations: Sequence[Any], kinds: tuple[type, ...], place: int) -> list[Any]:
    found = []
    for one in annotations:
        origin, arguments = typing.get_origin(one), typing.get_args(one)
        if isinstance(origin, type) and issubclass(origin, kinds) and len(arguments) > place:
            found += alternatives(arguments[place])
    return found


def below(annotations: Sequence[Any], part: int | str) -> list[Any]:
    """The types one step down the path; none where nothing has that name."""
    if isinstance(part, int):
        return items(annotations)
    fields = [one.model_fields[part].annotation for one in models(annotations) if part in one.model_fields]
    return [one for field in fields for one in alternatives(field)] or values(annotations)


def at(model: type[BaseModel], location: Sequence[int | str]) -> tuple[list[Any], tuple[int | str, ...]]:
    """The types at a location of a pydantic error, and the path to it as one writes it.

    Where a setting may have several types, pydantic puts the name or the tag of one of them into the location: no part of the path.
    """
    found: list[Any] = [model]
    path: list[int | str] = []
    parts = list(location)
    while parts:
        part = parts.pop(0)
        if len(found) > 1 and isinstance(part, str):
            found = [one for one in found if _is_called(one, part)] or found[:1]
            if not parts:
                break
            part = parts.pop(0)
        path.append(part)
        found = below(found, part)
    return found, tuple(path)


def _is_called(annotation: Any, word: str) -> bool:
    """Whether pydantic calls a member of a union by this word: its name, or the value that a field of it must have."""
    tags = [
        tag
        for one in models([annotation])
        for field in one.model_fields.values()
        if typing.get_origin(field.annotation) is typing.Literal
        for tag in typing.get_args(field.annotation)
    ]
    return word in (getattr(annotation, "__name__", ""), str(annotation)) or word in tags


def names(annotations: Sequence[Any]) -> list[str]:
    """The names of the settings in the sections among the types."""
    return list(dict.fromkeys(name for one in models(annotations) for name in one.model_fields))


def variables(model: type[BaseModel], prefix: str) -> list[str]:
    """The environment variables of all settings below a model."""
    found = []
    for name, field in model.model_fields.items():
        own = prefix + name.upper()
        found.append(own)
        for section in models(alternatives(field.annotation)):
            found += variables(section, own + "__")
    return found
