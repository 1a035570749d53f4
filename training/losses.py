"""What the cross-encoder's training wants of pairs: which batches a step reads, and the loss. Needs numpy and torch alone, as an accelerator has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

COLUMNS = ("supported", "not said", "contradicted", "document", "answer")
UNKNOWN = -1
GROUNDING = 0
LENGTHS = 3
WARM_UP = 0.05
SMOOTHED = 0.03
OF_KIND, OF_TOKENS, WRONG_WEIGHT = 0.2, 0.2, 4.0


class Labels(NamedTuple):
    """Of pairs, each (batch,): task, whether it is borne out or helps (1.0) or not (0.0), kind of what is not, -1 where that is not known, weight."""

    tasks: torch.Tensor
    yes: torch.Tensor
    kinds: torch.Tensor
    weights: torch.Tensor


def supported(logits: torch.Tensor) -> torch.Tensor:
    """The logit (batch,) of `supported` against the two others, 0 where all three are equal."""
    value: torch.Tensor = logits[:, 0] - torch.logsumexp(logits[:, 1:3], -1) + float(np.log(2))
    return value


def steps_of(lengths: NDArray[np.int64], rng: np.random.Generator, most: int) -> Iterator[list[NDArray[np.int64]]]:
    """One epoch of pairs of so many tokens: each step has a batch of about `most` tokens of each of LENGTHS lengths, so that every step
    sees short pairs and long ones and little is padding."""
    order = np.argsort(lengths + rng.random(len(lengths)) * 8, kind="stable")
    sizes = lengths[order].cumsum()
    columns = []
    for share in np.split(order, np.searchsorted(sizes, sizes[-1] * np.arange(1, LENGTHS) / LENGTHS)):
        batches = np.split(share, np.flatnonzero(np.diff(lengths[share].cumsum() // most)) + 1)
        columns.append([batches[n] for n in rng.permutation(len(batches))])
    yield from (list(step) for step in zip(*columns, strict=False))


def by_task(logits: torch.Tensor, tasks: torch.Tensor) -> torch.Tensor:
    """The logit (batch,) that each pair's task asks for."""
    return torch.stack([supported(logits), logits[:, 3], logits[:, 4]], 1).gather(1, tasks[:, None])[:, 0]


def losses(logits: torch.Tensor, of_tokens: torch.Tensor, labels: Labels, wrong: torch.Tensor) -> torch.Tensor:
    """The loss (batch,) of each pair, not weighted: support or relevance, kind of what is not supported, wrong tokens."""
    smoothed = SMOOTHED + (1 - 2 * SMOOTHED) * labels.yes
    total = binary_cross_entropy_with_logits(by_task(logits, labels.tasks), smoothed, reduction="none")
    of_kind = cross_entropy(logits[:, 1:3], labels.kinds, ignore_index=UNKNOWN, reduction="none")
    known = (wrong >= 0).float()
    by_token = binary_cross_entropy_with_logits(
        of_tokens, wrong.clamp_min(0).float(), reduction="none", pos_weight=of_tokens.new_tensor(WRONG_WEIGHT)
    )
    tokens = (by_token * known).sum(1) / known.sum(1).clamp_min(1)
    loss: torch.Tensor = total + OF_KIND * of_kind + OF_TOKENS * tokens
    return loss
