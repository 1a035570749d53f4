"""A SentencePiece unigram model (spiece.model) as a tokenizer of the `tokenizers` library, as T5 uses it.

The format is a protobuf message (sentencepiece_model.proto of github.com/google/sentencepiece); only its pieces, their scores and
the normaliser's character map are read.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError
from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram

EXTRA_IDS = 100  # sentinel tokens that T5 puts behind the pieces


def _message() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="spiece.proto", package="spiece", syntax="proto2")
    kinds = descriptor_pb2.FieldDescriptorProto
    piece = file.message_type.add(name="Piece")
    piece.field.add(name="piece", number=1, type=kinds.TYPE_STRING, label=kinds.LABEL_OPTIONAL)
    piece.field.add(name="score", number=2, type=kinds.TYPE_FLOAT, label=kinds.LABEL_OPTIONAL)
    normalizer = file.message_type.add(name="Normalizer")
    normalizer.field.add(name="precompiled_charsmap", number=2, type=kinds.TYPE_BYTES, label=kinds.LABEL_OPTIONAL)
    model = file.message_type.add(name="Model")
    for name, number, kind, label in (
        ("pieces", 1, ".spiece.Piece", kinds.LABEL_REPEATED),
        ("normalizer_spec", 3, ".spiece.Normalizer", kinds.LABEL_OPTIONAL),
    ):
        model.field.add(name=name, number=number, type=kinds.TYPE_MESSAGE, type_name=kind, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("spiece.Model"))


def from_spiece(data: bytes) -> Tokenizer:
    """T5's tokenizer out of the bytes of a spiece.model. Raises ValueError."""
    model = _message()()
    try:
        model.ParseFromString(data)
    except DecodeError as error:
        raise ValueError("not a SentencePiece model") from error
    pieces = [(piece.piece, piece.score) for piece in model.pieces]
    names = [name for name, _ in pieces]
    if not {"<pad>", "</s>", "<unk>"} <= set(names):
        raise ValueError("the pieces <pad>, </s> and <unk> are missing: not a model of T5")
    pieces += [(f"<extra_id_{n}>", 0.0) for n in reversed(range(EXTRA_IDS)) if f"<extra_id_{n}>" not in names]
    tokenizer = Tokenizer(Unigram(pieces, unk_id=names.index("<unk>"), byte_fallback=False))
    steps: list[normalizers.Normalizer] = []
    if model.normalizer_spec.precompiled_charsmap:
        steps.append(normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap))
    tokenizer.normalizer = normalizers.Sequence([*steps, normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")]
    )
    end = names.index("</s>")
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", end)])
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    extra = [f"<extra_id_{n}>" for n in range(EXTRA_IDS)]
    tokenizer.add_special_tokens([AddedToken(name, special=True) for name in ("<pad>", "</s>", "<unk>", *extra)])
    return tokenizer
