"""A relevance model of one's own on a server."""

from __future__ import annotations

from dataclasses import replace

from sidecar.inference.base import RelevanceModel
from sidecar.inference.entry import Built, Dependencies, Entry
from sidecar.inference.own.settings import languages_of
from sidecar.inference.relevance.onnx import OwnRelevance, relevance_of
from sidecar.inference.remote.build import card_of, open_tokens, remote_judge
from sidecar.inference.remote.settings import Fallback, RemoteConfig


class RemoteRelevance(OwnRelevance, RemoteConfig, Fallback):
    """A relevance model of one's own, on a server."""


def _build(config: RemoteRelevance, dependencies: Dependencies) -> Built[RelevanceModel]:
    asking = remote_judge(config, config.asked(), dependencies)
    built = relevance_of(asking.judge, config, card_of(config, dependencies))
    asking.told.name(built.model)
    return replace(built, parts=asking.parts, away=asking.line.problem)


def _size(config: RemoteRelevance, dependencies: Dependencies) -> int:
    open_tokens(config, config.asked(), dependencies)
    return 0


def _reads(config: RemoteRelevance, dependencies: Dependencies) -> frozenset[str]:
    return languages_of(config, card_of(config, dependencies))


ENTRY: Entry[RelevanceModel] = Entry(
    "remote", RemoteRelevance, _build, size=_size, fallback=lambda config: config.fallback, reads=_reads
)
