"""Settings checked against their model: all that is wrong told at once, and true and false refused where a number should stand.

YAML reads `on`, `off`, `yes` and `no` as true and false, which pydantic takes for 1 and 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sidecar.record.errors import ConfigError
from sidecar.settings.messages import Given, Location, explain

Model = TypeVar("Model", bound=BaseModel)
_NO_NUMBER = "must be a number, got {} (YAML reads on, off, yes and no as true and false)"


def validated(model: type[Model], given: Given, *, prefix: str = "") -> Model:
    """A model of what was given. `prefix` begins the names of its environment variables. Raises ConfigError naming every field that is wrong."""
    try:
        made = model.model_validate(given.values)
    except ValidationError as error:
        raise explain(error, model, prefix=prefix, given=given) from None
    wrong = [(given.place(path), _NO_NUMBER.format(str(told).lower())) for path, told in _told(made, given.values, ())]
    if wrong:
        (first, problem), *others = wrong
        raise ConfigError(first, problem + "".join(f"\n{place}: {message}" for place, message in others))
    return made


def _told(made: Any, given: Any, path: Location) -> Iterator[tuple[Location, bool]]:
    """Where true or false was given and a number was made of it."""
    if isinstance(given, bool):
        if isinstance(made, int | float) and not isinstance(made, bool):
            yield path, given
    elif isinstance(given, Mapping):
        for name, value in given.items():
            yield from _told(_part(made, name), value, (*path, name))
    elif isinstance(given, list) and isinstance(made, list | tuple) and len(made) == len(given):
        for n, (one, value) in enumerate(zip(made, given, strict=True)):
            yield from _told(one, value, (*path, n))


def _part(made: Any, name: Any) -> Any:
    if isinstance(made, BaseModel):
        return getattr(made, name) if name in type(made).model_fields else None
    return made.get(name) if isinstance(made, Mapping) else None
