"""What runs inside MLServer: an ONNX file of a folder as a model of tokens, and a model of texts that knows two words.

It is imported by MLServer's own interpreter, which knows nothing of ours.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
from mlserver import MLModel
from mlserver.codecs import NumpyCodec, StringCodec
from mlserver.types import InferenceRequest, InferenceResponse


class OnnxTokens(MLModel):  # type: ignore[misc]
    """Tensors of tokens to logits. `uri` names the folder with model.onnx."""

    async def load(self) -> bool:
        """Open the graph."""
        path = Path(str(self.settings.parameters.uri)) / "model.onnx"
        self.session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        """The logits."""
        inputs = {one.name: NumpyCodec.decode_input(one).astype(np.int64) for one in payload.inputs}
        [logits] = self.session.run(["logits"], inputs)
        output = NumpyCodec.encode_output("logits", logits)
        return InferenceResponse(model_name=self.name, model_version=self.version, outputs=[output])


class Words(MLModel):  # type: ignore[misc]
    """Pairs of texts to probabilities: 0.9 where the hypothesis stands in the premise, else 0.1."""

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        """A column of probabilities."""
        texts = {one.name: StringCodec.decode_input(one) for one in payload.inputs}
        pairs = zip(texts["premise"], texts["hypothesis"], strict=True)
        scores = np.array([[0.9 if hypothesis in premise else 0.1] for premise, hypothesis in pairs], np.float32)
        output = NumpyCodec.encode_output("score", scores)
        return InferenceResponse(model_name=self.name, model_version=self.version, outputs=[output])
