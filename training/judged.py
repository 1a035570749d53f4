"""Trains the cross-encoder on from where it stands with requests that a person judged, read as the product reads them: hours on two cores at most.

    python -m training.judged read --data DIR --out DIR
    python -m training.judged train --data DIR --start DIR --out DIR [--seconds 2400]
    python -m training.export_bert cross-encoder DIR --data DIR --from GRAPH --share S

`read` writes DIR/pairs.jsonl: each claim of the sets TRAINED and WATCHED of tests/golden/judgement and of labelled rows with the evidence that the product chose for it,
and what the packaged graph says of it. `train` goes on from that graph (`--start` holds all-MiniLM-L6-v2, whose table of words it reads): judged claims by the person's verdict, all
others towards what the graph said, so that what was learned is kept (Li and Hoiem 2016, arXiv:1606.09282). AUROC of the sets WATCHED, which are not trained on,
is printed on the way. Needs the extra `train`, and memory as training.cross_encoder says.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from tokenizers import Encoding, Tokenizer
from torch.nn.functional import binary_cross_entropy_with_logits

from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.base import FloatArray
from sidecar.inference.pairs import CROSS_ENCODER, SUPPORT, PairModel, Task
from sidecar.inference.runtime import PACKAGED, InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.request import Document, RagTrace
from training import data
from training.attention import use_plain_attention
from training.cross_encoder import MAX_TOKENS, SEED, CrossEncoder, bf16
from training.losses import SMOOTHED, WARM_UP, supported
from training.measure import auroc
from training.pairs import TASKS
from training.quantise import weights_of
from training.sources import Asks

JUDGEMENT = Path(__file__).parents[1] / "tests" / "golden" / "judgement"
GRAPH = PACKAGED / "embedded" / CROSS_ENCODER
# Sets that the product was mended by, which measure nothing any more, and two that it was not.
TRAINED = ("statements", "twins", "reworded", "passages", "facts", "daily", "review")
WATCHED = ("ordinary", "policies")
LABELLED = (
    "attributionbench_train", "begin", "boolq_contrast", "cad_snli", "expertqa", "factcg_synthetic", "factcheckgpt", "faithdial_audit", "fever_symmetric", "halueval_qa",
    "infotabs_lines", "scone_nli", "summac_human", "summedits",
)  # fmt: skip
RELEVANCE = ("squadshifts_reddit", "squadshifts_amazon_reviews", "tatqa_relevance", "policyqa_relevance", "expertqa_answer_relevance", "haluquestqa_answer_relevance")  # fmt: skip
_OF_A_SET, _MOST_CHARACTERS, _AT_ONCE = 250, 900, 16
_OF_PERSON, _OF_KIND, _OF_OTHERS = 0.7, 0.2, 2.0
_COLUMNS: dict[Asks, int] = {"grounding": 0, "document": 2, "answer": 3}
_MEASURE_EVERY = 300.0  # seconds
_who: ContextVar[str] = ContextVar("who")


@dataclass(frozen=True, slots=True)
class Told:
    """A pair of a set as the cross-encoder reads it, what the packaged graph says of it (4,), and what a person did: None where nobody was asked."""

    set: str
    task: Asks
    first: str
    second: str
    said: tuple[float, ...]
    right: bool | None = None


@dataclass(frozen=True, slots=True)
class _Request:
    set: str
    question: str
    answer: str
    contexts: tuple[str, ...]
    verdict: str | None


def requests(directory: Path) -> list[_Request]:
    """What the product is to read."""
    found = []
    for name in (*TRAINED, *WATCHED):
        for line in (JUDGEMENT / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found.append(_Request(name, row["question"], row["answer"], tuple(row["contexts"]), row["verdict"]))
    for name in LABELLED:
        rows = data.thin((row for row in data.read(directory, name) if data.for_encoder(row)), _OF_A_SET)
        found += [_Request(name, row.get("question") or "", row["claim"], (row["context"],), None) for row in rows]
    return found


async def read(directory: Path) -> list[Told]:
    """Every claim that the cross-encoder reads of these, and pairs of its two other tasks."""
    runtime = ModelRuntime(InferenceConfig(grounding="embedded"), Telemetry())
    engine = Engine(EvaluateConfig(evaluators=("groundedness",)), runtime.router)
    asked = requests(directory)
    seen: dict[str, dict[tuple[str, str], tuple[float, ...]]] = defaultdict(dict)
    answered = PairModel.rows

    async def rows(model: PairModel, pairs: Sequence[tuple[str, str]], task: Task = SUPPORT) -> list[FloatArray]:
        found = await answered(model, pairs, task)
        for (premise, claim), row in zip(pairs, found, strict=True):
            seen[_who.get()][claim, premise] = tuple(float(one) for one in row)
        return found

    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(number: int, request: _Request) -> None:
        async with gate:
            _who.set(str(number))
            documents = tuple(Document(rank, text) for rank, text in enumerate(request.contexts, 1))
            trace = RagTrace(
                trace_id=str(number), service="judged", convention="native", timestamp=0.0, question=request.question, answer=request.answer, documents=documents
            )  # fmt: skip
            await engine.evaluate(trace)

    PairModel.rows = rows  # type: ignore[assignment, method-assign]
    await runtime.start()
    try:
        await asyncio.gather(*(one(number, request) for number, request in enumerate(asked)))
    finally:
        await runtime.stop()
        PairModel.rows = answered  # type: ignore[method-assign]
    found = [told for number, request in enumerate(asked) for told in _told(request, seen[str(number)])]
    return found + await _relevance(directory)


def _told(request: _Request, seen: dict[tuple[str, str], tuple[float, ...]]) -> Iterator[Told]:
    """Of a right answer every claim is said; of a wrong one of several claims nobody told which is not, so that only all of it together is known to be wrong."""
    if request.verdict not in (None, "grounded", "hallucinated"):
        return
    wrong = request.verdict == "hallucinated"
    longest = max((claim for claim, _ in seen), key=len, default="")
    several = len({claim for claim, _ in seen if claim in longest and claim != longest}) > 1
    for (claim, premise), said in seen.items():
        if not (wrong and several) or claim == longest:
            yield Told(request.set, "grounding", claim, premise, said, None if request.verdict is None else not wrong)


async def _relevance(directory: Path) -> list[Told]:
    """What the packaged graph says of passages and of answers beside their questions."""
    from training.export_bert import load_cross_encoder

    pairs: list[tuple[str, Asks, str, str]] = []
    for name in RELEVANCE:
        for row in data.thin((row for row in data.read(directory, name) if data.for_encoder(row)), _OF_A_SET):
            task: Asks = "document" if row["task"] == "context_relevance" else "answer"
            other = row["context"] if task == "document" else row["claim"]
            pairs.append((name, task, row["question"], other[:_MOST_CHARACTERS]))
    model = load_cross_encoder(GRAPH, PACKAGED / "minilm" / "tokenizer.json")
    await model.start()
    try:
        said = await asyncio.gather(*(model.rows([(other, own)], TASKS[task]) for _, task, own, other in pairs))
    finally:
        await model.stop()
    return [Told(*pair, tuple(float(one) for one in row)) for pair, [row] in zip(pairs, said, strict=True)]


@dataclass(frozen=True, slots=True)
class _Read:
    """Token ids and segments (tokens,) of a pair."""

    ids: NDArray[np.int64]
    types: NDArray[np.int64]

    @classmethod
    def of(cls, told: Told, encoding: Encoding) -> _Read:
        task = TASKS[told.task]
        types = np.where(np.array(encoding.type_ids) == 0, task.hypothesis, task.premise)
        return cls(np.array(encoding.ids, np.int64), types.astype(np.int64))


def _padded(chosen: Sequence[_Read]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    longest = -(-max(len(one.ids) for one in chosen) // 16) * 16
    ids, types, mask = (torch.zeros(len(chosen), longest, dtype=torch.long) for _ in range(3))
    for row, one in enumerate(chosen):
        size = len(one.ids)
        ids[row, :size], types[row, :size] = torch.from_numpy(one.ids), torch.from_numpy(one.types)
        mask[row, :size] = 1
    return ids, types, mask


def _columns(logits: torch.Tensor) -> torch.Tensor:
    """The columns (batch, 4) of the product's graph, of those (batch, COLUMNS) that are trained."""
    return torch.stack([supported(logits), logits[:, 2] - logits[:, 1], logits[:, 3], logits[:, 4]], 1)


