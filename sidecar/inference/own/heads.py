"""From logits to probabilities, by what a model was trained to say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sidecar.inference.base import FloatArray
from sidecar.inference.own.folder import Folder, Task
from sidecar.record.errors import PermanentInferenceError

SUPPORTS = (
    "entailment",
    "entailed",
    "entail",
    "entails",
    "supported",
    "supports",
    "support",
    "consistent",
    "factual",
    "faithful",
    "grounded",
)
CONTRADICTS = ("contradiction", "contradicted", "contradicts", "contradict", "refuted", "refutes", "refute")
NEUTRAL = ("neutral", "neither", "not_enough_info", "not_enough_information", "nei")
RELEVANT = ("relevant", "relevance", "yes", "positive", "match")
UNSUPPORTED = ("unsupported", "hallucinated", "hallucination", "hallucinate", "not_supported", "inconsistent")
_APART = (CONTRADICTS, NEUTRAL)
_MULTI = "multi_label_classification"
Head = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: a label by name, or by one of the words that labels of its kind are `called`. `field` names the setting
    of the label."""

    label: str | None
    called: Sequence[str]
    field: str


def sequence_head(folder: Folder, wanted: Wanted) -> Head:
    """(n, labels) to the probability (n,) of the wanted label; one logit is read by a sigmoid. Raises ConfigError."""
    labels = folder.labels
    if len(labels) == 1:
        return lambda logits: _sigmoid(_of(logits, 2, 1)[:, 0])
    number = find_label(folder, labels, wanted)
    if folder.config.get("problem_type") == _MULTI:
        return lambda logits: _sigmoid(_of(logits, 2, len(labels))[:, number])
    return lambda logits: _softmax(_of(logits, 2, len(labels)))[:, number]


def contrary_head(folder: Folder, wanted: Wanted) -> Head | None:
    """(n, labels) to the probabilities (n, 2) of contradiction and of neither; None of a model whose labels do not tell these two apart
    beside the wanted one."""
    if folder.task is not Task.SEQUENCE:
        return None
    labels = _lowered(folder.labels)
    found = [next(labels.index(word) for word in words if word in labels) for words in _APART if {*words} & {*labels}]
    if len(found) < len(_APART) or find_label(folder, folder.labels, wanted) in found:
        return None
    read = _sigmoid if folder.config.get("problem_type") == _MULTI else _softmax
    return lambda logits: read(_of(logits, 2, len(labels)))[:, found]


def token_head(folder: Folder, wanted: Wanted) -> Head:
    """(n, tokens, labels) to the probability (n, tokens) of the wanted label. Raises ConfigError."""
    labels = folder.labels
    number = find_label(folder, labels, wanted) if len(labels) > 1 else 0

    def head(logits: FloatArray) -> FloatArray:
        given = _of(logits, 3, len(labels))
        return _sigmoid(given[:, :, 0]) if len(labels) == 1 else _softmax(given)[:, :, number]

    return head


def word_head(no: int, yes: int) -> Head:
    """(n, 1, vocabulary) of the first word that is generated to the probability (n,) of one token against another."""
    return lambda logits: _softmax(logits[:, 0, [no, yes]])[:, 1]


def find_label(folder: Folder, labels: Sequence[str], wanted: Wanted) -> int:
    """The number of a label. Raises ConfigError naming those that there are."""
    there = ", ".join(labels)
    if wanted.label is not None:
        if wanted.label not in labels:
            raise folder.wrong(f"{wanted.field}: no label {wanted.label!r} in id2label", f"known are {there}")
        return labels.index(wanted.label)
    if not folder.names_labels:
        raise folder.wrong(
            "config.json: no id2label, which says what the logits are called",
            f'add them in the order of the logits ({{"0": "entailment"}}), or set {wanted.field} to one of {there}',
        )
    lowered = _lowered(labels)
    for word in wanted.called:
        if word in lowered:
            return lowered.index(word)
    raise folder.wrong(
        f"id2label has {there}: none of them says {wanted.called[0]}", f"set {wanted.field} to the one that does"
    )


def _lowered(labels: Sequence[str]) -> list[str]:
    return [label.lower().replace("-", "_").replace(" ", "_") for label in labels]


def called(role: str, task: Task) -> Sequence[str]:
    """What labels are called that say what a role asks."""
    return UNSUPPORTED if task is Task.TOKENS else {"grounding": SUPPORTS, "relevance": RELEVANT}[role]


def calibration(card: Mapping[str, object]) -> Callable[[FloatArray], FloatArray]:
    """What `rag-sidecar calibrate` measured: sigmoid(slope x logit(p) + intercept). As it is where the card has none."""
    given = card.get("calibration")
    if not isinstance(given, Mapping):
        return lambda p: p
    slope, intercept = float(given["slope"]), float(given["intercept"])  # open_folder has seen that they are there
    return lambda p: _sigmoid(slope * logits_of(p) + intercept)


def logits_of(p: FloatArray) -> FloatArray:
    """log(p / (1 - p)), p held within 1e-6 of its ends."""
    held = np.clip(p, 1e-6, 1 - 1e-6)
    made: FloatArray = np.log(held / (1 - held)).astype(np.float32)
    return made


def _of(logits: FloatArray, dimensions: int, labels: int) -> FloatArray:
    """The logits, one a label. Raises PermanentInferenceError where they are others: id2label is not that of the model."""
    if logits.ndim != dimensions or logits.shape[-1] != labels:
        raise PermanentInferenceError("labels", f"id2label has {labels}, logits are {logits.shape[1:]}")
    return logits


def _sigmoid(x: FloatArray) -> FloatArray:
    made: FloatArray = (1 / (1 + np.exp(-np.clip(x, -30, 30)))).astype(np.float32)
    return made


def _softmax(x: FloatArray) -> FloatArray:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    made: FloatArray = (powers / powers.sum(axis=-1, keepdims=True)).astype(np.float32)
    return made
