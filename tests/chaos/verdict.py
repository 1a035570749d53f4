"""What became of numbered requests, read from the results topic: lost, poorer, doubled."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from confluent_kafka import Consumer, KafkaException, TopicPartition

from tests.chaos.traffic import DOCUMENTS, SPANS

# What differs between two results of the same request without saying anything else of it.
_PASSING = ("trace",)
_NOISE = 5e-6


@dataclass(frozen=True, slots=True)
class Report:
    """Requests by what became of them. `poorer`: a result made of a part stands over a whole one. `partial`: no whole one was ever made.
    `starved`: made of all of it, and the time for its evaluations ran out, which says so: a machine that is too slow for the traffic."""

    sent: int
    lost: tuple[str, ...]
    poorer: tuple[str, ...]
    partial: tuple[str, ...]
    differing: tuple[str, ...]
    doubled: int
    starved: tuple[str, ...] = ()

    def __str__(self) -> str:
        bad = {name: getattr(self, name) for name in ("lost", "poorer", "partial", "differing")}
        counts = ", ".join(f"{name} {len(those)}" for name, those in bad.items())
        examples = "".join(f"\n  {name}: {', '.join(those[:20])}" for name, those in bad.items() if those)
        starved = f", starved {len(self.starved)}" if self.starved else ""
        return f"sent {self.sent}, {counts}, doubled (equal) {self.doubled}{starved}{examples}"


def judge(sent: Iterable[str], results: Mapping[str, list[dict[str, Any]]]) -> Report:
    """Compare what was sent with what stands in the results topic, oldest first for each trace id."""
    lost, poorer, partial, differing, starved, doubled = [], [], [], [], [], 0
    wanted = sorted(sent)
    for trace_id in wanted:
        found = results.get(trace_id, [])
        if not found:
            lost.append(trace_id)
            continue
        whole = [_whole(one) for one in found]
        if not any(whole) and _starved(found[-1]):
            starved.append(trace_id)
            continue
        if not any(whole):
            partial.append(f"{trace_id} ({_story(found)})")
        elif not whole[-1]:
            poorer.append(f"{trace_id} ({_story(found)})")
        # An upsert keeps what comes last; a reader of the stream sees them all.
        first, *others = [_lasting(one) for one, good in zip(found, whole, strict=True) if good] or [{}]
        differs = {key for one in others for key in {*one, *first} if not _same(one.get(key), first.get(key))}
        if differs:
            differing.append(f"{trace_id} in {', '.join(sorted(differs))}")
        doubled += len(found) - 1
    return Report(len(wanted), tuple(lost), tuple(poorer), tuple(partial), tuple(differing), doubled, tuple(starved))


def read_results(servers: str, topic: str, *, seconds: float = 60.0) -> dict[str, list[dict[str, Any]]]:
    """Everything in a results topic now, by trace id, in the order in which it was written."""
    consumer = Consumer(
        {"bootstrap.servers": servers, "group.id": "chaos-reader", "enable.auto.commit": False, "log_level": 0}
    )
    try:
        parts = [TopicPartition(topic, n, 0) for n in consumer.list_topics(topic, timeout=30).topics[topic].partitions]
        ends = {p.partition: _end(consumer, p, seconds) for p in parts}
        consumer.assign(parts)
        left = {n for n, end in ends.items() if end > 0}
        found: dict[str, list[dict[str, Any]]] = {}
        while left:
            message = consumer.poll(seconds)
            if message is None:
                raise TimeoutError(f"partitions {sorted(left)} of {topic} could not be read to their ends")
            if message.error():
                continue
            result = orjson.loads(message.value() or b"")
            found.setdefault(result["trace_id"], []).append(result)
            if (message.offset() or 0) + 1 >= ends[message.partition() or 0]:
                left.discard(message.partition() or 0)
        return found
    finally:
        consumer.close()


def _end(consumer: Consumer, partition: TopicPartition, seconds: float) -> int:
    """A broker that has just come up may not know yet that it leads."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return int(consumer.get_watermark_offsets(partition, timeout=seconds)[1])
        except KafkaException:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def _whole(result: Mapping[str, Any]) -> bool:
    """Whether a result was made of all records of its request: its documents were scored, and its answer has a verdict."""
    documents = [len(one["documents"]) for one in result["evaluations"] if one["evaluator"] == "context_relevance"]
    return result["verdict"] is not None and documents == [DOCUMENTS]


def _starved(result: Mapping[str, Any]) -> bool:
    """Whether a result was made of all spans of its request, and misses evaluations for want of time alone."""
    reasons = [one.get("reason") for one in result["evaluations"] if one.get("outcome") == "failed"]
    # A native request counts as one span.
    whole = result["trace"].get("root_seen") and result["trace"]["spans"] in (1, SPANS)
    return bool(whole) and set(reasons) == {"timeout"}


def _story(found: Iterable[Mapping[str, Any]]) -> str:
    return "; ".join(f"{one.get('outcome')} {one.get('reason')} {one.get('trace')}" for one in found)


def _same(one: Any, other: Any) -> bool:
    """Equal, but for what a model's arithmetic leaves to the company in its batch: numbers are written with six digits."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, abs_tol=_NOISE)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _lasting(result: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key not in _PASSING}
