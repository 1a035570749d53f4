"""Writes tests/golden/inference/hhem.json: token ids and scores of the reference implementation on a made snapshot.

    python -m training.golden_hhem

The reference is transformers' T5ForTokenClassification, read as HHEM's model code reads it: softmax of the first token's logits,
class 1. Needs the extra `train`.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from sidecar.inference.export.verify import PUBLISHED, reference_scores
from training.made_hhem import TINY, make_snapshot

TARGET = Path("tests/golden/inference/hhem.json")
LONG = "The harbour lies in the north of the island . Ships leave for the mainland twice a day in summer , and once in winter . "
SEED = 7


def main() -> None:
    """Make the snapshot, score, write."""
    pairs = [(premise, hypothesis) for premise, hypothesis, _ in PUBLISHED]
    pairs += [
        (LONG * 12, "Ships leave for the mainland once a day in winter ."),
        ("", "Ships leave ."),
        ("Ünïcode — 東京", "x"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        make_snapshot(Path(folder), TINY, [text for pair in pairs for text in pair], SEED)
        scores, ids = reference_scores(Path(folder), pairs)
    rows = [
        {"premise": premise, "hypothesis": hypothesis, "ids": own, "score": score}
        for (premise, hypothesis), own, score in zip(pairs, ids, scores, strict=True)
    ]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    TARGET.write_text(f'{{"seed": {SEED}, "pairs": [\n{lines}\n]}}\n', encoding="utf-8")
    print(f"{TARGET}: {len(rows)} pairs, scores {min(scores):.3f} to {max(scores):.3f}")


if __name__ == "__main__":
    main()
