"""Golden embeddings from the reference implementation (transformers, fp32), for tests/golden/inference/minilm.json.

    python -m training.golden_embeddings SOURCE > tests/golden/inference/minilm.json

SOURCE as for training.export_bert encoder. Needs the extra `train`.
"""

from __future__ import annotations

import json
import sys

import torch
from transformers import AutoModel, AutoTokenizer

TEXTS = (
    "The warranty is two years.",
    "How tall is the Eiffel Tower?",
    "Backups are kept for 14 days and stored in a second data centre in Rotterdam.",
    "42",
    "It wasn't Dr. O'Neill's café, was it?",
)


def main() -> None:
    """Print the embeddings."""
    tokenizer, model = AutoTokenizer.from_pretrained(sys.argv[1]), AutoModel.from_pretrained(sys.argv[1])
    rows = []
    for text in TEXTS:
        batch = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            states = model(**batch).last_hidden_state[0]
        vector = torch.nn.functional.normalize(states.mean(dim=0), dim=0)
        rows.append({"text": text, "embedding": [round(value, 6) for value in vector.tolist()]})
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
