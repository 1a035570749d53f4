"""Int8 linear layers with scales that are measured beforehand.

Transformers have a few input channels that are tens of times larger than the others, so that one step for all would lose the
small ones. As in SmoothQuant (Xiao et al. 2023, arXiv:2211.10438) each channel is divided by a factor that its weights are multiplied
by; how much of the range moves into the weights is chosen for each layer, by the error of its output on calibration texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import uses_external_data

from sidecar.inference.export.graph import MICROSOFT, Floats, Graph, Scheme, quantize_columns

Batch = Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Seen:
    """Of a layer's inputs the least and the largest by channel, both (channels,), and some ROWS of them (rows, channels)."""

    low: Floats
    high: Floats
    rows: Floats


SHARES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
CLIPS = (1.0, 0.8)
ROWS = 600
PLACES = "embeddings.position_embeddings.weight"
_MOST_PLACES = 512  # of the encoders that training begins from; a graph has those that are read
_TABLES = {
    PLACES: "places.table",
    "embeddings.token_type_embeddings.weight": "types.table",
    "embeddings.LayerNorm.weight": "embeddings.LayerNorm.weight",
    "embeddings.LayerNorm.bias": "embeddings.LayerNorm.bias",
}
_LINEARS = {"qkv": "", "out": "attention.output.dense", "wide": "intermediate.dense", "narrow": "output.dense"}
_ATTENDED = ("attention.self.query", "attention.self.key", "attention.self.value")


