"""An answer by rule: the sentence of the documents that fits best, as it is or with its facts changed."""

from __future__ import annotations

import random
import re

from rag_service.retrieval import Found, overlap

REFUSAL = "I'm sorry, but I cannot help with that request."
UNKNOWN = "I don't know. The documents that I have do not say anything about that."


def faithful(question: str, found: list[Found]) -> str:
    """What the documents say, word by word."""
    sentences = [sentence for one in found for sentence in re.split(r"(?<=[.!?]) ", one.document.text)]
    best = max(sentences, key=lambda sentence: overlap(question, sentence), default=None)
    return best if best is not None and overlap(question, best) else UNKNOWN


def made_up(answer: str, inventions: tuple[str, ...], chance: random.Random) -> str:
    """An answer with every number changed, and a sentence more that nothing says."""
    changed = re.sub(r"(?<!:)\b\d+(:?)", _another, answer) if answer != UNKNOWN else ""
    return f"{changed} {chance.choice(inventions)}".strip()


def _another(number: re.Match[str]) -> str:
    hour = number[0].endswith(":")
    value = int(number[0].removesuffix(":"))
    return f"{(value + 3) % 24}:" if hour else str(value * 3 + 2)
