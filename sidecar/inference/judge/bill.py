"""What calls cost: by the token counts of the reply, and by an estimate where there are none.

A server may leave the counts out, and a call that was sent and never answered may have been charged all the same: neither is free, or the budget
would hold nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from exporters.clients.http import Answer
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.inference.judge.wire import Used, content_of, usage_of
from sidecar.observe.telemetry import Telemetry

# US dollars of so many tokens of a model (provider or None, model); None where it has no price.
Prices = Callable[[str | None, str, Used], float | None]

# What a reply is foreseen to take where it may take more.
_FORESEEN_OUTPUT = 400
_ESTIMATED = "rag_sidecar_judge_estimated_tokens_total"


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens, and US dollars; 0 where the model has no price."""

    tokens: int = 0
    dollars: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.tokens + other.tokens, self.dollars + other.dollars)


class Bill:
    """Counts tokens and money for the evaluator that asked."""

    def __init__(self, config: JudgeConfig, telemetry: Telemetry, price: Prices) -> None:
        self._config = config
        self._telemetry = telemetry
        self._price = price

    def foreseen(self, messages: list[dict[str, str]]) -> Cost:
        """What a call will cost, about."""
        used = self._expected(messages)
        return Cost(used.input + used.output, self._dollars(used) or 0.0)

    def answered(self, evaluator: str, messages: list[dict[str, str]], answer: Answer) -> Cost:
        """What a call cost that was answered with status 200, a chat completion or not."""
        used = usage_of(answer)
        estimated = 0
        if used.input == 0:
            used = replace(used, input=estimate(messages), cached_input=0)
            estimated += used.input
        if used.output == 0 and (said := self._said(answer)):
            used = replace(used, output=said, reasoning=0)
            estimated += said
        return self._counted(evaluator, used, estimated)

    def unanswered(self, evaluator: str, messages: list[dict[str, str]]) -> Cost:
        """What a call may have cost that was sent, and of which nothing came back."""
        used = self._expected(messages)
        return self._counted(evaluator, used, used.input + used.output)

    def _expected(self, messages: list[dict[str, str]]) -> Used:
        return Used(input=estimate(messages), output=min(self._config.most_output_tokens, _FORESEEN_OUTPUT))

    def _said(self, answer: Answer) -> int:
        """About how many tokens a reply has."""
        content = content_of(answer)
        if content is not None:
            return _tokens(content)
        # Of what is no completion nobody knows which part a model wrote.
        return min(len(answer.body) // 4, self._config.most_output_tokens) if usage_of(answer).input == 0 else 0

    def _counted(self, evaluator: str, used: Used, estimated: int) -> Cost:
        parts = {
            "input": max(0, used.input - used.cached_input),
            "cached_input": used.cached_input,
            "output": max(0, used.output - used.reasoning),
            "reasoning": used.reasoning,
        }
        for kind, tokens in parts.items():
            if tokens:
                self._telemetry.count("rag_sidecar_judge_tokens_total", tokens, evaluator=evaluator, type=kind)
        if estimated:
            self._telemetry.count(_ESTIMATED, estimated)
        total = used.input + used.output
        dollars = self._dollars(used)
        if dollars is None:
            self._telemetry.count("rag_sidecar_judge_unpriced_tokens_total", total)
            return Cost(total)
        self._telemetry.count("rag_sidecar_judge_cost_usd_total", dollars, evaluator=evaluator)
        return Cost(total, dollars)

    def _dollars(self, used: Used) -> float | None:
        return self._price(self._config.provider, self._config.model, used)


def estimate(messages: list[dict[str, str]]) -> int:
    """About how many tokens messages have: a quarter of the ASCII characters, and one for each other character."""
    return sum(_tokens(message["content"]) for message in messages) + 10 * len(messages)


def _tokens(text: str) -> int:
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return plain // 4 + (len(text) - plain)
