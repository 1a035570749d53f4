"""Quantiles of durations lie within the bin that holds them, as histogram_quantile has them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sidecar.page.numbers import HISTOGRAM_BINS, Numbers, quantile
from tests.unit.page.answers import result

# Bins are fifths of a power of ten from 10 ms on: 840 ms lies in that of 10^-0.2 to 1 s.


@pytest.mark.parametrize(
    ("seconds", "share", "expected"),
    [
        ([0.84], 0.5, 0.7943),  # 10^-0.1, the middle of the bin
        ([0.84] * 100, 0.95, 0.9772),  # 10^(-0.2 + 0.95 * 0.2)
        ([0.84, 0.84, 50.0, 50.0], 0.5, 1.0),
        ([0.0, 0.002], 0.5, 0.0079),  # half of the first bin, which begins at 0 and ends at 10^-1.8
        ([0.84, 1e4], 0.95, 63.0957),  # the last bin has no end
    ],
)
def test_a_quantile_lies_within_its_bin(seconds: list[float], share: float, expected: float) -> None:
    numbers = Numbers(0.0)
    for n, took in enumerate(seconds):
        numbers.add_request(replace(result(n), durations={"total": took}), 0.0)
    counts = numbers.durations(60, 0.0)["total"]
    assert len(counts) == HISTOGRAM_BINS
    assert quantile(counts, share) == expected
