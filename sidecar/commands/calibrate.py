"""`rag-sidecar calibrate`: how often the verdict is right on your own labelled requests.

The rates that come out correct the hallucination ratio for the errors of the grounding model (Rogan and Gladen 1978).
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import orjson
import typer
import yaml

from exporters.result import Verdict
from sidecar import config
from sidecar.commands.common import ConfigOption, new_cli
from sidecar.commands.from_judge import DECIDED, labelled_by_judge
from sidecar.config import Config
from sidecar.decode.native.reader import read_native_line
from sidecar.evaluate.engine import Engine, Evaluated
from sidecar.evaluate.registry import NAMES
from sidecar.evaluate.settings import build
from sidecar.inference.base import Grounder
from sidecar.inference.grounding.detector import Detector
from sidecar.inference.own.card import write_card as put_into_card
from sidecar.inference.own.fit import composed, fit
from sidecar.inference.own.folder import Folder, open_folder, open_texts
from sidecar.inference.rules import AUTO
from sidecar.inference.runtime import ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError, DecodeError
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import redactor_of

cli = new_cli()

_LABELS = {
    **dict.fromkeys(("grounded", "true", "1", "yes", "ok", "good"), True),
    **dict.fromkeys(("hallucinated", "false", "0", "no", "bad"), False),
}
_TELL_LABELS = "`label` is grounded or hallucinated, true or false, 1 or 0, yes or no, good (ok) or bad"
_LEAST_SUM = 1.2
_FEW = 100
_IN_FLIGHT = 64
_LEAST_OF_EACH = 30
_Z = 1.96


@dataclass(frozen=True, slots=True)
class Calibration:
    """The verdicts on labelled requests. `without_verdict` counts those that abstained or could not be scored."""

    found: Detector
    without_verdict: int
    threshold: float
    model: str

    def report(self) -> list[str]:
        """What a reader needs to know of the rates."""
        one = self.found
        flagged, passed = one.sensitivity * one.hallucinated, one.specificity * one.grounded
        return [
            f"model {self.model}, threshold {self.threshold:g}",
            f"{one.hallucinated} hallucinated and {one.grounded} grounded requests judged, {self.without_verdict} without a verdict",
            f"sensitivity {one.sensitivity:.3f} ({_interval(flagged, one.hallucinated)}): hallucinated answers that are found",
            f"specificity {one.specificity:.3f} ({_interval(passed, one.grounded)}): grounded answers that pass",
        ]

    def warnings(self) -> list[str]:
        """Why these rates are better not used as they are, and what to do."""
        one, found = self.found, []
        if (both := one.sensitivity + one.specificity) < _LEAST_SUM:
            found.append(
                f"sensitivity + specificity is {both:.2f}, where 1 is as good as a coin: rates corrected with it mean little. Look at the "
                "labels of requests that were judged otherwise (rag-sidecar score), then try another grounding model "
                "(inference.grounding) before you use these settings."
            )
        for count, name in ((one.hallucinated, "hallucinated"), (one.grounded, "grounded")):
            if count < _FEW:
                found.append(f"only {count} {name} requests: the interval is wide. Label some hundred of each.")
        return found

    def settings(self) -> str:
        """The settings to paste, as YAML."""
        rates = {
            "sensitivity": round(self.found.sensitivity, 4),
            "specificity": round(self.found.specificity, 4),
            "hallucinated": self.found.hallucinated,
            "grounded": self.found.grounded,
        }
        return yaml.safe_dump({"inference": {"detector": rates}}, sort_keys=False)


@cli.command()
def calibrate(
    source: Annotated[Path, typer.Argument(metavar="IN.jsonl", help=f"Native records with a label; {_TELL_LABELS}.")],
    config_file: ConfigOption = None,
    model: Annotated[
        str | None,
        typer.Option(help="The grounding model, by its name in the settings; by default the one that is the default."),
    ] = None,
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="Fit the model's probabilities and threshold, and write them into card.json beside it."
        ),
    ] = False,
    from_judge: Annotated[
        bool,
        typer.Option("--from-judge", help="The judge labels the requests, for `judge.budget_usd_per_day` at the most."),
    ] = False,
) -> None:
    """Measure how often the verdict is right on your own labelled requests, and print the settings that correct for it.

    The report goes to standard error, the settings as YAML to standard output: `rag-sidecar calibrate IN.jsonl > patch.yaml`. With --write,
    which is for a model of your own, all goes into the card of its folder instead.
    """
    settings = _with_model(config.load(config_file, kafka=False), model)
    if write:
        for line in asyncio.run(write_card(source, settings)):
            typer.echo(line, err=True)
        return
    found = asyncio.run(measure(source, settings, from_judge=from_judge))
    for line in found.report():
        typer.echo(line, err=True)
    for line in found.warnings():
        typer.echo(f"warning: {line}", err=True)
    typer.echo(found.settings(), nl=False)


async def measure(source: Path, settings: Config, *, from_judge: bool = False) -> Calibration:
    """Judge every labelled request of a file: native records with a label, see `label_of`; or labelled by the judge.
    Raises ConfigError naming the line, or what is missing."""
    rows = _read(source, settings, labelled=not from_judge)
    if from_judge:
        runtime = ModelRuntime(settings.inference, Telemetry(), redactor=partial(redactor_of, settings.redact))
        rows = await labelled_by_judge([trace for trace, _ in rows], settings, runtime.models)
    judged, grounder = await _judge(settings, [trace for trace, _ in rows])
    rates = _rates([(label, one.verdict) for one, (_, label) in zip(judged, rows, strict=True)])
    return Calibration(
        rates,
        len(rows) - rates.hallucinated - rates.grounded,
        grounder.answer_threshold,
        f"{grounder.identity.name} {grounder.identity.version}",
    )


async def write_card(source: Path, settings: Config) -> list[str]:
    """Fit the default grounding model to labelled requests and write the card beside it; what to tell. Raises ConfigError."""
    folder = _own_folder(settings)
    rows = _read(source, settings, labelled=True)
    judged, _ = await _judge(settings, [trace for trace, _ in rows])
    scored = [
        (score, label) for one, (_, label) in zip(judged, rows, strict=True) if (score := _score(one)) is not None
    ]
    for label, name in ((False, "hallucinated"), (True, "grounded")):
        if (count := sum(own is label for _, own in scored)) < 2 * _LEAST_OF_EACH:
            problem = f"only {count} {name} requests got a score"
            raise ConfigError(
                "IN", problem, f"half is fitted on, half measured on: label at least {2 * _LEAST_OF_EACH} of each"
            )
    found = fit([score for score, _ in scored], [label for _, label in scored])
    rates = Detector(
        sensitivity=found.sensitivity,
        specificity=found.specificity,
        hallucinated=found.hallucinated,
        grounded=found.grounded,
    )
    calibration = composed(folder.card.get("calibration"), found)
    path = put_into_card(folder.path, calibration=calibration, threshold=found.threshold, detector=rates.model_dump())
    told = Calibration(rates, len(rows) - len(scored), found.threshold, folder.path.name)
    return [
        *told.report(),
        *(f"warning: {line}" for line in told.warnings()),
        f"{path}: written, in use from the next start",
    ]


def _with_model(settings: Config, model: str | None) -> Config:
    """The settings with another default grounding model. Raises ConfigError."""
    if model is None:
        return settings
    known = settings.inference.models.known("grounding")
    if model not in known:
        raise ConfigError("--model", f"no grounding model {model!r}", f"known are {', '.join(known)}")
    return settings.model_copy(update={"inference": settings.inference.model_copy(update={"grounding": model})})


def _own_folder(settings: Config) -> Folder:
    """The folder of the default grounding model. Raises ConfigError where it is none of the user's own."""
    name = settings.inference.default_of("grounding")
    entry, found = settings.inference.models.resolve("grounding", name) if name != AUTO else (None, None)
    if entry is not None and entry.name == "onnx":
        return open_folder(Path(str(getattr(found, "onnx", ""))), "--model")
    if (tokenizer := getattr(found, "tokenizer", None)) is not None:
        return open_texts(Path(str(tokenizer)), "--model")
    raise ConfigError(
        "--write",
        f"{name} has no folder of yours to write a card into",
        "name a model with `onnx`, or with `tokenizer`, as --model",
    )


