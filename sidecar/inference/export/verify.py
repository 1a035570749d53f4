"""How far an exported HHEM is from the reference implementation, and from the scores that its model card publishes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from sidecar.inference.cpu import cpu_limit
from sidecar.inference.export.hhem import FILES, PROMPT, find_tokenizer
from sidecar.inference.export.t5 import Shape
from sidecar.inference.grounding.hhem import load
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError

# Premise, hypothesis and score of the seven examples of the model card of vectara/hallucination_evaluation_model.
PUBLISHED: tuple[tuple[str, str, float], ...] = (
    ("The capital of France is Berlin.", "The capital of France is Paris.", 0.0111),
    ("I am in California", "I am in United States.", 0.6474),
    ("I am in United States", "I am in California.", 0.1290),
    ("A person on a horse jumps over a broken down airplane.", "A person is outdoors, on a horse.", 0.8969),
    (
        "A boy is jumping on skateboard in the middle of a red bridge.",
        "The boy skates down the sidewalk on a red bridge",
        0.1846,
    ),
    (
        "A man with blond-hair, and a brown shirt drinking out of a public water fountain.",
        "A blond man wearing a brown shirt is reading a book.",
        0.0050,
    ),
    ("Mark Wahlberg was a fan of Manny.", "Manny was a fan of Mark Wahlberg.", 0.0543),
)
EXACT = 5e-4  # fp32 against the reference and the published four decimals
QUANTISED = 0.03


@dataclass(frozen=True)
class Deviation:
    """One line of the table: the largest difference of scores (0..1) over the pairs, and what is allowed."""

    what: str
    pairs: int
    largest: float
    allowed: float

    @property
    def well(self) -> bool:
        """Within tolerance."""
        return self.largest <= self.allowed


def verify(
    directory: Path, *, source: Path | None = None, pairs: Path | None = None, published: bool = True
) -> list[Deviation]:
    """Compare the files in `directory`: int8 against fp32, both against the published scores, and, with `source` (a
    snapshot) and the extra `train` installed, fp32 against the reference implementation. Raises ConfigError."""
    own = [(premise, hypothesis) for premise, hypothesis, _ in PUBLISHED]
    asked = [*own, *(read_pairs(pairs) if pairs else [])]
    scores = {name: _scores(directory, name, asked) for name in FILES}
    exact, quantised = scores.values()
    table = [Deviation("int8 from fp32", len(asked), _largest(quantised, exact), QUANTISED)]
    if source:
        reference, _ = reference_scores(source, asked)
        table.append(Deviation("fp32 from the reference implementation", len(asked), _largest(exact, reference), EXACT))
    if published:
        known = [score for *_, score in PUBLISHED]
        table.append(Deviation("fp32 from the published scores", len(own), _largest(exact[: len(own)], known), EXACT))
        table.append(
            Deviation("int8 from the published scores", len(own), _largest(quantised[: len(own)], known), QUANTISED)
        )
    return table


def reference_scores(source: Path, pairs: Sequence[tuple[str, str]]) -> tuple[list[float], list[list[int]]]:
    """Scores and token ids of the reference implementation on a snapshot, one pair at a time. Raises ConfigError."""
    model, tokenizer = reference_model(source)
    import torch

    scores, ids = [], []
    for premise, hypothesis in pairs:
        own = tokenizer.encode(PROMPT.format(premise=premise, hypothesis=hypothesis)).ids
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([own])).logits[0, 0]
        scores.append(float(torch.softmax(logits, -1)[1]))
        ids.append(own)
    return scores, ids


def reference_model(source: Path) -> tuple[Any, Tokenizer]:
    """transformers' T5ForTokenClassification with the weights of a snapshot, and its tokenizer. Raises ConfigError."""
    try:
        from safetensors.torch import load_file
        from transformers import T5Config, T5ForTokenClassification
    except ImportError as error:
        raise ConfigError(
            "--source",
            "the reference implementation needs PyTorch",
            "in a clone of the repository: pip install '.[train]'",
        ) from error
    weights = {name.removeprefix("t5."): value for name, value in load_file(source / "model.safetensors").items()}
    sizes = Shape.of({name.removeprefix("transformer."): value.float().numpy() for name, value in weights.items()})
    config = T5Config(
        vocab_size=weights["transformer.shared.weight"].shape[0], d_model=sizes.width, d_kv=sizes.inner // sizes.heads,
        d_ff=sizes.feed_forward, num_layers=sizes.layers, num_heads=sizes.heads, num_labels=2,
        feed_forward_proj="gated-gelu", dropout_rate=0.0, classifier_dropout=0.0,
    )  # fmt: skip
    model = T5ForTokenClassification(config)
    missing, unexpected = model.load_state_dict(weights, strict=False)
    if set(missing) - {"transformer.encoder.embed_tokens.weight"} or unexpected:
        problem = f"weights do not fit: {[*missing, *unexpected][:3]}"
        raise ConfigError("--source", problem, "download the snapshot again")
    model.eval()
    return model, find_tokenizer(source, vocabulary=config.vocab_size)


def _scores(directory: Path, file: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    model = load(directory, file=file, threads=cpu_limit(), batch_tokens=4096, telemetry=Telemetry())
    scores = []
    for premise, hypothesis in pairs:
        rows = model.windows(premise, hypothesis)
        scores.append(min(max(float(model.compute([asked])[0][0]) for asked in row) for row in rows))
    return scores


def read_pairs(path: Path) -> list[tuple[str, str]]:
    """Pairs of a file of JSON lines. Raises ConfigError."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        return [(str(row["premise"]), str(row["hypothesis"])) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            "--pairs", f"{path}: {type(error).__name__}", 'one {"premise": ..., "hypothesis": ...} a line'
        ) from error


def _largest(some: Sequence[float], others: Sequence[float]) -> float:
    return max(abs(one - other) for one, other in zip(some, others, strict=True))
