"""The numbers that rules, alerts and dashboards share. Change one here, run `make dashboards`, and all of them follow; or leave them, and name a file with
your own (given.py)."""

from __future__ import annotations

from dataclasses import dataclass

from dashboards.given import given
from exporters.series import SERIES


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of the hallucination ratio, as PromQL durations. Tests pass short ones to the same rules.

    Each long window has a check: in the alerts about traffic `fast` has `fast_check`; in those about quality, where a judge sees few answers, `fast`
    has `slow_check`, `slow` has `ticket_check`, `ticket` has `slow`, and `long_ticket` has `ticket`. The
    long window says that it matters, the short one that it still goes on (Site Reliability Workbook, chapter 5,
    multiwindow multi-burn-rate alerts). A `day` is what a share is compared with those before.
    """

    fast: str = "1h"
    fast_check: str = "5m"
    slow: str = "6h"
    slow_check: str = "30m"
    ticket: str = "1d"
    ticket_check: str = "2h"
    long_ticket: str = "3d"
    day: str = "1d"

    def all(self) -> tuple[str, ...]:
        """Every window once, those that page first, and each kind from short to long."""
        return (self.fast_check, self.slow_check, self.fast, self.slow, *self.tickets())

    def rises(self) -> tuple[str, str]:
        """Those whose share is compared with the days before: that which is quick, and that which sees small rises."""
        return (self.ticket_check, self.ticket)

    def anchored(self) -> tuple[str, ...]:
        """Those of the anchored estimate: in the shortest a judge sees next to nothing."""
        return tuple(window for window in self.all() if window != self.fast_check)

    def tickets(self) -> tuple[str, ...]:
        """The windows of the tickets alone."""
        return (self.ticket_check, self.ticket, self.long_ticket)


WINDOWS = Windows()
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def seconds(duration: str) -> int:
    """Seconds of a PromQL duration of one unit."""
    return int(duration[:-1]) * _SECONDS[duration[-1]]


def duration(of: int) -> str:
    """The duration of so many seconds, in the largest unit that it is a whole number of."""
    unit = next(unit for unit, size in reversed(_SECONDS.items()) if of % size == 0)
    return f"{of // _SECONDS[unit]}{unit}"


# Share of answers (of those that are not abstentions) that may be hallucinated.
HALLUCINATION_BUDGET = 0.02
# How many times faster than the budget allows pages someone: 2 % and 5 % of a 30-day budget gone in 1 h and 6 h.
FAST_BURN = 14.4
SLOW_BURN = 6.0
# And how many times faster opens a ticket: 10 % of a 30-day budget gone in 1 day and in 3 days.
TICKET_BURN = 3.0
LONG_TICKET_BURN = 1.0
# The judge errs on that share of the answers at the most, of those that are grounded and of those that are not, as long as nobody
# measured it (`judge.detector`): the interval of the true ratio allows for that much.
JUDGE_ERROR = 0.05
# Error rates of the local verdict that people's labels showed (`evaluate.anchors`) have moved by that much since at the most: a deploy that words
# answers otherwise moves false alarms. They are applied where that share of a service's verdicts is of the identity that was labelled.
RATES_DRIFT = 0.03
COVERED = 0.95
# Labels that anchor no more in so many days are to be renewed.
LABELS_RENEWED_DAYS = 7
# With 95 % confidence the ratio is above this.
LOWER_BOUND = 0.10
# The judge saw fewer answers than this: the estimate rests on too little to page anyone.
LEAST_ANCHORS = 30
# The share of answers below the threshold is compared with that of so many days before: until they have gone by there is no baseline.
LEARNING_DAYS = 3
# A change of the share that is no incident: a deploy that words answers otherwise moves false alarms by that much; within hours the time of day adds to it.
RISE_TOLERATED = 0.03
QUICK_RISE_TOLERATED = 0.045
# So many standard errors above it pages, in so many effective samples: in two hours, and in a day. docs/alerts.md has what they were chosen by.
RISE_Z = 1.6
LEAST_RISE_SAMPLES = 800
SLOW_RISE_Z = 1.8
LEAST_SLOW_RISE_SAMPLES = 2000
# Fewer effective samples than this say nothing: one bad answer of three is no incident.
LEAST_SAMPLES = 30
# The mean score of six hours is that much lower than at the same time last week, with so many scores on both sides.
FAITHFULNESS_DROP = 0.05
CONTEXT_RELEVANCE_DROP = 0.07
LEAST_SCORES = 100
# And by so many of its standard errors.
DROP_Z = 3.0
# Share of requests, in half an hour with at least so many, whose retrieval returned no document.
EMPTY_SHARE = 0.20
LEAST_RETRIEVALS = 50
# Where nearly every request of a whole day has no document, the service does not retrieve.
NEVER_RETRIEVES = 0.99
# A request costs that many times what it cost in the same hour of yesterday and of last week.
COST_RISE = 2.0
# Fewer requests an hour than this say nothing about cost, latency and sampling.
LEAST_REQUESTS = 100
# A request, and the first token of its answer, should take no longer than this. Both must be edges of buckets.
REQUEST_SECONDS = 10.0
FIRST_TOKEN_SECONDS = 2.5
# Share of the requests that may take longer.
REQUEST_BUDGET = 0.01
FIRST_TOKEN_BUDGET = 0.01
# Scores that are older than this describe the past.
LAG_SECONDS = 900.0
# So many records that wait are more than a few polls take at once.
LAG_RECORDS = 1000
# A topic that had so many records in the same hour of yesterday should not be silent today.
STREAM_RECORDS = 60
# Share of the records of a topic that may be unreadable.
DEAD_LETTER_SHARE = 0.001
# Share of the latest traces of a topic that may be without a root or out of several partitions.
SCATTERED_SHARE = 0.20
# So many assignments in half an hour are more than a rollout of a few replicas.
REBALANCES = 10
# Share of the evaluations of one evaluator that may break.
EVALUATION_FAILURE_SHARE = 0.05
# Name of the grounding model inside the package, to which `inference.grounding: auto` falls back.
EMBEDDED_MODEL = "embedded"
# Share of the pushes to an exporter that may fail.
EXPORT_FAILURE_SHARE = 0.10
# Prometheus gives up a scrape after 10 s where nobody says otherwise.
SCRAPE_SECONDS = 5.0
# Share of the time for which an event loop stands still.
STALLED_SHARE = 0.1
# Share of the time for which a required exporter may hold up the intake of a replica.
PAUSED_SHARE = 0.5

# So many rounds of a probe in a row that did not pass page someone; one may be chance.
PROBE_FAILED_ROUNDS = 2
# A probe that has made no round for so many of its intervals is silent.
PROBE_MISSED_ROUNDS = 3

_EDGES = {row.name: row.buckets for row in SERIES}
globals().update(
    given(
        globals(),
        {
            "REQUEST_SECONDS": _EDGES["rag_request_duration_seconds"],
            "FIRST_TOKEN_SECONDS": _EDGES["rag_time_to_first_token_seconds"],
        },
    )
)

FAST_BURN_RATIO = round(FAST_BURN * HALLUCINATION_BUDGET, 6)
SLOW_BURN_RATIO = round(SLOW_BURN * HALLUCINATION_BUDGET, 6)
TICKET_BURN_RATIO = round(TICKET_BURN * HALLUCINATION_BUDGET, 6)
LONG_TICKET_BURN_RATIO = round(LONG_TICKET_BURN * HALLUCINATION_BUDGET, 6)
REQUEST_BURN_RATIO = round(FAST_BURN * REQUEST_BUDGET, 6)
FIRST_TOKEN_BURN_RATIO = round(FAST_BURN * FIRST_TOKEN_BUDGET, 6)
