"""What the Prometheus exporter keeps: the numbers of each subject, a subject being a (service, model, variant). Pure.

Memory is bounded: each label has few values, and so have their combinations; subjects that fell silent are forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from exporters.tally import OTHER, LabelLimit, Tally

Labels: TypeAlias = tuple[str, ...]
_MOST_ALIASES = 10_000


@dataclass(slots=True)
class Subject:
    """Counters and histograms of one (service, model, variant), by series name and the values of its other labels."""

    labels: Labels
    used_at: float
    counters: dict[tuple[str, Labels], float] = field(default_factory=dict)
    tallies: dict[tuple[str, Labels], Tally] = field(default_factory=dict)

    def count(self, name: str, extra: Labels = (), amount: float = 1.0) -> None:
        """Add `amount`, which the caller has checked, to a counter; 0 makes it appear."""
        key = (name, extra)
        self.counters[key] = self.counters.get(key, 0.0) + amount

    def tally(self, name: str, bounds: tuple[float, ...], extra: Labels = ()) -> Tally:
        """The histogram of that name, made where it is not there yet."""
        key = (name, extra)
        found = self.tallies.get(key)
        if found is None:
            found = self.tallies[key] = Tally(bounds)
        return found

    def copy(self) -> Subject:
        """A subject of its own, to be read while this one goes on."""
        return Subject(
            self.labels,
            self.used_at,
            dict(self.counters),
            {key: tally.copy() for key, tally in self.tallies.items()},
        )


class Subjects:
    """All subjects. Not safe for threads by itself: the caller holds a lock."""

    def __init__(self, limits: Mapping[str, LabelLimit], *, most: int, idle_seconds: float, now: float) -> None:
        self._limits = dict(limits)
        self._most = most
        self._idle_seconds = idle_seconds
        self._swept_at = now
        self._subjects: dict[Labels, Subject] = {}
        # A shortcut from what the traffic says to the subject, for values that needed no replacing.
        self._aliases: dict[tuple[str | None, ...], Subject] = {}
        self._full = 0

    def __len__(self) -> int:
        return len(self._subjects)

    def all(self) -> list[Subject]:
        """Every subject, oldest first."""
        return list(self._subjects.values())

    def overflow(self) -> dict[str, int]:
        """How often a value was replaced, by label; `subject` is for combinations."""
        return {**{name: limit.overflow for name, limit in self._limits.items()}, "subject": self._full}

    def get(self, values: tuple[str | None, ...], now: float) -> tuple[Subject, bool]:
        """The subject that stands for `values` (in the order of the limits), and whether it is new.

        `now` is seconds of a clock that never steps back.
        """
        subject = self._aliases.get(values)
        if subject is not None:
            subject.used_at = now
            return subject, False
        before = sum(limit.overflow for limit in self._limits.values())
        labels = tuple(limit.admit(value) for limit, value in zip(self._limits.values(), values, strict=True))
        exact = before == sum(limit.overflow for limit in self._limits.values())
        subject = self._subjects.get(labels)
        if subject is None and len(self._subjects) >= self._most:
            self._full += 1
            exact = False
            labels = (OTHER,) * len(labels)
            subject = self._subjects.get(labels)
        new = subject is None
        if subject is None:
            subject = self._subjects[labels] = Subject(labels, now)
        subject.used_at = now
        if exact:
            if len(self._aliases) >= _MOST_ALIASES:
                self._aliases.clear()
            self._aliases[values] = subject
        return subject, new

    def sweep(self, now: float) -> list[Subject]:
        """Forget the subjects that were silent for too long, and return them. Looks only now and then."""
        if now - self._swept_at < self._idle_seconds / 10:
            return []
        self._swept_at = now
        silent = [subject for subject in self._subjects.values() if now - subject.used_at > self._idle_seconds]
        if silent:
            for subject in silent:
                del self._subjects[subject.labels]
            self._aliases.clear()
            for place, limit in enumerate(self._limits.values()):
                limit.keep_only(labels[place] for labels in self._subjects)
        return silent
