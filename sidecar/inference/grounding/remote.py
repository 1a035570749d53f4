"""A grounding model of one's own on a server."""

from __future__ import annotations

from dataclasses import replace

from sidecar.inference.base import Grounder
from sidecar.inference.entry import Built, Dependencies, Entry
from sidecar.inference.grounding.onnx import OwnGrounding, grounder_of
from sidecar.inference.own.settings import languages_of
from sidecar.inference.remote.build import card_of, open_tokens, remote_judge
from sidecar.inference.remote.settings import Fallback, RemoteConfig


class RemoteGrounding(OwnGrounding, RemoteConfig, Fallback):
    """A grounding model of one's own, on a server."""


def _build(config: RemoteGrounding, dependencies: Dependencies) -> Built[Grounder]:
    asking = remote_judge(config, config.asked(), dependencies)
    built = grounder_of(asking.judge, config, card_of(config, dependencies), dependencies)
    asking.told.name(built.model)
    return replace(built, parts=asking.parts, away=asking.line.problem)


def _size(config: RemoteGrounding, dependencies: Dependencies) -> int:
    open_tokens(config, config.asked(), dependencies)
    return 0


def _reads(config: RemoteGrounding, dependencies: Dependencies) -> frozenset[str]:
    return languages_of(config, card_of(config, dependencies))


ENTRY: Entry[Grounder] = Entry(
    "remote", RemoteGrounding, _build, size=_size, fallback=lambda config: config.fallback, reads=_reads
)
