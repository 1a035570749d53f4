"""`rag-sidecar metrics`: every evaluator, what it needs, its formula, and what it costs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import orjson
import typer

from sidecar.commands.common import new_cli
from sidecar.evaluate.catalogue import sheets

cli = new_cli()


@cli.command()
def metrics(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, for programs.")] = False,
) -> None:
    """List every evaluator: what it needs, its formula, calls to the judge, and when it runs."""
    found = list(sheets())
    if as_json:
        for one in found:
            typer.echo(orjson.dumps(asdict(one)).decode())
        return
    for one in found:
        calls = "" if one.calls == "0" else f", questions to the judge: {one.calls}"
        missing = "" if one.installed else "; not installed: it is in the extra `offline`"
        typer.echo(f"{one.name}  ({one.by}, {one.method}{calls})")
        typer.echo(f"    {one.formula}")
        typer.echo(f"    source {one.source}")
        typer.echo(
            f"    needs {', '.join(one.needs)}; runs {one.runs}; {'online' if one.online else 'offline'}{missing}"
        )
    typer.echo("K is the number of documents. Metrics of your own: evaluate.metrics.NAME in docs/configuration.md.")
