"""From settings to a judge that asks a server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tokenizers import Encoding

from exporters.result import ModelIdentity
from sidecar.inference.base import FloatArray
from sidecar.inference.entry import Dependencies, Running
from sidecar.inference.own.folder import Folder, Task, calibrated_version, open_texts
from sidecar.inference.own.heads import called
from sidecar.inference.own.judge import Judge, Pair
from sidecar.inference.own.local import Asked, checked, judge_of
from sidecar.inference.remote import v2
from sidecar.inference.remote.batches import Batches, Bounds
from sidecar.inference.remote.judges import (
    Place,
    RedactingJudge,
    TextJudge,
    send_predict,
    send_rerank,
    send_texts,
    send_tokens,
)
from sidecar.inference.remote.line import Ask, Line
from sidecar.inference.remote.settings import RemoteConfig, ServerConfig
from sidecar.inference.remote.told import Told
from sidecar.record.errors import ConfigError

_TEXTS = {"grounding": ("premise", "hypothesis"), "relevance": ("passage", "query")}
TOKEN_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
# Settings of v2 that have no meaning over text-embeddings-inference, and why.
_OF_V2 = {
    "tokenizer": "text-embeddings-inference takes texts",
    "model": "a server of text-embeddings-inference has one model, which is not asked for by name",
    "inputs": "text-embeddings-inference names what goes in by itself",
    "output": "text-embeddings-inference names what comes out by itself",
    "column": "text-embeddings-inference answers with labels or one score, not with columns",
}
_TRIED: Pair = ("It is blue.", "It is blue.")


@dataclass(frozen=True, slots=True)
class Asking:
    """A judge that asks a server, what of it runs, its line, and what the server tells."""

    judge: Judge
    parts: tuple[Running, ...]
    line: Line
    told: Told


def open_tokens(config: RemoteConfig, asked: Asked, dependencies: Dependencies) -> Folder | None:
    """The folder with the tokenizer, where one is named, and checked. Raises ConfigError."""
    folder = open_tokenizer(config, dependencies)
    if config.protocol == "tei" and asked.role == "relevance" and asked.config.label is not None:
        raise ConfigError(
            f"{dependencies.field}.label", "/rerank answers with a score, not with labels", "leave it out"
        )
    if folder is None:
        return None
    checked(folder, asked)
    if folder.task is Task.GENERATION:
        raise folder.wrong("a model that generates text is not asked over v2", "name a classifier")
    return folder


def open_tokenizer(config: ServerConfig, dependencies: Dependencies) -> Folder | None:
    """The folder with the tokenizer, where one is named. Raises ConfigError, also for a setting of v2 where that is not spoken."""
    if config.protocol == "tei":
        for name, why in _OF_V2.items():
            if getattr(config, name, None) is not None:
                raise ConfigError(f"{dependencies.field}.{name}", why, "leave it out")
    if config.tokenizer is None:
        return None
    return open_texts(config.tokenizer, f"{dependencies.field}.tokenizer")


def card_of(config: ServerConfig, dependencies: Dependencies) -> Mapping[str, Any]:
    """The card beside the tokenizer; empty where there is none. Raises ConfigError."""
    folder = open_tokenizer(config, dependencies)
    return folder.card if folder else {}


def remote_judge(config: RemoteConfig, asked: Asked, dependencies: Dependencies) -> Asking:
    """Raises ConfigError naming the setting and the mend."""
    folder = open_tokens(config, asked, dependencies)
    tries: list[Callable[[int], Awaitable[object]]] = []
    card = folder.card if folder else {}
    told = told_of(config, dependencies, card)
    line = line_of(config, dependencies, told=told, probe=lambda n: tries[0](n), weigh=_weight(config, asked))
    identity = identity_of(config, dependencies, card)
    judge: Judge
    parts: tuple[Running, ...]
    if folder is None:
        send = _sending(config, asked, dependencies)
        batches = Batches(
            dependencies.name, partial(line.through, send), bounds=bounds_of(config), telemetry=dependencies.telemetry
        )
        tries.append(lambda n: send(line.attempt, [_TRIED] * n))
        judge, parts = TextJudge(batches, identity=identity, most_words=config.most_words), (batches, line)
    else:
        send_all = _sending_tokens(config, folder, dependencies, told)
        tokens = Batches(
            dependencies.name,
            partial(line.through, send_all),
            bounds=bounds_of(config),
            telemetry=dependencies.telemetry,
        )
        made = judge_of(folder, asked, tokens, identity=identity)
        tries.append(lambda n: send_all(line.attempt, [made.reader.encode(*_TRIED)] * n))
        judge, parts = made, (tokens, line)
    redactor = dependencies.redactor() if config.redact else None
    return Asking(judge if redactor is None else RedactingJudge(judge, redactor), parts, line, told)


def line_of(
    config: ServerConfig,
    dependencies: Dependencies,
    *,
    told: Told,
    probe: Callable[[int], Awaitable[object]],
    weigh: Callable[[Sequence[Any]], int] = len,
) -> Line:
    """The line to the server of a model, which tells the runtime when it goes away. Raises ConfigError."""
    key = dependencies.role, dependencies.name
    return Line(
        config,
        dependencies.name,
        field=dependencies.field,
        probe=probe,
        told=told,
        weigh=weigh,
        changed=lambda away: dependencies.away(key, away),
    )


def _weight(config: RemoteConfig, asked: Asked) -> Callable[[Sequence[Any]], int]:
    """How many of some pairs go in one call: /rerank is asked for one query at a time."""
    if config.protocol == "tei" and asked.role == "relevance":
        return lambda pairs: max(Counter(query for _, query in pairs).values())
    return len


def _sending_tokens(
    config: RemoteConfig, folder: Folder, dependencies: Dependencies, told: Told
) -> Callable[[Ask, Sequence[Encoding]], Awaitable[list[FloatArray]]]:
    place = place_of_tokens(config, folder, dependencies, told)
    pad, by_token = int(folder.config.get("pad_token_id") or 0), folder.task is Task.TOKENS
    labels = len(folder.labels)
    return lambda ask, batch: send_tokens(ask, place, batch, pad=pad, by_token=by_token, labels=labels)


def _sending(
    config: RemoteConfig, asked: Asked, dependencies: Dependencies
) -> Callable[[Ask, Sequence[Pair]], Awaitable[list[float]]]:
    if config.protocol == "tei":
        if asked.role == "relevance":
            return send_rerank
        label, words = asked.config.label, called(asked.role, Task.SEQUENCE)
        turned = asked.hypothesis_first
        return lambda ask, pairs: send_predict(
            ask, [pair[::-1] if turned else pair for pair in pairs], label=label, called=words
        )
    if asked.config.label is not None:
        problem = "a server that is sent texts answers with a probability, not with labels"
        raise ConfigError(
            f"{dependencies.field}.label", problem, "say which column it is as column, or name a tokenizer"
        )
    inputs = config.inputs or _TEXTS[asked.role]
    if len(inputs) != 2:
        raise ConfigError(
            f"{dependencies.field}.inputs", "two texts are sent", f"name two, as {', '.join(_TEXTS[asked.role])}"
        )
    place = place_of(config, dependencies, inputs)
    return lambda ask, pairs: send_texts(ask, place, pairs, column=config.column)


def place_of_tokens(config: ServerConfig, folder: Folder, dependencies: Dependencies, told: Told) -> Place:
    """Where tokens are sent. Raises ConfigError."""
    names = config.inputs or token_inputs(folder)
    strange = sorted(set(names) - set(TOKEN_INPUTS))
    if strange:
        raise ConfigError(
            f"{dependencies.field}.inputs",
            f"no such input of tokens: {', '.join(strange)}",
            f"known are {', '.join(TOKEN_INPUTS)}",
        )
    return replace(place_of(config, dependencies, names), types=told.types)


def place_of(config: ServerConfig, dependencies: Dependencies, names: Sequence[str]) -> Place:
    """Where inputs of these names are sent (v2)."""
    return Place(v2.path_of(config.model or dependencies.name, config.version), tuple(names), config.output)


def token_inputs(folder: Folder) -> tuple[str, ...]:
    """What a model of this configuration is exported with: types of segments where it knows several."""
    return TOKEN_INPUTS if int(folder.config.get("type_vocab_size") or 0) > 1 else TOKEN_INPUTS[:2]


def told_of(config: ServerConfig, dependencies: Dependencies, card: Mapping[str, Any]) -> Told:
    """What the server will tell of the model."""
    about = "/info" if config.protocol == "tei" else v2.about(config.model or dependencies.name, config.version)
    return Told(about, card=card, version=config.version)


def identity_of(config: ServerConfig, dependencies: Dependencies, card: Mapping[str, Any]) -> ModelIdentity:
    """A server's model is known by its name and the version that is asked for, until the server tells one; its files are not ours to look at."""
    return ModelIdentity(dependencies.name, calibrated_version(config.version or "remote", card), "")


def bounds_of(config: ServerConfig) -> Bounds:
    """How much goes out, and how much may wait."""
    return Bounds(config.batch_size, config.in_flight, config.most_waiting)
