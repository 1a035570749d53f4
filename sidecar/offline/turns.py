"""Conversations of cases: where tools said something, each turn is held against what tools and documents had said by then."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sidecar.evaluate.metrics.agents.turn_faithfulness import TurnFaithfulness
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.record.request import RagTrace


def with_turns(own: EvaluateConfig) -> tuple[EvaluateConfig, Mapping[str, Callable[[RagTrace], bool]]]:
    """Settings with turn faithfulness, and which requests it looks at where no setting names it: a conversation has its documents in what tools
    said, so that faithfulness and groundedness have nothing to go by. `evaluate.references: off` leaves it out."""
    if TurnFaithfulness.name in own.evaluators or own.references == "off":
        return own, {}
    named = own.model_copy(update={"evaluators": (*own.evaluators, TurnFaithfulness.name)})
    return named, {TurnFaithfulness.name: tools_spoke}


def tools_spoke(trace: RagTrace) -> bool:
    """Whether a request has what a tool said."""
    return any(one.role == "tool" and one.text for one in trace.messages)
