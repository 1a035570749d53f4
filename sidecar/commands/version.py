"""`rag-sidecar version`."""

from __future__ import annotations

import sys

from sidecar import __version__
from sidecar.commands.common import new_cli

cli = new_cli()


@cli.command()
def version() -> None:
    """Print the version."""
    sys.stdout.write(f"rag-sidecar {__version__}\n")
