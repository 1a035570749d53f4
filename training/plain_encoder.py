"""BERT and MPNet as one plain encoder with the cross-encoder's heads, for training on an accelerator.

What transformers has for MPNet attends without a fused kernel. Here both share one layer, whose sums and norms stay in the type that the
products have, so that less is read and written. The last states of all-mpnet-base-v2 are those of transformers to 1e-6 in fp32.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch.nn import functional

from training.losses import COLUMNS

Weights: TypeAlias = dict[str, torch.Tensor]

_BUCKETS, _FAR = 32, 128
_NOWHERE = -1e4
_CLS, _SEP, _PAD = 101, 102, 0
_OF_BERT = {
    "words.weight": "embeddings.word_embeddings.weight", "places.weight": "embeddings.position_embeddings.weight",
    "types.weight": "embeddings.token_type_embeddings.weight", "norm.weight": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias", "head.weight": "head.weight", "head.bias": "head.bias",
    "token_head.weight": "token_head.weight", "token_head.bias": "token_head.bias",
}  # fmt: skip
_OF_MPNET = {**_OF_BERT, "places_apart.weight": "encoder.relative_attention_bias.weight"}
_LAYER = {
    False: {
        "out": "attention.output.dense", "norm": "attention.output.LayerNorm", "wide": "intermediate.dense", "narrow": "output.dense",
        "last": "output.LayerNorm",
    },
    True: {
        "out": "attention.attn.o", "norm": "attention.LayerNorm", "wide": "intermediate.dense", "narrow": "output.dense",
        "last": "output.LayerNorm",
    },
}  # fmt: skip
_ATTENDED = {
    False: ("attention.self.query", "attention.self.key", "attention.self.value"),
    True: ("attention.attn.q", "attention.attn.k", "attention.attn.v"),
}


@dataclass(frozen=True, slots=True)
class Shape:
    """An encoder's sizes. `mpnet`: its places are also told by how far tokens stand apart, its first word is number 4 of BERT's."""

    layers: int
    width: int
    heads: int
    words: int
    places: int
    epsilon: float
    mpnet: bool = False


MINILM = Shape(6, 384, 12, 30522, 512, 1e-12)
MPNET = Shape(12, 768, 12, 30527, 514, 1e-5, mpnet=True)


class _Norm(torch.nn.LayerNorm):  # type: ignore[misc, unused-ignore]
    def forward(self, states: torch.Tensor) -> torch.Tensor:
        weight, bias = self.weight.to(states.dtype), self.bias.to(states.dtype)
        with torch.autocast(states.device.type, enabled=False):
            return functional.layer_norm(states, self.normalized_shape, weight, bias, self.eps)


class _Layer(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width, self._heads = shape.width, shape.heads
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.wide, self.narrow = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)
        self.norm, self.last = _Norm(width, shape.epsilon), _Norm(width, shape.epsilon)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, tokens, width = states.shape
        parts = self.qkv(states).view(batch, tokens, 3, self._heads, width // self._heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2)
        states = self.norm(states + self.out(attended.reshape(batch, tokens, width)))
        said: torch.Tensor = self.last(states + self.narrow(functional.gelu(self.wide(states))))
        return said


class PlainEncoder(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """Reads BERT's token ids, whatever it is itself, so that a teacher and its student read the same pairs. Tables of words and of how far
    tokens stand apart stay as they are."""

    def __init__(self, shape: Shape, dropout: float = 0.1) -> None:
        super().__init__()
        self._mpnet, self._dropout = shape.mpnet, dropout
        self.words = torch.nn.Embedding(shape.words, shape.width)
        self.places = torch.nn.Embedding(shape.places, shape.width)
        self.types = torch.nn.Embedding(2, shape.width)
        self.norm = _Norm(shape.width, shape.epsilon)
        self.layers = torch.nn.ModuleList(_Layer(shape) for _ in range(shape.layers))
        self.head = torch.nn.Linear(2 * shape.width, len(COLUMNS))
        self.token_head = torch.nn.Linear(shape.width, 1)
        self.words.weight.requires_grad_(False)
        for head in (self.head, self.token_head):
            torch.nn.init.normal_(head.weight, std=0.02)
            torch.nn.init.zeros_(head.bias)
        if shape.mpnet:
            torch.nn.init.zeros_(self.types.weight)
            self.places_apart = torch.nn.Embedding(_BUCKETS, shape.heads)
            self.places_apart.weight.requires_grad_(False)

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (batch, COLUMNS) and (batch, tokens) of BERT's token ids, segments and mask (bool), each (batch, tokens)."""
        places = torch.arange(ids.shape[1], device=ids.device)
        kept = mask[..., None]
        attended = mask[:, None, None, :].expand(-1, 1, ids.shape[1], -1)
        if self._mpnet:
            ids, places = _as_mpnet(ids), places + 2
        states = self.norm(self.words(ids) + self.places(places) + self.types(types))
        if torch.is_autocast_enabled(ids.device.type):
            states = states.to(torch.get_autocast_dtype(ids.device.type))
        if self._mpnet:
            apart = self.places_apart(_buckets(ids.shape[1], ids.device)).permute(2, 0, 1)[None]
            attended = (apart + torch.where(attended, 0.0, _NOWHERE)).to(states.dtype)
        for layer in self.layers:
            states = layer(states, attended)
        mean = (states * kept).float().sum(1) / kept.float().sum(1)
        read = torch.cat([states[:, 0].float(), mean], -1)
        with torch.autocast(ids.device.type, enabled=False):
            logits = self.head(functional.dropout(read, self._dropout, self.training))
        return logits, self.token_head(states)[..., 0].float()

    def take(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Weights by transformers' names, without `bert.`; heads that they lack begin anew. Raises KeyError where a layer's is missing."""
        found = {own: weights[name] for own, name in self._named() if name in weights}
        for number in range(len(self.layers)):
            for kind in ("weight", "bias"):
                parts = [weights[f"encoder.layer.{number}.{name}.{kind}"] for name in _ATTENDED[self._mpnet]]
                found[f"layers.{number}.qkv.{kind}"] = torch.cat(parts)
        lacking = set(self.load_state_dict(found, strict=False).missing_keys)
        if lacking - {"types.weight", "head.weight", "head.bias", "token_head.weight", "token_head.bias"}:
            raise KeyError(f"the weights lack {sorted(lacking)[:3]}")

    def by_name(self) -> Weights:
        """All weights by transformers' names, without `bert.`."""
        own = self.state_dict()
        found = {name: own[mine].detach().float().cpu().contiguous() for mine, name in self._named() if mine in own}
        for number in range(len(self.layers)):
            for kind in ("weight", "bias"):
                parts = own[f"layers.{number}.qkv.{kind}"].detach().float().cpu().chunk(3)
                for name, part in zip(_ATTENDED[self._mpnet], parts, strict=True):
                    found[f"encoder.layer.{number}.{name}.{kind}"] = part.contiguous()
        return found

    def _named(self) -> Iterator[tuple[str, str]]:
        yield from (_OF_MPNET if self._mpnet else _OF_BERT).items()
        for number in range(len(self.layers)):
            for own, name in _LAYER[self._mpnet].items():
                for kind in ("weight", "bias"):
                    yield f"layers.{number}.{own}.{kind}", f"encoder.layer.{number}.{name}.{kind}"


def _as_mpnet(ids: torch.Tensor) -> torch.Tensor:
    """MPNet's numbers of BERT's tokens: the same words four further on, its own begin, end and padding."""
    moved = ids + 4
    for own, other in ((0, _CLS), (2, _SEP), (1, _PAD)):
        moved = torch.where(ids == other, own, moved)
    return moved


def _buckets(tokens: int, device: torch.device) -> torch.Tensor:
    """How far apart two tokens stand, in steps that grow (Raffel et al. 2020, section 2.1): (tokens, tokens)."""
    places = torch.arange(tokens, device=device)
    apart = places[:, None] - places[None, :]
    half, exact = _BUCKETS // 2, _BUCKETS // 4
    far = exact + (
        torch.log(apart.abs().clamp_min(1) / exact) / math.log(_FAR / exact) * (half - exact)
    ).long().clamp_max(half - exact - 1)
    return (apart < 0).long() * half + torch.where(apart.abs() < exact, apart.abs(), far)