def _losses(found: torch.Tensor, told: Sequence[Told]) -> torch.Tensor:
    """The loss (batch,) of each pair, of its columns (batch, 4)."""
    said = torch.tensor([one.said for one in told])
    column = torch.tensor([_COLUMNS[one.task] for one in told])[:, None]
    own, before = found.gather(1, column)[:, 0], torch.sigmoid(said.gather(1, column)[:, 0])
    known = torch.tensor([one.right is not None for one in told])
    right = SMOOTHED + (1 - 2 * SMOOTHED) * torch.tensor([float(bool(one.right)) for one in told])
    kept = binary_cross_entropy_with_logits(own, before, reduction="none")
    judged = binary_cross_entropy_with_logits(own, right, reduction="none")
    kinds = binary_cross_entropy_with_logits(found[:, 1], torch.sigmoid(said[:, 1]), reduction="none")
    claims = torch.tensor([float(one.task == "grounding") for one in told])
    loss: torch.Tensor = (
        torch.where(known, _OF_PERSON * judged + (1 - _OF_PERSON) * kept, _OF_OTHERS * kept) + _OF_KIND * claims * kinds
    )
    return loss


def _batches(lengths: NDArray[np.int64], rng: np.random.Generator, most: int) -> Iterator[list[int]]:
    """One epoch after another: pairs of about one length together, so many tokens of them."""
    while True:
        batches: list[list[int]] = [[]]
        for number in np.argsort(lengths + rng.random(len(lengths)) * 40).tolist():
            if batches[-1] and max(lengths[[*batches[-1], number]]) * (len(batches[-1]) + 1) > most:
                batches.append([])
            batches[-1].append(number)
        for place in rng.permutation(len(batches)):
            yield batches[place]


