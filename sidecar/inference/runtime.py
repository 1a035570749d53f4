"""The models that the settings name: checked at start, loaded then or when first needed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import threadpoolctl
from pydantic import BaseModel, ConfigDict, Field, model_validator

from exporters.result import ModelIdentity
from sidecar.inference import example
from sidecar.inference.base import Models
from sidecar.inference.entry import Built
from sidecar.inference.grounding.detector import Detector
from sidecar.inference.grounding.hhem import HHEM_DIR
from sidecar.inference.onnx import CPU, Provider, check_providers
from sidecar.inference.packaged import packaged_parts
from sidecar.inference.router import Router
from sidecar.inference.rules import AUTO, ROLES, ModelsConfig, Rule, hint, wrong
from sidecar.inference.serving import beside, check_languages, fallback_of, for_all, packaged, serving
from sidecar.inference.shelf import Key, Shelf
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock, SystemClock
from sidecar.record.errors import ConfigError, InferenceError
from sidecar.redact.redactor import Redactor
from sidecar.redact.settings import RedactConfig

PACKAGED = Path(__file__).parent / "models"
REFUSED_MEND = "set batch_size, most_words or max_tokens to what the server takes, or the inputs that it asks for"


class InferenceConfig(BaseModel):
    """Settings of the local models."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    grounding: str = Field(
        default=AUTO,
        description="The grounding model: embedded is inside the package, auto is hhem where `hhem_dir` has it, else embedded.",
    )
    relevance: str = Field(default="embedded", description="The relevance model: embedded is inside the package.")
    embedding: str = Field(default="minilm", description="The embedding model: minilm is inside the package.")
    providers: tuple[Provider, ...] = Field(
        default=CPU,
        min_length=1,
        description="What models of your own run on, the first that can compute a step: CPUExecutionProvider, CUDAExecutionProvider, "
        "OpenVINOExecutionProvider. The last two want another build of onnxruntime; `rag-sidecar check` says what is there.",
    )
    rules: tuple[Rule, ...] = Field(
        default=(), description="Other models for some services and languages; the first rule that fits counts."
    )
    models: ModelsConfig = Field(default=ModelsConfig(), description="Models by name, with their settings.")
    memory_megabytes: int = Field(
        default=1024,
        ge=64,
        description="Memory for models, by the size of their files. Those that rules name are loaded when first needed; "
        "where they do not fit, the ones unused for longest are unloaded. The defaults stay.",
    )
    model_dir: Path = Field(default=PACKAGED, description="Directory with the model folders.")
    hhem_dir: Path = Field(
        default=HHEM_DIR, description="Where `rag-sidecar models export hhem` put Vectara's HHEM; ~ is the home folder."
    )
    detector: Detector | None = Field(
        default=None,
        description="Error rates of the default grounding model's verdict on your answers, as `rag-sidecar calibrate` prints them.",
    )
    threads: int | None = Field(
        default=None,
        ge=1,
        description="Threads of a model; by default the CPU quota of the cgroup. The models inside the package run two batches side by side on them, together.",
    )
    batch_tokens: int = Field(default=512, ge=256, description="Most tokens, padding included, in one batch.")
    documents_megabytes: int = Field(
        default=256,
        ge=1,
        description="Memory for encodings of documents in use. Requests wait for each other where theirs do not fit together; one that "
        "is larger alone is let in.",
    )
    cache_megabytes: int = Field(default=96, ge=0, description="Memory for encodings of documents that come again.")

    @model_validator(mode="after")
    def _known(self) -> InferenceConfig:
        for role in set(ROLES) - self.model_fields_set:
            own = for_all(self.models, self.rules, role)
            if len(own) > 1:
                problem = f"{' and '.join(own)} are both for all requests: give them services or languages, or set inference.{role}"
                raise wrong("both_for_all", ("models", role), problem)
        named: list[tuple[tuple[str | int, ...], str, str]] = [((role,), role, getattr(self, role)) for role in ROLES]
        for n, rule in enumerate(self.rules):
            named += [(("rules", n, role), role, name) for role, name in rule.names().items()]
        for place, role, name in named:
            known = self.models.known(role)
            if name not in known:
                raise wrong("unknown_model", place, f"no {role} model {name!r}; {hint(name, known)}")
        return self

    def default_of(self, role: str) -> str:
        """The model that is set for a role; where none is, the one of the user's own that is for all requests."""
        own = [] if role in self.model_fields_set else for_all(self.models, self.rules, role)
        name: str = own[0] if own else getattr(self, role)
        return name


