"""Labelled sets as services: what the alerts make of verdicts on real answers. `python -m benchmarks.labelled_services SETS... `.

Each file (.jsonl or .jsonl.xz; rows with `context`, `claim`, `label` 1 for supported, and maybe `question`) is one service. Of the rows that no training
reads at most so many good and bad answers go through `rag-sidecar score`; the verdicts on them are then drawn again and again, with a share of bad answers that is 0 to 3 %
while nothing is wrong. A judge sees a tenth and errs on 5 %. Prints the table of docs/alerts.md.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.false_pages import DAY, HOUR, STEP, Flags, Floats, episodes, hours_until, pages, window
from dashboards.objectives import FAST_BURN_RATIO, JUDGE_ERROR, LEAST_ANCHORS, SLOW_BURN_RATIO, WINDOWS, seconds
from sidecar.evaluate.estimate import Estimate, Judged, Scored, anchored, within_error
from training.data import held

GOOD, BAD = 100, 60
LEAST = 30
COPIES, DAYS = 40, 30
JUDGED = 0.1
# What goes wrong: made-up answers rise by ten points, or to four of ten.
RISE, WRONG = 0.10, 0.40
SETTLED = 5 * DAY


@dataclass(frozen=True, slots=True)
class Service:
    """A set: how many of its good and of its bad answers got a verdict, and the share of these that are flagged."""

    name: str
    good: int
    bad: int
    alarms: float
    found: float


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """The labelled rows of a file that the embedded model was not trained on."""
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            whole = row.get("label") in (0, 1) and row.get("claim") and row.get("context")
            if whole and held({**row, "file": name_of(path)}):
                yield row


def name_of(path: Path) -> str:
    """What a set is called."""
    return path.name.split(".")[0]


def score(path: Path, folder: Path) -> Service:
    """Score a part of a set by the command itself."""
    name = name_of(path)
    rows = list(rows_of(path))
    random.Random(14).shuffle(rows)
    chosen = [row for label, most in ((1, GOOD), (0, BAD)) for row in [r for r in rows if r["label"] == label][:most]]
    source, target = folder / f"{name}.in.jsonl", folder / f"{name}.out.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for number, row in enumerate(chosen):
            question = row.get("question") or "What does the document say?"
            record = {"request_id": str(number), "service": name, "question": question, "answer": row["claim"]}
            file.write(json.dumps({**record, "contexts": [row["context"]]}) + "\n")
    settings = folder / "config.yaml"
    settings.write_text("evaluate: {evaluators: [faithfulness, groundedness]}\n")
    command = [sys.executable, "-m", "sidecar", "score", str(source), str(target), "--config", str(settings)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    # 1 says that a line could not be read: it has a place in the output, and no verdict.
    if done.returncode not in (0, 1) or not target.is_file():
        raise RuntimeError(f"{name}: exit code {done.returncode}\n{done.stderr}")
    said = [json.loads(line)["verdict"] for line in target.read_text(encoding="utf-8").splitlines()]
    flagged = {
        label: [
            verdict == "hallucinated"
            for row, verdict in zip(chosen, said, strict=True)
            if row["label"] == label and verdict in ("grounded", "hallucinated")
        ]
        for label in (0, 1)
    }
    good, bad = flagged[1], flagged[0]
    without = len(chosen) - len(good) - len(bad)
    print(f"{name}: {len(chosen)} answers, {without} without a verdict", file=sys.stderr, flush=True)
    return Service(name, len(good), len(bad), sum(good) / max(1, len(good)), sum(bad) / max(1, len(bad)))


class Traffic:
    """What is seen of copies of a service in each step: answers, flagged ones, and the judge's pairs."""

    def __init__(self, chance: np.random.Generator, one: Service, true: Floats, *, rate: float | None = None) -> None:
        """`true` is the share of bad answers of each copy at each step; `rate` answers an hour, else 50 to 2,000 by copy with a daily tide."""
        copies, steps = true.shape
        day = 2 * np.pi * np.arange(steps) / DAY
        each = np.full(copies, rate) if rate else np.exp(chance.uniform(np.log(50), np.log(2000), copies))
        tide = 0.0 if rate else 0.6
        scored = chance.poisson(each[:, None] / HOUR * (1 + tide * np.sin(day + chance.uniform(0, 6.3, (copies, 1)))))
        cells = np.stack(
            [
                true * (1 - one.found) * JUDGE_ERROR + (1 - true) * (1 - one.alarms) * (1 - JUDGE_ERROR),
                true * (1 - one.found) * (1 - JUDGE_ERROR) + (1 - true) * (1 - one.alarms) * JUDGE_ERROR,
                true * one.found * JUDGE_ERROR + (1 - true) * one.alarms * (1 - JUDGE_ERROR),
                true * one.found * (1 - JUDGE_ERROR) + (1 - true) * one.alarms * JUDGE_ERROR,
            ],
            axis=-1,
        )
        seen = chance.multinomial(scored, cells)
        self.scored = scored.astype(np.float64)
        self.below = seen[..., 2:].sum(-1).astype(np.float64)
        self.judged = chance.binomial(seen, JUDGED).astype(np.float64)

    def level(self) -> Flags:
        """Whether RagHallucinationBudgetBurnFast fires, at each step."""
        fast = self._burn(WINDOWS.fast, WINDOWS.slow_check, FAST_BURN_RATIO)
        return fast | self._burn(WINDOWS.slow, WINDOWS.ticket_check, SLOW_BURN_RATIO)

    def _burn(self, long: str, short: str, limit: float) -> Flags:
        (found, judged), (check, _) = (self._estimate(name) for name in (long, short))
        with np.errstate(invalid="ignore"):
            return np.asarray((found.lower > limit) & (judged >= LEAST_ANCHORS) & ~(check.upper < limit))

    def _estimate(self, name: str) -> tuple[Estimate, Floats]:
        width = seconds(name) // STEP
        whole, below = window(self.scored, width), window(self.below, width)
        pairs = [window(self.judged[..., cell], width) / JUDGED for cell in range(4)]
        weight, judge, local = sum(pairs[1:], pairs[0]), pairs[1] + pairs[3], pairs[2] + pairs[3]
        squares = [values / JUDGED for values in (weight, judge, local, pairs[3])]
        judged = Judged(
            weight=weight,
            judge=judge,
            local=local,
            squared=squares[0],
            squared_judge=squares[1],
            squared_local=squares[2],
            squared_both=squares[3],
        )
        with np.errstate(all="ignore"):
            found = within_error(anchored(Scored(weight=whole, local=below, squared=whole), judged), JUDGE_ERROR)
        return found, weight * JUDGED


