"""BLEU: which of the answer's runs of one to four words stand in the reference?"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sidecar.evaluate.base import About, Cost, Dependencies, Section
from sidecar.evaluate.metrics.strings.base import Found, Strings
from sidecar.evaluate.metrics.strings.tokens import holds_chinese

Tokenizer = Literal["auto", "13a", "zh", "intl", "char"]


class BleuSettings(Section):
    """Runs of words in common, by precision."""

    tokenizer: Tokenizer = Field(
        default="auto", description="Tokenizer of sacrebleu; auto is zh where the reference holds Chinese, else 13a."
    )


class Bleu(Strings):
    """Sentence BLEU of sacrebleu / 100. The label is the tokenizer: the default one would make one word of a Chinese sentence."""

    name = "bleu"
    method = "sentence_bleu"
    about = About(
        "geometric mean of the precisions of runs of 1 to 4 words x brevity penalty",
        "Papineni et al. 2002; sacrebleu",
        Cost.TEXT,
        libraries=("sacrebleu",),
    )

    def __init__(self, settings: BleuSettings, dependencies: Dependencies) -> None:
        self._tokenizer = settings.tokenizer
        if settings.tokenizer != "auto":
            self.method = f"sentence_bleu_{settings.tokenizer}"

    def compare(self, answer: str, reference: str) -> Found:
        """By the tokenizer of the reference's language."""
        from sacrebleu import sentence_bleu

        tokenizer = self._tokenizer
        if tokenizer == "auto":
            tokenizer = "zh" if holds_chinese(reference) else "13a"
        score = sentence_bleu(answer, [reference], tokenize=tokenizer).score / 100
        return Found(min(1.0, max(0.0, score)), label=tokenizer)
