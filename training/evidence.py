"""What selecting evidence loses: recall of gold evidence, and AUROC against reading all text.

    python -m training.evidence --data DIR

On wice_full (claims against whole web pages): how much of the gold evidence is among what the cross-encoder is given, and the AUROC
of its logit on that, against the best of its logits over windows of the whole page.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from sidecar.evaluate.text.claims import split_claims
from sidecar.inference.base import Claim
from sidecar.inference.embedding.text import read_words, sentences
from sidecar.inference.grounding.embedded import EmbeddedGrounder
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from training import data
from training.measure import auroc

WINDOW_WORDS = 150


def windows(text: str) -> list[str]:
    """The whole text in pieces of about WINDOW_WORDS words, at sentence ends."""
    made: list[list[str]] = [[]]
    size = 0
    for span in sentences(text):
        piece = text[span.start : span.end]
        if size and size + len(piece.split()) > WINDOW_WORDS:
            made.append([])
            size = 0
        made[-1].append(piece)
        size += len(piece.split())
    return [" ".join(pieces) for pieces in made if pieces]


def holds(premise: str, line: str) -> bool:
    """Whether most words of a gold sentence are in the premise, in one of its sentences."""
    wanted = set(read_words(line).stems)
    return not wanted or any(
        len(wanted & set(read_words(premise[s.start : s.end]).stems)) >= 0.8 * min(len(wanted), 40)
        for s in sentences(premise)
    )


async def measure(directory: Path) -> None:
    """Print the numbers."""
    rows = data.read(directory, "wice_full")
    runtime = ModelRuntime(InferenceConfig(grounding="embedded"), Telemetry())
    await runtime.start()
    grounder = runtime.models.grounder
    assert isinstance(grounder, EmbeddedGrounder)
    model = grounder._cross_encoder
    whole_sets = gold = found = 0
    asked = 0
    selected, everything, labels = [], [], []
    for row in rows:
        [read] = await grounder.read([Claim(row["claim"])], [row["context"]])
        lines = row["context"].split("\n")
        sets = [[lines[n] for n in one if n < len(lines)] for one in row.get("supporting_sentences") or []]
        if sets:
            asked += 1
            hits = [[holds(read.premise, line) for line in one] for one in sets]
            whole_sets += any(all(one) for one in hits)
            best = max(hits, key=lambda one: sum(one) / max(1, len(one)))
            gold, found = gold + len(best), found + sum(best)
        claims = [claim.text for claim in split_claims(row["claim"])] or [row["claim"]]
        selected.append(min(await model.score([(read.premise, claim) for claim in claims])))
        per_window = [await model.score([(window, claim) for window in windows(row["context"])]) for claim in claims]
        everything.append(min(max(one) for one in per_window))
        labels.append(int(row["label"]))
    await runtime.stop()
    print(f"{asked} claims with gold evidence: {whole_sets / asked:.3f} have one whole gold set selected")
    print(f"gold sentences of the best set selected: {found / gold:.3f}")
    print(
        f"AUROC of the cross-encoder: {auroc(selected, labels):.3f} selected, {auroc(everything, labels):.3f} all text"
    )


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    asyncio.run(measure(parser.parse_args().data))


if __name__ == "__main__":
    main()
