"""Which requests are scored, and with which probability.

The choice is a function of the trace id alone, so that every replica and every restart chooses the same requests:
u = hash(salt, trace_id) in [0, 1), keep when u < p. All evaluators share the one u. p comes from the first rate rule
that matches the service, lowered by the budget controller when scoring cannot keep up, never below `min_rate`.
"""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, model_validator

from exporters.tally import label_value
from sidecar.observe.telemetry import Telemetry
from sidecar.record.record import AttributeValue
from sidecar.record.request import RagTrace
from sidecar.sample.budget import BudgetConfig, BudgetController, Interval

_MOST_SERVICES = 200
# Where `min_rate` is 0. A weight of one over this is still a number that others can be added to.
_LEAST_FACTOR = 1e-4


class RateRule(BaseModel):
    """The rate of the services that match a pattern."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    service: str = Field(description="Service name; `*` and `?` are wildcards.")
    rate: float = Field(ge=0, le=1, description="Share of the requests to score, 0..1.")


class KeepRule(BaseModel):
    """Requests that are scored whatever the rate. A request is kept when every condition that is given holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, description="Word for logs and results.")
    error: bool | None = Field(default=None, description="True: the request failed. False: it did not.")
    feedback_below: float | None = Field(default=None, description="The user's feedback score is below this.")
    attribute: str | None = Field(
        default=None,
        description="A span attribute, or field of a native record, that must be there; it must be among decode.keep_attributes.",
    )
    equals: str | bool | float | None = Field(
        default=None,
        description="The value that attribute must have, or have among its values: a text, a number, true or false.",
    )

    @model_validator(mode="after")
    def _can_match(self) -> KeepRule:
        if self.equals is not None and self.attribute is None:
            raise ValueError("equals needs attribute: name the attribute that must have this value")
        if self.error is None and self.feedback_below is None and self.attribute is None:
            raise ValueError("a rule without a condition keeps nothing: give error, feedback_below or attribute")
        return self

    def matches(self, trace: RagTrace) -> bool:
        """True where every condition given holds."""
        conditions: list[bool] = []
        if self.error is not None:
            conditions.append((trace.error_class is not None) == self.error)
        if self.feedback_below is not None:
            conditions.append(trace.feedback is not None and trace.feedback < self.feedback_below)
        if self.attribute is not None:
            value = trace.attributes.get(self.attribute)
            conditions.append(value is not None and (self.equals is None or _has(value, self.equals)))
        return all(conditions)


