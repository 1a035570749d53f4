"""Where labels are kept: a file of JSON lines that grows, a topic, or both."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from sidecar.kafka.peek import peek
from sidecar.kafka.produce.now import send_now
from sidecar.kafka.settings import ReceiveConfig
from sidecar.labels.record import Label
from sidecar.record.errors import OutputError
from sidecar.settings.input_file import read_file, refusal
from sidecar.settings.messages import first_of

# Of a labels topic so many are read; each is a person's work.
_MOST_LABELS = 1_000_000


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic, and the settings of its brokers."""

    name: str
    receive: ReceiveConfig


@dataclass(frozen=True, slots=True)
class Store:
    """Keeps labels. What a topic holds that is no label is passed over, for others may write there; a file is to hold nothing else."""

    file: Path | None
    topic: Topic | None = None

    def read(self) -> list[Label]:
        """All labels there are, in file and topic. Raises ConfigError naming the line, BrokerError."""
        found = []
        if self.file is not None and self.file.exists():
            found += read_labels(self.file, "--labels")
        if self.topic is not None:
            # It is written to next, and a topic that brokers make by themselves is empty until then.
            receive, name = self.topic.receive, self.topic.name
            records = asyncio.run(peek(receive, name, _MOST_LABELS, setting="labels.topic", create=True))
            found += [one for record in records if record.value and (one := _label(record.value)) is not None]
        return found

    def add(self, labels: Sequence[Label]) -> None:
        """Write labels, so that they outlive us. Raises OutputError, BrokerError."""
        if self.file is not None:
            _append(self.file, [one.line() for one in labels])
        if self.topic is not None:
            rows = [(one.about.result, one.line()) for one in labels]
            receive = self.topic.receive
            asyncio.run(send_now(receive, receive.brokers, self.topic.name, rows, client="label"))


def read_labels(path: Path, option: str = "") -> list[Label]:
    """The labels of a file. Raises ConfigError naming the line."""
    lines = read_file(path, "give a readable file of labels", option).splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(Label.model_validate_json(line))
        except ValidationError as error:
            cut_short = number == len(lines) and not line.endswith(b"}")
            mend = (
                "it was cut short: delete it and label that answer again"
                if cut_short
                else "docs/labels.md has the format"
            )
            raise refusal(path, told(error), mend, option, line=number) from error
    return found


def told(error: ValidationError) -> str:
    """What is wrong with a label, without what stands there."""
    return first_of(error, top="the line")


def _label(value: bytes) -> Label | None:
    try:
        return Label.model_validate_json(value)
    except ValidationError:
        return None


def _append(path: Path, lines: Sequence[bytes]) -> None:
    try:
        with path.open("a+b") as stream:
            torn = stream.seek(0, os.SEEK_END) > 0 and stream.seek(-1, os.SEEK_END) >= 0 and stream.read(1) != b"\n"
            stream.write((b"\n" if torn else b"") + b"".join(line + b"\n" for line in lines))
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror}: the labels could not be written") from error