class ModelRuntime:
    """The models. `models` are the defaults, `router` gives each request its own; both may be handed out before `start`,
    and answer after it."""

    def __init__(
        self,
        config: InferenceConfig,
        telemetry: Telemetry,
        *,
        clock: Clock | None = None,
        redactor: Callable[[], Redactor | None] = lambda: Redactor(RedactConfig()),
    ) -> None:
        """Load the default models, and check that the others are there. `redactor` is asked where a model is on a server: texts that go
        there pass it. Raises ConfigError naming the file and the mend."""
        self._config = config
        self._telemetry = telemetry
        self.doubts: list[str] = []  # what looked wrong in what models said of examples
        # numpy's BLAS would start threads of its own beside onnxruntime's: measured, a third of the speed is lost to that.
        threadpoolctl.threadpool_limits(limits=1, user_api="blas")
        check_providers(config.providers)
        dependencies, self._abstention = packaged_parts(
            config.model_dir,
            hhem_dir=config.hhem_dir,
            threads=config.threads,
            batch_tokens=config.batch_tokens,
            cache_bytes=config.cache_megabytes * 1_000_000,
            documents_bytes=config.documents_megabytes * 1_000_000,
            providers=config.providers,
            telemetry=telemetry,
        )
        self._dependencies = replace(dependencies, redactor=cache(redactor), away=self._went)
        self._standing_in: set[asyncio.Task[None]] = set()
        self._shelf = Shelf(
            limit_bytes=config.memory_megabytes * 1_000_000,
            telemetry=telemetry,
            clock=clock or SystemClock(),
            changed=self._show,
        )
        self._defaults = {role: self._name(role, config.default_of(role)) for role in ROLES}
        made = {role: self._pin(role, name) for role, name in self._defaults.items()}
        self.models = Models(
            made["embedding"].model, made["grounding"].model, made["relevance"].model, self._abstention
        )
        self.detector: Detector | None = config.detector or made["grounding"].detector
        rules = [rule.model_copy(update=self._names(rule)) for rule in config.rules]
        reads = cache(self._reads)
        served = list(serving(config.models, rules, self._defaults, reads))
        inside = list(packaged({role: one.model for role, one in made.items()}))
        wanted = {key for rule in rules for key in rule.names().items()} | {(one.role, one.name) for one in served}
        every = wanted | set(self._defaults.items())
        check_languages(config.models, rules, every, reads)
        self._fallbacks = {
            key: self._name(key[0], name) for key in every if (name := fallback_of(config.models, *key)) is not None
        }
        wanted |= {(role, name) for (role, _), name in self._fallbacks.items()}
        self._others = sorted(wanted - set(self._defaults.items()))
        with_them = beside(config.models, self._fallbacks)
        for role, name in (*self._others, *((one.role, one.name) for one in (*inside, *with_them.values()))):
            build, size_bytes = self._model(role, name)
            self._shelf.add((role, name), build, size_bytes=size_bytes)
        self.router = Router(
            rules,
            self._defaults,
            self._shelf,
            serving=[*served, *inside],
            fallbacks=self._fallbacks,
            beside=with_them,
            abstention=self._abstention,
        )

    async def start(self) -> None:
        """Start the default models and say in `rag_sidecar_model_info` which they are."""
        await self._dependencies.encoder.start()
        await self._abstention.start()
        self._telemetry.set("rag_sidecar_model_info", 1, **_info("abstention", self._abstention.identity))
        await self._shelf.start()

    async def stop(self) -> None:
        """Stop them all."""
        for task in self._standing_in:
            task.cancel()
        await asyncio.gather(*self._standing_in, return_exceptions=True)
        await self._shelf.stop()
        await self._abstention.stop()
        await self._dependencies.encoder.stop()

    def infos(self) -> list[tuple[str, ModelIdentity]]:
        """(role, identity) of each default model, and of the one that reads how far answers decline."""
        return [
            ("embedding", self.models.embedder.identity),
            ("grounding", self.models.grounder.identity),
            ("relevance", self.models.relevance.identity),
            ("abstention", self._abstention.identity),
        ]

    def away(self) -> list[str]:
        """Which default models cannot be asked now, and why."""
        keys = self._defaults.items()
        return [
            f"{role}: {name} does not answer: {why}" for role, name in keys if (why := self._shelf.away((role, name)))
        ]

    async def ask_defaults(self) -> None:
        """Ask each default model that is the user's own about an example; for a runtime that is started. Raises ConfigError where one does not answer
        as its settings say; `away` tells of those whose server is away."""
        models = {
            "grounding": self.models.grounder,
            "relevance": self.models.relevance,
            "embedding": self.models.embedder,
        }
        for role, name in self._defaults.items():
            if name in getattr(self._config.models, role):
                try:
                    await self._ask(role, name, models[role])
                except InferenceError as error:
                    if self._shelf.away((role, name)) is None:
                        raise _no_answer(role, name, error) from error

    async def ask_others(self) -> list[tuple[str, ModelIdentity]]:
        """(role, identity) of each model that not all requests have, asked about an example to see that it answers, and let go; for a runtime that
        is started. Raises ConfigError."""
        found = []
        for role, name in self._others:
            built = await asyncio.to_thread(self._model(role, name)[0])
            try:
                for part in built.parts:
                    await part.start()
                if (why := built.away()) is not None:
                    raise _no_answer(role, name, why)
                await self._ask(role, name, built.model)
            except InferenceError as error:
                raise _no_answer(role, name, error) from error
            finally:
                for part in reversed(built.parts):
                    await part.stop()
            found.append((f"{role} by rule", built.model.identity))
        return found

    async def _ask(self, role: str, name: str, model: Any) -> None:
        if (doubt := await example.ask(role, model)) is not None:
            self.doubts.append(f"{role} {name} {doubt}")

    def _names(self, rule: Rule) -> dict[str, str]:
        return {role: self._name(role, name) for role, name in rule.names().items()}

    def _name(self, role: str, name: str) -> str:
        """The name, with `auto` made one that is there."""
        if name != AUTO:
            return name
        for entry in ROLES[role]:
            _, settings = self._config.models.resolve(role, entry.name)
            if entry.auto(settings, self._dependencies):
                return entry.name
        raise LookupError(role)

    def _model(self, role: str, name: str) -> tuple[Callable[[], Built[Any]], int]:
        entry, settings = self._config.models.resolve(role, name)
        given = replace(self._dependencies, role=role, name=name)
        return partial(entry.build, settings, given), entry.size(settings, given)

    def _reads(self, key: Key) -> frozenset[str] | None:
        role, name = key
        entry, settings = self._config.models.resolve(role, name)
        return entry.reads(settings, replace(self._dependencies, role=role, name=name))

    def _pin(self, role: str, name: str) -> Built[Any]:
        build, size_bytes = self._model(role, name)
        built = build()
        self._shelf.pin((role, name), built, size_bytes=size_bytes)
        return built

    def _went(self, key: Key, away: bool) -> None:
        """A model went away, or came back: show it, and where it is a default, show what stands in for it as that role's model."""
        role, name = key
        self._telemetry.set("rag_sidecar_model_away", away, role=self._label(key), name=name)
        if self._defaults[role] == name and key in self._fallbacks:
            self._standing_in.add(task := asyncio.create_task(self._stand_in(key), name=f"stand-in-{name}"))
            task.add_done_callback(self._standing_in.discard)

    async def _stand_in(self, key: Key) -> None:
        role, _ = key
        with contextlib.suppress(InferenceError):  # the shelf said why it cannot be loaded
            async with self._shelf.lease([key, (role, self._fallbacks[key])]) as (own, other):
                away = self._shelf.away(key) is not None
                for model, on in ((own, not away), (other, away)):
                    if on:
                        self._telemetry.set("rag_sidecar_model_info", 1, **_info(role, model.identity))
                    else:
                        self._telemetry.remove("rag_sidecar_model_info", **_info(role, model.identity))

    def _label(self, key: Key) -> str:
        role, name = key
        return role if self._defaults[role] == name else f"{role}_by_rule"

    def _show(self, key: Key, built: Built[Any]) -> None:
        """Name a model that was loaded, and how often its verdict is right."""
        role, name = key
        default = self._defaults[role] == name
        identity: ModelIdentity = built.model.identity
        if built.away() is None:
            self._telemetry.set("rag_sidecar_model_info", 1, **_info(self._label(key), identity))
        if key in self._fallbacks:
            self._telemetry.set("rag_sidecar_model_away", built.away() is not None, role=self._label(key), name=name)
        detector = self.detector if default and role == "grounding" else built.detector
        if detector:
            _show_detector(detector, identity.name, self._telemetry)


def _no_answer(role: str, name: str, why: InferenceError | str) -> ConfigError:
    told = ": ".join(filter(None, (str(why), getattr(why, "said", ""))))
    mend = mend_of(told, "start the server, or correct the settings or the folder: see docs/models/own.md")
    return ConfigError(f"inference.models.{role}.{name}", f"does not answer an example: {told}", mend)


def mend_of(why: str, otherwise: str) -> str:
    """What to do about a model that does not answer, by why it does not."""
    return REFUSED_MEND if "remote_refused" in why else otherwise


def _info(role: str, identity: ModelIdentity) -> dict[str, str]:
    return {"role": role, "name": identity.name, "version": identity.version, "sha256": identity.sha256}


def _show_detector(detector: Detector, grounding_model: str, telemetry: Telemetry) -> None:
    for rate in ("sensitivity", "specificity"):
        value = getattr(detector, rate)
        telemetry.set("rag_sidecar_detector_rate", value, rate=rate, grounding_model=grounding_model)
    for label in ("hallucinated", "grounded"):
        value = getattr(detector, label)
        telemetry.set("rag_sidecar_detector_labelled", value, label=label, grounding_model=grounding_model)
