"""`python -m tests.fuzz --inputs 1000000 --seed 7`: fuzz the decoder; inputs that break it are written below --keep."""

from __future__ import annotations

import argparse
import hashlib
import resource
import sys
import time
from pathlib import Path

from tests.fuzz.run import fuzz


def main() -> int:
    """0 where every input was decoded or refused in time."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--limit-seconds", type=float, default=0.5, help="CPU time for one input")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"))
    options = parser.parse_args()
    started = time.monotonic()
    report = fuzz(inputs=options.inputs, seed=options.seed, limit_seconds=options.limit_seconds, say_every=50_000)
    found = [("crash", *one) for one in report.crashes] + [("slow", f"{s:.1f} s", v) for s, v in report.slow]
    found += [("uncounted", "", value) for value in report.uncounted]
    for what, why, value in found[:200]:
        options.keep.mkdir(parents=True, exist_ok=True)
        path = options.keep / f"{what}-{hashlib.sha256(value).hexdigest()[:12]}"
        path.write_bytes(value)
        sys.stdout.write(f"{path}: {why}\n")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(
        f"{report.inputs} inputs in {time.monotonic() - started:.0f} s: {report.decoded} decoded, {report.refused} refused, {report.empty} without "
        f"spans; {report.steps} steps, {report.kept} inputs kept; slowest {report.slowest_seconds:.3f} s, peak {peak:.0f} MB; "
        f"{len(report.crashes)} crashes, {len(report.slow)} slow, {len(report.uncounted)} uncounted\n"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
