"""What the judge will take for a set, told before it is asked."""

from __future__ import annotations

from collections.abc import Iterable

from sidecar.inference.judge.bill import Prices, estimate
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.inference.judge.wire import Used
from sidecar.offline.case import NEGATIVE
from sidecar.offline.cost import Foreseen
from sidecar.offline.testset.checks import FOUND
from sidecar.offline.testset.draft import Task
from sidecar.offline.testset.judged import NAME, JudgeWriter

_OUTPUT_TOKENS = 150


def foresee(tasks: Iterable[Task], config: JudgeConfig, price: Prices) -> Foreseen:
    """Where every first draft is taken: one question to the judge for each case, and of a negative one a second, over what a search finds."""
    calls = [one for task in tasks for one in _calls(task)]
    used = Used(input=sum(calls), output=_OUTPUT_TOKENS * len(calls))
    return Foreseen(len(calls), used.input + used.output, price(config.provider, config.model, used) if calls else 0.0)


def _calls(task: Task) -> Iterable[int]:
    texts = "\n".join(one.text for one in task.windows)
    yield _tokens(JudgeWriter.prompt(task.kind).text, texts)
    if task.kind == NEGATIVE:
        yield _tokens(load(f"{NAME}_answered").text, texts * FOUND)


def _tokens(prompt: str, texts: str) -> int:
    return estimate([{"role": "", "content": prompt}, {"role": "", "content": texts}])
