"""What the documents say of a claim: it, the contrary, or nothing."""

from __future__ import annotations

import pytest

from exporters.result import Evidence, ValueConflict
from sidecar.evaluate.metrics.faithfulness import label_of_claim
from sidecar.inference.base import Support

CONFLICT = ValueConflict(0, 2, Evidence(0, 0, 2))


@pytest.mark.parametrize(
    ("support", "label"),
    [
        (Support(0.7, None, contradicted=0.9), "supported"),
        (Support(0.7, None, conflicts=(CONFLICT,)), "supported"),
        (Support(0.2, None, contradicted=0.9), "contradicted"),
        (Support(0.2, None, contradicted=0.1), "not_said"),
        (Support(0.2, None, conflicts=(CONFLICT,), contradicted=0.1), "contradicted"),
        (Support(0.2, None, conflicts=(CONFLICT,)), "contradicted"),
        (Support(0.2, None), None),
    ],
)
def test_a_claim_is_supported_or_says_the_contrary_or_what_is_not_said(support: Support, label: str | None) -> None:
    assert label_of_claim(support, 0.5) == label
