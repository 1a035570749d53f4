"""The answers that are kept to be looked at: of each service the worst, the latest and a random part, within a time, a number and a memory.

The random part are the answers with the lowest numbers, which follow from seed and result id alone: the order in which `rag-sidecar label` asks.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from exporters.result import Result, Verdict
from sidecar.deliver.deliverer import result_bytes
from sidecar.page.erased import Erased
from sidecar.record.texts import Texts

LISTS = ("worst", "latest", "random")
List: TypeAlias = Literal["worst", "latest", "random"]
_Key: TypeAlias = tuple[float, ...]
# An answer is as bad as another one whose score is in the same twentieth; of these the later one is wanted.
_BADNESS_STEPS = 20


@dataclass(frozen=True, slots=True)
class Cut:
    """How many characters of question, answer and each document are not kept, and how many documents."""

    question: int
    answer: int
    texts: tuple[int, ...]
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An answer. `at` is when it came, seconds since the epoch, `number` its own in [0, 1) of the draw, `user` a digest of who asked, which is of no use
    outside this process. `replica` is who scored it, None for us; `cut` is what of its texts is not kept."""

    result: Result
    texts: Texts | None
    at: float
    number: float
    user: bytes | None = None
    replica: str | None = None
    cut: Cut | None = None

    @property
    def size(self) -> int:
        """About what it holds in memory, bytes."""
        texts = self.texts
        found = 750 + result_bytes(self.result)
        if texts is not None:
            pieces = (texts.question, texts.answer, *(part for document in texts.documents for part in document))
            found += sum(80 + 2 * len(piece) for piece in pieces if piece)
        return found

    def key(self, name: List) -> _Key | None:
        """Its place in a list, the lowest first; None where it does not belong there."""
        if name == "latest":
            return (-self.at,)
        if name == "random":
            return (self.number,)
        score = deciding_score(self.result)
        if score is None:
            return None
        good = self.result.verdict is not Verdict.HALLUCINATED
        return (float(good), float(int(score * _BADNESS_STEPS)), -self.at)


class Shelf:
    """Keeps answers, but none of what is `erased`. Not safe for threads: everything is called on the event loop, and what it gives out never changes."""

    def __init__(self, *, most_answers: int, most_bytes: int, seconds: float, erased: Erased) -> None:
        self._most_answers = most_answers
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._kept: dict[str, Kept] = {}
        self._listed: dict[str, int] = {}
        self._lists: dict[str, dict[List, list[tuple[_Key, str]]]] = {}
        #: The ids of what is kept, by trace: a topic may bring many tombstones, and most are of none that is kept here.
        self._of_trace: dict[str, list[str]] = {}
        self._erased = erased
        self.bytes = 0
        #: Of what came and is not too old, each answer with a number below this is in the random part, of every service alike.
        self.whole_below = 1.0

    def put(self, kept: Kept) -> None:
        """Keep an answer where it belongs into a list; one of the same id is replaced. What was erased is not kept again."""
        own = kept.result
        if self._erased.covers(trace_id=own.trace_id, user=kept.user, session=own.session):
            return
        self._drop(own.id)
        lists = self._lists.setdefault(own.service, {"worst": [], "latest": [], "random": []})
        self._kept[own.id] = kept
        self._of_trace.setdefault(own.trace_id, []).append(own.id)
        self._listed[own.id] = 1  # held while it goes into the lists, since one of them may give it back at once
        self.bytes += kept.size
        for name in lists:
            if (key := kept.key(name)) is not None:
                self._insert(lists, name, key, own.id)
        self._unlist(own.id)
        while self.bytes > self._most_bytes and self._kept:
            self._make_room()

    def get(self, result_id: str) -> Kept | None:
        """An answer by the id of its result."""
        return self._kept.get(result_id)

    def of(self, service: str | None, name: List) -> list[Kept]:
        """A list, of all services where none is named, in its own order."""
        own = self._lists.values() if service is None else [self._lists[service]] if service in self._lists else []
        found = [entry for lists in own for entry in lists[name]]
        return [self._kept[result] for _, result in (found if service is not None else sorted(found))]

    def __iter__(self) -> Iterator[Kept]:
        return iter(list(self._kept.values()))

    def __len__(self) -> int:
        return len(self._kept)

    def expire(self, now: float) -> None:
        """Forget what is older than may be kept."""
        for kept in self:
            if kept.at < now - self._seconds:
                self._drop(kept.result.id)

    def found(self, *, trace_id: str | None = None, user: str | None = None, session: str | None = None) -> list[Kept]:
        """All answers of a trace, of a user or of a session."""
        of_trace = self._of_trace.get(trace_id, []) if trace_id is not None else []
        found = {result_id: self._kept[result_id] for result_id in of_trace}
        if user is not None or session is not None:
            digest = self._erased.user_digest(user)
            found |= {
                kept.result.id: kept
                for kept in self
                if (session is not None and kept.result.session == session)
                or (digest is not None and kept.user == digest)
            }
        return list(found.values())

    def drop(self, result_id: str) -> None:
        """Forget one answer, which may come again."""
        self._drop(result_id)

    def _insert(self, lists: dict[List, list[tuple[_Key, str]]], name: List, key: _Key, result_id: str) -> None:
        insort(lists[name], (key, result_id))
        self._listed[result_id] += 1
        if len(lists[name]) > self._most_answers:
            self._take_last(lists, name)

    def _take_last(self, lists: dict[List, list[tuple[_Key, str]]], name: List) -> None:
        (first, *_), result_id = lists[name].pop()
        if name == "random":
            self.whole_below = min(self.whole_below, first)
        self._unlist(result_id)

    def _unlist(self, result_id: str) -> None:
        self._listed[result_id] -= 1
        if not self._listed[result_id] and result_id in self._kept:
            self._forget(result_id)

    def _drop(self, result_id: str) -> None:
        """Take an answer out of all lists."""
        kept = self._kept.get(result_id)
        if kept is None:
            return
        lists = self._lists[kept.result.service]
        for name, entries in lists.items():
            if (key := kept.key(name)) is None:
                continue
            at = bisect_left(entries, (key, result_id))
            if at < len(entries) and entries[at][1] == result_id:
                del entries[at]
        self._forget(result_id)
        if not any(lists.values()):
            del self._lists[kept.result.service]

    def _forget(self, result_id: str) -> None:
        kept = self._kept.pop(result_id)
        self.bytes -= kept.size
        of_trace = self._of_trace[kept.result.trace_id]
        of_trace.remove(result_id)
        if not of_trace:
            del self._of_trace[kept.result.trace_id]
        del self._listed[result_id]

    def _make_room(self) -> None:
        """Take the last entry of the longest list there is."""
        lists, name = max(
            ((lists, name) for lists in self._lists.values() for name in lists), key=lambda one: len(one[0][one[1]])
        )
        self._take_last(lists, name)


def deciding_score(result: Result) -> float | None:
    """The lowest score of the evaluations that decide the verdict; None where there is none."""
    scores = [one.score for one in result.evaluations if one.decides_verdict and one.score is not None]
    return min(scores, default=None)
