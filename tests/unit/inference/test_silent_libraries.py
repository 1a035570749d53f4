"""No library keeps or sends what nobody asked for: onnxruntime would write a device id and send counts to its maker."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ALONE = "import onnxruntime; print('used')"


def written(code: str, home: Path) -> list[Path]:
    """What a program leaves in an empty home. `CI` would silence the library by itself."""
    home.mkdir()
    clean = {name: value for name, value in os.environ.items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    environment = {**clean, "HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "used\n"
    return [path for path in home.rglob("*") if path.is_file()]


def test_the_library_would_write_without_us(tmp_path: Path) -> None:
    assert [path for path in written(ALONE, tmp_path / "a") if path.name == "deviceid"], (
        "nothing to switch off any more"
    )


def test_nothing_is_written_where_the_sidecar_loads_it(tmp_path: Path) -> None:
    assert written("from sidecar.inference.onnx import OnnxModel; print('used')", tmp_path / "b") == []
