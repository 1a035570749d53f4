"""What a run writes and reads again: the record of a case, and the report. JSON, absent is null, schema `rag-sidecar.report.v1`.

Evaluations are those of the result record (docs/results.md): both are read by the same code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from exporters.record import EvaluationRecord

SCHEMA = "rag-sidecar.report.v1"
COMPARED = "rag-sidecar.comparison.v1"
Counts: TypeAlias = Mapping[str, int]


class Record(BaseModel):
    """A part of a report. Fields that a newer version writes are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Evaluation(EvaluationRecord):
    """What one evaluator says of one case, all that a result has: a score with what it is made of, or why there is none."""

    @property
    def identity(self) -> Identity:
        """Who gave the score, and how."""
        model = self.model
        return Identity(
            method=self.method,
            version=self.version,
            model="" if model is None else model.name,
            model_version="" if model is None else model.version,
            sha256="" if model is None else model.sha256,
            other_models=tuple(" ".join((one.name, one.version, one.sha256[:12])).strip() for one in self.other_models),
            threshold=self.threshold,
        )


class Identity(Record):
    """An evaluator's: scores of two identities are never compared, and a limit holds for one."""

    method: str
    version: str
    model: str = ""
    model_version: str = ""
    sha256: str = ""
    other_models: tuple[str, ...] = ()
    threshold: float | None = None

    def __str__(self) -> str:
        model = ", ".join((f"{self.model} {self.model_version}".strip(), *self.other_models))
        threshold = None if self.threshold is None else f"threshold {self.threshold:g}"
        return ", ".join(part for part in (f"{self.method} v{self.version}", model, threshold) if part)


class Document(Record):
    """One retrieved document."""

    id: str | None = None
    text: str | None = None


class CaseRecord(Record):
    """A case and all that was said of it. `seconds` is how long that took, waiting included; `redacted` counts the values that pseudonyms stand for, by kind."""

    id: str
    key: str
    digest: str
    kind: str | None = None
    origin: str | None = None
    service: str = "unknown"
    model: str | None = None
    provider: str | None = None
    variant: str | None = None
    session: str | None = None
    timestamp: str | None = None
    question: str | None = None
    answer: str | None = None
    reference: str | None = None
    documents: tuple[Document, ...] = ()
    outcome: Literal["scored", "unscorable", "failed"]
    reason: str | None = None
    verdict: Literal["grounded", "hallucinated", "abstained"] | None = None
    abstention: str | None = None
    evaluations: tuple[Evaluation, ...] = ()
    tokens: Mapping[str, int | None] = {}
    cost_usd: float | None = None
    durations: Mapping[str, float | None] = {}
    redacted: Counts | None = None
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether an evaluator failed, so that another attempt may say more."""
        return any(one.outcome == "failed" for one in self.evaluations) or self.outcome == "failed"

    def said_by(self, evaluator: str) -> Evaluation | None:
        """What one evaluator says of it."""
        return next((one for one in self.evaluations if one.evaluator == evaluator), None)


class IdentityCount(Record):
    """How many scores an identity gave."""

    identity: Identity
    scored: int


class Metric(Record):
    """One metric over the cases of a group. `mean` is plain, over the cases with a score; the interval is its 95 %; `histogram` counts scores in
    tenths, the last with 1.0."""

    metric: str
    scored: int
    mean: float | None = None
    lower: float | None = None
    upper: float | None = None
    spread: float | None = None
    unscorable: Counts = {}
    failed: Counts = {}
    histogram: tuple[int, ...] = ()
    identities: tuple[IdentityCount, ...] = ()


class Group(Record):
    """Cases of one kind or origin."""

    name: str
    cases: int
    metrics: tuple[Metric, ...]


class SessionMetric(Record):
    """One metric by sessions: the mean over sessions of the mean of their turns, with its 95 % interval (turns of one session are alike, so that an interval
    over turns is too narrow), and the mean of their worst turns."""

    metric: str
    sessions: int
    mean: float
    lower: float | None = None
    upper: float | None = None
    worst_turn: float


class WorstTurn(Record):
    """Where a session went wrong: its worst turn, from 1."""

    session: str
    turns: int
    turn: int
    case: str
    metric: str
    score: float


class Sessions(Record):
    """Sessions of two turns or more."""

    sessions: int
    turns: int
    metrics: tuple[SessionMetric, ...] = ()
    worst: tuple[WorstTurn, ...] = ()


class Negatives(Record):
    """Cases that the documents cannot answer: right is to abstain. They are in no mean."""

    cases: int
    abstained: int
    known: int = Field(
        default=0,
        description="Of how many that could be read: of an answer in a language that nobody reads nothing is known.",
    )
    rate: float | None = None
    lower: float | None = None
    upper: float | None = None


class Spread(Record):
    """Of a measure over the cases that carry it."""

    cases: int
    mean: float
    median: float
    p95: float
    total: float


class Judged(Record):
    """What the judge took for one evaluator. `cost_usd` is None where its model has no price."""

    evaluator: str
    questions: int
    tokens: int
    cost_usd: float | None = None


class Effort(Record):
    """What the evaluation itself took; of a run that was stopped and went on, the last part alone."""

    seconds: float
    cases_per_second: float | None = None
    judge: tuple[Judged, ...] = ()


class UnreadRow(Record):
    """A row that is no case: its place from 1, the line that it begins in where the file has lines, and why."""

    row: int
    line: int | None = None
    reason: str
    detail: str = ""


class Source(Record):
    """Where the cases came from: the file's own name and hash."""

    name: str
    sha256: str


