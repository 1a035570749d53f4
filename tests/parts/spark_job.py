"""A Spark job as a user writes it: Parquet in, Parquet out, on local workers. `python -m tests.parts.spark_job CASES WORKERS SCORES` prints the seconds.

The first pass, over a few rows, loads the models of each worker; the second is the one that counts.
"""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path
from typing import Any

from sidecar import FrameScorer

SETTINGS = {"inference": {"threads": 1}}


def main(source: Path, workers: int, target: Path) -> None:
    """Score the cases of one file into another."""
    builder: Any = importlib.import_module("pyspark.sql").SparkSession.builder
    spark = (
        builder.master(f"local[{workers}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "64")
        .getOrCreate()
    )
    scorer = FrameScorer(SETTINGS)
    cases = spark.read.parquet(str(source)).repartition(workers)
    cases.limit(4 * workers).repartition(workers).mapInPandas(scorer.frames, scorer.schema).count()
    started = time.perf_counter()
    cases.mapInPandas(scorer.frames, scorer.schema).write.parquet(str(target))
    print(f"{time.perf_counter() - started:.2f}")
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
