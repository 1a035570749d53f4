"""What the judge will cost, told before it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sidecar.evaluate.base import About, Evaluator, Lane, Needs
from sidecar.evaluate.case import Case as Request
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.gate import brings
from sidecar.evaluate.judged.base import Asking
from sidecar.inference.judge.calls import Prices, estimate
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
    """Of all judged evaluators over these cases: as many calls as they say of themselves, with a prompt and the texts of the case in each (of those that ask
    by document one document), and no retries."""
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
        prompts = one.prompts if isinstance(one, Asking) else ()
        shown = "\n".join(texts if "K" not in _formula(one) else [request.question, request.answer, *texts[2:3]])
        for place in range(_questions(_formula(one), len(request.texts)) or len(prompts)):
            prompt = prompts[place % len(prompts)].text if prompts else ""
            messages = [{"role": "", "content": prompt}, {"role": "", "content": shown}]
            yield Used(input=estimate(messages), output=_OUTPUT_TOKENS)


def _formula(one: object) -> str:
    about = getattr(one, "about", None)
    return about.calls if isinstance(about, About) else ""


def _questions(formula: str, documents: int) -> int:
    """What an evaluator says of its questions to the judge, as "2" or "2K + 3"; 0 where it says nothing that can be read."""
    total = 0
    for part in formula.replace(" ", "").split("+"):
        factor, of, _ = part.partition("K")
        if (factor and not factor.isdigit()) or not part:
            return 0
        total += int(factor or 1) * (documents if of else 1)
    return total


def _may_run(one: Evaluator, request: Request) -> bool:
    has = {Needs.QUESTION: request.question, Needs.ANSWER: request.answer, Needs.CONTEXT: request.documents}
    return all(has.get(need, True) for need in one.needs) and brings(request.trace, one.needs)
