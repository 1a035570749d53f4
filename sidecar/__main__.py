"""The command line. Each command is a file under commands/, imported when it is called, and a row of COMMANDS.

Exit codes: 0 done; 1 done, but not all of it was well (a line unread, a check failed, nothing scored);
2 wrong usage or configuration; 3 Kafka out of reach or refusing; 4 the output could not be written;
5 a gate or a stored run says no; 130 stopped by the user.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Annotated, Any, NamedTuple, NoReturn

import typer

from sidecar import __version__
from sidecar.commands.common import ExitCode, WholeHelp, errors, forget_stdout, new_cli
from sidecar.record.errors import BrokerError, ConfigError, OutputError, SidecarError

_UNWRITABLE = {errno.EBADF, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


class Command(NamedTuple):
    """A command: its module has the typer `cli`; `line` is the first line of its help."""

    name: str
    module: str
    line: str


COMMANDS = (
    Command("run", "run", "Consume traces, score them and export the numbers, until SIGTERM."),
    Command("check", "check", "Validate the settings, load the models, reach the brokers, and say what to mend."),
    Command(
        "score",
        "score",
        "Score a file of native records without Kafka: one result a line, in the order of the input.",
    ),
    Command(
        "evaluate",
        "evaluate",
        "Score a set of cases with the evaluators of the service, and report means with intervals, groups, latency and cost.",
    ),
    Command("compare", "compare", "Say which of two systems is better, or what the sample could have shown."),
    Command(
        "testset", "testset", "Make test cases with references from documents: by the judge, or without one by rule."
    ),
    Command(
        "probe",
        "probe",
        "Send cases with references to a RAG service, score its answers by the evaluators of the sidecar, and hold them against a gate.",
    ),
    Command(
        "inspect", "inspect", "Print what is understood of spans, what is missing, and which switch would supply it."
    ),
    Command(
        "calibrate",
        "calibrate",
        "Measure how often the verdict is right on your own labelled requests, and print the settings that correct for it.",
    ),
    Command("label", "label.run", "Have people judge answers that are drawn at random with a known probability."),
    Command(
        "demo", "demo.run", "Run the real sidecar on an embedded broker and natural traffic, and watch the scores move."
    ),
    Command(
        "backfill",
        "backfill",
        "Score again the requests that ended between two times, into the results topic or a file.",
    ),
    Command(
        "results",
        "results.run",
        "Read results, of a file or the results topic: the worst answers, the latest ones, or one of them, claim by claim.",
    ),
    Command("models", "models", "Export, quantise and verify models that are not in the package."),
    Command(
        "metrics", "metrics", "List every evaluator: what it needs, its formula, calls to the judge, and when it runs."
    ),
    Command("version", "version", "Print the version."),
)


class Commands(WholeHelp):
    """The commands of COMMANDS: listed without importing them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = dict.fromkeys((one.name for one in COMMANDS), self)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, imported now, or None."""
        for one in COMMANDS:
            if one.name == cmd_name:
                return typer.main.get_command(importlib.import_module(f"sidecar.commands.{one.module}").cli)
        return None

    def line(self, context: Any, name: str) -> str:
        """The help line of a command."""
        return next(one.line for one in COMMANDS if one.name == name)


cli = new_cli(
    name="rag-sidecar",
    cls=Commands,
    no_args_is_help=True,
    epilog="Exit codes: 0 done, 1 not all of it was well, 2 wrong usage or configuration, 3 Kafka out of reach, "
    "4 the output could not be written, 5 a gate says no, 130 interrupted.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rag-sidecar {__version__}")
        raise typer.Exit


@cli.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Online monitoring of production RAG services: traces in from Kafka, scores out to Prometheus."""


def main() -> NoReturn:
    """Run a command and turn our own errors into a line on standard error and an exit code."""
    if (
        sys.stdout is None
    ):  # Closed by whoever called: what writes there is to fail as on a full disk, and nothing else.
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    try:
        try:
            cli()
        finally:
            sys.stdout.flush()
    except ConfigError as error:
        _end(ExitCode.WRONG_USAGE, "error", error)
    except BrokerError as error:
        _end(ExitCode.NO_BROKER, "Kafka", error)
    except OutputError as error:
        _end(ExitCode.NOT_WRITTEN, "error", error)
    except SidecarError as error:
        _end(ExitCode.NOT_ALL_WELL, "error", error)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        forget_stdout()
        sys.exit(ExitCode.NOT_ALL_WELL)
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        forget_stdout()
        _end(ExitCode.NOT_WRITTEN, "error", f"the output could not be written: {error.strerror}")
    sys.exit(ExitCode.DONE)


def _end(code: ExitCode, word: str, error: SidecarError | str) -> NoReturn:
    errors.print(f"[bold red]{word}[/]", end=" ")
    errors.print(str(error), markup=False, soft_wrap=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
