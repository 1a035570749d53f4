"""Texts with claims written by hand: what they bear out (+), what they contradict (-) and what they say nothing of (~).

Where templates (made_facts.py) say who did what in a few fixed ways, these say it as people ask and answer: the value of one thing given to
another of the same text, a condition, an order or an exception turned round, a yes in place of a no. Two files, so that nothing is
measured that was trained on: trained.txt and held.txt. None of their facts is one of tests/golden/judgement.

The packaged model is not trained on them (docs/models/embedded.md, "What was tried"): here what is borne out is mostly said in other words
and what is not mostly copies the text's, and a model learns just that. Before they train one they want claims that copy and are true.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from training.changes import opened, reword

Says: TypeAlias = Literal["yes", "contradiction", "neutral"]
SET = "written"
FOLDER = Path(__file__).parent / "written"
_SIGNS: Mapping[str, Says] = {"+": "yes", "-": "contradiction", "~": "neutral"}
_MOST_OTHERS = 2


@dataclass(frozen=True, slots=True)
class Written:
    """A text and its claims, in order."""

    text: str
    claims: tuple[tuple[Says, str], ...]


def written(name: str) -> list[Written]:
    """The texts of one file. Raises ValueError where a line is neither a text nor a claim."""
    found: list[Written] = []
    for block in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n\n"):
        text, *claims = _parts(block)
        found.append(Written(text[1], tuple((_SIGNS[sign], claim) for sign, claim in claims)))
    return found


def _parts(block: str) -> Iterator[tuple[str, str]]:
    """Sign and text of each part; a line that begins with neither goes on with the part before."""
    sign, lines = "", list[str]()
    for line in block.strip().splitlines():
        if line[:2] in {"= ", "+ ", "- ", "~ "}:
            if lines:
                yield sign, "\n".join(lines)
            sign, lines = line[0], [line[2:]]
        elif not lines:
            raise ValueError(f"training/written: begin a text with '= ', not {line!r}")
        else:
            lines.append(line)
    yield sign, "\n".join(lines)


def asked(texts: list[Written], times: int, rng: random.Random) -> Iterator[tuple[Says, str, str, float]]:
    """What is said, claim, evidence and weight, each claim so many times: alone or among other texts, now and then in other words.
    What is borne out weighs as much as what is not, whatever their numbers."""
    for one in texts:
        good = sum(says == "yes" for says, _ in one.claims)
        share = min(2.5, (len(one.claims) - good) / max(1, good))
        for says, claim in one.claims * times:
            others = [
                other.text for other in rng.sample(texts, rng.choice((0, 0, 0, 1, _MOST_OTHERS))) if other is not one
            ]
            evidence = [*others, one.text]
            rng.shuffle(evidence)
            worded = reword(claim, rng) if rng.random() < 0.3 else claim
            if rng.random() < 0.08:
                worded, _ = opened(worded, rng)
            yield says, worded, " ".join(evidence), share if says == "yes" else 1.0
