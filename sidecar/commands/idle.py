"""Options that somebody gave and that say nothing where they were given: refused, or they would be passed over without a word."""

from __future__ import annotations

import typer

from sidecar.record.errors import ConfigError

_TYPED = "COMMANDLINE"


def given(context: typer.Context, name: str) -> bool:
    """Whether the option of a parameter stands on the command line, be it with its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == _TYPED


def refuse_idle(context: typer.Context, names: tuple[str, ...], why: str, mend: str = "leave it out") -> None:
    """Raises ConfigError for the first of these parameters whose option stands on the command line; `names` are those of the function of the command."""
    name = next((one for one in names if given(context, one)), None)
    if name is not None:
        option = next(max(one.opts, key=len) for one in context.command.params if one.name == name)
        raise ConfigError(option, why, mend)


__all__ = ["given", "refuse_idle"]
