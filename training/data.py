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
CONTRAST_DEV = (
    "scone_nli", "condaqa_yesno_dev", "cad_snli", "curriculum_lexical", "curriculum_temporal", "infotabs_lines", "boolq_contrast",
    "dnc_function_words",
)  # fmt: skip
RELEVANCE_DEV = (
    "squadshifts_reddit", "squadshifts_amazon_reviews", "policyqa_relevance", "tatqa_relevance", "wikiqa", "trecqa", "subjqa",
    "bioasq7_snippets", "hallurag_context_relevance",
)  # fmt: skip
_PERMITTED = (
    "MIT", "Apache", "BSD", "CC BY 4.0", "ODC-BY", "CC0-1.0", "PAWS: free for any purpose", "Microsoft C-UDA 1.0",
    "none stated in repository (paper: CC BY 4.0)",
)  # fmt: skip
_FOLDS = 10
HELD_FOLDS = frozenset({8, 9})
COMBINER_FOLDS = frozenset({6, 7})
_TEST_SPLITS = frozenset(
    {"summac_human", "fever_symmetric", "scone_nli", "cad_snli", "infotabs_lines", "haluquestqa_answer_relevance"}
)
_ONE_PART = frozenset({
    "condaqa_yesno_dev", "conjnli_human", "expmrc_evidence", "mnli_binary_docnli", "multihop_paragraphs", "paws_wiki_dev",
    "policyqa_relevance", "qed_sentences", "selqa", "tatqa_relevance",
})  # fmt: skip
_ADMITTED = (
    "SNLI CC BY-SA",
    "CC-BY-SA-4.0",
    "CC BY-SA 3.0 (README, Wikipedia)",
    "none stated in repository (HotpotQA CC BY-SA 4.0, 2Wiki Apac",
    "none stated in repo (asaakyan/covidfact); FEVER itself CC BY-SA",
    "none stated in repo; sub-sets: HAGRID Apache-2.0",
)


def read(directory: Path, name: str) -> list[Row]:
    """All rows of one set."""
    with lzma.open(directory / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [{**json.loads(line), "file": name} for line in lines]


def permitted(row: Row) -> bool:
    """True where the row's stated licence lets a model that is trained on it be shipped."""
    licence = row.get("licence") or ""
    return licence.startswith(_PERMITTED) and "NC" not in licence


def held(row: Row) -> bool:
    """True for rows that no training reads: two of ten folds of document clusters, and the source's own dev part where it is not all
    there is."""
    return (row.get("split") == "dev" and row["file"] not in _ONE_PART) or fold_of(row) in HELD_FOLDS


def fold_of(row: Row) -> int:
    """The fold (0..9) of the row's document cluster."""
    key = str(row.get("doc_cluster") or row.get("source_id") or row["id"])
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=4).digest(), "big") % _FOLDS


def _usable(row: Row) -> bool:
    """Labelled, whole, permitted (or admitted by ADR 0007), not held, not a source's own test part."""
    admitted = permitted(row) or (row.get("licence") or "").startswith(_ADMITTED)
    whole = row.get("label") in (0, 1) and (row.get("context") or row.get("claim"))
    test = row.get("split") == "test" and row["file"] in _TEST_SPLITS
    return bool(whole and admitted and not test and not held(row))


def for_encoder(row: Row) -> bool:
    """True for rows that the cross-encoder trains on."""
    return _usable(row) and fold_of(row) not in COMBINER_FOLDS


def for_combiner(row: Row) -> bool:
    """True for rows that the heads on top of the cross-encoder train on."""
    return _usable(row) and fold_of(row) in COMBINER_FOLDS


def thin(rows: Iterable[Row], most: int) -> list[Row]:
    """At most so many rows, chosen by the hash of their id, in a fixed order."""
    return sorted(rows, key=lambda row: hashlib.blake2b(str(row["id"]).encode(), digest_size=8).digest())[:most]
