"""Models of one's own say what transformers says of them: BERT, DeBERTa-v3, ModernBERT, XLM-R and T5, out of made folders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sidecar.inference.embedding.onnx import OnnxEmbedding, embedder_of
from sidecar.inference.onnx import CPU
from sidecar.inference.own.folder import open_folder
from sidecar.inference.own.graph import Graph
from sidecar.inference.own.heads import SUPPORTS, Wanted, sequence_head
from sidecar.inference.own.judge import LocalPredictor, joined
from sidecar.inference.own.settings import GroundingConfig, RelevanceConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError, PermanentInferenceError
from tests.unit.inference.own.made import FIELD, MADE, copied, judge, rows


def softmax(logits: list[float]) -> list[float]:
    powers = np.exp(np.array(logits) - max(logits))
    return [float(p) for p in powers / powers.sum()]


def sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


@pytest.mark.parametrize("name", ["bert-nli", "deberta-nli", "xlmr-rerank", "t5-minicheck"])
async def test_a_pair_gets_the_tokens_and_the_probability_of_the_reference(name: str) -> None:
    one, predictor = judge(MADE / name)
    await predictor.start()
    try:
        judged = await one.judge([(row["first"], row["second"]) for row in rows(name)])
    finally:
        await predictor.stop()
    for row, said in zip(rows(name), judged, strict=True):
        assert one.reader.encode(row["first"], row["second"]).ids == row["ids"]
        logits = row["logits"]
        if name == "t5-minicheck":
            words = [one.reader.plain.encode(word, add_special_tokens=False).ids[0] for word in "01"]
            expected = softmax([logits[n] for n in words])[1]
        else:
            expected = sigmoid(logits[0]) if len(logits) == 1 else softmax(logits)[1]
        assert said.probability == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("bert-nli", ["entailment"]),
        ("bert-nli", ["entailment", "neutral"]),
        ("bert-nli", ["a", "b", "c", "entailment"]),
        ("modernbert-tokens", ["a", "b", "hallucinated"]),
    ],
)
def test_logits_that_are_not_those_of_id2label_are_told_at_the_start(
    name: str, labels: list[str], tmp_path: Path
) -> None:
    folder = copied(name, tmp_path, id2label={str(n): label for n, label in enumerate(labels)}, label2id=None)
    with pytest.raises(ConfigError, match=rf"gives \d logits, config.json has {len(labels)} names .*name each logit"):
        judge(folder)


def test_logits_of_a_graph_that_leaves_their_number_open_are_a_failure_and_no_score(tmp_path: Path) -> None:
    head = sequence_head(open_folder(MADE / "bert-nli", FIELD), Wanted(None, SUPPORTS, "label"))
    with pytest.raises(PermanentInferenceError, match=r"id2label has 3, logits are \(4,\)"):
        head(np.zeros((1, 4), np.float32))


@pytest.mark.parametrize("tokens", ["any", "share"])
async def test_a_token_classifier_marks_the_words_that_the_reference_marks(tokens: str) -> None:
    one, predictor = judge(MADE / "modernbert-tokens", GroundingConfig(label="LABEL_1"), tokens=tokens)
    await predictor.start()
    try:
        judged = await one.judge([(row["first"], row["second"]) for row in rows("modernbert-tokens")])
    finally:
        await predictor.stop()
    for row, said in zip(rows("modernbert-tokens"), judged, strict=True):
        encoding = one.reader.encode(row["first"], row["second"])
        assert encoding.ids == row["ids"]
        own = [n for n, segment in enumerate(encoding.sequence_ids) if segment == 1]
        marks = [softmax(row["logits"][n])[1] for n in own]
        assert said.probability == pytest.approx(1 - (max(marks) if tokens == "any" else np.mean(marks)), abs=2e-5)
        wrong = joined([encoding.offsets[n] for n, p in zip(own, marks, strict=True) if p >= 0.5])
        assert said.unsupported == wrong
        assert said.unsupported is not None
        assert all(row["second"][start:end].strip() for start, end in said.unsupported)


async def test_embeddings_are_the_mean_of_the_references_states_or_its_first() -> None:
    folder = open_folder(MADE / "bert-embedding", FIELD)
    graph = Graph(folder, outputs=("last_hidden_state",), threads=1, providers=CPU)
    predictor = LocalPredictor(graph, name="e", by_token=True, batch_tokens=512, telemetry=Telemetry())
    await predictor.start()
    try:
        for pooling in ("mean", "cls"):
            settings = OnnxEmbedding.model_validate({"onnx": MADE / "bert-embedding", "pooling": pooling})
            one = embedder_of(folder, folder.identity("e"), settings, predictor)
            vectors = await one.embed([row["first"] for row in rows("bert-embedding")])
            for row, vector in zip(rows("bert-embedding"), vectors, strict=True):
                states = np.array(row["logits"])
                expected = states[0] if pooling == "cls" else states.mean(axis=0)
                assert vector == pytest.approx(expected / np.linalg.norm(expected), abs=1e-4)
        assert (await one.embed([])).shape[0] == 0
        [long] = await one.embed(["The warranty covers two years. " * 40])
        assert np.linalg.norm(long) == pytest.approx(1, abs=1e-4)
    finally:
        await predictor.stop()


async def test_an_entailment_model_tells_the_contrary_from_what_is_not_said(tmp_path: Path) -> None:
    nli = rows("deberta-nli")
    for folder, read in (
        (MADE / "deberta-nli", softmax),
        (
            copied("deberta-nli", tmp_path, problem_type="multi_label_classification"),
            lambda x: [sigmoid(one) for one in x],
        ),
    ):
        one, predictor = judge(folder)
        await predictor.start()
        try:
            judged = await one.judge([(row["first"], row["second"]) for row in nli])
        finally:
            await predictor.stop()
        for row, said in zip(nli, judged, strict=True):
            contrary, _, neither = read(row["logits"])
            assert said.contradicted == pytest.approx(contrary / (contrary + neither), abs=2e-4)


@pytest.mark.parametrize(
    ("labels", "config"),
    [
        (["contradiction", "entailment", "other"], GroundingConfig()),
        (["contradiction", "entailment", "neutral"], GroundingConfig(label="neutral")),
        (["yes", "no", "neutral"], GroundingConfig(label="yes")),
    ],
)
async def test_other_labels_do_not(labels: list[str], config: GroundingConfig, tmp_path: Path) -> None:
    id2label = {str(n): label for n, label in enumerate(labels)}
    one, predictor = judge(copied("bert-nli", tmp_path, id2label=id2label, label2id=None), config)
    await predictor.start()
    try:
        assert [said.contradicted for said in await one.judge([("It is blue.", "It is red.")])] == [None]
    finally:
        await predictor.stop()


async def test_which_comes_first_is_a_setting() -> None:
    one, predictor = judge(MADE / "bert-nli")
    other, second = judge(MADE / "bert-nli", hypothesis_first=True)
    for part in (predictor, second):
        await part.start()
    try:
        pair = ("The warranty covers two years.", "The warranty covers three years.")
        [straight], [turned] = await one.judge([pair[::-1]]), await other.judge([pair])
        assert straight.probability == turned.probability
        assert straight.probability != (await one.judge([pair]))[0].probability
    finally:
        await predictor.stop()
        await second.stop()


async def test_long_texts_are_windowed_and_hold_as_far_as_their_worst_window(tmp_path: Path) -> None:
    one, predictor = judge(MADE / "bert-nli", GroundingConfig(max_tokens=32))
    await predictor.start()
    try:
        premise = "Ships leave twice a day in summer, and once in winter. " * 5
        hypothesis = "The warranty covers three years. Paris is the capital of France. " * 3
        read = one.reader.rows(premise, hypothesis)
        assert len(read) > 2
        assert all(len(encoding.ids) <= 32 for row in read for encoding in row.encodings)
        assert "".join(hypothesis.split()) in "".join("".join(hypothesis[row.start :].split()) for row in read[:1])
        [whole] = await one.judge([(premise, hypothesis)])
        flat = [encoding for row in read for encoding in row.encodings]
        scores = iter([softmax(list(logits)) for logits in await predictor.predict(flat)])
        least = min(([next(scores) for _ in row.encodings] for row in read), key=lambda row: max(p[1] for p in row))
        assert whole.probability == pytest.approx(max(p[1] for p in least), abs=1e-5)
        contrary, _, neither = max(least)
        assert whole.contradicted == pytest.approx(contrary / (contrary + neither), abs=1e-5)
    finally:
        await predictor.stop()


async def test_marks_of_a_window_stand_where_they_are_in_the_whole_text() -> None:
    one, predictor = judge(MADE / "modernbert-tokens", GroundingConfig(label="LABEL_1", max_tokens=24))
    await predictor.start()
    try:
        hypothesis = "Ships leave once a day in summer. The warranty covers three years. " * 4
        [said] = await one.judge([("Paris.", hypothesis)])
        assert said.unsupported
        assert said.unsupported[-1][1] > 100
        for start, end in said.unsupported:
            assert hypothesis[start:end] == hypothesis[start:end].strip()
    finally:
        await predictor.stop()


async def test_a_score_does_not_depend_on_what_shares_the_batch() -> None:
    one, predictor = judge(MADE / "xlmr-rerank", RelevanceConfig())
    await predictor.start()
    try:
        pairs = [(row["first"], row["second"]) for row in rows("xlmr-rerank")]
        together = await one.judge(pairs)
        alone = [(await one.judge([pair]))[0] for pair in pairs]
        assert [x.probability for x in together] == pytest.approx([x.probability for x in alone], abs=2e-6)
    finally:
        await predictor.stop()


@pytest.mark.parametrize("name", ["bert-nli", "t5-minicheck"])
def test_what_a_user_writes_makes_no_special_tokens(name: str) -> None:
    one, _ = judge(MADE / name)
    tokenizer = one.reader.framing
    added = tokenizer.get_added_tokens_decoder().items()
    special = {n for n, token in added if token.special and "unk" not in token.content.lower()}
    plain = one.reader.encode("Paris", "Berlin").ids
    tricked = one.reader.encode("Paris [SEP] </s> <pad>", "Berlin").ids
    assert [n for n in tricked if n in special] == [n for n in plain if n in special]


def test_a_premise_can_be_framed(tmp_path: Path) -> None:
    framed, _ = judge(
        MADE / "modernbert-tokens", GroundingConfig(label="LABEL_1", prompt="Summarize: {premise} output:")
    )
    plain, _ = judge(MADE / "modernbert-tokens", GroundingConfig(label="LABEL_1"))
    assert framed.reader.encode("a", "b").ids == plain.reader.encode("Summarize: a output:", "b").ids


async def test_labels_that_exclude_nothing_are_read_one_by_one(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path, problem_type="multi_label_classification")
    one, predictor = judge(folder, GroundingConfig(label="neutral"))
    await predictor.start()
    try:
        row = rows("bert-nli")[0]
        [said] = await one.judge([(row["first"], row["second"])])
        assert said.probability == pytest.approx(sigmoid(row["logits"][2]), abs=2e-5)
    finally:
        await predictor.stop()
