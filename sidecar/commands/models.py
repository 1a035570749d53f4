"""`rag-sidecar models`: models that are not in the package."""

from __future__ import annotations

import enum
import importlib
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sidecar.commands.common import WholeHelp, new_cli
from sidecar.inference.grounding.hhem import HHEM_DIR
from sidecar.inference.own.folder import at_home
from sidecar.record.errors import ConfigError

cli = new_cli(
    cls=WholeHelp, help="Export, quantise and verify models that are not in the package.", no_args_is_help=True
)


class Exportable(enum.StrEnum):
    """Models that can be exported."""

    HHEM = "hhem"


class Verifiable(enum.StrEnum):
    """Models that can be verified."""

    HHEM = "hhem"
    OWN = "own"


@cli.command("export")
def export_model(
    model: Annotated[Exportable, typer.Argument(help="hhem: Vectara HHEM-2.1-Open.")],
    source: Annotated[
        str,
        typer.Argument(
            help="A directory with config.json, model.safetensors and flan-t5-base's tokenizer, or a hub id."
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Where the ONNX files go; where inference.hhem_dir looks by default.")
    ] = HHEM_DIR,
    tokenizer: Annotated[
        Path | None, typer.Option(help="Where tokenizer.json or spiece.model is, if not in SOURCE.")
    ] = None,
) -> None:
    """Turn a downloaded model into ONNX, fp32 and int8, and pin it in a card. Needs the extra `export`, not PyTorch."""
    export = _extra("sidecar.inference.export.hhem")
    assert model is Exportable.HHEM
    export.export(source, at_home(out), tokenizer=tokenizer, say=typer.echo)


@cli.command("quantise")
def quantise_model(
    source: Annotated[
        Path, typer.Argument(help="Folder with config.json, tokenizer.json and model.onnx, as Optimum writes it.")
    ],
    out: Annotated[Path | None, typer.Option(help="Folder to write; by default SOURCE-int8 beside it.")] = None,
) -> None:
    """Write a model of one's own in eight bits, with a card. Needs the extra `export`."""
    module = _extra("sidecar.inference.export.quantise")
    folder = at_home(source)
    module.quantise(folder, at_home(out) if out else folder.with_name(f"{folder.name}-int8"), say=typer.echo)


@cli.command("verify")
def verify_model(
    model: Annotated[
        Verifiable, typer.Argument(help="hhem: Vectara HHEM-2.1-Open; own: a folder of yours, as Optimum writes it.")
    ],
    directory: Annotated[
        Path | None,
        typer.Option(
            "--dir",
            help=f"hhem: what `models export` wrote, by default {HHEM_DIR}. own: the folder, which must be named.",
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            help="hhem: the snapshot, to compare with the reference implementation (extra `train`). own: the folder that it was "
            "quantised from."
        ),
    ] = None,
    pairs: Annotated[Path | None, typer.Option(help='More pairs: one {"premise", "hypothesis"} a line.')] = None,
    prompt: Annotated[
        str | None, typer.Option(help="own: the prompt that the settings have; by default that of MiniCheck for a T5.")
    ] = None,
    words: Annotated[
        str | None, typer.Option(help="own: what a T5 says for no and for yes, a comma between; by default 0,1.")
    ] = None,
    published: Annotated[bool, typer.Option(help="Compare with the scores that the model card publishes.")] = True,
) -> None:
    """Measure an exported model against its reference; exit 1 where a deviation is beyond tolerance."""
    if model is Verifiable.OWN:
        if directory is None:
            raise ConfigError("--dir", "no folder is named", "name yours: rag-sidecar models verify own --dir FOLDER")
        told = None if words is None else tuple(word.strip() for word in words.split(","))
        if told is not None and (len(told) != 2 or not all(told)):
            raise ConfigError("--words", f"{words!r} is not two words", 'name what says no, then yes: --words "0,1"')
        module = _extra("sidecar.inference.export.verify_own")
        rows = module.verify(
            at_home(directory), source=source and at_home(source), pairs=pairs, prompt=prompt, words=told
        )
    else:
        if prompt is not None or words is not None:
            given = "--words" if prompt is None else "--prompt"
            raise ConfigError(given, "HHEM is asked as it was trained", "leave it out")
        verify = _extra("sidecar.inference.export.verify")
        rows = verify.verify(at_home(directory or HHEM_DIR), source=source, pairs=pairs, published=published)
    table = Table("largest deviation of", "pairs", "measured", "allowed", "")
    for row in rows:
        verdict = "well" if row.well else "beyond tolerance"
        table.add_row(row.what, str(row.pairs), f"{row.largest:.6f}", f"{row.allowed:.6f}", verdict)
    Console(highlight=False).print(table)
    raise typer.Exit(0 if all(row.well for row in rows) else 1)


def _extra(module: str) -> ModuleType:
    """A module that needs the extra `export`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ConfigError(
            "models", f"{error.name} is not installed", "in a clone of the repository: pip install '.[export]'"
        ) from error
