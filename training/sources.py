"""The sets that the cross-encoder trains on, and what is asked of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from training import data

Asks: TypeAlias = Literal["grounding", "document", "answer"]


@dataclass(frozen=True, slots=True)
class Source:
    """A set: what its rows ask, how much a row weighs, how many are taken at most, and whether pairs are made of its texts."""

    name: str
    task: Asks = "grounding"
    weight: float = 1.0
    most: int = 40_000
    texts: bool = False


SOURCES = (
    *(Source(name, texts=True) for name in data.GROUNDING if name not in ("xsumfaith", "summedits")),
    Source("xsumfaith", weight=0.6, texts=True),
    Source("summedits", weight=1.5, texts=True),
    Source("attributionbench_train", texts=True),
    Source("snli", weight=0.7, most=10_000),
    Source("fever_dev", weight=0.8),
    Source("cad_snli"),
    Source("scone_nli"),
    Source("condaqa_yesno_dev", weight=1.5, texts=True),
    Source("conjnli_human"),
    Source("mnli_binary_docnli", most=14_000),
    Source("taxinli_mnli"),
    Source("infotabs_lines", most=12_000),
    Source("curriculum_lexical", weight=0.7, most=3_000),
    Source("curriculum_temporal", weight=0.7, most=3_000),
    Source("paws_wiki_dev", weight=0.7, most=6_000),
    Source("semantoneg", weight=0.7, most=6_000),
    Source("menli_wmt20", weight=0.5),
    Source("menli_xpaws", weight=0.5, most=3_000),
    Source("help_conjunction", weight=0.5, most=2_500),
    Source("wikifactcheck_negated_only_negatives", weight=0.5, most=4_000),
    Source("squadshifts_reddit", task="document", most=9_000, texts=True),
    Source("squadshifts_amazon_reviews", task="document", most=9_000, texts=True),
    Source("squadshifts_new_wiki", task="document", most=9_000, texts=True),
    Source("policyqa_relevance", task="document", texts=True),
    Source("tatqa_relevance", task="document", texts=True),
    Source("multihop_paragraphs", task="document", most=6_000),
    Source("selqa", task="document", most=8_000),
    Source("qed_sentences", task="document"),
    Source("expertqa_answer_relevance", task="answer"),
    Source("haluquestqa_answer_relevance", task="answer", most=5_000),
)