class Check(Record):
    """One question of a gate, and how it ended. `value` is what was held against `limit`: the mean, or the lower bound of its interval."""

    metric: str
    limit: float
    bound: Literal["mean", "lower"] = "mean"
    value: float | None = None
    status: Literal["passed", "failed", "not_asked"]
    why: str


class Gate(Record):
    """A gate: passed where nothing failed, and something was asked."""

    passed: bool
    checks: tuple[Check, ...]


class Comparison(Record):
    """One metric of two systems, B - A; p is that among all that decide (of arms after Holm's correction), `shown` the difference that such a sample would have shown. Of paired cases
    `pairs` counts them; of arms on requests of their own `size_a` and `size_b` are the effective sizes. `only_a` counts cases that A alone has a score
    for, `lacking_b` why B has none; `fewer` is the system that lost more of them than chance or a few silent cases would explain. `fewest_pairs` stands
    where there are fewer pairs than a difference takes, however large it is: then `shown` is null. `unproven`: B is lower, and no metric of the check has
    so many, or B was to be held against A in it and there is nothing to compare. `changed` counts the pairs that differ. `role`: it decides, with p corrected
    for all that do; so few pairs differ that nothing could be shown (`alike`); or others were named to decide (`told`)."""

    metric: str
    role: Literal["decides", "alike", "told"] | None = None
    pairs: int | None = None
    changed: int | None = None
    size_a: float | None = None
    size_b: float | None = None
    only_a: int = 0
    only_b: int = 0
    lacking_a: Counts = {}
    lacking_b: Counts = {}
    fewer: Literal["A", "B"] | None = None
    mean_a: float | None = None
    mean_b: float | None = None
    delta: float | None = None
    lower: float | None = None
    upper: float | None = None
    p: float | None = None
    p_alone: float | None = None
    test: str | None = None
    spread: float | None = None
    shown: float | None = None
    fewest_pairs: int | None = None
    unproven: bool = False
    winner: Literal["A", "B"] | None = None
    says: str

    @property
    def stands(self) -> Literal["worse", "better"] | None:
        """How B stands: worse where A is better, B lost scores, or B is lower and nothing could show that it is; whatever else speaks for it."""
        if self.winner == "A" or self.fewer == "B" or self.unproven:
            return "worse"
        return "better" if self.winner == "B" or self.fewer == "A" else None


class Split(Record):
    """How traffic was split: what was seen of each arm (effective sizes where it was sampled), the share of A that was wanted, and the chance of a
    split so far from it. Where that is tiny the split has another reason, and so may a difference."""

    a: float
    b: float
    wanted: float
    p: float
    mismatch: bool


class Compared(Record):
    """Two systems. `needed` says for each metric how many pairs (or values in each arm) show a difference of so much."""

    schema_: str = Field(default=COMPARED, alias="schema")
    a: str
    b: str
    paired: bool
    only_a: int = 0
    only_b: int = 0
    comparisons: tuple[Comparison, ...]
    needed: Mapping[str, Mapping[str, int]] = {}
    split: Split | None = None

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class Report(Record):
    """One run over one set of cases."""

    schema_: str = Field(default=SCHEMA, alias="schema")
    version: str
    created: str
    source: Source
    settings: str
    cases: int
    reused: int = 0
    unread: tuple[UnreadRow, ...] = ()
    metrics: tuple[Metric, ...]
    by_kind: tuple[Group, ...] = ()
    by_origin: tuple[Group, ...] = ()
    verdicts: Counts = {}
    negatives: Negatives | None = None
    sessions: Sessions | None = None
    durations: Mapping[str, Spread] = {}
    tokens: Mapping[str, Spread] = {}
    cost_usd: Spread | None = None
    effort: Effort
    gate: Gate | None = None
    regression: tuple[Comparison, ...] | None = None
    results: tuple[CaseRecord, ...] = ()

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)
