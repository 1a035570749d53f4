"""Requests that a probe sent: they are no traffic, and end before anything is counted of them but that they were there."""

from __future__ import annotations

from dataclasses import replace

from sidecar.assemble.ended import Assembled

REASON = "probe"


def without_probes(ended: Assembled) -> Assembled:
    """The trace without the requests that are marked as a probe's; where none are left, that is why."""
    kept = tuple(one for one in ended.requests if not one.probe)
    if len(kept) == len(ended.requests):
        return ended
    return replace(ended, requests=kept, ignored_reason=None if kept else REASON)