def _score(judged: Evaluated) -> float | None:
    return next((one.score for one in judged.evaluations if one.decides_verdict and one.score is not None), None)


async def _judge(settings: Config, traces: Sequence[RagTrace]) -> tuple[list[Evaluated], Grounder]:
    """What the default model says of each request, in order."""
    runtime = ModelRuntime(settings.inference, Telemetry(), redactor=partial(redactor_of, settings.redact))
    local = settings.evaluate.of("groundedness").model_copy(update={"by": "local"})
    every = build(settings.evaluate.model_copy(update={"evaluators": NAMES, "groundedness": local}))
    # `inference.detector` is of the default model: a rule's model has rates of its own.
    engine = Engine(settings.evaluate, runtime.models, [evaluator for evaluator in every if evaluator.decides])
    gate = asyncio.Semaphore(_IN_FLIGHT)

    async def judge(trace: RagTrace) -> Evaluated:
        async with gate:
            return await engine.evaluate(trace)

    await runtime.start()
    try:
        return list(await asyncio.gather(*(judge(trace) for trace in traces))), runtime.models.grounder
    finally:
        await runtime.stop()


def _rates(judged: Sequence[tuple[bool, Verdict | None]]) -> Detector:
    """The shares of right verdicts among labels (True: grounded). Raises ConfigError where too few of a kind got a verdict."""
    counts = Counter(pair for pair in judged if pair[1] in DECIDED)
    totals = {label: sum(n for (own, _), n in counts.items() if own is label) for label in (False, True)}
    for label, name in ((False, "hallucinated"), (True, "grounded")):
        if totals[label] < _LEAST_OF_EACH:
            problem = f"only {totals[label]} {name} requests got a verdict"
            mend = f"label at least {_LEAST_OF_EACH} of each; a few hundred make a narrow interval"
            raise ConfigError("IN", problem, mend)
    return Detector(
        sensitivity=counts[False, Verdict.HALLUCINATED] / totals[False],
        specificity=counts[True, Verdict.GROUNDED] / totals[True],
        hallucinated=totals[False],
        grounded=totals[True],
    )