def _has(value: AttributeValue, wanted: str | bool | float) -> bool:
    """Whether an attribute is the value, as its type has it: true is "true", and 1.0 is 1."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return any(_has(one, wanted) for one in value)
    if isinstance(value, bool) or isinstance(wanted, bool):
        return str(value).lower() == str(wanted).lower()
    if isinstance(value, int | float):
        return _number(wanted) == value
    return isinstance(value, str) and (value == wanted if isinstance(wanted, str) else _number(value) == wanted)


def _number(value: str | float) -> float | None:
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


class SampleConfig(BaseModel):
    """Settings of the sampler."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rate: float = Field(
        default=1.0, ge=0, le=1, description="Share of the requests to score where no rule matches, 0..1."
    )
    rules: tuple[RateRule, ...] = Field(default=(), description="Rates by service; the first match wins.")
    always_keep: tuple[KeepRule, ...] = Field(default=(), description="Requests that are scored whatever the rate.")
    min_rate: float = Field(
        default=0.001, ge=0, le=1, description="The budget never lowers a rate below this (or below the rate itself)."
    )
    salt: str = Field(default="rag-sidecar", description="Must be the same on all replicas.")
    budget: BudgetConfig = Field(
        default=BudgetConfig(), description="How sampling gives way when scoring cannot keep up."
    )


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a request is scored. `probability` is the inclusion probability of requests like it, `rule` says why."""

    keep: bool
    probability: float
    rule: str


class Sampler:
    """Decides; pure but for the budget and the gauge of the present probability."""

    def __init__(self, config: SampleConfig, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._salt = config.salt.encode()
        self._config = config
        self._budget = _controller(config)
        self._with_text = _with_text(config)
        self._cap = 1.0
        self._capped_seconds = 0.0
        self._offered = 0.0
        self._always = 0
        self._rates: dict[str, tuple[float, str]] = {}

    def may_keep(self, trace_id: str, service: str) -> bool:
        """False where no rule could keep this trace, so that its texts need not be held.

        The budget's factor is left out and the highest rate of all rules is used: a trace may span services, and
        dropping the text of a trace that is kept after all would bias the sample.
        """
        return self._u(trace_id) < self._with_text

    def reconfigure(self, config: SampleConfig, *, open_seconds: float) -> None:
        """Take other rates and rules. `open_seconds` is how long a trace may stay open: for that long no request is kept whose texts the
        rates before may have let go, which is a lower rate, said with each result, and no bias."""
        before, self._with_text = self._with_text, _with_text(config)
        if before < self._with_text:
            self._cap, self._capped_seconds = min(before, self._cap), open_seconds
        factor, self._budget = self._budget.factor, _controller(config)
        self._budget.factor = factor
        self._config = config
        self._rates.clear()

    def decide(self, trace: RagTrace) -> Decision:
        """The decision for one request."""
        rate, rule = self._rate(trace.service)
        u = self._u(trace.trace_id)
        for keep in self._config.always_keep:
            if keep.matches(trace):
                self._always += 1
                return Decision(keep=u < self._cap, probability=self._cap, rule=keep.name)
        self._offered += rate
        probability = self._effective(rate)
        return Decision(keep=u < probability, probability=probability, rule=rule)

    def relieve(self, *, seconds: float, open_seconds: float, scored: int, fill: float) -> None:
        """Tell the budget what the last `seconds` were like (see budget.Interval); called every `budget.interval_seconds`."""
        self._capped_seconds -= seconds
        if self._capped_seconds <= 0:
            self._cap = 1.0
        offered, self._offered = self._offered, 0.0
        always, self._always = self._always, 0
        if self._config.budget.enabled:
            self._budget.step(
                Interval(
                    seconds=seconds, open_seconds=open_seconds, offered=offered, always=always, scored=scored, fill=fill
                )
            )
        self._telemetry.set("rag_sidecar_sampling_factor", self._factor)
        for service, (rate, _) in self._rates.items():
            self._show(service, rate)

    def _show(self, service: str, rate: float) -> None:
        """The label as the series of requests have it, so that they join."""
        label = label_value(service)
        self._telemetry.set("rag_sidecar_sampling_probability", self._effective(rate), rag_service=label)

    def _effective(self, rate: float) -> float:
        return min(self._cap, max(rate * self._factor, min(self._config.min_rate, rate)))

    @property
    def _factor(self) -> float:
        return self._budget.factor if self._config.budget.enabled else 1.0

    def _rate(self, service: str) -> tuple[float, str]:
        known = self._rates.get(service)
        if known is not None:
            return known
        found = next(
            ((rule.rate, rule.service) for rule in self._config.rules if fnmatch.fnmatchcase(service, rule.service)),
            (self._config.rate, "default"),
        )
        if len(self._rates) < _MOST_SERVICES:
            self._rates[service] = found
            self._show(service, found[0])
        return found

    def _u(self, trace_id: str) -> float:
        digest = hashlib.blake2b(trace_id.encode("utf-8", "surrogatepass"), key=self._salt[:64], digest_size=8).digest()
        return int.from_bytes(digest, "big") / 2.0**64


def _highest(config: SampleConfig) -> float:
    return max([config.rate, *(rule.rate for rule in config.rules)])


def _with_text(config: SampleConfig) -> float:
    """Share of the traces whose texts are held while they are open."""
    return 1.0 if config.always_keep else _highest(config)


def _controller(config: SampleConfig) -> BudgetController:
    highest = _highest(config)
    # Below this no rate falls any further.
    floor = max(_LEAST_FACTOR, min(1.0, config.min_rate / highest)) if highest else 1.0
    return BudgetController(target_fill=(config.budget.low_fill + config.budget.high_fill) / 2, floor=floor)
