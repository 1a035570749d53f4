"""Settings out of environment variables: a prefix and the path with `__` between.

What a variable may hold follows from the setting: a list is JSON or plain words separated by commas, a map or a section is JSON,
everything else is the text as it is.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from sidecar.record.errors import ConfigError
from sidecar.settings import shapes

Path = tuple[str, ...]

# What Kubernetes sets in every pod for a Service, by the end of the name: what must stand in it for it to be no setting of ours.
_SERVICE_LINKS = (
    (re.compile(r"SERVICE_HOST"), re.compile(r"[0-9a-fA-F.:]*|None")),
    (re.compile(r"SERVICE_PORT(_[A-Z0-9_]+)?"), re.compile(r"\d*")),
    (re.compile(r"PORT(_\d+_(TCP|UDP|SCTP))?"), re.compile(r"(tcp|udp|sctp)://.*")),
    (re.compile(r"PORT_\d+_(TCP|UDP|SCTP)_PROTO"), re.compile(r"tcp|udp|sctp")),
    (re.compile(r"PORT_\d+_(TCP|UDP|SCTP)_PORT"), re.compile(r"\d+")),
    (re.compile(r"PORT_\d+_(TCP|UDP|SCTP)_ADDR"), re.compile(r"[0-9a-fA-F.:]*")),
)
_PLAIN_WORDS = re.compile(r"[\w.:/@ -]+(,[\w.:/@ -]+)*,?")


def is_service_link(name: str, value: str) -> bool:
    """Whether a variable, named without our prefix, is one that Kubernetes sets for the Service of our name."""
    return any(link.fullmatch(name) and shape.fullmatch(value) for link, shape in _SERVICE_LINKS)


def read(
    model: type[BaseModel], environment: Mapping[str, str], *, prefix: str, not_settings: frozenset[str]
) -> tuple[dict[str, Any], dict[Path, str]]:
    """The values of the variables as a tree of maps, and which variable set which path.

    Raises ConfigError naming a variable that is no setting, or one that holds no list or map where it should.
    """
    found: dict[Path, str] = {}
    for variable in environment:
        name = variable[len(prefix) :]
        if not variable.upper().startswith(prefix) or variable.upper() in not_settings:
            continue
        if is_service_link(name, environment[variable]):
            continue
        path = tuple(name.lower().split("__"))
        if path[0] not in model.model_fields:
            raise ConfigError(variable, "no such setting", _variable_near(variable, shapes.variables(model, prefix)))
        found[path] = variable
    values: dict[str, Any] = {}
    for path in sorted(found, key=len):
        _put(values, path, _value(model, path, variable=found[path], text=environment[found[path]]))
    return values, found


def merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both trees in one; where both have a value, that of `over`."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = merge(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def near(word: str, known: Sequence[str]) -> str:
    """What may have been meant."""
    close = difflib.get_close_matches(word, known, n=1)
    if close:
        return f"did you mean {close[0]}?"
    return "known are " + ", ".join(known) if known else "remove it"


def _variable_near(variable: str, known: Sequence[str]) -> str:
    """Of the variables one that ends alike, else one that is spelt alike."""
    word = variable.upper().rpartition("_")[2]
    alike = [one for one in known if one.endswith(f"__{word}")]
    close = difflib.get_close_matches(variable.upper(), alike, n=1) or difflib.get_close_matches(
        variable.upper(), known, n=1
    )
    return f"did you mean {close[0]}?" if close else "docs/configuration.md names them all"


def _put(values: dict[str, Any], path: Path, value: Any) -> None:
    *sections, last = path
    for part in sections:
        below = values.get(part)
        values[part] = below if isinstance(below, dict) else {}
        values = values[part]
    old = values.get(last)
    values[last] = merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value


def _value(model: type[BaseModel], path: Path, *, variable: str, text: str) -> Any:
    types: list[Any] = [model]
    for place, part in enumerate(path):
        above, types = types, shapes.below(types, part)
        if not types and not shapes.models(above):
            raise ConfigError(variable, "no such setting", f"{'.'.join(path[:place])} has nothing below it")
    listed, mapped, sections = shapes.items(types), shapes.values(types), shapes.models(types)
    start = text.lstrip()[:1]
    if (listed and start == "[") or ((mapped or sections) and start == "{"):
        try:
            return json.loads(text)
        except ValueError:
            raise _wrong(variable, listed=listed if start == "[" else [], sections=sections) from None
    if listed and not shapes.models(listed) and (_PLAIN_WORDS.fullmatch(text) or not text.strip()):
        return [part.strip() for part in text.split(",") if part.strip()]
    others = [one for one in types if one in (str, int, float, bool)]
    if (listed or mapped or sections) and not others:
        raise _wrong(variable, listed=listed, sections=sections)
    return text


def _wrong(variable: str, *, listed: Sequence[Any], sections: Sequence[type[BaseModel]]) -> ConfigError:
    if listed:
        return ConfigError(variable, "not a list", how_to_list(listed))
    if sections:
        name = next(iter(sections[0].model_fields), "name").upper()
        return ConfigError(variable, "a section, not a value", f"write {variable}__{name}=..., or the section as JSON")
    return ConfigError(variable, "not a map", 'write {"key": "value"}')


def how_to_list(held: Sequence[Any]) -> str:
    """How a list of such items is written."""
    sections = shapes.models(held)
    if sections:
        keys = [name for name, field in sections[0].model_fields.items() if field.is_required()]
        return "write [{" + ", ".join(f'"{key}": ...' for key in keys) + "}, ...]"
    return "write [0.5, 0.7] or 0.5,0.7" if held[0] in (int, float) else 'write ["a", "b"] or a,b'
