"""What the judge will cost, told before it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sidecar.evaluate.base import Needs
from sidecar.evaluate.case import Case as Request
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.gate import brings
from sidecar.evaluate.judged.base import Asking
from sidecar.inference.judge.bill import Prices, estimate
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.inference.judge.wire import Used
from sidecar.offline.case import Case

# A reply with a reason is about so long.
_OUTPUT_TOKENS = 150


@dataclass(frozen=True, slots=True)
class Foreseen:
    """About how many calls and tokens, and their price in US dollars; None where the model has none."""

    calls: int
    tokens: int
    cost_usd: float | None


def foresee(engine: Engine, cases: Sequence[Case], config: JudgeConfig, price: Prices) -> Foreseen:
    """Of all judged evaluators over these cases: as many questions as each says of itself, with a prompt and what it reads of the case in each (of those
    that ask by document one document), and no retries."""
    asking = [one for one in engine.evaluators if isinstance(one, Asking)]
    made = [used for case in cases for used in _calls(asking, case)]
    used = Used(input=sum(one.input for one in made), output=sum(one.output for one in made))
    return Foreseen(len(made), used.input + used.output, price(config.provider, config.model, used) if made else 0.0)


def _calls(asking: Iterable[Asking], case: Case) -> Iterable[Used]:
    request = Request(case.trace, None)
    texts = _texts(request)
    for one in asking:
        if not _may_run(one, request):
            continue
        told = [text for need, own in texts.items() if need in one.needs for text in own]
        documents = list(dict.fromkeys(request.texts)) if Needs.CONTEXT in one.needs else []
        for place in range(one.questions(request)):
            prompt = one.prompts[place % len(one.prompts)].text
            shown = [documents[place % len(documents)]] if one.by_document and documents else documents
            messages = [{"role": "", "content": prompt}, {"role": "", "content": "\n".join([*told, *shown])}]
            yield Used(input=estimate(messages), output=_OUTPUT_TOKENS)


def _texts(request: Request) -> Mapping[Needs, Sequence[str]]:
    """What is shown for each need, documents aside."""
    return {
        Needs.QUESTION: [request.question],
        Needs.ANSWER: [request.answer],
        Needs.REFERENCE: [request.reference],
        Needs.REFERENCE_CONTEXTS: request.reference_contexts,
        Needs.MESSAGES: [f"{one.text or ''}{one.tool_calls or ''}" for one in request.messages],
        Needs.TOPICS: request.authored.topics or (),
        Needs.RUBRIC: list((request.authored.rubric or {}).values()),
    }


def _may_run(one: Asking, request: Request) -> bool:
    has = {Needs.QUESTION: request.question, Needs.ANSWER: request.answer, Needs.CONTEXT: request.documents}
    return all(has.get(need, True) for need in one.needs) and brings(request.trace, one.needs)
