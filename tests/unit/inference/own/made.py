"""The tiny models of training/made_models.py, and what transformers says of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from sidecar.inference.onnx import CPU
from sidecar.inference.own.folder import open_folder
from sidecar.inference.own.judge import LocalPredictor, PairJudge
from sidecar.inference.own.local import Asked, Host, local_judge
from sidecar.inference.own.settings import GroundingConfig, PairConfig, RelevanceConfig
from sidecar.observe.telemetry import Telemetry

MADE = Path(__file__).parents[3] / "golden" / "inference" / "own"
FIELD = "inference.models.grounding.mine"


def rows(name: str) -> list[dict[str, Any]]:
    """What the reference says of each pair."""
    return [json.loads(line) for line in (MADE / name / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]


def judge(folder: Path, config: PairConfig | None = None, **more: Any) -> tuple[PairJudge, LocalPredictor]:
    """A judge of a folder; not started."""
    config = config or GroundingConfig()
    role = "relevance" if isinstance(config, RelevanceConfig) else "grounding"
    prompt = getattr(config, "prompt", None)
    asked = Asked(role, config, prompt, more.pop("hypothesis_first", False), more.pop("tokens", "any"))
    return local_judge(open_folder(folder, FIELD), "mine", asked, Host(1, 1024, CPU, Telemetry()))


def copied(name: str, to: Path, **config: Any) -> Path:
    """A copy of a made model, to be changed; `config` goes into its config.json, a value of None takes a key out."""
    folder = to / name
    shutil.copytree(MADE / name, folder)
    path = folder / "config.json"
    told = {**json.loads(path.read_text(encoding="utf-8")), **config}
    path.write_text(json.dumps({key: value for key, value in told.items() if value is not None}), encoding="utf-8")
    return folder
