"""Grounding, the usual way and ours, in one run on the same traces; prints the tables of benchmarks/README.md.

    python -m benchmarks.inference [--traces 200] [--usual 10] [--snapshot DIR]

(a) the usual way: PyTorch, the T5-base shape, each claim against all chunks joined, the claims of an answer in one batch, as Ragas'
FaithfulnesswithHHEM does; on the first `--usual` traces, since one takes seconds. (b) ours with HHEM int8, (c) ours with the embedded
model: the faithfulness evaluator whole, segmentation, language gate and evidence selection included. Without `--snapshot` HHEM's
weights are made: the same shapes, meaningless scores. Needs the extras `export` and `train`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from benchmarks.traffic import Traffic
from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.reader import read_native_line
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.evaluate.text.claims import split_claims
from sidecar.inference.cpu import cpu_limit
from sidecar.inference.export.hhem import PROMPT, export
from sidecar.inference.export.verify import reference_model
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.record.request import RagTrace
from training.made_hhem import BASE, make_snapshot

IN_FLIGHT = 64
FAITHFULNESS = ("faithfulness",)


def read(lines: Sequence[bytes]) -> list[RagTrace]:
    """Native records as traces."""
    return [read_native_line(line, DecodeConfig(), fallback_timestamp=0.0) for line in lines]


def usual(snapshot: Path, traces: Sequence[RagTrace]) -> float:
    """Traces a second the usual way."""
    import torch

    model, tokenizer = reference_model(snapshot)
    torch.set_num_threads(cpu_limit())
    tokenizer.enable_padding(pad_id=0)

    def score(trace: RagTrace) -> None:
        premise = "\n".join(document.text or "" for document in trace.documents)
        claims = [claim.text for claim in split_claims(trace.answer or "")]
        batch = tokenizer.encode_batch([PROMPT.format(premise=premise, hypothesis=claim) for claim in claims])
        with torch.no_grad():
            model(
                input_ids=torch.tensor([one.ids for one in batch]),
                attention_mask=torch.tensor([one.attention_mask for one in batch]),
            )

    score(traces[0])
    started = time.perf_counter()
    for trace in traces:
        score(trace)
    return len(traces) / (time.perf_counter() - started)


async def ours(
    config: InferenceConfig, traces: Sequence[RagTrace], evaluators: tuple[str, ...], *, in_flight: int = IN_FLIGHT
) -> tuple[float, list[float]]:
    """Traces a second, and the seconds of each, with fresh caches."""
    runtime = ModelRuntime(config, Telemetry())
    engine = Engine(EvaluateConfig(evaluators=evaluators), runtime.router)
    await runtime.start()
    gate = asyncio.Semaphore(in_flight)
    times: list[float] = []

    async def one(trace: RagTrace) -> None:
        async with gate:
            started = time.perf_counter()
            evaluated = await engine.evaluate(trace)
            times.append(time.perf_counter() - started)
        assert evaluated.outcome == "scored", evaluated

    try:
        started = time.perf_counter()
        await asyncio.gather(*(one(trace) for trace in traces))
        return len(traces) / (time.perf_counter() - started), times
    finally:
        await runtime.stop()


async def at_load(config: InferenceConfig, traces: Sequence[RagTrace], rate: float) -> list[float]:
    """Seconds of each trace when they come at random at so many a second (Poisson), queueing included."""
    runtime = ModelRuntime(config, Telemetry())
    engine = Engine(EvaluateConfig(), runtime.router)
    await runtime.start()
    rng = random.Random(7)
    times: list[float] = []

    async def one(trace: RagTrace) -> None:
        started = time.perf_counter()
        await engine.evaluate(trace)
        times.append(time.perf_counter() - started)

    try:
        running = []
        for trace in traces:
            running.append(asyncio.create_task(one(trace)))
            await asyncio.sleep(rng.expovariate(rate))
        await asyncio.gather(*running)
        return times
    finally:
        await runtime.stop()


def peak_memory(config: InferenceConfig, lines: Sequence[bytes]) -> float:
    """Peak resident memory (MB) of a process that scores these records with every evaluator."""
    code = (
        "import asyncio, json, sys\nfrom benchmarks.inference import *\n"
        "config = InferenceConfig.model_validate_json(sys.argv[1])\n"
        "asyncio.run(ours(config, read(sys.stdin.buffer.read().splitlines()), EvaluateConfig().evaluators))\n"
        "print(int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) / 1024)"
    )
    command = [sys.executable, "-c", code, config.model_dump_json()]
    return float(subprocess.run(command, check=True, capture_output=True, input=b"\n".join(lines)).stdout)


def integer_limit(size: int = 1536) -> float:
    """Integer operations a second (billions; a multiply and an add are two) of one large product, all cores."""
    rng = np.random.default_rng(7)
    weights = numpy_helper.from_array(rng.integers(-63, 63, (size, size), np.int8), "weights")
    node = helper.make_node("MatMulInteger", ["x", "weights"], ["y"])
    given = helper.make_tensor_value_info("x", TensorProto.UINT8, [size, size])
    result = helper.make_tensor_value_info("y", TensorProto.INT32, [size, size])
    body = helper.make_graph([node], "product", [given], [result], [weights])
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = cpu_limit()
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    x = rng.integers(0, 255, (size, size), np.uint8)
    session.run(None, {"x": x})
    started, rounds = time.perf_counter(), 0
    while time.perf_counter() - started < 2:
        session.run(None, {"x": x})
        rounds += 1
    return rounds * 2 * size**3 / (time.perf_counter() - started) / 1e9


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traces", type=int, default=200)
    parser.add_argument("--usual", type=int, default=10)
    parser.add_argument("--snapshot", type=Path)
    args = parser.parse_args()
    lines = Traffic(11).native(args.traces)
    traces = read(lines)
    with tempfile.TemporaryDirectory() as folder:
        snapshot = args.snapshot or Path(folder) / "snapshot"
        if not args.snapshot:
            words = " ".join(str(json.loads(line)[part]) for line in lines[:20] for part in ("answer", "contexts"))
            make_snapshot(snapshot, BASE, [words])
        hhem_dir = Path(folder) / "hhem"
        export(str(snapshot), hhem_dir, say=lambda _: None)
        models = {
            "HHEM int8": InferenceConfig(grounding="hhem", hhem_dir=hhem_dir),
            "embedded": InferenceConfig(grounding="embedded"),
        }
        peer = usual(snapshot, traces[: args.usual])
        print("| faithfulness | traces/s | against the usual way |\n|---|---|---|")
        print(f"| (a) the usual way: PyTorch, T5-base, all chunks joined | {peer:.3f} | 1 |", flush=True)
        every = EvaluateConfig().evaluators
        speeds = {}
        for label, (name, config) in zip("bc", models.items(), strict=True):
            speed, _ = asyncio.run(ours(config, traces, FAITHFULNESS))
            print(f"| ({label}) ours, {name} | {speed:.1f} | {speed / peer:.0f} |", flush=True)
        print(
            "\n| all evaluators | all chunks new | 80 % hot | gain | p95 at 50 % load | peak memory |\n|---|---|---|---|---|---|"
        )
        for name, config in models.items():
            cold, _ = asyncio.run(ours(config, traces, every))
            hot, _ = asyncio.run(ours(config, read(Traffic(11, hot=0.8).native(args.traces)), every))
            late = np.quantile(asyncio.run(at_load(config, traces, cold / 2)), 0.95)
            speeds[name] = cold
            memory = peak_memory(config, lines)
            print(
                f"| {name} | {cold:.1f} traces/s | {hot:.1f} traces/s | {hot / cold:.1f} | {late * 1000:.0f} ms | {memory:.0f} MB |",
                flush=True,
            )
        print("\n| embedded, all evaluators | traces/s | mean time of a trace, 8 in flight |\n|---|---|---|")
        for threads in sorted({1, cpu_limit()}):
            for tokens in (256, 1024, 4096):
                config = InferenceConfig(grounding="embedded", threads=threads, batch_tokens=tokens)
                speed, times = asyncio.run(ours(config, traces[:80], every, in_flight=8))
                print(
                    f"| {threads} threads, {tokens} tokens a batch | {speed:.1f} | {np.mean(times) * 1000:.0f} ms |",
                    flush=True,
                )
    print(
        f"\nOne integer product of 1536 x 1536 x 1536 on all cores: {integer_limit():.0f} billion operations a second."
    )


if __name__ == "__main__":
    main()
