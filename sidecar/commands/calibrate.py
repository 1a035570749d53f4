"""`rag-sidecar calibrate`: how often the verdict is right on your own labelled requests.

The rates that come out correct the hallucination ratio for the errors of the grounding model (Rogan and Gladen 1978).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import orjson
import typer

from exporters.text import only
from sidecar import config
from sidecar.commands.calibration import LEAST_OF_EACH, Calibration, Judged, rates
from sidecar.commands.common import ConfigOption, new_cli
from sidecar.commands.from_judge import labelled_by_judge
from sidecar.commands.from_labels import beside, holds_labels, labelled_requests, read_drawn, today
from sidecar.commands.output import refuse_overwriting
from sidecar.config import Config
from sidecar.decode.native.reader import read_native_line
from sidecar.evaluate.engine import Engine, Evaluated
from sidecar.evaluate.registry import DEFAULTS
from sidecar.evaluate.settings import build
from sidecar.inference.base import Grounder
from sidecar.inference.grounding.detector import Detector
from sidecar.inference.own.card import write_card as put_into_card
from sidecar.inference.own.fit import composed, fit
from sidecar.inference.own.folder import Folder, open_folder, open_texts
from sidecar.inference.rules import AUTO, ROLES
from sidecar.inference.runtime import ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError, DecodeError
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import redactor_of
from sidecar.settings.input_file import read_file, refusal

cli = new_cli()

_LABELS = {
    **dict.fromkeys(("grounded", "true", "1", "yes", "ok", "good"), True),
    **dict.fromkeys(("hallucinated", "false", "0", "no", "bad"), False),
}
_TELL_LABELS = "`label` is grounded or hallucinated, true or false, 1 or 0, yes or no, good (ok) or bad"
_IN_FLIGHT = 64
# Nobody waits for a verdict here: a busy machine is no reason to have none.
_PATIENCE_SECONDS = 3600.0


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
    requests: Annotated[
        Path | None,
        typer.Option(
            help="With labels of `label`: their requests, which the model judges anew; else the verdict beside each label counts."
        ),
    ] = None,
    of_judge: Annotated[
        bool,
        typer.Option("--of-judge", help="With labels of `label`: how often the judge is right, not the local model."),
    ] = False,
) -> None:
    """Measure how often the verdict is right on your own labelled requests, and print the settings that correct for it.

    IN.jsonl holds native records with a label, or what `rag-sidecar label` writes (of a topic: `label --save`): of the latter drawn answers alone
    count, each for as many as it stands for. The report goes to standard error, the settings as YAML to standard output:
    `rag-sidecar calibrate IN.jsonl > patch.yaml`.
    With --write, which is for a model of your own, all goes into the card of its folder instead.
    """
    if not write:
        refuse_overwriting((source, requests, config_file), None)
    settings = _with_model(config.load(config_file, kafka=False), model)
    labels = holds_labels(source)
    _refuse_what_does_not_fit(source, labels, write=write, from_judge=from_judge, requests=requests, of_judge=of_judge)
    if write:
        for line in asyncio.run(write_card(source, settings)):
            typer.echo(line, err=True)
        return
    measured = (
        measure_labels(source, settings, requests=requests, judge=of_judge)
        if labels
        else measure(source, settings, from_judge=from_judge)
    )
    found = asyncio.run(measured)
    for line in found.report():
        typer.echo(line, err=True)
    for line in (*found.warnings(), *_too_old(found, settings.evaluate.anchors_expire_days)):
        typer.echo(f"warning: {line}", err=True)
    typer.echo(found.settings(), nl=False)


def _too_old(found: Calibration, days: int) -> list[str]:
    """The services whose labels would anchor nothing."""
    ends = ((service, one.expiry(days)) for service, one in found.anchors.items())
    return [
        f"{service}: half of its labels are older than the {days} days of evaluate.anchors_expire_days, so that they anchor nothing: label anew"
        for service, end in ends
        if end is not None and end <= time.time()
    ]


def _refuse_what_does_not_fit(
    source: Path, labels: bool, *, write: bool, from_judge: bool, requests: Path | None, of_judge: bool
) -> None:
    """Raise ConfigError for options that say nothing of such a file."""
    if labels and (write or from_judge):
        mend = "give native records with a label"
        raise ConfigError("--write" if write else "--from-judge", f"{source} holds labels, and no requests", mend)
    if not labels and (requests is not None or of_judge):
        option = "--of-judge" if of_judge else "--requests"
        raise ConfigError(option, f"{source} holds no labels of `rag-sidecar label`", "leave it out")
    if of_judge and requests is not None:
        raise ConfigError("--of-judge", "the judge is not asked anew", "leave out --requests")


async def measure(source: Path, settings: Config, *, from_judge: bool = False) -> Calibration:
    """Judge every labelled request of a file: native records with a label, see `label_of`; or labelled by the judge.
    Raises ConfigError naming the line, or what is missing."""
    rows = _read(source, settings, labelled=not from_judge)
    if from_judge:
        runtime = ModelRuntime(settings.inference, Telemetry(), redactor=partial(redactor_of, settings.redact))
        await runtime.start()
        try:
            rows = await labelled_by_judge([trace for trace, _ in rows], settings, runtime.models)
        finally:
            await runtime.stop()
    judged, grounder = await _judge(settings, [trace for trace, _ in rows])
    found = rates([Judged(label, one.verdict) for one, (_, label) in zip(judged, rows, strict=True)])
    return _of(grounder, Calibration(found, len(rows) - found.hallucinated - found.grounded, None, ""))


async def measure_labels(
    source: Path, settings: Config, *, requests: Path | None = None, judge: bool = False
) -> Calibration:
    """What drawn labels say: of the verdict beside them, or, with their requests, of the one that the default model gives now. Raises ConfigError."""
    drawn = read_drawn(source)
    if requests is None:
        return beside(drawn, judge=judge)
    rows, unsure = labelled_requests(drawn, requests, settings)
    judged, grounder = await _judge(settings, [trace for trace, _ in rows])
    return _of(grounder, today(rows, judged, drawn, unsure=unsure))


def _of(grounder: Grounder, found: Calibration) -> Calibration:
    own = grounder.identity
    return replace(found, model=f"{own.name} {own.version}", threshold=grounder.answer_threshold)


async def write_card(source: Path, settings: Config) -> list[str]:
    """Fit the default grounding model to labelled requests and write the card beside it; what to tell. Raises ConfigError."""
    folder = _own_folder(settings)
    rows = _read(source, settings, labelled=True)
    judged, _ = await _judge(settings, [trace for trace, _ in rows])
    scored = [
        (score, label) for one, (_, label) in zip(judged, rows, strict=True) if (score := _score(one)) is not None
    ]
    for label, name in ((False, "hallucinated"), (True, "grounded")):
        if (count := sum(own is label for _, own in scored)) < 2 * LEAST_OF_EACH:
            problem = f"{only(count, f'{name} request')} got a score"
            raise ConfigError(
                "labels", problem, f"half is fitted on, half measured on: label at least {2 * LEAST_OF_EACH} of each"
            )
    found = fit([score for score, _ in scored], [label for _, label in scored])
    if found.sensitivity + found.specificity <= 1.0:
        problem = f"the model tells bad answers from good ones no better than a coin: finds {found.sensitivity:.0%}, passes {found.specificity:.0%}"
        raise ConfigError(
            "--write",
            problem,
            "look at its label in id2label and at the order of premise and hypothesis, or use another model",
        )
    detector = Detector(
        sensitivity=found.sensitivity,
        specificity=found.specificity,
        hallucinated=found.hallucinated,
        grounded=found.grounded,
    )
    calibration = composed(folder.card.get("calibration"), found)
    path = put_into_card(
        folder.path, calibration=calibration, threshold=found.threshold, detector=detector.model_dump()
    )
    told = Calibration(detector, len(rows) - len(scored), found.threshold, folder.path.name)
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
        other = next((role for role in ROLES if model in settings.inference.models.known(role)), None)
        if other is not None:
            mend = f"it is for grounding models alone: {', '.join(known)}"
            mend += "; set threshold and answer_threshold in the settings" if other == "relevance" else ""
            raise ConfigError("--model", f"{model!r} is a model for {other}, which is not calibrated", mend)
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
    every = build(
        settings.evaluate.model_copy(update={"evaluators": DEFAULTS, "references": "off", "groundedness": local})
    )
    # `inference.detector` is of the default model: a rule's model has rates of its own.
    patient = settings.evaluate.model_copy(update={"timeout_seconds": _PATIENCE_SECONDS})
    engine = Engine(patient, runtime.models, [evaluator for evaluator in every if evaluator.decides])
    gate = asyncio.Semaphore(_IN_FLIGHT)

    async def judge(trace: RagTrace) -> Evaluated:
        async with gate:
            return await engine.evaluate(trace)

    await runtime.start()
    try:
        return list(await asyncio.gather(*(judge(trace) for trace in traces))), runtime.models.grounder
    finally:
        await runtime.stop()


def _read(source: Path, settings: Config, *, labelled: bool) -> Sequence[tuple[RagTrace, bool]]:
    lines = read_file(source, "give a readable file of JSON lines").splitlines()
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            label = labelled and label_of(orjson.loads(line))
            rows.append((read_native_line(line, settings.decode, fallback_timestamp=time.time()), label))
        except (ValueError, DecodeError) as error:
            problem = str(error) if isinstance(error, DecodeError) else "no label"
            raise ConfigError(f"{source}, line {number}", problem, _TELL_LABELS) from error
    if not rows:
        raise refusal(source, "holds no record", "give native records with a label, one JSON object a line")
    return rows


def label_of(row: object) -> bool:
    """True for a record that is labelled as grounded, False for one labelled as hallucinated. Raises ValueError for neither."""
    given = row.get("label") if isinstance(row, dict) else None
    word = f"{given:g}" if isinstance(given, bool | int | float) else str(given).strip().lower()
    if word not in _LABELS:
        raise ValueError("label")
    return _LABELS[word]
