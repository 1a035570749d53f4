"""Pairs as tokens in one file, for an accelerator that has neither the labelled sets nor this package's run time.

    python -m training.packed PAIRS.npz --data DIR [--seeds 7 8]

All pairs of some seeds: evidence of another length, other facts changed each time. Four minutes a seed, 435,000 pairs of 42 million tokens.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from training.cross_encoder import MAX_TOKENS, Sample, asked_of, samples
from training.losses import Labels
from training.pairs import every_pair

SEEDS = (7, 8)


def pack(path: Path, directory: Path, tokenizer: Tokenizer, seeds: Sequence[int]) -> None:
    """Write all pairs of some seeds."""
    made: list[Sample] = []
    labels: list[Labels] = []
    of_seed: list[int] = []
    for seed in seeds:
        pairs = every_pair(directory, seed)
        made += samples(tokenizer, pairs)
        labels.append(asked_of(pairs))
        of_seed += [seed] * len(pairs)
        print(seed, len(pairs), "pairs", flush=True)
    columns = (torch.cat(parts).numpy() for parts in zip(*labels, strict=True))
    np.savez_compressed(
        path,
        ids=np.concatenate([one.ids for one in made]),
        types=np.concatenate([one.types for one in made]),
        wrong=np.concatenate([one.wrong for one in made]),
        lengths=np.array([len(one.ids) for one in made]),
        seeds=np.array(of_seed),
        **dict(zip(Labels._fields, columns, strict=True)),
    )


def main() -> None:
    """Parse the arguments and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, default=Path("sidecar/inference/models/minilm/tokenizer.json"))
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    args = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(args.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
    pack(args.pairs, args.data, tokenizer, args.seeds)


if __name__ == "__main__":
    main()
