"""Who goes with whom: the pairs that are worth most together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def assigned(worth: ArrayLike) -> list[int]:
    """For each row of a square table the column that it goes with, each column once, so that the sum of what the pairs are worth is as large as it can be.

    The Hungarian method with potentials (Kuhn 1955; Jonker and Volgenant 1987), exact, in n cubed steps.
    """
    cost = -np.asarray(worth, np.float64)
    count = len(cost)
    of_row, of_column = np.zeros(count + 1), np.zeros(count + 1)
    row_of = np.full(count + 1, -1)  # The last column stands for the row that is placed now.
    for row in range(count):
        row_of[count] = row
        before = np.full(count + 1, count)
        _place(cost, of_row, of_column, row_of, before)
    found = [0] * count
    for column in range(count):
        found[int(row_of[column])] = column
    return found


def _place(
    cost: NDArray[np.float64],
    of_row: NDArray[np.float64],
    of_column: NDArray[np.float64],
    row_of: NDArray[np.int_],
    before: NDArray[np.int_],
) -> None:
    """Give the row in the last column one of its own, and others another where that is worth more: the shortest augmenting path."""
    count = len(cost)
    least, seen, column = np.full(count, np.inf), np.zeros(count + 1, bool), count
    while row_of[column] >= 0:
        seen[column] = True
        row, free = row_of[column], ~seen[:count]
        reduced = cost[row] - of_row[row] - of_column[:count]
        nearer = free & (reduced < least)
        least[nearer], before[:count][nearer] = reduced[nearer], column
        following = int(np.argmin(np.where(free, least, np.inf)))
        step = least[following]
        of_row[row_of[seen]] += step
        of_column[seen] -= step
        least[free] -= step
        column = following
    while column != count:
        row_of[column] = row_of[before[column]]
        column = int(before[column])
