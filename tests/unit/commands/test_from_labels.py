"""`rag-sidecar calibrate` on what `rag-sidecar label` writes: each drawn label counts for as many answers as it stands for."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from exporters.result import Evaluation, ModelIdentity, Outcome, Verdict
from exporters.verdicts import identity_of
from sidecar import config
from sidecar.commands.calibrate import cli, measure_labels
from sidecar.commands.calibration import Judged, rates
from sidecar.commands.demo.corpus import Corpus, Kind
from sidecar.commands.demo.spans import SpanMaker
from sidecar.commands.from_labels import beside, read_drawn
from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.reader import read_native_line
from sidecar.inference.grounding.detector import Anchor
from sidecar.labels.record import Beside, Draw, Facts, Label, Model, Said, label
from sidecar.record.errors import ConfigError
from sidecar.results import result_id

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ALL = Draw(seed="1", rate=1.0)
MODEL = Model(name="embedded", version="2", sha256="ab")


def one(
    number: int, said: Said, found: str | None, *, p: float = 1.0, draw: Draw | None = ALL, at: datetime = NOW,
    threshold: float = 0.3, judge: tuple[str, float] | None = None, service: str = "s", told: Model | None = None,
) -> Label:  # fmt: skip
    """A label of an answer of which the local model said `found`, and the judge, with its probability, `judge`; `told` is the model that told an
    abstention."""
    model = told if found == "abstained" else MODEL
    own = Beside(
        evaluator="groundedness", model=model, threshold=threshold, label=None if found == "abstained" else found
    )
    others = () if judge is None else (
        Beside(
            evaluator="groundedness_judge", judged=True, label=judge[0], inclusion_probability=judge[1],
            model=Model(name="gpt", version="judge", sha256=""), threshold=0.75,
        ),
    )  # fmt: skip
    about = Facts(
        result=str(number), trace_id=str(number), service=service, inclusion_probability=p, draw=draw, verdict=found,
        beside=(own, *others),
    )  # fmt: skip
    return label(about, said, at=at)


def write(path: Path, labels: list[Label]) -> Path:
    path.write_bytes(b"".join(label.line() + b"\n" for label in labels))
    return path


def forty_of_each(*, start: int = 0) -> list[Label]:
    """Of 40 hallucinated answers the model finds 30, of 40 grounded it passes 36; the missed ones stand for 4 each."""
    found = [one(start + n, "hallucinated", "hallucinated") for n in range(30)]
    found += [one(start + n, "hallucinated", "grounded", p=0.25) for n in range(30, 40)]
    found += [one(start + n, "grounded", "grounded") for n in range(40, 76)]
    return found + [one(start + n, "grounded", "hallucinated") for n in range(76, 80)]


def test_each_label_counts_for_as_many_as_it_stands_for(tmp_path: Path) -> None:
    made = beside(read_drawn(write(tmp_path / "labels.jsonl", forty_of_each())), judge=False)
    assert made.found is not None
    # 30 of 30 + 10 x 4 are found; worth (70)^2 / (30 + 10 x 16) = 25.8 answers.
    assert made.found.sensitivity == pytest.approx(30 / 70)
    assert (made.found.hallucinated, made.found.grounded) == (25, 40)
    assert made.found.specificity == pytest.approx(0.9)
    assert made.report()[2].startswith("by the labels 63.6% of the answers are hallucinated")
    assert made.model == "embedded 2"


def test_what_does_not_stand_for_others_or_says_nothing_is_left_out_and_told(tmp_path: Path) -> None:
    more = [
        *(one(100 + n, "hallucinated", "grounded", draw=None) for n in range(7)),
        *(one(200 + n, "skipped", "grounded") for n in range(3)),
        *(one(300 + n, "abstained", "grounded") for n in range(2)),
        *(one(400 + n, "grounded", "abstained") for n in range(5)),
        *(one(500 + n, "grounded", "hallucinated", threshold=0.4, at=NOW - timedelta(days=1)) for n in range(4)),
    ]
    with_more = beside(read_drawn(write(tmp_path / "more.jsonl", [*forty_of_each(), *more])), judge=False)
    alone = beside(read_drawn(write(tmp_path / "alone.jsonl", forty_of_each())), judge=False)
    assert with_more.found == alone.found
    assert with_more.without_verdict == 5
    assert with_more.notes == (
        "labels left out: 7 picked, and stand for nothing but themselves",
        "labels left out: 3 skipped",
        "labels left out: 2 of answers that abstain",
        "labels left out: 4 beside another model, version or threshold than the latest",
    )


def test_picked_labels_alone_calibrate_nothing(tmp_path: Path) -> None:
    rows = [one(n, "hallucinated" if n % 2 else "grounded", "grounded", draw=None) for n in range(100)]
    with pytest.raises(ConfigError, match="no label of a drawn answer"):
        read_drawn(write(tmp_path / "labels.jsonl", rows))


def test_where_too_few_are_of_a_kind_the_share_is_told_all_the_same(tmp_path: Path) -> None:
    rows = [one(n, "hallucinated" if n < 10 else "grounded", "grounded") for n in range(200)]
    # Wilson by hand for 10 of 200: centre (0.05 + 3.8416 / 400) / 1.019208, half width 0.0313.
    told = r"only 10 hallucinated requests got a verdict; by the labels 5\.0% of .* \(0\.027 to 0\.090, worth a sample of 200\)"
    with pytest.raises(ConfigError, match=told):
        beside(read_drawn(write(tmp_path / "labels.jsonl", rows)), judge=False)


def test_where_nothing_follows_yet_it_says_what_is_enough(tmp_path: Path) -> None:
    """30 good answers anchor a service, as docs/labels.md says: 30 bad ones are asked for by nobody but the detector."""
    rows = [one(n, "hallucinated" if n < 1 else "grounded", "hallucinated" if n < 1 else "grounded") for n in range(30)]
    with pytest.raises(ConfigError) as refused:
        beside(read_drawn(write(tmp_path / "few.jsonl", rows)), judge=False)
    assert refused.value.problem.startswith("only 1 hallucinated request got a verdict; by the labels")
    assert refused.value.mend.startswith(
        "label on: 30 good answers of a service with a verdict make its evaluate.anchors"
    )
    enough = [*rows, one(30, "grounded", "grounded")]
    assert beside(read_drawn(write(tmp_path / "enough.jsonl", enough)), judge=False).anchors["s"].grounded == 30


def test_where_the_verdict_is_hardly_better_than_a_coin_that_is_said_first_and_no_more_labels_are_asked_for(
    tmp_path: Path,
) -> None:
    rows = [one(n, "hallucinated" if n < 19 else "grounded", "grounded") for n in range(60)]
    with pytest.raises(ConfigError) as refused:
        beside(read_drawn(write(tmp_path / "labels.jsonl", rows)), judge=False)
    assert refused.value.problem.startswith(
        "s: nothing can be anchored in a verdict that finds 0% of 19 bad answers and passes 100% of 41 good ones, hardly better than a coin; "
        "only 19 hallucinated requests got a verdict; by the labels"
    )
    assert "more labels alone do not mend it" in refused.value.mend
    assert "label at least" not in refused.value.mend


def test_each_service_that_is_not_anchored_is_named_with_the_reason(tmp_path: Path) -> None:
    rows = [one(n, "grounded", "grounded", service="well") for n in range(40)]
    rows += [one(100 + n, "grounded", "grounded" if n < 20 else "hallucinated", service="coin") for n in range(40)]
    rows += [one(200 + n, "grounded", "grounded", service="small") for n in range(12)]
    rows += [one(300 + n, "hallucinated", "hallucinated", service="tiny") for n in range(3)]
    made = beside(read_drawn(write(tmp_path / "labels.jsonl", rows)), judge=False)
    assert set(made.anchors) == {"well"}
    assert made.notes[:2] == (
        "coin: nothing can be anchored in a verdict that passes 50% of 40 good ones, hardly better than a coin",
        "not anchored for fewer than 30 good answers with a verdict: small (12), tiny (0)",
    )


def test_of_the_judge_each_label_counts_for_as_many_as_the_judge_saw_of_its_kind(tmp_path: Path) -> None:
    rows = [one(n, "hallucinated", "grounded", judge=("hallucinated", 0.1)) for n in range(36)]
    rows += [one(n, "hallucinated", "grounded", judge=("grounded", 0.2)) for n in range(36, 40)]
    rows += [one(n, "grounded", "grounded", judge=("grounded", 0.1)) for n in range(40, 80)]
    rows += [one(n, "grounded", "grounded") for n in range(80, 100)]
    made = beside(read_drawn(write(tmp_path / "labels.jsonl", rows)), judge=True)
    assert made.found is not None
    assert made.found.sensitivity == pytest.approx(360 / 380)
    assert (made.found.specificity, made.found.grounded) == (1.0, 40)
    assert yaml.safe_load(made.settings()) == {
        "judge": {
            "detector": {"sensitivity": 0.9474, "specificity": 1.0, "hallucinated": 39, "grounded": 40},
        }
    }


def test_the_weighted_rates_are_those_of_all_answers_and_their_interval_holds_them() -> None:
    """2,000 services of 3,000 answers, of which those that the model flags are kept ten times as often as others."""
    chance = np.random.default_rng(3)
    covered, off = [], []
    for _ in range(2000):
        sensitivity = chance.uniform(0.4, 0.9)
        wrong = chance.random(1500) < sensitivity
        p = np.where(chance.random(1500) < 0.5, 0.4, 0.04)
        kept = chance.random(1500) < p
        rows = [
            Judged(False, Verdict.HALLUCINATED if flagged else Verdict.GROUNDED, 1 / q)
            for flagged, q in zip(wrong[kept], p[kept], strict=True)
        ]
        rows += [Judged(True, Verdict.GROUNDED)] * 30
        found = rates(rows)
        n, share = found.hallucinated, found.sensitivity
        spread = 1.96 * np.sqrt(n * share * (1 - share) + 0.9604)
        low, high = (n * share + 1.9208 - spread) / (n + 3.8416), (n * share + 1.9208 + spread) / (n + 3.8416)
        covered.append(low <= sensitivity <= high)
        off.append(share - sensitivity)
    assert 0.93 <= np.mean(covered) <= 0.97
    assert abs(np.mean(off)) < 0.005


def test_a_service_that_is_well_is_anchored_though_few_of_its_labels_are_bad(tmp_path: Path) -> None:
    """Of 4 bad answers 3 are found, of 196 good ones 190 pass: too few for a sensitivity, enough for the anchor. Another service has too few labels."""
    rows = [one(n, "hallucinated", "hallucinated" if n < 3 else "grounded") for n in range(4)]
    rows += [one(n, "grounded", "grounded" if n < 194 else "hallucinated") for n in range(4, 200)]
    rows += [one(n, "grounded", "grounded", service="small") for n in range(300, 320)]
    run = CliRunner().invoke(cli, [str(write(tmp_path / "labels.jsonl", rows))], catch_exceptions=False)
    given = yaml.safe_load(run.stdout)
    assert "only 4 hallucinated requests got a verdict: no inference.detector is made of these" in run.stderr
    assert "s: anchored in 196 good and 4 bad answers, specificity 0.969" in run.stderr
    assert list(given) == ["evaluate"]
    made = config.build(given, receive={"bootstrap_servers": "unused:9092", "topics": ["unused"]})
    assert set(made.evaluate.anchors) == {"s"}
    anchor = made.evaluate.anchors["s"]
    assert (anchor.hallucinated, anchor.grounded, anchor.sensitivity) == (4, 196, 0.75)
    said = Evaluation(
        evaluator="groundedness", outcome=Outcome.SCORED, threshold=0.3, model=ModelIdentity("embedded", "2", "ab")
    )
    assert anchor.identity == identity_of(said), "the identity is that of the series"
    assert anchor.labelled == NOW.date()
    assert "labelled about 2026-01-01" in run.stderr


def test_an_anchor_is_as_old_as_the_middle_of_its_labels_and_one_that_is_too_old_is_warned_of(tmp_path: Path) -> None:
    rows = [one(n, "grounded", "grounded", at=NOW + timedelta(days=n // 10)) for n in range(100)]
    made = beside(read_drawn(write(tmp_path / "labels.jsonl", rows)), judge=False)
    assert made.anchors["s"].labelled == (NOW + timedelta(days=4)).date()
    young = [one(200 + n, "grounded", "grounded", service="young", at=datetime.now(UTC)) for n in range(40)]
    run = CliRunner().invoke(cli, [str(write(tmp_path / "labels.jsonl", [*rows, *young]))], catch_exceptions=False)
    [warning] = [line for line in run.stderr.splitlines() if line.startswith("warning: ")]
    assert warning.startswith(
        "warning: s: half of its labels are older than the 90 days of evaluate.anchors_expire_days"
    )


def test_an_anchor_without_a_date_or_without_an_end_holds_for_ever() -> None:
    rates = {"sensitivity": 0.8, "hallucinated": 10, "specificity": 0.9, "grounded": 90, "identity": "0a1b2c3d"}
    assert Anchor.model_validate(rates).expiry(90) is None
    dated = Anchor.model_validate({**rates, "labelled": "2020-01-03"})
    assert dated.expiry(0) is None
    assert dated.expiry(90) == datetime(2020, 4, 2, tzinfo=UTC).timestamp()


def test_labels_of_the_judge_anchor_nothing_by_themselves(tmp_path: Path) -> None:
    rows = [one(n, "hallucinated", "grounded", judge=("hallucinated", 0.1)) for n in range(40)]
    rows += [one(n, "grounded", "grounded", judge=("grounded", 0.1)) for n in range(40, 100)]
    made = beside(read_drawn(write(tmp_path / "labels.jsonl", rows)), judge=True)
    assert made.anchors == {}


async def test_with_their_requests_todays_model_is_measured(tmp_path: Path) -> None:
    corpus, spans, lines, labels = Corpus(5), SpanMaker(5), [], []
    for number, kind in enumerate([Kind.FAITHFUL] * 35 + [Kind.HALLUCINATED] * 35):
        _, record = spans.native(corpus.compose(kind), 1e9)
        lines.append(record)
        trace = read_native_line(record, DecodeConfig(), fallback_timestamp=0.0)
        made = one(number, "grounded" if kind is Kind.FAITHFUL else "hallucinated", "grounded")
        about = made.about.model_copy(update={"result": result_id(trace), "trace_id": trace.trace_id})
        labels.append(label(about, made.verdict, at=NOW))
    requests = tmp_path / "requests.jsonl"
    requests.write_bytes(b"\n".join(lines[1:]))
    path = write(tmp_path / "labels.jsonl", labels)
    hasty = config.build(
        {"evaluate": {"timeout_seconds": 0.001}}, receive={"bootstrap_servers": "unused:9092", "topics": ["unused"]}
    )
    found = await measure_labels(path, hasty, requests=requests)
    assert found.found is not None
    # The verdict beside the labels would find nothing.
    assert found.found.sensitivity > 0.6
    assert found.model.startswith("embedded")
    assert found.anchors["s"].identity != "00000000"
    assert found.notes == ("labels left out: 1 whose request is not in the file",)
    again = json.loads(lines[1])
    requests.write_bytes(b"\n".join([*lines, json.dumps({**again, "answer": "Something else."}).encode()]))
    found = await measure_labels(path, hasty, requests=requests)
    assert found.notes == ("labels left out: 1 whose id several requests have",)
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"request_id": "x", "question": "q", "answer": "a", "contexts": ["c"]}))
    with pytest.raises(ConfigError, match="no request that is labelled"):
        await measure_labels(path, hasty, requests=other)


def test_the_command_tells_labels_from_records_and_refuses_what_does_not_fit(tmp_path: Path) -> None:
    path = write(tmp_path / "labels.jsonl", forty_of_each())
    run = CliRunner().invoke(cli, [str(path)], catch_exceptions=False)
    assert "sensitivity 0.429" in run.stderr
    assert yaml.safe_load(run.stdout)["inference"]["detector"]["grounded"] == 40
    records = tmp_path / "records.jsonl"
    records.write_text('{"question": "q", "answer": "a", "label": 1}\n')
    for words, told in (
        ([path, "--write"], f"--write: {path} holds labels"),
        ([path, "--from-judge"], f"--from-judge: {path} holds labels"),
        ([records, "--of-judge"], f"--of-judge: {records} holds no labels"),
        ([records, "--requests", records], f"--requests: {records} holds no labels"),
        ([path, "--of-judge", "--requests", records], "--of-judge: the judge is not asked anew"),
        ([path, "--of-judge"], "no judge gave a verdict"),
    ):
        with pytest.raises(ConfigError, match=told):
            CliRunner().invoke(cli, [str(word) for word in words], catch_exceptions=False)


@pytest.mark.parametrize("told", [None, Model(name="abstention", version="1", sha256="b")])
@pytest.mark.parametrize("days", [-1, 1])
def test_abstentions_are_answers_without_a_verdict_whoever_told_them(
    tmp_path: Path, told: Model | None, days: int
) -> None:
    abstained = [one(900 + n, "grounded", "abstained", told=told, at=NOW + timedelta(days=days)) for n in range(5)]
    made = beside(read_drawn(write(tmp_path / "labels.jsonl", [*forty_of_each(), *abstained])), judge=False)
    assert made.model == f"{MODEL.name} {MODEL.version}"
    assert made.without_verdict == 5
    assert not any("another model" in note for note in made.notes)
