"""What is known of reading the results topic: how far it is, what is wrong with it, and which replicas wrote there."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from exporters.serialize import Json
from exporters.text import clean

_MOST_WRITERS = 50
_LONGEST_NAME = 128
# Who wrote in this time counts as one that is there.
_THERE_SECONDS = 3600.0
OLDER = "an older version"


@dataclass(slots=True)
class Written:
    """Results of one writer: how many were read, and when the last of them was written, seconds since the epoch."""

    results: int
    last: float


@dataclass(slots=True)
class Reading:
    """State, filled by `others`. `writer` is our own name in the topic, `problem` says in our words why nothing is read since `problem_since`,
    `unread` counts records that are no results."""

    topic: str
    writer: str
    caught_up: bool = False
    problem: str | None = None
    problem_since: float | None = None
    unread: int = 0
    _writers: OrderedDict[str, Written] = field(default_factory=OrderedDict)

    def name(self, writer: str) -> str:
        """What a writer is called on the page: its host, and more where that is ours too."""
        host = writer.rpartition("/")[0] or writer
        own = self.writer.rpartition("/")[0]
        return clean((writer if host == own else host)[:_LONGEST_NAME])

    def count(self, name: str, at: float) -> None:
        """A result of a writer was read."""
        found = self._writers.setdefault(name, Written(0, at))
        found.results, found.last = found.results + 1, max(found.last, at)
        self._writers.move_to_end(name)
        if len(self._writers) > _MOST_WRITERS:
            self._writers.popitem(last=False)

    def failed(self, problem: str, at: float) -> bool:
        """Nothing can be read now. Whether that is news."""
        news = self.problem != problem
        if self.problem is None:
            self.problem_since = at
        self.problem = problem
        return news

    def well(self) -> bool:
        """It is read. Whether that is news."""
        news = self.problem is not None
        self.problem = self.problem_since = None
        return news

    def told(self, now: float) -> dict[str, Json]:
        """As JSON."""
        return {
            "topic": self.topic,
            "caught_up": self.caught_up,
            "problem": self.problem,
            "problem_since": self.problem_since,
            "unread": self.unread,
            "there": sum(now - one.last <= _THERE_SECONDS for one in self._writers.values()),
            "writers": [
                {"name": name, "results": one.results, "last": one.last}
                for name, one in reversed(self._writers.items())
            ],
        }
