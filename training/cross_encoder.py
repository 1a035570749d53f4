"""Trains the grounding cross-encoder: does the evidence say the claim?

    python -m training.cross_encoder --data DIR --start DIR --out DIR

`--start` holds all-MiniLM-L6-v2 (config.json, tokenizer.json, *.safetensors). Writes model.safetensors (BERT's weights and the
head), tokenizer.json, config.json and log.jsonl to `--out`; the best and the last step are kept. Needs the extra `train`
(PyTorch, transformers); about half an hour an epoch on two cores in bf16. With glibc's allocator it takes twice that, page
faults: preload jemalloc with MALLOC_CONF=oversize_threshold:0,dirty_decay_ms:4000,muzzy_decay_ms:4000,narenas:1, which holds
about 2.5 GB. A run that was stopped goes on from last.safetensors with --from-step.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Encoding, Tokenizer
from transformers import BertConfig, BertModel

from training.measure import auroc
from training.pairs import Pair, held_pairs, training_pairs

SEED = 7
MAX_TOKENS = 288
BATCH_PAIRS = 32
HELD_PAIRS = 260
WARM_UP = 0.06


class CrossEncoder(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """BERT over (claim, evidence); one logit from the first token's state beside the mean of all states. The word embeddings
    stay as they are: they carry most of the parameters and none of the task."""

    def __init__(self, start: Path) -> None:
        super().__init__()
        config = BertConfig.from_json_file(str(start / "config.json"))
        # Without dropout inside, attention takes the fused kernel, and half of a step's time is not spent on random numbers.
        config.attention_probs_dropout_prob = config.hidden_dropout_prob = 0.0
        self.bert = BertModel(config, add_pooling_layer=False)
        weights = load_file(str(next(start.glob("*.safetensors"))))
        missing, _ = self.bert.load_state_dict({k.removeprefix("bert."): v for k, v in weights.items()}, strict=False)
        if missing:
            raise SystemExit(f"--start: the weights lack {missing[:3]}")
        self.bert.embeddings.word_embeddings.weight.requires_grad_(False)
        self.head = torch.nn.Linear(2 * self.bert.config.hidden_size, 1)
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Logits (batch,) of token ids, segment ids and attention mask, each (batch, tokens)."""
        states = self.bert(input_ids=ids, token_type_ids=types, attention_mask=mask).last_hidden_state
        kept = mask[..., None].to(states.dtype)
        mean = (states * kept).sum(1) / kept.sum(1)
        logits: torch.Tensor = self.head(self.dropout(torch.cat([states[:, 0], mean], -1)))[:, 0]
        return logits


