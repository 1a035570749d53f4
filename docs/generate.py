"""`python -m docs.generate`: write what is generated from the code; `--check` only says whether it is up to date.

Written are docs/metrics.md (from the two tables of series), docs/catalogue.md (from the registry of evaluators), docs/configuration.md
(from the settings' models), docs/native.md and docs/native.schema.json (from the fields of a native record), the schemas of labels and results,
the index of docs/adr, and the chart's values.schema.json and README.md. The version is written into the chart and the Dockerfile.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from docs import catalogue, chart, configuration, decisions, labels, metrics, native, results, versions

ROOT = Path(__file__).parent.parent


def files() -> dict[Path, str]:
    """Every generated file: path from the root of the repository, and text."""
    values = (ROOT / chart.VALUES).read_text(encoding="utf-8")
    return {
        Path("docs/metrics.md"): metrics.page(),
        Path("docs/catalogue.md"): catalogue.page(),
        Path("docs/configuration.md"): configuration.page(),
        labels.SCHEMA: labels.schema(),
        native.PAGE: native.page(),
        native.SCHEMA: native.schema(),
        results.SCHEMA: results.schema(),
        decisions.INDEX: decisions.page(ROOT),
        chart.SCHEMA: chart.schema(),
        chart.README: chart.readme(values),
        **versions.files(ROOT),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check; exit code 1 where a file is not up to date."""
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a file would change")
    parser.add_argument("--output", type=Path, default=ROOT, help="folder to write under")
    options = parser.parse_args(arguments)
    stale = []
    for path, text in files().items():
        target = options.output / path
        if target.is_file() and target.read_text(encoding="utf-8") == text:
            continue
        stale.append(path)
        if not options.check:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    for path in stale:
        what = "is not up to date: run `make docs`" if options.check else "written"
        sys.stdout.write(f"{path} {what}\n")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
