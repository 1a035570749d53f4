"""A Ray Data job as a user writes it: Parquet in, Parquet out, on local workers. `python -m tests.parts.ray_job CASES WORKERS SCORES` prints the seconds.

The seconds include the start of the actors, which load the models.
"""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path
from typing import Any

from sidecar import FrameScorer
from tests.parts.spark_job import SETTINGS


def main(source: Path, workers: int, target: Path) -> None:
    """Score the cases of one file into another."""
    ray: Any = importlib.import_module("ray")
    data: Any = importlib.import_module("ray.data")
    # Actors take a core each as long as the job lasts: what reads and writes needs one too.
    ray.init(
        num_cpus=workers + 1,
        include_dashboard=False,
        object_store_memory=200_000_000,
        configure_logging=False,
        _node_ip_address="127.0.0.1",
    )
    started = time.perf_counter()
    (
        data.read_parquet(str(source))
        .repartition(workers)
        .map_batches(
            FrameScorer,
            fn_constructor_args=(SETTINGS,),
            batch_format="pandas",
            batch_size=64,
            concurrency=workers,
            num_cpus=1,
        )
        .write_parquet(str(target))
    )
    print(f"{time.perf_counter() - started:.2f}")
    ray.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
