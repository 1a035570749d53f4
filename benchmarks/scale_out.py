"""Cases a second on one worker and on two: `python -m benchmarks.scale_out` runs Spark and Ray Data on this machine, Parquet in and out, and prints a table.

The job has as many cores as workers, its own processes (Java, schedulers) among them: a worker with a thread for each of its models uses more than one core
where there is one, and two would be held against one that had both. Spark's seconds are those of a second pass, when its workers have loaded the models;
Ray's include the start of its actors.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from benchmarks.traffic import Traffic
from tests.parts import paths

ROOT = Path(__file__).parents[1]
WORKERS = (1, 2)


def rows(count: int) -> list[dict[str, object]]:
    """Cases of 5 chunks of 150 words, all new."""
    traffic = Traffic()
    return [traffic.request() for _ in range(count)]


def seconds(job: str, packages: Path, cores: int, *words: str | Path) -> float:
    """What a job says of itself, on so many cores."""
    mine = set(sorted(os.sched_getaffinity(0))[:cores])
    own = {
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(packages))),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "JAVA_HOME": str(paths.find("java").resolve().parents[1]),
        "OMP_NUM_THREADS": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    command = [sys.executable, "-m", f"tests.parts.{job}", *map(str, words)]
    done = subprocess.run(
        command, env={**os.environ, **own}, stdout=subprocess.PIPE, text=True, timeout=1800, check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, mine),
    )  # fmt: skip
    return float(done.stdout.split()[-1])


def table(count: int) -> Iterator[str]:
    """A row an engine."""
    yield "| engine | 1 worker, 1 core | 2 workers, 2 cores | ratio |"
    yield "|---|---|---|---|"
    jobs = (
        ("Spark", "spark_job", paths.find_spark_packages()),
        ("Ray Data, start included", "ray_job", paths.find_ray_packages()),
    )
    with tempfile.TemporaryDirectory() as made:
        source = Path(made) / "cases.parquet"
        pd.DataFrame(rows(count)).to_parquet(source)
        for name, job, packages in jobs:
            rate = [count / seconds(job, packages, n, source, str(n), Path(made) / f"{job}-{n}") for n in WORKERS]
            yield f"| {name} | {rate[0]:.1f} cases/s | {rate[1]:.1f} cases/s | {rate[1] / rate[0]:.2f} |"


def main() -> None:
    """Print the table."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--cases", type=int, default=120)
    count = given.parse_args().cases
    print(f"{count} cases on {os.cpu_count()} cores")
    for line in table(count):
        print(line, flush=True)


if __name__ == "__main__":
    main()
