"""Writes tests/golden/inference/own: tiny models of the shapes that users bring, with random weights, and what transformers says of them.

    python -m training.made_models          (torch, transformers 4 and optimum-onnx)

Each folder is what Optimum exports (config.json, tokenizer.json, model.onnx) and pairs.jsonl, one
{"first", "second", "ids", "logits"} a line. Weights are seeded and larger than usual, so that logits differ. The trainers of
the tokenizers break ties as it comes: a second run has other tokens, and other logits with them.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from optimum.exporters.onnx import main_export
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TARGET = Path("tests/golden/inference/own")
SEED = 13
PAIRS: tuple[tuple[str, str], ...] = (
    ("The capital of France is Paris.", "Paris is the capital of France."),
    ("The warranty covers two years.", "The warranty covers three years."),
    ("Ships leave twice a day in summer, and once in winter.", "Ships leave once a day in summer."),
    ("保修期为两年。", "保修期为三年。"),
    ("Die Garantie gilt zwei Jahre. Ünïcode — 42 €", "Die Garantie gilt drei Jahre."),
    ("", "Nothing was said."),
)
NLI = {0: "contradiction", 1: "entailment", 2: "neutral"}
BERT_MARKS, ROBERTA_MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
_ROOM = 128


@dataclass(frozen=True)
class Made:
    """One tiny model. `task` is what Optimum calls it, `marks` the special tokens in the order of their ids."""

    name: str
    kind: type[Any]
    config: Any
    task: str
    tokenizer: str
    marks: Sequence[str]


def main() -> None:
    """Make, export, ask the reference, write."""
    for one in made():
        torch.manual_seed(SEED)
        model = one.kind(one.config).eval()
        for parameter in model.parameters():
            torch.nn.init.normal_(parameter, std=0.35)
        folder = TARGET / one.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        tokenizer = make_tokenizer(one)
        with tempfile.TemporaryDirectory() as given, tempfile.TemporaryDirectory() as out:
            model.save_pretrained(given)
            tokenizer.save_pretrained(given)
            main_export(given, out, task=one.task, do_validation=False, no_post_process=True)
            for path in Path(out).iterdir():
                if (path.suffix == ".onnx" and "with_past" not in path.name) or path.name in (
                    "config.json",
                    "tokenizer.json",
                ):
                    shutil.copy(path, folder / path.name)
        rows = [ask(one, model, tokenizer, *pair) for pair in PAIRS]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / "pairs.jsonl").write_text(text, encoding="utf-8")
        print(one.name, {path.name: path.stat().st_size for path in folder.iterdir()}, rows[0]["logits"])


def ask(one: Made, model: Any, tokenizer: Any, first: str, second: str) -> dict[str, Any]:
    """What the reference says of a pair."""
    whole = one.task == "text2text-generation"
    given = (
        (f"predict: {first}</s>{second}",)
        if whole
        else (first,)
        if one.task == "feature-extraction"
        else (first, second)
    )
    inputs = tokenizer(*given, return_tensors="pt")
    more = {"decoder_input_ids": torch.tensor([[model.config.decoder_start_token_id]])} if whole else {}
    with torch.no_grad():
        output = model(**inputs, **more)
    found = output.last_hidden_state if one.task == "feature-extraction" else output.logits
    logits = [[round(value, 5) for value in row] for row in found[0].reshape(-1, found.shape[-1]).tolist()]
    return {
        "first": first,
        "second": second,
        "ids": inputs["input_ids"][0].tolist(),
        "logits": logits if one.task in ("token-classification", "feature-extraction") else logits[0],
    }


def made() -> Iterator[Made]:
    """Every shape."""
    small = {"num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": 32, "intermediate_size": 48}
    nli = {"num_labels": 3, "id2label": NLI, "label2id": {name: number for number, name in NLI.items()}}
    t = transformers
    yield Made(
        "bert-nli", t.BertForSequenceClassification,
        t.BertConfig(vocab_size=200, max_position_embeddings=64, **small, **nli), "text-classification", "wordpiece", BERT_MARKS,
    )  # fmt: skip
    deberta = t.DebertaV2Config(
        vocab_size=200, max_position_embeddings=128, relative_attention=True, position_buckets=16, norm_rel_ebd="layer_norm",
        share_att_key=True, pos_att_type=["p2c", "c2p"], position_biased_input=False, type_vocab_size=0,
        max_relative_positions=-1, pooler_hidden_size=32, **small, **nli,
    )  # fmt: skip
    yield Made(
        "deberta-nli", t.DebertaV2ForSequenceClassification, deberta, "text-classification", "unigram", BERT_MARKS
    )
    modern = t.ModernBertConfig(
        vocab_size=200, max_position_embeddings=96, pad_token_id=0, cls_token_id=2, sep_token_id=3, bos_token_id=2, eos_token_id=3,
        local_attention=16, global_attn_every_n_layers=2, num_labels=2, attn_implementation="eager", reference_compile=False, **small,
    )  # fmt: skip
    yield Made(
        "modernbert-tokens", t.ModernBertForTokenClassification, modern, "token-classification", "words", BERT_MARKS
    )
    roberta = t.XLMRobertaConfig(
        vocab_size=200, max_position_embeddings=130, pad_token_id=1, bos_token_id=0, eos_token_id=2, type_vocab_size=1, num_labels=1, **small,
    )  # fmt: skip
    yield Made(
        "xlmr-rerank", t.XLMRobertaForSequenceClassification, roberta, "text-classification", "unigram", ROBERTA_MARKS
    )
    t5 = t.T5Config(
        vocab_size=264, d_model=32, d_kv=16, d_ff=48, num_layers=2, num_heads=2, feed_forward_proj="gated-gelu",
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1, tie_word_embeddings=False,
    )  # fmt: skip
    yield Made(
        "t5-minicheck", t.T5ForConditionalGeneration, t5, "text2text-generation", "unigram", ("<pad>", "</s>", "<unk>")
    )
    bert = t.BertConfig(vocab_size=200, max_position_embeddings=64, **small)
    yield Made("bert-embedding", t.BertModel, bert, "feature-extraction", "wordpiece", BERT_MARKS)


def make_tokenizer(one: Made) -> Any:
    """A tokenizer that is trained on the pairs, framed as the family frames them."""
    size, texts = (
        one.config.vocab_size - (64 if one.tokenizer == "unigram" else 0),
        [text for pair in PAIRS for text in pair],
    )
    marks = list(one.marks)
    if one.tokenizer == "wordpiece":
        own = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        own.normalizer, own.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
        own.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=size, special_tokens=marks))
    elif one.tokenizer == "words":
        own = Tokenizer(models.WordLevel(unk_token="[UNK]"))
        own.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()])
        own.train_from_iterator(texts, trainers.WordLevelTrainer(vocab_size=size, special_tokens=marks))
    else:
        unknown = "[UNK]" if "[UNK]" in marks else "<unk>"
        own = Tokenizer(models.Unigram())
        own.normalizer = normalizers.NFKC()
        own.pre_tokenizer, own.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
        own.train_from_iterator(
            [*texts, "0 1 predict:"],
            trainers.UnigramTrainer(vocab_size=size, special_tokens=marks, unk_token=unknown),
        )
    if one.task == "text2text-generation":  # T5's own pieces have one for a 1 at the start of a word
        told = json.loads(own.to_str())
        told["model"]["vocab"].append(["▁1", -1.0])
        own = Tokenizer.from_str(json.dumps(told))
    number = {mark: own.token_to_id(mark) for mark in marks}
    frames = {
        "[CLS]": (
            "[CLS] $A [SEP]",
            "[CLS] $A [SEP] $B:1 [SEP]:1" if one.tokenizer == "wordpiece" else "[CLS] $A [SEP] $B [SEP]",
        ),
        "<s>": ("<s> $A </s>", "<s> $A </s> </s> $B </s>"),
        "<pad>": ("$A </s>", "$A </s> $B </s>"),
    }
    single, pair = next(frames[mark] for mark in ("[CLS]", "<s>", "<pad>") if mark in marks)
    used = [(mark, number[mark]) for mark in marks if mark in f"{single} {pair}"]
    own.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=used)
    names = {
        "[PAD]": "pad_token",
        "<pad>": "pad_token",
        "[UNK]": "unk_token",
        "<unk>": "unk_token",
        "</s>": "eos_token",
    }
    names |= {"[CLS]": "cls_token", "[SEP]": "sep_token", "<s>": "bos_token"}
    given = {names[mark]: mark for mark in marks if mark in names}
    kept = ["input_ids", "attention_mask"] + (["token_type_ids"] if one.tokenizer == "wordpiece" else [])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=own, model_input_names=kept, model_max_length=_ROOM, **given
    )


if __name__ == "__main__":
    main()
