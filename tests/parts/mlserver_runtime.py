"""What runs inside MLServer: an ONNX file of a folder as a model of tokens, and models of texts that know a word.

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
    """Tensors of tokens to the first output of the graph: logits, or token states. `uri` names the folder with model.onnx."""

    async def load(self) -> bool:
        """Open the graph."""
        path = Path(str(self.settings.parameters.uri)) / "model.onnx"
        self.session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        """That output."""
        inputs = {one.name: NumpyCodec.decode_input(one).astype(np.int64) for one in payload.inputs}
        name = self.session.get_outputs()[0].name
        [found] = self.session.run([name], inputs)
        output = NumpyCodec.encode_output(name, found)
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


class Vectors(MLModel):  # type: ignore[misc]
    """Texts to vectors: (1, 0) where a text says blue, else (0, 1)."""

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        """A row for each text."""
        [texts] = [StringCodec.decode_input(one) for one in payload.inputs]
        vectors = np.array([[float("blue" in text), float("blue" not in text)] for text in texts], np.float32)
        output = NumpyCodec.encode_output("vector", vectors)
        return InferenceResponse(model_name=self.name, model_version=self.version, outputs=[output])
