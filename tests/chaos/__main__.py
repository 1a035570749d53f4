"""`python -m tests.chaos --seconds 600 --rate 32 --kills 20 --scalings 20 --broker-restarts 3`: one run on a real broker, and its report."""

from __future__ import annotations

import argparse
import dataclasses
import sys

from tests.chaos.run import Plan, run


def main() -> int:
    """0 where nothing was lost, poorer, partial or differing."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    for field in dataclasses.fields(Plan):
        flag = f"--{field.name.replace('_', '-')}"
        if isinstance(field.default, bool):
            parser.add_argument(flag, action="store_true")
        elif isinstance(field.default, tuple):
            parser.add_argument(flag, nargs="+", default=field.default)
        else:
            parser.add_argument(flag, type=type(field.default), default=field.default)
    given = vars(parser.parse_args())
    ended = run(Plan(**{**given, "encodings": tuple(given["encodings"])}), say=True)
    sys.stdout.write(f"{ended.report}\nrecovered in {ended.recovered_seconds:.0f} s after the last request was sent\n")
    one = ended.report
    return 1 if one.lost or one.poorer or one.partial or one.differing else 0


if __name__ == "__main__":
    sys.exit(main())
