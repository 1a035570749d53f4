"""What the commands share: exit codes, the console of errors, the option --config, and help that is not cut."""

from __future__ import annotations

import enum
import inspect
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

errors = Console(stderr=True, highlight=False)

# Tables into a file or a log are as wide as they need to be.
_WIDE = 140


def tables() -> Console:
    """The console of results that are tables."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDE)


ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config", "-c", envvar="RAG_SIDECAR_CONFIG", help="YAML file with the settings; the environment wins over it."
    ),
]


class ExitCode(enum.IntEnum):
    """How a command ended."""

    DONE = 0
    NOT_ALL_WELL = 1
    WRONG_USAGE = 2
    NO_BROKER = 3
    NOT_WRITTEN = 4
    REFUSED = 5
    INTERRUPTED = 130


def forget_stdout() -> None:
    """Let what is left in its buffer go nowhere: the interpreter would fail over it at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class WholeHelp(TyperGroup):
    """A group of commands whose help lines wrap instead of ending in dots."""

    def line(self, context: Any, name: str) -> str:
        """The help line of a command of this group."""
        command: Any = self.get_command(context, name)
        return inspect.cleandoc(command.help or "").partition("\n\n")[0]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the section of the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.line(ctx, name)) for name in self.list_commands(ctx)])


def new_cli(**options: Any) -> typer.Typer:
    """A typer without what we do not use: shell completion, rich help, its own tracebacks."""
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, **options)
