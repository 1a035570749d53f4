"""How many cases of each kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.offline.testset.plan import SHARES, read_shares, sizes
from sidecar.record.errors import ConfigError


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        (100, {"simple": 30, "reasoning": 30, "multi_hop": 20, "negative": 20}),
        (33, {"simple": 10, "reasoning": 10, "multi_hop": 7, "negative": 6}),
        (7, {"simple": 2, "reasoning": 2, "multi_hop": 2, "negative": 1}),
        (1, {"simple": 1}),
    ],
)
def test_the_shares_of_the_literature_add_up_where_its_own_code_lost_cases(
    total: int, expected: dict[str, int]
) -> None:
    assert sizes(total, SHARES) == expected


@given(st.integers(1, 5000), st.lists(st.floats(0.001, 10), min_size=1, max_size=4))
def test_sizes_add_up_and_none_is_a_case_or_more_from_its_share(total: int, shares: list[float]) -> None:
    given_shares = dict(zip(SHARES, shares, strict=False))
    found = sizes(total, given_shares)
    assert sum(found.values()) == total
    for kind, share in given_shares.items():
        assert abs(found.get(kind, 0) - total * share / sum(shares)) < 1 + 1e-6


def test_shares_are_read_as_they_are_typed() -> None:
    assert read_shares(["simple=1", "multi-hop=.5"]) == {"simple": 1.0, "multi_hop": 0.5}
    assert read_shares([]) == SHARES


@pytest.mark.parametrize("given_share", ["simple", "easy=1", "simple=-1", "simple=nan", "simple=inf", "simple=0"])
def test_a_share_that_is_none_is_refused_by_name(given_share: str) -> None:
    with pytest.raises(ConfigError, match="--share"):
        read_shares([given_share])
