"""What is set of a model of one's own, whatever its role and wherever it runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sidecar.inference.languages import Language

Share = Annotated[float, Field(ge=0, le=1)]


class OwnConfig(BaseModel):
    """Settings that every model of one's own has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    languages: tuple[Language, ...] | None = Field(
        default=None,
        min_length=1,
        description="ISO 639-1 codes that it reads; by default those of its card, else English alone.",
    )
    max_tokens: int | None = Field(
        default=None, ge=16, description="Tokens that it reads at once; by default its own limit, at most 1024."
    )


class FolderConfig(BaseModel):
    """Where the files are."""

    onnx: Path = Field(
        description="Folder with config.json, tokenizer.json and model.onnx, as Optimum writes it; or one .onnx file in such a folder."
    )


class PairConfig(OwnConfig):
    """Settings of a model that reads pairs."""

    label: str | None = Field(
        default=None,
        description="The label of id2label that is asked for; by default the one that is called so. Of a token classifier it is the "
        "one that says unsupported.",
    )
    words: tuple[str, str] = Field(
        default=("0", "1"), description="What a model that generates text says for no and for yes (MiniCheck: 0 and 1)."
    )


class GroundingConfig(PairConfig):
    """Settings of a grounding model of one's own."""

    order: Literal["premise_hypothesis", "hypothesis_premise"] = Field(
        default="premise_hypothesis",
        description="What comes first: the documents' text (premise) or the claim (hypothesis).",
    )
    prompt: str | None = Field(
        default=None,
        description="A text with {premise} and {hypothesis}, for models that read one text; with {premise} alone it frames the premise.",
    )
    answer: Literal["claims", "whole"] = Field(
        default="claims",
        description="How a whole answer is judged: by its least supported claim, or read as one beside the evidence of all.",
    )
    tokens: Literal["any", "share"] = Field(
        default="any",
        description="Of a token classifier: a claim is as bad as its worst token, or as the mean of its tokens.",
    )
    reads: Literal["evidence", "documents"] | None = Field(
        default=None,
        description="What stands beside a claim: sentences selected for it, or all documents, window by window. By default evidence "
        "where it reads English alone: sentences are selected by an English encoder.",
    )
    threshold: Share | None = Field(
        default=None,
        description="Probability from which on claim and answer count as supported; by default that of its card, else 0.5.",
    )


class RelevanceConfig(PairConfig):
    """Settings of a relevance model of one's own: a cross-encoder that reads question and passage."""

    order: Literal["query_passage", "passage_query"] = Field(default="query_passage", description="What comes first.")
    prompt: str | None = Field(
        default=None, description="A text with {query} and {passage}, for models that read one text."
    )
    threshold: Share | None = Field(
        default=None,
        description="Probability from which on a document is relevant; by default that of its card, else 0.5.",
    )
    answer_threshold: Share | None = Field(
        default=None, description="Probability from which on an answer addresses the question; by default `threshold`."
    )


def number_of(given: float | None, card: Mapping[str, Any], name: str, otherwise: float) -> float:
    """A setting, else what the card says of it, else the last."""
    said = card.get(name) if given is None else given
    return otherwise if said is None else float(said)


def languages_of(config: OwnConfig, card: Mapping[str, Any]) -> frozenset[str]:
    """Those that are set, else those of the card, else English."""
    return frozenset(config.languages or card.get("languages") or ("en",))


def languages_set(config: OwnConfig, _: object) -> frozenset[str] | None:
    """Those that are set; None where none is."""
    return frozenset(config.languages) if config.languages else None


def check_prompt(prompt: str | None, *, needs: tuple[str, ...], may: tuple[str, ...] = ()) -> str | None:
    """The prompt. Raises ValueError where it names other things than it may, says how to write them, or lacks what it needs."""
    if prompt is None:
        return None
    wanted = " and ".join(f"{{{name}}}" for name in needs)
    try:
        found = [(name, how, way) for _, name, way, how in Formatter().parse(prompt) if name is not None]
    except ValueError as error:
        raise ValueError(f"must name {wanted}, and a brace that is text is written twice, {{{{ or }}}}") from error
    named = {name for name, _, _ in found}
    if not set(needs) <= named or named - set(needs) - set(may):
        raise ValueError(f"must name {wanted}, and no other thing in braces")
    if strange := next((name for name, how, way in found if how or way), None):
        raise ValueError(f"must name {{{strange}}} bare, without a conversion (!) or a format (:) behind the name")
    return prompt
