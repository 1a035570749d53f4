"""What the labels of `rag-sidecar label` say of a verdict: of that which stood beside them, or of today's on the same answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import orjson

from exporters.result import Verdict
from exporters.verdicts import identity_of, short_identity
from sidecar.commands.calibration import LEAST_OF_EACH, Anchors, Calibration, Judged, anchors, interval, rates, worth
from sidecar.commands.requests import Made, Requests, read_request_file
from sidecar.config import Config
from sidecar.evaluate.engine import Evaluated
from sidecar.inference.grounding.detector import Detector
from sidecar.labels.record import SCHEMA, Beside, Label, latest
from sidecar.labels.store import read_labels
from sidecar.record.errors import ConfigError
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import Redactor
from sidecar.settings.input_file import FAULTS, unpacked

_ANOTHER = (
    "look at the answers that were labelled otherwise than judged, then try another grounding model (inference.grounding) or "
    "threshold: more labels alone do not mend it"
)
_ENOUGH = (
    f"label on: {LEAST_OF_EACH} good answers of a service with a verdict make its evaluate.anchors, however few bad ones there are; "
    f"inference.detector takes {LEAST_OF_EACH} of each"
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """The labels that stand for others, one an answer, and how many do not."""

    labels: tuple[Label, ...]
    picked: int
    skipped: int

    @property
    def decided(self) -> list[Label]:
        """Those that say grounded or hallucinated."""
        return [one for one in self.labels if one.decided]

    def share(self) -> str:
        """The share of hallucinated answers by people alone."""
        rows = self.decided
        weights = [one.weight() for one in rows]
        bad = math.fsum(one.weight() for one in rows if one.verdict == "hallucinated") / math.fsum(weights)
        n = worth(weights)
        return (
            f"by the labels {bad:.1%} of the answers are hallucinated ({interval(bad * n, n)}, worth a sample of {n})"
        )

    def left_out(self) -> list[str]:
        """What was not used, and why."""
        others = sum(not one.decided for one in self.labels)
        told = (
            (self.picked, "picked, and stand for nothing but themselves"),
            (self.skipped, "skipped"),
            (others, "of answers that abstain"),
        )
        return [f"labels left out: {count} {why}" for count, why in told if count]


def holds_labels(path: Path) -> bool:
    """Whether a file is one of labels, by its first line."""
    try:
        with path.open("rb") as stream:
            first = next((line for line in unpacked(stream) if line.strip()), b"{}")
        row = orjson.loads(first)
    except (*FAULTS, orjson.JSONDecodeError):
        return False  # Whoever reads it says so.
    return isinstance(row, dict) and row.get("schema") == SCHEMA


def read_drawn(path: Path) -> Drawn:
    """The labels of a file that were drawn. Raises ConfigError where there is none."""
    every = latest(read_labels(path)).values()
    drawn = [one for one in every if one.drawn]
    asked = tuple(one for one in drawn if one.verdict != "skipped")
    found = Drawn(asked, len(every) - len(drawn), len(drawn) - len(asked))
    if not found.decided:
        mend = "label answers that are drawn: rag-sidecar label, without --pick"
        raise ConfigError(str(path), "no label of a drawn answer says grounded or hallucinated", mend)
    return found


def beside(drawn: Drawn, *, judge: bool) -> Calibration:
    """The rates of the local verdict, or of the judge's, as it stood beside the labels. Where it is of several evaluators (an upgrade, another
    threshold) that of the latest label counts. Raises ConfigError where too few labels have one."""
    rows = [(one, own) for one in drawn.decided if (own := _own(one, judge=judge)) is not None]
    named = [(one, own) for one, own in rows if own.label is not None]
    if not named:
        who = "judge" if judge else "local model"
        raise ConfigError("labels", f"no {who} gave a verdict on a labelled answer", "label results that have one")
    last = max(named, key=lambda row: row[0].at)[1]
    same = [(one, own) for one, own in rows if own.label is None or own.identity == last.identity]
    judged = [Judged(one.verdict == "grounded", _verdict(own), one.weight(own), one.at) for one, own in same]
    notes, others = drawn.left_out(), len(rows) - len(same)
    if others:
        notes.append(f"labels left out: {others} beside another model, version or threshold than the latest")
    own_rates = (
        Anchors() if judge else anchors(_by_service([one for one, _ in same], judged), short_identity(last.identity))
    )
    made = _calibration(judged, drawn, without=len(drawn.decided) - others, notes=notes, own_rates=own_rates)
    model = last.model
    name = "" if model is None else f"{model.name} {model.version}"
    return replace(made, model=name, threshold=last.threshold, section="judge" if judge else "inference")


def labelled_requests(drawn: Drawn, requests: Path, settings: Config) -> tuple[list[tuple[RagTrace, Label]], int]:
    """The requests of labelled answers, and of how many it cannot be told, for several have the id. Raises ConfigError where none is there."""
    there = Requests(read_request_file(requests, settings), cache(partial(Redactor, settings.redact)))
    found = [
        (trace, one)
        for one in drawn.decided
        if (trace := there.of(Made(one.about.result, one.about.trace_id))) is not None
    ]
    if not found:
        problem = f"{requests} has no request that is labelled"
        problem += f", but several of one id for {len(there.others)}" if there.others else ""
        raise ConfigError("--requests", problem, "give those that were scored")
    return found, len(there.others)


def today(
    rows: Sequence[tuple[RagTrace, Label]], given: Sequence[Evaluated], drawn: Drawn, *, unsure: int
) -> Calibration:
    """The rates of verdicts given now, one for each row; of `unsure` labels it cannot be told which request they are of. Raises ConfigError where
    too few labels got one."""
    judged = [
        Judged(one.verdict == "grounded", said.verdict, one.weight(), one.at)
        for (_, one), said in zip(rows, given, strict=True)
    ]
    notes = drawn.left_out()
    if missing := len(drawn.decided) - len(rows) - unsure:
        notes.append(f"labels left out: {missing} whose request is not in the file")
    if unsure:
        notes.append(f"labels left out: {unsure} whose id several requests have")
    deciding = (one for said in given for one in said.evaluations if one.decides_verdict and one.label)
    identity = identity_of(next(deciding, None))
    own_rates = anchors(_by_service([one for _, one in rows], judged), identity) if identity else Anchors()
    return _calibration(judged, drawn, without=len(rows), notes=notes, own_rates=own_rates)


def _by_service(labels: Sequence[Label], judged: Sequence[Judged]) -> dict[str, list[Judged]]:
    found: dict[str, list[Judged]] = {}
    for label, one in zip(labels, judged, strict=True):
        found.setdefault(label.about.service, []).append(one)
    return found


def _calibration(
    judged: Sequence[Judged], drawn: Drawn, *, without: int, notes: Sequence[str], own_rates: Anchors
) -> Calibration:
    """`without` is how many there are; those that have a verdict are taken off. Raises ConfigError where the labels are too few for any rate."""
    found: Detector | None
    notes = [*own_rates.left_out(), *notes]
    try:
        found = rates(judged)
    except ConfigError as error:
        if not own_rates.found:
            mend = _ANOTHER if own_rates.useless else _ENOUGH if own_rates.few else error.mend
            raise ConfigError("labels", "; ".join([*own_rates.useless, error.problem, drawn.share()]), mend) from None
        found, notes = None, [*notes, f"{error.problem}: no inference.detector is made of these"]
    counts = Counter(one.verdict in (Verdict.GROUNDED, Verdict.HALLUCINATED) for one in judged)
    return Calibration(
        found, without - counts[True], None, "", share=drawn.share(), notes=tuple(notes), anchors=own_rates.found
    )


def _own(label: Label, *, judge: bool) -> Beside | None:
    return next((one for one in label.about.beside if one.judged is judge), None)


def _verdict(one: Beside) -> Verdict | None:
    return Verdict(one.label) if one.label in frozenset(Verdict) else None
