"""All evaluators as a list for people and programs: the command `metrics` and docs/catalogue.md show it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sidecar.evaluate.base import AUTHORED
from sidecar.evaluate.registry import EVALUATORS, Standing, judged_name

_RUNS = {
    Standing.ON: "always",
    Standing.REFERENCED: "where a request brings a reference",
    Standing.OFF: "where it is named",
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """One form of one evaluator.

    name       as in results
    section    its settings, `evaluate.SECTION`
    runs       when it runs that no setting changes
    online     whether requests of production have all that it needs
    needs      what a request must have
    cost       text, model or judge
    calls      questions to the judge for one request; K is the number of documents
    installed  whether the libraries are there that it imports, of the extra `offline`
    """

    name: str
    section: str
    by: str
    method: str
    runs: str
    online: bool
    needs: tuple[str, ...]
    formula: str
    source: str
    cost: str
    calls: str
    installed: bool


def sheets() -> Iterator[Sheet]:
    """Every form of every evaluator, in the order of the registry, the local one first."""
    for entry in EVALUATORS:
        for form, by in ((entry.local, "local"), (entry.judged, "judge")):
            if form is None:
                continue
            about = form.about
            beside = entry.local is not None and by == "judge"
            runs = f"with evaluate.{entry.name}.by: judge or both" if beside else _RUNS[entry.standing]
            if entry.local is None and entry.standing is Standing.REFERENCED:
                runs = "where it is named, or with evaluate.references: all"
            yield Sheet(
                name=judged_name(entry) if by == "judge" else entry.name,
                section=entry.name,
                by=by,
                method=form.method,
                runs=runs,
                online=not AUTHORED.intersection(form.needs),
                needs=tuple(map(str, form.needs)),
                formula=about.formula,
                source=about.source,
                cost=str(about.cost),
                calls=about.calls,
                installed=about.installed,
            )
