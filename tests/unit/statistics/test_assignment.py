"""The best pairs are those that trying all of them finds."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from sidecar.statistics.assignment import assigned


@pytest.mark.parametrize("seed", range(40))
def test_no_other_pairs_are_worth_more(seed: int) -> None:
    chance = np.random.default_rng(seed)
    count = int(chance.integers(1, 7))
    worth = chance.integers(0, 4, (count, count)) / 3 if seed % 2 else chance.random((count, count))
    found = assigned(worth)
    assert sorted(found) == list(range(count))
    best = max(sum(worth[n, place] for n, place in enumerate(one)) for one in permutations(range(count)))
    assert sum(worth[n, place] for n, place in enumerate(found)) == pytest.approx(best)


def test_a_hundred_pairs_and_none_at_all() -> None:
    order = np.random.default_rng(1).permutation(100)
    assert assigned(np.eye(100)[order]) == list(order)
    assert assigned(np.zeros((0, 0))) == []
