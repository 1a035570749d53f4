"""The house keeps its measures: rooms, files and functions of a size that one reads at a sitting, and no circles."""

from __future__ import annotations

import ast
import statistics
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[2]
FILES = sorted(path for top in ("sidecar", "exporters") for path in (ROOT / top).rglob("*.py"))
LARGEST_ROOM, LONGEST_FILE, LONGEST_FUNCTION = 0.15, 350, 65


def lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def functions() -> Iterator[tuple[str, int]]:
    """Name and length in lines of every function and method."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(ROOT)}:{node.name}", (node.end_lineno or 0) - node.lineno + 1


def test_no_file_is_longer_than_one_reads_at_a_sitting() -> None:
    assert [f"{path.relative_to(ROOT)}: {lines(path)}" for path in FILES if lines(path) > LONGEST_FILE] == []


def test_no_room_holds_more_than_its_share() -> None:
    rooms: Counter[str] = Counter()
    for path in FILES:
        rooms[str(path.parent.relative_to(ROOT))] += lines(path)
    whole = rooms.total()
    assert {room: n for room, n in rooms.items() if n > LARGEST_ROOM * whole} == {}


def test_functions_are_short() -> None:
    sizes = sorted(size for _, size in functions())
    assert statistics.median(sizes) <= 8
    assert sizes[int(0.95 * len(sizes))] <= 30
    assert [name for name, size in functions() if size > LONGEST_FUNCTION] == []


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = grimp.build_graph("sidecar", "exporters")
    order = TopologicalSorter({one: graph.find_modules_directly_imported_by(one) for one in graph.modules})
    try:
        order.prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_no_two_rooms_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph("sidecar", "exporters")
    arrows: dict[str, set[str]] = {}
    for one in graph.modules:
        for other in graph.find_modules_directly_imported_by(one):
            if not _family(a := _room(one), b := _room(other)):
                arrows.setdefault(a, set()).add(b)
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def _family(a: str, b: str) -> bool:
    """A room and the folder that it stands in are one place."""
    return f"{a}.".startswith(f"{b}.") or f"{b}.".startswith(f"{a}.")


def _room(module: str) -> str:
    """The folder of a module; a folder that holds others below it stands for its own files."""
    path = ROOT / module.replace(".", "/")
    return module if path.is_dir() else module.rpartition(".")[0]
