"""Trains the calibrated heads of the embedded models: claim support, answer consistency, document and answer relevance.

    python -m training.heads --data DIR [--out sidecar/inference/models/embedded]

One command, seeded, about fifteen minutes on two cores, after training.cross_encoder and training.export_bert. Reads only rows
whose stated licence permits it (of sets that are measured on only, no head reads one); never a row that `data.held` holds back, nor a
file named *_test. Writes heads.json, idf.json.gz and card.json, and prints the tables of docs/models/embedded.md and embedded-tries.md.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import FOLDER, packaged_encoder
from sidecar.inference.embedding.text import read_words
from sidecar.inference.grounding.embedded import EmbeddedGrounder, Heads
from sidecar.inference.pairs import CROSS_ENCODER
from sidecar.inference.relevance.embedded import FeatureRelevance
from sidecar.inference.words import words_of
from sidecar.observe.telemetry import Telemetry
from training import data
from training.data import Row
from training.export_bert import MAX_TOKENS, load_cross_encoder
from training.grounding_heads import NONE, SEED, grounding_heads
from training.relevance_heads import relevance_heads
from training.sentences import SET as SENTENCES
from training.short_answers import SET as SHORT
from training.sources import SOURCES
from training.written import SET as WRITTEN


def count_idf(rows: Sequence[Row], most: int = 40_000) -> tuple[dict[str, float], float]:
    """idf of the most frequent stems over the training contexts, and that of all others."""
    contexts = {row["context"] for row in rows if row.get("context")}
    seen: Counter[str] = Counter()
    for context in contexts:
        words = read_words(context)
        seen.update(set(words.stems) | words.names)
        seen.update({word for word in re.findall(r"[a-z]+", context.lower()) if word not in words.stems})
    total = len(contexts) + 1
    table = {stem: round(math.log(total / (count + 1)) + 0.1, 3) for stem, count in seen.most_common(most) if count > 1}
    return table, round(math.log(total / 1.5) + 0.1, 3)


async def train(directory: Path, models: Path, out: Path) -> None:
    """Everything, in order."""
    every = {
        name: [r for r in data.read(directory, name) if r.get("label") in (0, 1)]
        for name in {*data.GROUNDING, *data.GROUNDING_DEV}
    }
    usable = {name: [r for r in every[name] if data.permitted(r) and not data.held(r)] for name in data.GROUNDING}
    table, rare = count_idf([row for rows in usable.values() for row in rows])
    packed = json.dumps({"rare": rare, "stems": table}, separators=(",", ":"), sort_keys=True).encode()
    (out / "idf.json.gz").write_bytes(gzip.compress(packed, 9, mtime=0))
    idf = Idf(table, rare)
    encoder = packaged_encoder(
        models,
        idf=idf,
        tables=words_of(models),
        threads=2,
        at_once=1,
        batch_tokens=2048,
        cache_bytes=10**8,
        telemetry=Telemetry(),
        documents_bytes=10**9,
    )
    await encoder.start()
    cross_encoder = load_cross_encoder(out / CROSS_ENCODER, models / FOLDER / "tokenizer.json")
    await cross_encoder.start()
    grounder = EmbeddedGrounder(
        encoder,
        idf,
        cross_encoder,
        heads=Heads(NONE, NONE, NONE, NONE, NONE, NONE, 0.5, 0.5),
        identity=cross_encoder.identity,
    )
    relevance = FeatureRelevance(
        encoder,
        cross_encoder,
        document_model=NONE,
        answer_model=NONE,
        identity=cross_encoder.identity,
        document_threshold=0.5,
        answer_threshold=0.5,
    )
    heads: dict[str, object] = {}
    lines = await grounding_heads(heads, grounder, cross_encoder, directory)
    lines += await relevance_heads(heads, relevance, directory)
    await cross_encoder.stop()
    await encoder.stop()
    (out / "heads.json").write_text(json.dumps(heads, indent=1) + "\n")
    files = {
        name: hashlib.sha256((out / name).read_bytes()).hexdigest()
        for name in ("heads.json", "idf.json.gz", CROSS_ENCODER)
    }
    (out / "card.json").write_text(
        json.dumps(
            {
                "name": "embedded",
                "version": "10-twelve-layers",
                "source": "cross-encoder started from BAAI/bge-small-en-v1.5 (MIT)",
                "licence": "Apache-2.0",
                "languages": ["en"],
                "max_tokens": MAX_TOKENS["cross-encoder"],
                "files": files,
                "trained_on": sorted({WRITTEN, SHORT, SENTENCES, *(source.name for source in SOURCES)}),
                "seed": SEED,
            },
            indent=2,
        )
        + "\n"
    )
    print("\n".join(lines))


def main() -> None:
    """Parse the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=Path("sidecar/inference/models"))
    parser.add_argument("--out", type=Path, default=Path("sidecar/inference/models/embedded"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    asyncio.run(train(args.data, args.models, args.out))


if __name__ == "__main__":
    main()
