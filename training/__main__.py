"""The embedded models, whole, by one command: about two hours on two cores, seeded.

    pip install '.[train]'
    python -m training --data DIR --start DIR [--work DIR]

DIR of `--data` holds the labelled sets as JSON lines (*.jsonl.xz), `--start` the weights of all-MiniLM-L6-v2 (model.safetensors,
config.json, tokenizer.json). Every step runs as a process of its own, in order: the sentence encoder's graph, the cross-encoder's
training and graph, what eight bits cost it, the calibrated heads, what evidence selection loses, and the classifier of abstentions.
Prints the tables of docs/models/embedded.md and embedded-tries.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Run every step; stops at the first that fails, with its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/training"), help="Checkpoints of the cross-encoder.")
    args = parser.parse_args()
    data = ("--data", str(args.data))
    steps = (
        ("training.export_bert", "encoder", str(args.start), *data),
        ("training.cross_encoder", *data, "--start", str(args.start), "--out", str(args.work)),
        ("training.export_bert", "cross-encoder", str(args.work), *data),
        ("training.eight_bits", str(args.work), *data),
        ("training.heads", *data),
        ("training.evidence", *data),
        ("training.abstention", "train", *data, "--out", str(args.work / "abstention")),
        ("training.export_bert", "abstention", str(args.work / "abstention"), *data),
        ("training.abstention", "measure", *data),
    )
    for module, *arguments in steps:
        print(f"python -m {module} {' '.join(arguments)}", flush=True)
        code = subprocess.run([sys.executable, "-m", module, *arguments], check=False).returncode
        if code:
            raise SystemExit(code)


if __name__ == "__main__":
    main()
