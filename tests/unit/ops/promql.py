"""Reading PromQL in tests: which series an expression names, with which matchers, inside which functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import promql_parser


@dataclass(frozen=True, slots=True)
class Use:
    """One selector. `functions` are the functions around it, the innermost first; `range` is None for an instant vector."""

    series: str
    matchers: frozenset[tuple[str, str]]
    functions: tuple[str, ...]
    range: float | None
    text: str


def prepare(expression: str) -> str:
    """The expression with Grafana's interval replaced, so that a PromQL parser reads it; variables in matchers stay."""
    return expression.replace("$__rate_interval", "5m")


def uses(expression: str) -> list[Use]:
    """Every selector of an expression. Raises ValueError where it does not parse."""
    return list(_walk(promql_parser.parse(prepare(expression)), ()))


def _walk(node: Any, functions: tuple[str, ...]) -> Iterator[Use]:
    if isinstance(node, promql_parser.VectorSelector):
        yield _use(node, functions, None)
    elif isinstance(node, promql_parser.MatrixSelector):
        yield _use(node.vector_selector, functions, node.range.total_seconds())
    elif isinstance(node, promql_parser.Call):
        for argument in node.args:
            yield from _walk(argument, (node.func.name, *functions))
    else:
        for name in ("lhs", "rhs", "expr", "param"):
            child = getattr(node, name, None)
            if child is not None:
                yield from _walk(child, functions)


def _use(selector: Any, functions: tuple[str, ...], range_seconds: float | None) -> Use:
    matchers = frozenset((matcher.name, matcher.value) for matcher in selector.matchers.matchers)
    return Use(selector.name, matchers, functions, range_seconds, str(selector))
