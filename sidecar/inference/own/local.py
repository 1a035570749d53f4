"""A judge of the files in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

from exporters.result import ModelIdentity
from sidecar.inference.onnx import Provider
from sidecar.inference.own.folder import Folder, Task
from sidecar.inference.own.graph import Graph
from sidecar.inference.own.heads import (
    Head,
    Wanted,
    calibration,
    called,
    contrary_head,
    sequence_head,
    token_head,
    word_head,
)
from sidecar.inference.own.judge import LocalPredictor, PairJudge, Predictor, TokensMean
from sidecar.inference.own.reader import Reader
from sidecar.inference.own.settings import PairConfig
from sidecar.observe.telemetry import Telemetry

MINICHECK = "predict: {premise}</s>{hypothesis}"
OUTPUTS = ("logits",)
LEAST_ROOM = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """How a folder's model is asked. `role` is grounding or relevance."""

    role: str
    config: PairConfig
    prompt: str | None
    hypothesis_first: bool
    tokens: TokensMean = "any"


@dataclass(frozen=True, slots=True)
class Host:
    """What a model in this process runs on."""

    threads: int
    batch_tokens: int
    providers: Sequence[Provider]
    telemetry: Telemetry


def local_judge(folder: Folder, name: str, asked: Asked, host: Host) -> tuple[PairJudge, LocalPredictor]:
    """The judge, and the part of it that runs. Raises ConfigError naming the setting and the mend."""
    graph = Graph(checked(folder, asked), outputs=OUTPUTS, threads=host.threads, providers=host.providers)
    if folder.task is not Task.GENERATION and graph.width not in (None, len(folder.labels)):
        names = f"{len(folder.labels)} names" if folder.names_labels else "none"
        problem = f"{folder.graphs[0]} gives {graph.width} logits, config.json has {names} for them in id2label"
        raise folder.wrong(problem, "name each logit, in their order, as the model was trained")
    predictor = LocalPredictor(
        graph, name=name, by_token=folder.task is Task.TOKENS, batch_tokens=host.batch_tokens, telemetry=host.telemetry
    )
    return judge_of(folder, asked, predictor, identity=folder.identity(name)), predictor


def checked(folder: Folder, asked: Asked) -> Folder:
    """The folder, where the settings fit what is in it: told before a large graph is read. Raises ConfigError."""
    reader_of(folder, asked), head_of(folder, asked)
    return folder


def judge_of(folder: Folder, asked: Asked, predictor: Predictor, *, identity: ModelIdentity) -> PairJudge:
    """A judge by whatever computes the logits. Raises ConfigError."""
    return PairJudge(
        reader_of(folder, asked),
        predictor,
        head_of(folder, asked),
        identity=identity,
        calibrated=calibration(folder.card),
        tokens=asked.tokens if folder.task is Task.TOKENS else None,
        contrary=contrary_head(folder, _wanted(folder, asked)) if asked.role == "grounding" else None,
    )


def head_of(folder: Folder, asked: Asked) -> Head:
    """What turns logits into probabilities. Raises ConfigError."""
    task = folder.task
    wanted = _wanted(folder, asked)
    if task is Task.SEQUENCE:
        return sequence_head(folder, wanted)
    if task is Task.TOKENS and asked.role == "grounding":
        return token_head(folder, wanted)
    if task is Task.GENERATION:
        return word_head(*_words(folder, folder.tokenizer(), asked.config.words))
    raise folder.wrong(f"config.json: {task.value} is no model for {asked.role}", "name a sequence classifier")


def _wanted(folder: Folder, asked: Asked) -> Wanted:
    return Wanted(asked.config.label, called(asked.role, folder.task), "label")


def reader_of(folder: Folder, asked: Asked) -> Reader:
    """What turns pairs into tokens. Raises ConfigError."""
    task = folder.task
    prompt = asked.prompt or (MINICHECK if task is Task.GENERATION else None)
    if task is Task.TOKENS and prompt and "{hypothesis}" in prompt:
        raise folder.wrong(
            "prompt names {hypothesis}", "a token classifier reads it as a text of its own: name {premise} alone"
        )
    most = folder.most_tokens(asked.config.max_tokens)
    reader = Reader(folder.tokenizer(), folder.tokenizer(), most, prompt, asked.hypothesis_first)
    if (framing := len(reader.encode("", "").ids)) > most - LEAST_ROOM:
        raise folder.wrong(
            f"prompt is {framing} tokens of the {most} that the model reads", "shorten the prompt, or raise max_tokens"
        )
    return reader


def _words(folder: Folder, tokenizer: Tokenizer, words: tuple[str, str]) -> tuple[int, int]:
    no, yes = (next(iter(tokenizer.encode(word, add_special_tokens=False).ids), -1) for word in words)
    if no == yes or -1 in (no, yes):
        raise folder.wrong(
            f"words: {words[0]!r} and {words[1]!r} begin with the same token", "name what the model says for no and yes"
        )
    return no, yes
