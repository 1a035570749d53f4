"""What eight bits cost the cross-encoder: AUROC of its logit on held pairs, the fp32 graph beside the packaged one.

    python -m training.eight_bits SOURCE --data DIR

SOURCE is what training.cross_encoder wrote.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from sidecar.inference.export.graph import Graph
from sidecar.inference.pairs import CROSS_ENCODER, PairModel
from sidecar.inference.runtime import PACKAGED
from training.bert_graph import Shape
from training.export_bert import cross_encoder, load_cross_encoder, read_weights
from training.measure import auroc
from training.pairs import TASKS, Pair, held_pairs

HELD_PAIRS = 400


async def logits(model: PairModel, pairs: list[Pair]) -> list[float]:
    """What a model says of each pair."""
    await model.start()
    try:
        asked = [model.score([(pair.second, pair.first)], TASKS[pair.task]) for pair in pairs]
        return [score for [score] in await asyncio.gather(*asked)]
    finally:
        await model.stop()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    args = parser.parse_args()
    pairs = held_pairs(args.data, HELD_PAIRS)
    tokenizer = PACKAGED / "minilm" / "tokenizer.json"
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "fp32.onnx"
        whole.write_bytes(
            cross_encoder(
                read_weights(args.source), Graph("fp32"), Shape.of(args.source / "config.json")
            ).SerializeToString()
        )
        full = asyncio.run(logits(load_cross_encoder(whole, tokenizer), pairs))
    small = asyncio.run(logits(load_cross_encoder(PACKAGED / "embedded" / CROSS_ENCODER, tokenizer), pairs))
    print("| set (held part) | n | fp32 | int8 |\n|---|---|---|---|")
    means = []
    for name in dict.fromkeys(pair.set for pair in pairs):
        of = [n for n, pair in enumerate(pairs) if pair.set == name]
        labels = [int(pairs[n].says == "yes") for n in of]
        areas = [auroc([scores[n] for n in of], labels) for scores in (full, small)]
        means.append(areas)
        print(f"| {name} | {len(of)} | {areas[0]:.3f} | {areas[1]:.3f} |")
    one, two = (sum(areas[n] for areas in means) / len(means) for n in (0, 1))
    print(
        f"| mean | | {one:.3f} | {two:.3f} |\n\nlargest difference of a logit: {max(map(abs, map(float.__sub__, full, small))):.2f}"
    )


if __name__ == "__main__":
    main()