def _measure(model: CrossEncoder, told: Sequence[Told], made: Sequence[_Read]) -> dict[str, float]:
    """AUROC by set, of those that a person judged."""
    model.eval()
    order = sorted(range(len(told)), key=lambda n: len(made[n].ids))
    scores: dict[int, float] = {}
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16()):
        for at in range(0, len(order), 48):
            part = order[at : at + 48]
            logits = _columns(model(*_padded([made[n] for n in part]))[0].float())[:, 0]
            scores.update(zip(part, logits.tolist(), strict=True))
    model.train()
    of = {name: [n for n, one in enumerate(told) if one.set == name] for name in WATCHED}
    return {name: round(auroc([scores[n] for n in own], [int(bool(told[n].right)) for n in own]), 4) for name, own in of.items()}  # fmt: skip


def begun(start: Path, out: Path) -> CrossEncoder:
    """The packaged graph's weights, to be trained on."""
    weights = {k if "head" in k else f"bert.{k}": torch.from_numpy(v.copy()) for k, v in weights_of(GRAPH).items()}
    words = next(v for k, v in load_file(str(start / "model.safetensors")).items() if "word_embeddings" in k)
    weights["bert.embeddings.word_embeddings.weight"] = words.float()
    config = json.loads((start / "config.json").read_text(encoding="utf-8"))
    config["num_hidden_layers"] = len({name.split(".")[3] for name in weights if ".layer." in name})
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    shutil.copyfile(start / "tokenizer.json", out / "tokenizer.json")
    save_file({name: value.contiguous() for name, value in weights.items()}, str(out / "model.safetensors"))
    model = CrossEncoder(out)
    model.load_state_dict({name: value.clone() for name, value in weights.items()})
    return model


def train(args: argparse.Namespace) -> None:
    """For so many seconds; the rate falls with them."""
    torch.manual_seed(SEED)
    torch.set_num_threads(args.threads)
    use_plain_attention()
    lines = (args.out / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    every = [Told(**{**row, "said": tuple(row["said"])}) for row in map(json.loads, lines)]
    model = begun(args.start, args.out)
    tokenizer = Tokenizer.from_file(str(args.out / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")

    def tokens(told: Sequence[Told]) -> list[_Read]:
        return list(map(_Read.of, told, tokenizer.encode_batch([(one.first, one.second) for one in told])))

    told, held = ([one for one in every if (one.set in WATCHED) is watched] for watched in (False, True))
    random.Random(SEED).shuffle(told)
    made, held_made = tokens(told), tokens(held)
    lengths = np.array([len(one.ids) for one in made])
    print(Counter(one.set for one in told), f"{lengths.sum():,} tokens", _measure(model, held, held_made), flush=True)
    model.bert.embeddings.requires_grad_(False)
    model.token_head.requires_grad_(False)
    for layer in model.bert.encoder.layer[: args.frozen]:
        layer.requires_grad_(False)
    trained = [one for one in model.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=args.rate, weight_decay=0.01)
    in_bf16, started, measured, steps = bf16(), time.monotonic(), time.monotonic(), 0
    model.train()
    batches = _batches(lengths, np.random.default_rng(SEED), args.batch_tokens)
    while (gone := (time.monotonic() - started) / args.seconds) < 1:
        for group in optimiser.param_groups:
            group["lr"] = args.rate * min(1.0, gone / WARM_UP + 0.02) * max(0.02, 1 - gone)
        optimiser.zero_grad()
        both = [next(batches), next(batches)]
        for chosen in both:
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=in_bf16):
                logits, _ = model(*_padded([made[n] for n in chosen]))
            loss = _losses(_columns(logits.float()), [told[n] for n in chosen])
            (loss.sum() / sum(map(len, both))).backward()  # type: ignore[no-untyped-call, unused-ignore]
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        steps += 1
        if time.monotonic() - measured > _MEASURE_EVERY:
            print(steps, round(loss.mean().item(), 4), _measure(model, held, held_made), flush=True)
            measured = time.monotonic()
    print(steps, _measure(model, held, held_made), flush=True)
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, str(args.out / "model.safetensors"))


def main() -> None:
    """Read or train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("read", "train"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="of train: model.safetensors, config.json, tokenizer.json")
    parser.add_argument("--seconds", type=float, default=2400)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--batch-tokens", type=int, default=2400, help="half of a step's")
    parser.add_argument("--frozen", type=int, default=4, help="layers, from below, that stay as they are")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    if args.step == "train":
        train(args)
        return
    args.out.mkdir(parents=True, exist_ok=True)
    told = asyncio.run(read(args.data))
    lines = (json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in told)
    (args.out / "pairs.jsonl").write_text("".join(lines), encoding="utf-8")
    print(Counter(one.set for one in told))


if __name__ == "__main__":
    main()
