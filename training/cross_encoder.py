"""Trains the cross-encoder: does the evidence say the claim, does a passage help with a question, does an answer address it?

    python -m training.cross_encoder --data DIR --start DIR --out DIR

`--start` holds all-MiniLM-L6-v2 (config.json, tokenizer.json, *.safetensors), with `--chinese` bge-small-zh-v1.5 (training.start_of_onnx);
`--graph` goes on from the weights of a quantised graph of the product, or from the model.safetensors of an earlier run. Writes model.safetensors (BERT's weights and the heads),
tokenizer.json, config.json and log.jsonl to `--out`. Needs the extra `train` (PyTorch, transformers). An epoch of about 298,000 pairs is
5,600 steps, on two cores in bf16 some two hours, where the processor has no bf16 twice that; with glibc's allocator twice that, page faults:
preload jemalloc with MALLOC_CONF=oversize_threshold:0,dirty_decay_ms:4000,muzzy_decay_ms:4000,narenas:1,thp:always, which holds about 3 GB
(pages that never decay grew to 22 GB, since batches have many shapes). A run that was stopped goes on with --from-step.

One encoder, several heads. Which task a pair asks is told by the segments: 0 then 1 for a claim and its evidence, 1 then 0 for a
question and a passage, 1 then 1 for a question and an answer.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from tokenizers import Encoding, Tokenizer
from transformers import BertConfig, BertModel

from training import chinese
from training.attention import use_plain_attention
from training.losses import COLUMNS, UNKNOWN, WARM_UP, Labels, losses, steps_of, supported
from training.measure import auroc
from training.pairs import TASKS, Pair, answer_pairs, held_pairs, training_pairs
from training.quantise import weights_of
from training.written import Verdict

SEED = 7
_BF16 = ("amx_bf16", "avx512_bf16")
MAX_TOKENS = 288
HELD_PAIRS = 150
_NOT_SAID, _CONTRADICTED = 0, 1
_KINDS: Mapping[Verdict, int] = {"neutral": _NOT_SAID, "contradiction": _CONTRADICTED}


@dataclass(frozen=True, slots=True)
class Sample:
    """A pair as the model reads it: token ids and segments (tokens,), which tokens are wrong (1), right (0) or not known (-1)."""

    ids: NDArray[np.uint16]
    types: NDArray[np.int8]
    wrong: NDArray[np.int8]


class CrossEncoder(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """BERT over (claim, evidence); COLUMNS from the first token's state beside the mean of all states, and a logit a token. The word
    embeddings stay as they are: they carry most of the parameters and none of the task."""

    def __init__(self, start: Path) -> None:
        super().__init__()
        config = BertConfig.from_json_file(str(start / "config.json"))
        # Without dropout inside, half of a step's time is not spent on random numbers.
        config.attention_probs_dropout_prob = config.hidden_dropout_prob = 0.0
        self.bert = BertModel(config, add_pooling_layer=False)
        weights = load_file(str(next(start.glob("*.safetensors"))))
        missing, _ = self.bert.load_state_dict({k.removeprefix("bert."): v for k, v in weights.items()}, strict=False)
        if missing:
            raise SystemExit(f"--start: the weights lack {missing[:3]}")
        self.bert.embeddings.word_embeddings.weight.requires_grad_(False)
        self.head = torch.nn.Linear(2 * self.bert.config.hidden_size, len(COLUMNS))
        self.token_head = torch.nn.Linear(self.bert.config.hidden_size, 1)
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (batch, COLUMNS) and (batch, tokens) of token ids, segment ids and attention mask, each (batch, tokens)."""
        states = self.bert(input_ids=ids, token_type_ids=types, attention_mask=mask).last_hidden_state
        kept = mask[..., None].to(states.dtype)
        mean = (states * kept).sum(1) / kept.sum(1)
        logits = self.head(self.dropout(torch.cat([states[:, 0], mean], -1)))
        return logits, self.token_head(states)[..., 0]

    def take(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Weights of the product's graph; a head of one logit becomes the difference between supported and the two others."""
        found = {k if "head" in k else f"bert.{k}": torch.from_numpy(v.copy()) for k, v in weights.items()}
        if len(found["head.bias"]) == 1:
            none = torch.zeros(len(COLUMNS) - 1, self.head.in_features)
            found["head.weight"] = torch.cat([found["head.weight"], none])
            found["head.bias"] = torch.cat([found["head.bias"], none[:, 0]])
        missing = set(self.load_state_dict(found, strict=False).missing_keys)
        if missing - {"bert.embeddings.word_embeddings.weight", "token_head.weight", "token_head.bias"}:
            raise SystemExit(f"--graph: the weights lack {sorted(missing)[:3]}")


def sample(pair: Pair, encoding: Encoding) -> Sample:
    """The pair's tokens, with the segments that tell its task."""
    task = TASKS[pair.task]
    types = np.where(np.array(encoding.type_ids) == 0, task.hypothesis, task.premise).astype(np.int8)
    wrong = np.full(len(encoding.ids), UNKNOWN, np.int8)
    if pair.wrong is not None:
        for place, (sequence, (start, end)) in enumerate(zip(encoding.sequence_ids, encoding.offsets, strict=True)):
            if sequence == 0:
                wrong[place] = any(start < last and end > at for at, last in pair.wrong)
    return Sample(np.array(encoding.ids, np.uint16), types, wrong)


def samples(tokenizer: Tokenizer, pairs: Sequence[Pair]) -> list[Sample]:
    """All pairs, a few thousand at a time."""
    made: list[Sample] = []
    for at in range(0, len(pairs), 4000):
        part = pairs[at : at + 4000]
        made += map(sample, part, tokenizer.encode_batch([(pair.first, pair.second) for pair in part]))
    return made


def padded(chosen: Sequence[Sample]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Token ids, segment ids, mask and wrong tokens, each (pairs, tokens)."""
    longest = -(-max(len(one.ids) for one in chosen) // 16) * 16  # few shapes, so that memory is used again
    ids, types, mask = (torch.zeros(len(chosen), longest, dtype=torch.long) for _ in range(3))
    wrong = torch.full((len(chosen), longest), UNKNOWN, dtype=torch.long)
    for row, one in enumerate(chosen):
        size = len(one.ids)
        ids[row, :size] = torch.from_numpy(one.ids.astype(np.int64))
        types[row, :size] = torch.from_numpy(one.types.astype(np.int64))
        wrong[row, :size] = torch.from_numpy(one.wrong.astype(np.int64))
        mask[row, :size] = 1
    return ids, types, mask, wrong


def asked_of(pairs: Sequence[Pair]) -> Labels:
    """What is to be said of each pair, as tensors."""
    return Labels(
        torch.tensor([list(TASKS).index(pair.task) for pair in pairs]),
        torch.tensor([float(pair.says == "yes") for pair in pairs]),
        torch.tensor([_KINDS.get(pair.says, UNKNOWN) for pair in pairs]),
        torch.tensor([pair.weight for pair in pairs]),
    )


def measure(model: CrossEncoder, pairs: Sequence[Pair], made: Sequence[Sample]) -> dict[str, float]:
    """AUROC by set, of the logit that the set's task asks for."""
    model.eval()
    scores = [0.0] * len(pairs)
    order = sorted(range(len(pairs)), key=lambda n: len(made[n].ids))
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16()):
        for at in range(0, len(order), 32):
            part = order[at : at + 32]
            ids, types, mask, _ = padded([made[n] for n in part])
            logits = model(ids, types, mask)[0].float()
            for n, said, others in zip(part, supported(logits).tolist(), logits.tolist(), strict=True):
                scores[n] = {"grounding": said, "document": others[3], "answer": others[4]}[pairs[n].task]
    model.train()
    found = {}
    for name in dict.fromkeys(pair.set for pair in pairs):
        of_set = [n for n, pair in enumerate(pairs) if pair.set == name]
        found[name] = round(auroc([scores[n] for n in of_set], [int(pairs[n].says == "yes") for n in of_set]), 3)
    return found


def bf16() -> bool:
    """Whether the processor multiplies in bf16: one that does not takes a hundred times as long for it as in fp32."""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    return any(flag in flags for flag in _BF16)


def _floats(path: Path) -> dict[str, NDArray[np.float32]]:
    return {name.removeprefix("bert."): value.numpy() for name, value in load_file(str(path)).items()}


def pairs_of(args: argparse.Namespace) -> list[Pair]:
    """What to train on."""
    if args.chinese:
        return chinese.training_pairs(args.data, SEED)
    if args.answers:
        return answer_pairs(args.data, args.seed)
    return training_pairs(args.data, SEED, args.by_hand)


def train(args: argparse.Namespace) -> None:
    """Everything, in order."""
    torch.manual_seed(SEED)
    torch.set_num_threads(args.threads)
    use_plain_attention()
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(args.start / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
    pairs = pairs_of(args)
    held = (chinese.held_pairs if args.chinese else held_pairs)(args.data, HELD_PAIRS)
    made, held_made = samples(tokenizer, pairs), samples(tokenizer, held)
    model = CrossEncoder(args.start)
    if args.graph:
        model.take(weights_of(args.graph) if args.graph.suffix == ".onnx" else _floats(args.graph))
    if args.from_step:
        model.load_state_dict(load_file(str(args.out / "last.safetensors")))
    for layer in model.bert.encoder.layer[: args.frozen]:
        layer.requires_grad_(False)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in trained if p.dim() > 1], "weight_decay": 0.01},
            {"params": [p for p in trained if p.dim() <= 1], "weight_decay": 0.0},
        ],
        lr=args.rate,
    )
    log = (args.out / "log.jsonl").open("a", encoding="utf-8")

    def say(**what: Any) -> None:
        line = json.dumps(what)
        print(line, flush=True)
        log.write(line + "\n")
        log.flush()

    def keep() -> None:
        save_file({k: v.contiguous() for k, v in model.state_dict().items()}, str(args.out / "last.safetensors"))

    tokens = sum(len(one.ids) for one in made) / len(made)
    say(pairs=len(pairs), held=len(held), tokens_a_pair=round(tokens, 1), steps=args.steps, rate=args.rate, seed=SEED)
    if args.graph and args.measure_every and not args.from_step:
        say(step=0, **measure(model, held, held_made))
    in_bf16 = bf16()
    started, running, step = time.monotonic(), 0.69, args.from_step
    rng, lengths = np.random.default_rng(SEED + step), np.array([len(one.ids) for one in made])
    model.train()
    while step < args.steps:
        for batches in steps_of(lengths, rng, args.batch_tokens):
            if step >= args.steps:
                break
            warm = min(1.0, (step - args.from_step + 1) / (WARM_UP * args.steps))
            for group in optimiser.param_groups:
                group["lr"] = args.rate * warm * max(0.03, min(1.0, (args.steps - step) / (args.decay * args.steps)))
            optimiser.zero_grad()
            size = sum(map(len, batches))
            for chosen in batches:
                ids, types, mask, wrong = padded([made[n] for n in chosen])
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=in_bf16):
                    logits, of_tokens = model(ids, types, mask)
                labels = asked_of([pairs[n] for n in chosen])
                loss = (losses(logits.float(), of_tokens.float(), labels, wrong) * labels.weights).sum() / size
                loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
                running = running * 0.995 + 0.005 * loss.item() * size / len(chosen)
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            step += 1
            if step % 25 == 0:
                print(step, args.steps, round(running, 4), round(time.monotonic() - started), "s", flush=True)
            if step % 100 == 0:
                keep()
            if args.measure_every and (step % args.measure_every == 0 or step == args.steps):
                found = measure(model, held, held_made)
                say(step=step, loss=round(running, 4), seconds=round(time.monotonic() - started), **found)
                keep()
    shutil.copyfile(args.out / "last.safetensors", args.out / "model.safetensors")
    for name in ("tokenizer.json", "config.json"):
        shutil.copyfile(args.start / name, args.out / name)


def main() -> None:
    """Parse the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--graph", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=5500)
    parser.add_argument("--batch-tokens", type=int, default=1600, help="a third of a step's")
    parser.add_argument("--rate", type=float, default=1.2e-4)
    parser.add_argument("--decay", type=float, default=0.5, help="share of the steps over which the rate falls")
    parser.add_argument("--by-hand", type=int, default=0, help="times each claim of training/written is read")
    parser.add_argument("--seed", type=int, default=SEED, help="of what --answers draws")
    parser.add_argument("--answers", action="store_true", help="whole answers, and as much of the rest")
    parser.add_argument("--chinese", action="store_true", help="the cross-encoder for Chinese, from a Chinese encoder")
    parser.add_argument("--frozen", type=int, default=0, help="layers, from below, that stay as they are")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--from-step", type=int, default=0)
    parser.add_argument("--measure-every", type=int, default=500, help="0: never")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