def padded(encodings: Sequence[Encoding]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Token ids, segment ids and mask, each (pairs, tokens)."""
    longest = -(-max(len(one.ids) for one in encodings) // 32) * 32  # few shapes, so that memory is used again
    ids, types, mask = (torch.zeros(len(encodings), longest, dtype=torch.long) for _ in range(3))
    for row, one in enumerate(encodings):
        size = len(one.ids)
        ids[row, :size], types[row, :size] = torch.tensor(one.ids), torch.tensor(one.type_ids)
        mask[row, :size] = 1
    return ids, types, mask


def batches(encodings: Sequence[Encoding], rng: random.Random) -> Iterator[list[int]]:
    """One epoch: like lengths together, batches in random order."""
    order = list(range(len(encodings)))
    rng.shuffle(order)
    cut: list[list[int]] = []
    for at in range(0, len(order), BATCH_PAIRS * 40):
        part = sorted(order[at : at + BATCH_PAIRS * 40], key=lambda n: len(encodings[n].ids))
        cut += [part[n : n + BATCH_PAIRS] for n in range(0, len(part), BATCH_PAIRS)]
    rng.shuffle(cut)
    yield from cut


def measure(model: CrossEncoder, pairs: Sequence[Pair], encodings: Sequence[Encoding]) -> dict[str, float]:
    """AUROC of the logit alone by set."""
    model.eval()
    scores = [0.0] * len(pairs)
    order = sorted(range(len(pairs)), key=lambda n: len(encodings[n].ids))
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for at in range(0, len(order), BATCH_PAIRS):
            part = order[at : at + BATCH_PAIRS]
            for n, value in zip(part, model(*padded([encodings[n] for n in part])).float().tolist(), strict=True):
                scores[n] = value
    model.train()
    found = {}
    for name in dict.fromkeys(pair.set for pair in pairs):
        of_set = [n for n, pair in enumerate(pairs) if pair.set == name]
        found[name] = round(auroc([scores[n] for n in of_set], [int(pairs[n].label) for n in of_set]), 4)
    return found


def train(args: argparse.Namespace) -> None:
    """Everything, in order."""
    torch.manual_seed(SEED)
    torch.set_num_threads(args.threads)
    rng = random.Random(SEED)
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(args.start / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")

    def encode(pairs: Sequence[Pair]) -> list[Encoding]:
        return list(tokenizer.encode_batch([(pair.claim, pair.evidence) for pair in pairs]))

    pairs = training_pairs(args.data, SEED, share_alike=not args.permitted_only)
    held = held_pairs(args.data, HELD_PAIRS)
    encodings, held_encodings = encode(pairs), encode(held)
    model = CrossEncoder(args.start)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in trained if p.dim() > 1], "weight_decay": 0.01},
            {"params": [p for p in trained if p.dim() <= 1], "weight_decay": 0.0},
        ],
        lr=args.rate,
    )
    steps = int(args.epochs * len(pairs) / BATCH_PAIRS)
    log = (args.out / "log.jsonl").open("a", encoding="utf-8")

    def say(**what: Any) -> None:
        line = json.dumps(what)
        print(line, flush=True)
        log.write(line + "\n")
        log.flush()

    tokens = sum(len(one.ids) for one in encodings) / len(encodings)
    say(pairs=len(pairs), held=len(held), tokens_a_pair=round(tokens, 1), steps=steps, rate=args.rate, seed=SEED)
    started, running, best, step = time.monotonic(), 0.69, 0.0, args.from_step
    if step:
        model.load_state_dict(load_file(str(args.out / "last.safetensors")))
        rng = random.Random(SEED + step)
    model.train()
    while step < steps:
        for chosen in batches(encodings, rng):
            if step >= steps:
                break
            warm = (step - args.from_step + 1) / (WARM_UP * steps)
            share = min(1.0, warm) * max(0.02, (steps - step) / steps)
            for group in optimiser.param_groups:
                group["lr"] = args.rate * share
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(*padded([encodings[n] for n in chosen]))
            labels = torch.tensor([pairs[n].label for n in chosen])
            weights = torch.tensor([pairs[n].weight for n in chosen])
            losses = torch.nn.functional.binary_cross_entropy_with_logits(logits.float(), labels, reduction="none")
            loss = (losses * weights).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            running, step = 0.98 * running + 0.02 * loss.item(), step + 1
            if step % 50 == 0:
                print(step, steps, round(running, 4), round(time.monotonic() - started), "s", flush=True)
            if step % args.measure_every == 0 or step == steps:
                found = measure(model, held, held_encodings)
                mean = sum(found.values()) / len(found)
                say(step=step, loss=round(running, 4), seconds=round(time.monotonic() - started), **found, mean=mean)
                weights_now = {name: value.contiguous() for name, value in model.state_dict().items()}
                save_file(weights_now, str(args.out / "last.safetensors"))
                if mean >= best:
                    best = mean
                    save_file(weights_now, str(args.out / "model.safetensors"))
    for name in ("tokenizer.json", "config.json"):
        shutil.copyfile(args.start / name, args.out / name)


def main() -> None:
    """Parse the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=float, default=1.6)
    parser.add_argument("--rate", type=float, default=1.2e-4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--from-step", type=int, default=0)
    parser.add_argument("--measure-every", type=int, default=250)
    parser.add_argument("--permitted-only", action="store_true", help="without the share-alike sets of ADR 0007")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