def samples(model: onnx.ModelProto, linears: Mapping[str, str], batches: Sequence[Batch]) -> dict[str, Seen]:
    """What is seen of the inputs of each linear layer of an fp32 graph, padding left out."""
    taps = sorted(set(linears.values()))
    model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in taps)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(7)
    share = -(-ROWS // len(batches))
    seen: dict[str, list[Seen]] = {name: [] for name in taps}
    for batch in batches:
        real = batch["attention_mask"].astype(bool)
        chosen = rng.permutation(int(real.sum()))[:share]
        for name, values in zip(taps, session.run(taps, dict(batch)), strict=True):
            inputs = values[real]
            seen[name].append(Seen(inputs.min(axis=0), inputs.max(axis=0), inputs[chosen]))
    return {layer: _together(seen[name]) for layer, name in linears.items()}


def _together(parts: Sequence[Seen]) -> Seen:
    low, high = np.min([one.low for one in parts], axis=0), np.max([one.high for one in parts], axis=0)
    return Seen(low, high, np.concatenate([one.rows for one in parts]))


class CalibratedGraph(Graph):
    """A graph whose linear layers are integer products over uint8 activations. A bias is added within the product, and attention takes
    the product of query, key and value within its own node: the same numbers to the bit, with less read and written between."""

    def __init__(self, scheme: Scheme, inputs: Mapping[str, Seen]) -> None:
        super().__init__(scheme)
        self._inputs = inputs

    def linear(self, x: str, weight: Floats, name: str) -> str:
        """x times the transpose of weight (out, in)."""
        return self._product(x, weight, name, [])

    def biased(self, x: str, weight: Floats, bias: str, name: str) -> str:
        """The same, and its bias."""
        return self._product(x, weight, name, ["", bias])

    def attention(self, x: str, weight: Floats, bias: str, mask: str, name: str, heads: int) -> str:
        """onnxruntime's QAttention."""
        whole, columns, step, scale, zero = self._whole(x, weight, f"{name}.qkv")
        none = self.shared("zero.i8", np.array(0, np.int8))
        inputs = [whole, columns, bias, step, scale, mask, zero, none]
        return self.node("QAttention", inputs, f"{name}.attended", domain=MICROSOFT, num_heads=heads)

    def _product(self, x: str, weight: Floats, name: str, more: list[str]) -> str:
        return self.node("MatMulIntegerToFloat", [*self._whole(x, weight, name), *more], name, domain=MICROSOFT)

    def _whole(self, x: str, weight: Floats, name: str) -> list[str]:
        """x in eight bits, the weight in seven, the steps of both and the zero of x."""
        factors, least, largest = _best(self._inputs[name], weight)
        step = np.float32((largest - least) / 255)
        columns, scale = quantize_columns(weight * factors)
        zero = self.constant(f"{name}.zero", np.array(round(-least / float(step)), np.uint8))
        even = self.node(
            "Mul", [x, self.constant(f"{name}.factors", (1 / (factors * step)).astype(np.float32))], f"{name}.even"
        )
        whole = self.node(
            "QuantizeLinear", [even, self.shared("one.float", np.array(1, np.float32)), zero], f"{name}.u8"
        )
        weights = self.constant(f"{name}.weight", columns)
        return [
            whole,
            weights,
            self.constant(f"{name}.step", np.array(step)),
            self.constant(f"{name}.scale", scale),
            zero,
        ]


def _best(inputs: Seen, weight: Floats) -> tuple[Floats, float, float]:
    """Factors (channels,) and the range of the evened inputs with the least mean squared error of the output."""
    part, low, high = inputs.rows, inputs.low, inputs.high
    true = part @ weight.T
    reach = np.maximum(np.maximum(-low, high), 1e-3)
    tried: list[tuple[float, int, Floats, float, float]] = []
    for share in SHARES:
        factors = (reach**share / np.maximum(np.abs(weight).max(axis=0), 1e-4) ** (1 - share)).astype(np.float32)
        columns, scale = quantize_columns(weight * factors)
        whole = columns.astype(np.float32) * scale
        for clip in CLIPS:
            least, largest = min(float((low / factors).min()), 0.0) * clip, float((high / factors).max()) * clip
            step = (largest - least) / 255
            zero = round(-least / step)
            seen = (np.clip(np.rint(part / factors / step) + zero, 0, 255) - zero) * step
            error = float(np.square(seen.astype(np.float32) @ whole - true).mean())
            tried.append((error, len(tried), factors, least, largest))
    _, _, factors, least, largest = min(tried, key=lambda one: one[:2])
    return factors, least, largest


def weights_of(path: Path) -> dict[str, Floats]:
    """The floating-point weights of a cross-encoder's quantised graph, by BERT's names, but for the table of words, which training
    does not move: what training goes on from."""
    graph = onnx.load(path, load_external_data=False).graph
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer if not uses_external_data(one)}
    weights: dict[str, Floats] = {own: stored[name] for own, name in _TABLES.items()}
    unread = _MOST_PLACES - len(weights[PLACES])
    weights[PLACES] = np.pad(weights[PLACES], ((0, unread), (0, 0)))
    for head in ("head", "token_head"):
        if f"{head}.weight" in stored:
            weights[f"{head}.weight"], weights[f"{head}.bias"] = (
                stored[f"{head}.weight"].T.copy(),
                stored[f"{head}.bias"],
            )
    for layer in dict.fromkeys(name.split(".qkv.")[0] for name in stored if ".qkv." in name):
        for part, dense in _LINEARS.items():
            even = stored[f"{layer}.{part}.factors"] * stored[f"{layer}.{part}.step"]
            whole = stored[f"{layer}.{part}.weight"].T * stored[f"{layer}.{part}.scale"][:, None] * even
            bias = stored[f"{layer}.{dense or part}.bias"]
            if part == "qkv":
                for own, rows, few in zip(_ATTENDED, np.split(whole, 3), np.split(bias, 3), strict=True):
                    weights[f"{layer}.{own}.weight"], weights[f"{layer}.{own}.bias"] = rows.copy(), few.copy()
            else:
                weights[f"{layer}.{dense}.weight"], weights[f"{layer}.{dense}.bias"] = whole, bias
        for norm in ("attention.output", "output"):
            for part in ("weight", "bias"):
                weights[f"{layer}.{norm}.LayerNorm.{part}"] = stored[f"{layer}.{norm}.{part}"]
    return weights
