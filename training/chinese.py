"""Chinese texts with claims and short answers written by hand, and the pairs that the cross-encoder for Chinese trains on.

A claim says which of three it is: said by its text, contrary to it, or neither. In each of these about a third copies the text's words, so
that words in common tell little. Two files, so that nothing is measured that was trained on: zh_trained.jsonl and zh_held.jsonl. Beside them
labelled questions and passages of DRCD, CMRC 2018 and ExpMRC, and statements made by rule of those and of UHGEval (docs/adr/0039).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sidecar.evaluate.text.asked import is_short
from sidecar.inference.base import Claim
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.grounding.han import as_written, pieces, read
from sidecar.inference.grounding.han_evidence import READ_CHARACTERS, passage
from sidecar.inference.grounding.lexical_zh import IDF, NAME
from sidecar.inference.runtime import PACKAGED
from training import data
from training.chinese_statements import Statement, answers, changed
from training.data import Row
from training.pairs import Pair
from training.sources import Asks
from training.written import FOLDER, Verdict

SET = "written, zh"
SAYS: Mapping[str, Verdict] = {"s": "yes", "c": "contradiction", "n": "neutral"}
PASSAGES = ("drcd_relevance", "cmrc2018_relevance")
_LENGTHS = (110, 240)
_AMONG_OTHERS = 0.25
_DOCUMENTS, _MADE = 1000, 400
MEASURED: Mapping[str, Asks] = {
    "ocnli": "grounding", "nli_multilingual": "grounding", "c3_answers": "grounding", "domainrag_faithful": "grounding",
    "rgb_counterfactual_answers": "grounding", "uhgeval_sentences": "grounding", "rgb_relevance": "document", "tc_rag_micro": "document",
    "drcd_relevance": "document", "cmrc2018_relevance": "document", "expmrc_evidence": "document",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Text:
    """A text with its claims, (kind of SAYS, claim), and short answers, (question, answer, whether it is right)."""

    text: str
    claims: tuple[tuple[str, str], ...]
    short: tuple[tuple[str, str, bool], ...]

    def answers(self, question: str) -> set[str]:
        """The answers to a question, right and wrong."""
        return {answer for asked, answer, _ in self.short if asked == question}


def texts(name: str) -> list[Text]:
    """The texts of one file, in order. Raises KeyError where a field is missing."""
    lines = map(json.loads, (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        Text(
            one["text"],
            tuple((kind, claim) for kind, claim in one["claims"]),
            tuple((question, answer, bool(right)) for question, answer, right in one.get("short", ())),
        )
        for one in lines
    ]


class Reader:
    """Puts beside a text what a model is to read of its documents; with `rng` of a length that differs."""

    def __init__(self, rng: random.Random | None = None) -> None:
        self._idf = Idf.load(PACKAGED / NAME / IDF)
        self._rng = rng

    def claim(self, source: str, claim: Claim, documents: Sequence[str], says: Verdict, weight: float = 1.0) -> Pair:
        """A claim beside its evidence, behind its question where that is all of a short answer."""
        sentences = pieces(documents)
        asked = [as_written(claim.text, sentences), *filter(None, [claim.question])]
        said = f"{claim.question} {claim.text}" if claim.short and claim.question else claim.text
        beside = passage([read(one) for one in asked], sentences, documents, self._idf, self._most)
        return Pair(source, "claim", "grounding", said, beside, says, weight)

    def question(self, source: str, task: Asks, question: str, text: str, says: Verdict, weight: float = 1.0) -> Pair:
        """A question beside what is nearest to it of a passage, or of an answer."""
        beside = passage([read(question)], pieces([text]), [text], self._idf, self._most)
        return Pair(source, task, task, question, beside, says, weight)

    @property
    def _most(self) -> int:
        return self._rng.randint(*_LENGTHS) if self._rng else READ_CHARACTERS


def written_pairs(rng: random.Random, most: int | None = None) -> list[Pair]:
    """Those of the written texts; of at most so many of them."""
    reader, written = Reader(rng), texts("zh_trained")
    chosen = written if most is None else rng.sample(written, most)
    return [pair for one in chosen for pair in _of_text(one, written, reader, rng)]


def training_pairs(directory: Path, seed: int) -> list[Pair]:
    """All pairs, shuffled."""
    rng = random.Random(seed)
    reader, pairs = Reader(rng), written_pairs(rng)
    sets = {name: _trained(directory, name) for name in (*PASSAGES, "expmrc_evidence", "uhgeval_sentences")}
    for name in (*PASSAGES, "expmrc_evidence"):
        rows = data.thin((row for row in sets[name] if row.get("question")), _DOCUMENTS)
        pairs += [
            reader.question(name, "document", r["question"], r["context"], "yes" if r["label"] else "no") for r in rows
        ]
    made = [one for name in PASSAGES for one in changed(data.thin(sets[name], 3 * _MADE), seed=seed)]
    made += answers(sets["expmrc_evidence"], seed=seed)
    made += [Statement("uhgeval", "", row["context"], row["claim"], row["label"]) for row in sets["uhgeval_sentences"]]
    pairs += [
        reader.claim(one.kind, claim_of(one.text, one.question), [one.context], "yes" if one.label else "no", 0.6)
        for one in made
    ]
    rng.shuffle(pairs)
    return pairs


def _of_text(one: Text, others: Sequence[Text], reader: Reader, rng: random.Random) -> Iterator[Pair]:
    questions = list(dict.fromkeys(question for question, _, _ in one.short))
    for kind, claim in one.claims:
        yield reader.claim(SET, Claim(claim), _among(one, others, rng), SAYS[kind])
    for question, answer, right in one.short:
        documents = _among(one, others, rng)
        yield reader.claim(
            SET, Claim(answer, question=question, short=True), documents, "yes" if right else "contradiction"
        )
        if right:
            other = rng.choice([asked for asked in questions if answer not in one.answers(asked)] or [question])
            if other != question:
                yield reader.question(SET, "answer", other, answer, "no", 0.6)
            yield reader.question(SET, "answer", question, answer, "yes", 0.6)
    for question in questions:
        elsewhere = rng.choice([other for other in rng.sample(others, 2) if other is not one])
        yield reader.question(SET, "document", question, one.text, "yes")
        yield reader.question(SET, "document", question, elsewhere.text, "no", 0.5)
        yield reader.question(SET, "answer", question, rng.choice(elsewhere.claims)[1], "no", 0.4)


def claim_of(text: str, question: str) -> Claim:
    """A statement, or an answer that is all of it."""
    return Claim(text, question=question, short=bool(question) and is_short(text))


def _among(one: Text, others: Sequence[Text], rng: random.Random) -> list[str]:
    documents = [one.text]
    if rng.random() < _AMONG_OTHERS:
        documents.insert(rng.randint(0, 1), rng.choice(others).text)
    return documents


def _trained(directory: Path, name: str) -> list[Row]:
    return [row for row in chinese(directory, name) if data.fold_of(row) not in data.HELD_FOLDS | data.COMBINER_FOLDS]


def chinese(directory: Path, name: str) -> list[Row]:
    """The labelled Chinese rows of a set."""
    return [
        row
        for row in data.read(directory, name)
        if row.get("language") == "zh" and row.get("label") in (0, 1) and row.get("context")
    ]


def held_pairs(directory: Path, most: int) -> list[Pair]:
    """At most so many pairs of each set that is measured, and all held claims and short answers."""
    reader = Reader()
    pairs = []
    for name, task in MEASURED.items():
        rows = chinese(directory, name)
        if name in (*PASSAGES, "expmrc_evidence", "uhgeval_sentences"):
            rows = [row for row in rows if data.fold_of(row) in data.HELD_FOLDS]
        for row in data.thin((row for row in rows if task == "grounding" or row.get("question")), most):
            says: Verdict = "yes" if row["label"] else "no"
            if task == "grounding":
                question = "" if name == "uhgeval_sentences" else row.get("question") or ""
                pairs.append(reader.claim(name, claim_of(row["claim"], question), [row["context"]], says))
            else:
                pairs.append(reader.question(name, "document", row["question"], row["context"], says))
    for one in texts("zh_held"):
        pairs += [reader.claim(SET, Claim(claim), [one.text], SAYS[kind]) for kind, claim in one.claims]
        pairs += [
            reader.claim(
                f"{SET}, short", Claim(answer, question=question, short=True), [one.text], "yes" if right else "no"
            )
            for question, answer, right in one.short
        ]
    return pairs