def _read(source: Path, settings: Config, *, labelled: bool) -> Sequence[tuple[RagTrace, bool]]:
    try:
        lines = source.read_bytes().splitlines()
    except OSError as error:
        raise ConfigError("IN", f"{source}: {error.strerror}", "give a readable file of JSON lines") from error
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            label = labelled and label_of(orjson.loads(line))
            rows.append((read_native_line(line, settings.decode, fallback_timestamp=time.time()), label))
        except (ValueError, DecodeError) as error:
            problem = f"line {number}: {error if isinstance(error, DecodeError) else 'no label'}"
            raise ConfigError("IN", problem, _TELL_LABELS) from error
    return rows


def label_of(row: object) -> bool:
    """True for a record that is labelled as grounded, False for one labelled as hallucinated. Raises ValueError for neither."""
    given = row.get("label") if isinstance(row, dict) else None
    word = f"{given:g}" if isinstance(given, bool | int | float) else str(given).strip().lower()
    if word not in _LABELS:
        raise ValueError("label")
    return _LABELS[word]


def _interval(hits: float, of: int) -> str:
    """The 95 % Wilson interval, as text."""
    p, square = hits / of, _Z * _Z
    middle, spread = p + square / (2 * of), _Z * math.sqrt((p * (1 - p) + square / (4 * of)) / of)
    low, high = (middle - spread) / (1 + square / of), (middle + spread) / (1 + square / of)
    return f"{low:.3f} to {high:.3f}"
