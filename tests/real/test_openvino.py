"""Models of one's own on OpenVINO, by the build of onnxruntime that has it: a process of its own, since it takes the place of the other."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sidecar.inference.base import Claim
from sidecar.inference.onnx import Provider, offered
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from tests.parts import paths
from tests.unit.inference.own.made import MADE

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
OPENVINO: Provider = "OpenVINOExecutionProvider"
CLAIMS = [Claim("The warranty covers three years."), Claim("Paris is the capital of France."), Claim("保修期为三年。")]
DOCUMENTS = ["The warranty covers two years. The capital of France is Paris."]


async def scores(provider: Provider) -> dict[str, list[float]]:
    """What models of one's own say on a provider."""
    models = {
        "grounding": {"mine": {"onnx": str(MADE / "bert-nli")}},
        "relevance": {"mine": {"onnx": str(MADE / "xlmr-rerank")}},
        "embedding": {"mine": {"onnx": str(MADE / "bert-embedding")}},
    }
    one = ModelRuntime(InferenceConfig.model_validate({"models": models, "providers": [provider]}), Telemetry())
    await one.start()
    try:
        return {
            "grounding": [said.probability for said in await one.models.grounder.support(CLAIMS, DOCUMENTS)],
            "relevance": await one.models.relevance.documents("What is the capital of France?", DOCUMENTS * 2),
            "embedding": (await one.models.embedder.embed(DOCUMENTS)).ravel().tolist(),
        }
    finally:
        await one.stop()


def elsewhere(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """A command that finds OpenVINO's build before the one that is installed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(paths.find_openvino_packages()), str(ROOT)])}
    return subprocess.run(
        [str(word) for word in command], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )


async def test_models_on_openvino_say_what_they_say_on_the_cpu() -> None:
    code = (
        "import asyncio, json\nfrom tests.real.test_openvino import *\n"
        "print(json.dumps([offered(), asyncio.run(scores(OPENVINO))]))"
    )
    done = await asyncio.to_thread(elsewhere, sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr[-2000:]
    there, found = json.loads(done.stdout.splitlines()[-1])
    assert OPENVINO in there
    assert OPENVINO not in offered()
    expected = await scores("CPUExecutionProvider")
    for role, values in expected.items():
        assert np.abs(np.array(found[role]) - values).max() < 2e-3, role


def test_check_says_which_build_to_install_where_the_provider_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    receive = "receive: {bootstrap_servers: 'localhost:1', topics: [t]}"
    path.write_text(f"{receive}\ninference: {{providers: [CUDAExecutionProvider, {OPENVINO}]}}\n", encoding="utf-8")
    program = Path(sys.executable).with_name("rag-sidecar")
    missing = elsewhere(program, "check", "--config", path)
    assert (
        "mend  models: inference.providers: CUDAExecutionProvider is not among what onnxruntime has here: OpenVINO"
        in missing.stdout
    )
    assert "(install onnxruntime-gpu in place of onnxruntime)" in missing.stdout