def replay(one: Service, chance: np.random.Generator) -> str:
    """The row of the table."""
    steps = DAYS * DAY
    healthy = chance.uniform(0, 0.03, (COPIES, 1)) * (1 + 0.5 * np.sin(2 * np.pi * np.arange(steps) / DAY))
    made = Traffic(chance, one, healthy)
    years = COPIES * DAYS / 365
    vain = [episodes(fires) / years for fires in (pages(made.scored, made.below), made.level())]
    after = SETTLED + 26 * HOUR
    true = np.repeat(chance.uniform(0, 0.03, (4 * COPIES, 1)), after, axis=1)
    true[:, SETTLED:] += RISE
    risen = Traffic(chance, one, true, rate=500)
    took = hours_until(pages(risen.scored, risen.below), SETTLED)
    true[:, SETTLED:] = WRONG
    wrong = hours_until(Traffic(chance, one, true, rate=500).level(), SETTLED)
    cells = (
        one.name,
        f"{one.good}, {one.bad}",
        f"{one.alarms:.0%}",
        f"{one.found:.0%}",
        f"{vain[0]:.2f}",
        f"{vain[1]:.2f}",
        f"{100 * RISE * (one.found - one.alarms):.1f}",
        f"{(took <= 2).mean():.0%}, {(took <= 24).mean():.0%}",
        f"{np.median(wrong):.1f} h",
    )
    return "| " + " | ".join(cells) + " |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Score the sets, replay them, print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.labelled_services", description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path, help="labelled sets, .jsonl or .jsonl.xz")
    parser.add_argument("--scored", type=Path, help="keep what was scored in this file, and read it where it is there")
    options = parser.parse_args(arguments)
    services = _scored(options.sets, options.scored)
    chance = np.random.default_rng(14)
    print(
        "| set | good, bad answers | false alarms | found | false pages on a rise, a service and year | on the level | "
        f"the share rises by, points, at +{RISE * 100:g} of made-up answers | paged in 2 h, 24 h | {WRONG:.0%} made up: paged after |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for one in services:
        if min(one.good, one.bad) < LEAST:
            print(f"{one.name}: {one.good} good and {one.bad} bad answers got a verdict, too few", file=sys.stderr)
        else:
            print(replay(one, chance), flush=True)


def _scored(sets: Sequence[Path], kept: Path | None) -> list[Service]:
    """What was scored, of the file `kept` where it has a set, and else now: a run that was ended goes on."""
    known: dict[str, Service] = {}
    if kept is not None and kept.is_file():
        known = {row["name"]: Service(**row) for row in json.loads(kept.read_text(encoding="utf-8"))}
    with tempfile.TemporaryDirectory() as folder:
        for path in sets:
            if name_of(path) not in known:
                known[name_of(path)] = score(path, Path(folder))
                if kept is not None:
                    kept.write_text(json.dumps([asdict(one) for one in known.values()]), encoding="utf-8")
    return [known[name_of(path)] for path in sets]


if __name__ == "__main__":
    main()
