"""What evaluators that take texts apart ask: which claims a text makes, and which of them other texts support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sidecar.evaluate.judged.base import Asking, numbered
from sidecar.inference.judge.judge import INVALID, Judge, Question
from sidecar.inference.judge.prompt import Prompt, load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import RetryableInferenceError, Unscorable

_MOST_CLAIMS = 100


class Claims(Reply):
    """The claims of a text."""

    claims: list[str]


class Checked(Reply):
    """What texts say of one claim."""

    claim: int
    reason: str
    verdict: Literal["full", "partial", "none", "contradicted"]


class Verdicts(Reply):
    """One for each claim, in order."""

    verdicts: list[Checked]


class Checking(Asking):
    """A base for those evaluators."""

    def __init__(self, name: str, judge: Judge, more: Sequence[Prompt] = (), *, code: int = 1) -> None:
        super().__init__(name, judge, [load("claims"), load("verify"), *more], code=code)

    async def claims_of(self, question: str, text: str) -> list[str]:
        """Raises Unscorable: no_claims, too_long; InferenceError."""
        data = {"question": question or None, "answer": text}
        said = await self.judge.ask(Question(self.name, self.prompts[0], data, Claims))
        return several(said.claims, "no_claims")

    async def check(self, texts: Sequence[str], claims: Sequence[str]) -> list[Checked]:
        """What texts say of claims, one for each. Raises InferenceError: judge_invalid where one is left out."""
        data = {"documents": numbered(texts), "claims": numbered(claims)}
        said = await self.judge.ask(Question(self.name, self.prompts[1], data, Verdicts))
        if [one.claim for one in said.verdicts] != list(range(1, len(claims) + 1)):
            raise RetryableInferenceError(INVALID)
        return said.verdicts

    async def supported(self, texts: Sequence[str], claims: Sequence[str]) -> list[bool]:
        """Which of the claims texts say in full."""
        return [one.verdict == "full" for one in await self.check(texts, claims)]


def several(texts: Sequence[str], reason: str) -> list[str]:
    """Those that are not empty. Raises Unscorable: `reason` where none is left, too_long where too many are."""
    kept = [text.strip() for text in texts if text.strip()]
    if not kept:
        raise Unscorable(reason)
    if len(kept) > _MOST_CLAIMS:
        raise Unscorable("too_long")
    return kept


def told_of(checked: Sequence[Checked]) -> str:
    """The verdicts with their reasons, a line each."""
    return "\n".join(f"{one.claim}. {one.verdict}: {one.reason}" for one in checked)
