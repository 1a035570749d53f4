"""What the judge will cost, told before it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sidecar.evaluate.base import Evaluator, Lane, Needs
from sidecar.evaluate.case import Case as Request
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.gate import brings
from sidecar.evaluate.judged.base import SUFFIX, Asking
from sidecar.inference.judge.calls import Prices, estimate
from sidecar.inference.judge.prompt import Prompt
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.inference.judge.wire import Used
from sidecar.offline.case import Case

# A reply with a reason is about so long.
_OUTPUT_TOKENS = 150
_BY_DOCUMENT = f"context_precision{SUFFIX}"


@dataclass(frozen=True, slots=True)
class Foreseen:
    """About how many calls and tokens, and their price in US dollars; None where the model has none."""

    calls: int
    tokens: int
    cost_usd: float | None


def foresee(engine: Engine, cases: Sequence[Case], config: JudgeConfig, price: Prices) -> Foreseen:
    """Of all judged evaluators over these cases: a call for each of their prompts (context precision: for each document), with the prompt and all
    texts of the case in it, and no retries."""
    asking = [one for one in engine.evaluators if one.lane is Lane.SLOW]
    made = [used for case in cases for used in _calls(asking, case)]
    used = Used(input=sum(one.input for one in made), output=sum(one.output for one in made))
    return Foreseen(len(made), used.input + used.output, price(config.provider, config.model, used) if made else 0.0)


def _calls(asking: Iterable[Evaluator], case: Case) -> Iterable[Used]:
    request = Request(case.trace, None)
    texts = [request.question, request.answer, *request.texts]
    for one in asking:
        if not _may_run(one, request):
            continue
        parts = [[request.question, request.answer, text] for text in request.texts]
        told = parts if one.name == _BY_DOCUMENT else [texts]
        for prompt in _prompts(one):
            for shown in told:
                messages = [{"role": "", "content": prompt.text}, {"role": "", "content": "\n".join(shown)}]
                yield Used(input=estimate(messages), output=_OUTPUT_TOKENS)


def _prompts(one: object) -> Sequence[Prompt]:
    return one.prompts if isinstance(one, Asking) else ()


def _may_run(one: Evaluator, request: Request) -> bool:
    has = {Needs.QUESTION: request.question, Needs.ANSWER: request.answer, Needs.CONTEXT: request.documents}
    return all(has.get(need, True) for need in one.needs) and brings(request.trace, one.needs)
