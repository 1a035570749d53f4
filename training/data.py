"""Reading the labelled sets: JSON lines, xz-compressed, one pair a row; see the README beside the data for the fields."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]

GROUNDING = (
    "begin", "dialfact_small", "expertqa", "factcg_synthetic", "factcheckgpt", "faithdial_audit", "fever_symmetric", "foolmetwice",
    "halueval_qa", "q2_wow", "summac_human", "summedits", "wice_oracle_chunks", "xsumfaith",
)  # fmt: skip
GROUNDING_DEV = (
    "lfqa_verification", "summac_human", "factcheckgpt", "halueval_qa", "attributionbench_train", "summedits", "wice_oracle_chunks",
)  # fmt: skip
_PERMITTED = ("MIT", "Apache", "BSD", "CC BY 4.0", "ODC-BY")
_FOLDS = 10
HELD_FOLDS = frozenset({8, 9})


def read(directory: Path, name: str) -> list[Row]:
    """All rows of one set."""
    with lzma.open(directory / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def permitted(row: Row) -> bool:
    """True where the row's stated licence lets a model that is trained on it be shipped."""
    licence = row.get("licence") or ""
    return licence.startswith(_PERMITTED) and "NC" not in licence


def held(row: Row) -> bool:
    """True for rows that no training reads: the source's own dev part, and two of ten folds of document clusters."""
    key = str(row.get("doc_cluster") or row.get("source_id") or row["id"])
    fold = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=4).digest(), "big") % _FOLDS
    return row.get("split") == "dev" or fold in HELD_FOLDS


def thin(rows: Iterable[Row], most: int) -> list[Row]:
    """At most so many rows, chosen by the hash of their id, in a fixed order."""
    return sorted(rows, key=lambda row: hashlib.blake2b(str(row["id"]).encode(), digest_size=8).digest())[:most]
