"""What a server says of its model by itself: which version it is, and of which types its inputs are.

v2: GET /v2/models/NAME, and `model_version` of an answer. text-embeddings-inference: GET /info. A server that says nothing is asked as its
settings say.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

import orjson

from exporters.result import ModelIdentity
from sidecar.inference.own.folder import calibrated_version

_MOST_CHARACTERS = 64
_SHA_CHARACTERS = 12
# The answer to a GET of a path; None where there is none, or it is refused.
Get = Callable[[str], Awaitable[bytes | None]]


class Named(Protocol):
    """Whatever has an identity."""

    identity: ModelIdentity


class Told:
    """`types` are the datatypes of inputs by name, of v2. The version is taken once, when the model first answers: results of one run name one."""

    def __init__(self, path: str, *, card: Mapping[str, Any], version: str | None) -> None:
        """`path` is where the server tells of the model; `card` that of its folder, which may have a calibration; `version` the one that is set,
        which counts."""
        self.types: dict[str, str] = {}
        self._path = path
        self._card = card
        self._versions: str | None = None
        self._answered: str | None = None
        self._named: list[Named] = []
        self._settled = version is not None

    def name(self, model: Named) -> None:
        """Whose identity is to have the version."""
        self._named.append(model)

    async def read(self, get: Get) -> None:
        """Ask the server. What it does not say stays as it was."""
        if (said := _map(await get(self._path))) is None:
            return
        self._versions = _version(said) or self._versions
        inputs = said.get("inputs")
        for one in inputs if isinstance(inputs, list) else ():
            if isinstance(one, dict):
                self.types[str(one.get("name"))] = str(one.get("datatype"))

    def hear(self, answer: bytes) -> None:
        """An answer to a call, which may name the version that gave it."""
        said = _map(answer)
        self._answered = _words(said.get("model_version") if said else None) or self._answered

    def settle(self) -> None:
        """The model answered: what was said of its version counts from now on."""
        version = self._answered or self._versions
        if version is not None and not self._settled:
            for model in self._named:
                model.identity = replace(model.identity, version=calibrated_version(version, self._card))
        self._settled = True


def one_line(text: str, most: int) -> str:
    """A text of somebody else, fit to be shown: no line ends, nothing that is not printed, at most so many characters."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())[:most]


def _version(said: Mapping[str, Any]) -> str | None:
    """`versions` of v2; `model_sha` of text-embeddings-inference, else its own version."""
    versions = said.get("versions")
    if isinstance(versions, list):
        return _words(",".join(str(one) for one in versions))
    if sha := _words(said.get("model_sha")):
        return sha[:_SHA_CHARACTERS]
    own = _words(said.get("version"))
    return own and f"tei-{own}"


def _words(value: object) -> str | None:
    return one_line(value, _MOST_CHARACTERS) or None if isinstance(value, str) else None


def _map(body: bytes | None) -> Mapping[str, Any] | None:
    try:
        found = orjson.loads(body or b"")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
