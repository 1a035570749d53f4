"""`python -m tests.soak --traces 43200`: an accelerated day, and its report. `--looks FILE` keeps every look as CSV."""

from __future__ import annotations

import argparse
import asyncio
import csv
import dataclasses
import logging
import sys
from pathlib import Path

from tests.soak.run import Plan, Soak
from tests.soak.traffic import Traffic

# What may still grow: the allocator's fragments. In bytes an hour of the day, over its last half.
_MOST_SLOPE = 500_000.0


def main() -> int:
    """0 where memory, series, descriptors and tasks are flat."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--traces", type=int, default=43_200)
    parser.add_argument("--step", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=86_400.0)
    parser.add_argument("--looks", type=Path)
    given = parser.parse_args()
    logging.getLogger("sidecar").setLevel(logging.ERROR)
    plan = Plan(traffic=Traffic(given.traces), seconds=given.seconds, step=given.step)
    report = asyncio.run(Soak(plan).run())
    if given.looks:
        with given.looks.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(field.name for field in dataclasses.fields(report.looks[0]))
            rows.writerows(dataclasses.astuple(look) for look in report.looks)
    sys.stdout.write(f"{report}\n")
    half = report.looks[len(report.looks) // 2 :]
    flat = (
        report.slope < _MOST_SLOPE
        and half[-1].descriptors <= half[0].descriptors + 2
        and half[-1].tasks <= half[0].tasks + 2
        and half[-1].series <= 1.1 * max(look.series for look in report.looks[: len(report.looks) // 2])
        and not report.unread
    )
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main())
