"""Options that the commands below `results` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exporters.result import Verdict

File = Annotated[
    Path | None,
    typer.Argument(metavar="RESULTS.jsonl", help="Results, one a line; - is standard input; by default the topic."),
]
Topic = Annotated[str | None, typer.Option(help="Topic of results, in place of results.topic.")]
Records = Annotated[int, typer.Option(min=1, max=10_000_000, help="Latest records read of a topic.")]
RequestsFile = Annotated[
    Path | None,
    typer.Option(help="The requests, as `score` or `inspect` reads them, to quote answers and evidence."),
]
Received = Annotated[bool, typer.Option("--received", help="Read the requests from the topics that are received.")]
Count = Annotated[int, typer.Option("--count", "-n", min=1, help="How many.")]
By = Annotated[
    str | None,
    typer.Option(metavar="EVALUATOR", help="Its lowest scores, in place of the verdict's.", show_default=False),
]
Service = Annotated[str | None, typer.Option(help="Of this service alone.")]
Model = Annotated[str | None, typer.Option(help="Of answers of this model alone.")]
Variant = Annotated[str | None, typer.Option(help="Of this variant alone.")]
OfVerdict = Annotated[Verdict | None, typer.Option(help="With this verdict alone.")]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Ended since: ISO 8601, or how long ago, such as 30m, 2h, 7d."),
]
Claims = Annotated[bool, typer.Option("--claims/--no-claims", help="Show the claims below the table.")]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Go on with what comes to the topic, until interrupted.")]
AsJson = Annotated[bool, typer.Option("--json", help="The results as they are, one JSON object a line.")]
