"""Conversations of several requests: what a session comes to, and its requests put together into one conversation."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile

from sidecar.offline.aggregate import answerable
from sidecar.offline.case import Case
from sidecar.offline.record import CaseRecord, SessionMetric, Sessions, WorstTurn
from sidecar.record.authored import Authored, Message, ToolCall
from sidecar.statistics.interval import mean_interval

_MOST_WORST = 10


def sessions_of(records: Sequence[CaseRecord]) -> Sessions | None:
    """What sessions of two turns or more come to; None where there is none. A turn that cannot be answered is one, and in no mean."""
    found: dict[tuple[str, str], list[CaseRecord]] = {}
    for record in records:
        if record.session is not None:
            found.setdefault((record.service, record.session), []).append(record)
    several = [sorted(turns, key=lambda one: one.timestamp or "") for turns in found.values() if len(turns) > 1]
    if not several:
        return None
    return Sessions(
        sessions=len(several),
        turns=sum(map(len, several)),
        metrics=tuple(_metric(name, several) for name in _names(several)),
        worst=_worst(several),
    )


def _names(sessions: Iterable[Sequence[CaseRecord]]) -> list[str]:
    said = (one for turns in sessions for record in answerable(turns) for one in record.evaluations)
    return list(dict.fromkeys(one.evaluator for one in said if one.score is not None))


def _scores(turns: Sequence[CaseRecord], metric: str) -> list[tuple[float, CaseRecord]]:
    said = ((record.said_by(metric), record) for record in answerable(turns))
    return [(one.score, record) for one, record in said if one is not None and one.score is not None]


def _metric(name: str, sessions: Iterable[Sequence[CaseRecord]]) -> SessionMetric:
    scored = [[score for score, _ in own] for turns in sessions if (own := _scores(turns, name))]
    means = [math.fsum(own) / len(own) for own in scored]
    interval = mean_interval(means)
    return SessionMetric(
        metric=name,
        sessions=len(scored),
        mean=math.fsum(means) / len(means),
        lower=None if interval is None else interval.lower,
        upper=None if interval is None else interval.upper,
        worst_turn=math.fsum(map(min, scored)) / len(scored),
    )


def _worst(sessions: Sequence[Sequence[CaseRecord]]) -> tuple[WorstTurn, ...]:
    """The worst turn of each session, the worst session first, by the first of the metrics that look at what was said."""
    names = _names(sessions)
    metric = next((name for name in ("groundedness", "faithfulness", *names) if name in names), None)
    found = []
    for turns in sessions if metric is not None else ():
        if scored := _scores(turns, metric or ""):
            score, record = min(scored, key=lambda one: one[0])
            found.append(
                WorstTurn(
                    session=record.session or "",
                    turns=len(turns),
                    case=record.id,
                    turn=turns.index(record) + 1,
                    metric=metric or "",
                    score=score,
                )
            )
    return tuple(sorted(found, key=lambda one: one.score)[:_MOST_WORST])


def joined(cases: Sequence[Case]) -> list[Case]:
    """Cases of one service and session as one case, a conversation in the order of their times; cases without a session as they are. What each turn retrieved stands in it as
    what a tool said, so that its own documents are none; question, answer and reference are those of the last turn."""
    together: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        own = (case.trace.service, case.trace.session or f"\0{case.key}")
        together.setdefault(own, []).append(case)
    services = Counter(session for _, session in together)
    return [
        _conversation(turns, several=services[session] > 1) if turns[0].trace.session else turns[0]
        for (_, session), turns in together.items()
    ]


def _conversation(cases: Sequence[Case], *, several: bool) -> Case:
    """`several` services have a session of this name: theirs stands before it."""
    turns = sorted(cases, key=lambda one: one.trace.timestamp)
    last = turns[-1]
    said: list[Message] = []
    shown: list[Message] = []
    for case in turns:
        own = _messages(case)
        fresh = own[_known(said, own) :]
        said += fresh
        shown += _with_documents(fresh, case)
    trace = replace(
        last.trace,
        trace_id=last.trace.session or last.trace.trace_id,
        messages=tuple(shown),
        documents=(),
        retrieved=None,
        authored=_authored(turns),
    )
    digest = hashlib.sha256("\0".join(["session", *(one.digest for one in turns)]).encode()).hexdigest()[:32]
    session = last.trace.session or last.id
    name = f"{last.trace.service}/{session}" if several else session
    return Case(
        name, f"session:{name}", digest, _same(one.kind for one in turns), _same(one.origin for one in turns), trace
    )


def _messages(case: Case) -> list[Message]:
    """What was said in a request; instructions of the system are no part of a conversation."""
    trace = case.trace
    if trace.messages:
        return [one for one in trace.messages if one.role != "system"]
    parts = (("user", trace.question), ("assistant", trace.answer))
    return [Message(role, text) for role, text in parts if text]


def _known(said: Sequence[Message], own: Sequence[Message]) -> int:
    """How many of the first messages of a request were said before: most services send the history, or its end, with every turn."""
    return next((n for n in range(min(len(said), len(own)), 0, -1) if list(said[-n:]) == list(own[:n])), 0)


def _with_documents(fresh: Sequence[Message], case: Case) -> list[Message]:
    """What was retrieved for a turn stands before what it answered, where no tool says it already."""
    there = {one.text for one in fresh if one.role == "tool"}
    found = [Message("tool", one.text) for one in case.trace.documents if one.text and one.text not in there]
    asked = len(list(takewhile(lambda one: one.role != "assistant", fresh)))
    return [*fresh[:asked], *found, *fresh[asked:]]


def _authored(turns: Sequence[Case]) -> Authored | None:
    """What the author says of the whole: calls of all turns where each turn has its own, topics of any."""
    own = [one.trace.authored or Authored() for one in turns]
    calls: tuple[ToolCall, ...] | None = None
    if all(one.tool_calls is not None for one in own):
        calls = tuple(call for one in own for call in one.tool_calls or ())
    topics = tuple(dict.fromkeys(topic for one in own for topic in one.topics or ()))
    found = Authored(
        tool_calls=calls,
        topics=topics or None,
        kind=_same(one.kind for one in own),
        origin=_same(one.origin for one in own),
    )
    return None if found == Authored() else found


def _same(words: Iterable[str | None]) -> str | None:
    found = set(words)
    return found.pop() if len(found) == 1 else None
