"""Texts in two versions that differ in a few facts, with claims written by hand.

Each claim says which version bears it out: a or b (the other contradicts it), A or B (the other says nothing of it), both (+), or none,
since both contradict it (-) or say nothing of it (~). So words in common do not tell what is true: the same claim is borne out beside one
version and not beside the other. Where templates (made_facts.py) say who did what in a few fixed ways, these say it as people ask and
answer. Two files, so that nothing is measured that was trained on: trained.txt and held.txt. None of their facts is one of
tests/golden/judgement.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from training.changes import opened, reword

Verdict: TypeAlias = Literal["yes", "contradiction", "neutral", "no"]
SET = "written"
FOLDER = Path(__file__).parent / "written"
# What is said of a claim of each sign beside the first version, and beside the second.
SAID: Mapping[str, tuple[Verdict, Verdict]] = {
    "a": ("yes", "contradiction"), "b": ("contradiction", "yes"), "A": ("yes", "neutral"), "B": ("neutral", "yes"),
    "+": ("yes", "yes"), "-": ("contradiction", "contradiction"), "~": ("neutral", "neutral"),
}  # fmt: skip
_MOST_OTHERS = 2


@dataclass(frozen=True, slots=True)
class Written:
    """Two versions of a text, and the claims with their signs, in order."""

    versions: tuple[str, str]
    claims: tuple[tuple[str, str], ...]

    def pairs(self) -> Iterator[tuple[Verdict, str, str]]:
        """What is said, claim and version, of each claim beside each version."""
        for sign, claim in self.claims:
            for says, version in zip(SAID[sign], self.versions, strict=True):
                yield says, claim, version


def written(name: str) -> list[Written]:
    """The texts of one file. Raises ValueError where a block does not begin with its two versions, or a line has no sign."""
    return [_block(block) for block in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip().split("\n\n")]


def _block(block: str) -> Written:
    first, second, *claims = block.splitlines()
    if not first.startswith("a= ") or not second.startswith("b= "):
        raise ValueError(f"training/written: begin a text with 'a= ' and 'b= ', not {block[:60]!r}")
    for line in claims:
        if line[0] not in SAID or line[1] != " ":
            raise ValueError(f"training/written: begin a claim with one of {' '.join(SAID)}, not {line[:60]!r}")
    rows = (first[3:].replace(" // ", "\n"), second[3:].replace(" // ", "\n"))
    return Written(rows, tuple((line[0], line[2:]) for line in claims))


def asked(texts: Sequence[Written], times: int, rng: random.Random) -> Iterator[tuple[Verdict, str, str]]:
    """What is said, claim and evidence, each claim so many times beside each version: alone or among other texts, now and then in other words."""
    for one in texts:
        for says, claim, version in list(one.pairs()) * times:
            others = rng.sample(texts, rng.choice((0, 0, 0, 1, _MOST_OTHERS)))
            evidence = [version, *(rng.choice(other.versions) for other in others if other is not one)]
            rng.shuffle(evidence)
            worded = reword(claim, rng) if rng.random() < 0.3 else claim
            if rng.random() < 0.08:
                worded, _ = opened(worded, rng)
            yield says, worded, "\n".join(evidence)
