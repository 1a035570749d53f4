"""How many CPUs this process may use: the cgroup's quota, not the host's cores."""

from __future__ import annotations

import math
import os
from pathlib import Path

_MOST_AT_ONCE = 2  # each has activations of its own


def shared(threads: int) -> tuple[int, int]:
    """How many batches of a small model run at a time on so many threads, and the threads of each. Its layers are too short to be worth
    sharing: two batches side by side are done sooner than each by two threads (benchmarks/README.md)."""
    at_once = min(threads, _MOST_AT_ONCE)
    return at_once, threads // at_once


def cpu_limit(root: Path = Path("/sys/fs/cgroup")) -> int:
    """Whole CPUs, at least 1: the least of the affinity mask and the cgroup quota (v2 cpu.max, v1 cpu.cfs_*)."""
    limit = float(len(os.sched_getaffinity(0)))
    quota = _quota_v2(root) or _quota_v1(root)
    if quota:
        limit = min(limit, quota)
    return max(1, math.floor(limit))


def _quota_v2(root: Path) -> float | None:
    words = _words(root / "cpu.max")
    if len(words) != 2 or words[0] == "max":
        return None
    return _ratio(words[0], words[1])


def _quota_v1(root: Path) -> float | None:
    quota, period = _words(root / "cpu" / "cpu.cfs_quota_us"), _words(root / "cpu" / "cpu.cfs_period_us")
    if len(quota) != 1 or len(period) != 1 or quota[0].startswith("-"):
        return None
    return _ratio(quota[0], period[0])


def _ratio(quota: str, period: str) -> float | None:
    try:
        return int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return None


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return []
