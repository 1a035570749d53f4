"""What is set of a model on a server."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from exporters.clients.address import http_address


class ServerConfig(BaseModel):
    """Where a server is, what it speaks, and how long we wait for it."""

    remote: str = Field(
        description="Address of the server, as http://triton:8000; without a login, which belongs into `token_file`."
    )
    protocol: Literal["v2", "tei"] = Field(
        default="v2",
        description="What it speaks: the Open Inference Protocol v2 (Triton, KServe, MLServer), or that of text-embeddings-inference.",
    )
    model: str | None = Field(
        default=None, min_length=1, description="Its name on the server (v2); by default the name of the entry."
    )
    version: str | None = Field(
        default=None,
        min_length=1,
        description="Which version is asked for (v2), and what results call it; by default what the server says, else `remote`.",
    )
    tokenizer: Path | None = Field(
        default=None,
        description="Folder with config.json and tokenizer.json of the model (v2): tokens are sent, and what comes back are logits. "
        "Without it texts are sent, and probabilities come back, or vectors.",
    )
    inputs: tuple[str, ...] | None = Field(
        default=None,
        description="Names of the inputs (v2): of tokens (input_ids, attention_mask, token_type_ids), or of the two texts (of an embedding model one, by default `text`).",
    )
    output: str | None = Field(default=None, description="Name of the output (v2); by default its first.")
    most_words: int = Field(
        default=250,
        ge=20,
        description="Words, or Chinese characters, that are sent at once where texts are sent; longer ones are windowed.",
    )
    timeout_seconds: float = Field(default=10.0, gt=0, le=60, description="Time for one attempt.")
    retries: int = Field(
        default=2, ge=0, le=5, description="Further attempts where the server did not answer, or has too much to do."
    )
    batch_size: int = Field(default=32, ge=1, le=1024, description="Most pairs, or texts, in one call.")
    in_flight: int = Field(default=4, ge=1, le=64, description="Calls at the same time.")
    most_waiting: int = Field(
        default=2048,
        ge=1,
        description="Pairs, or texts, that may wait for the server; a request that finds as many fails with the reason busy.",
    )
    redact: bool = Field(
        default=True,
        description="Send pseudonyms in place of personal data and secrets, as `redact` says; off where the server is yours.",
    )
    token_file: Path | None = Field(default=None, description="File with a bearer token, read again for each call.")
    ca_file: Path | None = Field(default=None, description="Authorities to trust in place of the system's (PEM).")
    cert_file: Path | None = Field(default=None, description="Certificate of ours (PEM).")
    key_file: Path | None = Field(default=None, description="Its key (PEM).")

    @field_validator("remote")
    @classmethod
    def _an_address(cls, url: str) -> str:
        return http_address(url, login="name a file with a token as token_file").rstrip("/")

    @model_validator(mode="after")
    def _a_key_of_something(self) -> ServerConfig:
        if self.key_file is not None and self.cert_file is None:
            raise ValueError("key_file is given without cert_file: name the certificate too")
        return self


class RemoteConfig(ServerConfig):
    """What is set of a model that judges pairs on a server."""

    column: int | None = Field(
        default=None,
        ge=0,
        description="Which column of the output it is, counted from 0, where texts are sent and several come back.",
    )


class Fallback(BaseModel):
    """What judges while a server is away."""

    fallback: str | None = Field(
        default="embedded",
        description="The model that stands in while the server is away; null: requests fail meanwhile.",
    )
