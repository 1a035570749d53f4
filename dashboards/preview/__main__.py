"""`python -m dashboards.preview`: draw every dashboard into docs/img, from a Prometheus that a real sidecar was scraped by, and the truth beside the
estimates.

It takes a quarter of an hour, and needs Prometheus and Chromium (`make parts`). Nothing of Grafana is involved: the panels' queries, units,
thresholds, titles and places are those of the JSON files, what is drawn of them is ours.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from dashboards import generate
from dashboards.panels import to_json
from dashboards.preview import ask, feed, page, truth
from tests.parts import paths
from tests.parts.prometheus import Prometheus

IMAGES = generate.ROOT / "docs/img"
SECONDS = 780.0
RATE = 5.0


def picture(text: str, target: Path, *, height: int) -> None:
    """An HTML page as PNG, by a browser. Raises RuntimeError with what the browser says."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        taken = Path(folder) / "page.png"
        source.write_text(text, encoding="utf-8")
        command = [
            str(paths.find("chromium")),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--disable-lcd-text",
            "--font-render-hinting=none",
            f"--user-data-dir={folder}/profile",
            f"--window-size={page.WIDTH},{height}",
            f"--screenshot={taken}",
            source.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode or not taken.is_file():
            raise RuntimeError(done.stderr)
        # There are few colours: a palette makes the file a third.
        with Image.open(taken) as image:
            image.quantize(128, dither=Image.Dither.NONE).save(target, optimize=True)


def note_of(span: ask.Span) -> str:
    """What the pictures say about themselves."""
    minutes = (span.end - span.start) / 60
    return (
        f"{minutes:.0f} minutes of the demo's traffic, a part of it scored; the share of made-up answers rises half way. "
        f"An hour is {span.window} here, a day {feed.DAY}. Dotted red: an alert begins."
    )


def draw(prometheus: Prometheus, span: ask.Span, images: Path) -> None:
    """Every dashboard into a folder."""

    def get(path: str, parameters: Mapping[str, str]) -> Any:
        return prometheus.get(path, **parameters)

    images.mkdir(parents=True, exist_ok=True)
    boards = {path.stem: (generate.ROOT / path).read_text(encoding="utf-8") for path in generate.DASHBOARDS}
    boards["truth"] = to_json(truth.dashboard(feed.FAVOURITE))
    for name, text in boards.items():
        board = json.loads(text)
        answers = {one["id"]: ask.answer(one, get, span) for one in board["panels"] if one["type"] != "row"}
        marks = [at for one in board["annotations"]["list"] for at in ask.began(one["expr"], get, span)]
        target = images / f"{name}.png"
        picture(page.page(board, answers, span, marks=marks, note=note_of(span)), target, height=page.height(board))
        empty = [one["title"] for one in board["panels"] if one["id"] in answers and not answers[one["id"]].lines]
        print(f"{target.name}: {target.stat().st_size / 1000:.0f} kB; no data in {', '.join(empty) or 'no panel'}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Feed, ask, draw."""
    parser = argparse.ArgumentParser(prog="python -m dashboards.preview", description=__doc__)
    parser.add_argument("--output", type=Path, default=IMAGES, help="folder of the pictures")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long to feed")
    parser.add_argument("--rate", type=float, default=RATE, help="requests a second")
    options = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as folder,
        feed.fed(Path(folder), options.seconds, rate=options.rate) as (prometheus, span),
    ):
        draw(prometheus, span, options.output.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
