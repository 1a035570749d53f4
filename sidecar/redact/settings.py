"""Settings of redaction."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from sidecar.redact.own import Own, own_pattern, own_terms

Builtin = Literal[
    "private_key", "aws_key", "github_token", "gitlab_token", "slack_token", "api_key", "jwt", "url_password", "bearer", "password", "email",
    "iban", "card", "us_ssn", "de_tax_id", "cn_resident_id", "uk_nino", "es_dni", "fr_nir", "it_codice_fiscale", "br_cpf", "in_aadhaar", "ip",
    "phone",
]  # fmt: skip
KINDS = frozenset({"email", "iban", "card", "id", "ip", "phone", "secret", "term"})
_MOST_PATTERNS = 100
_MOST_TERMS = 1000


class OwnPattern(BaseModel):
    """A pattern of the user's own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(
        pattern=r"^[a-z][a-z0-9_]{0,30}$", description="What the pseudonym says: employee becomes <employee-1>."
    )
    pattern: str = Field(
        min_length=1, max_length=1000, description=r"Regular expression in the syntax of RE2, for example \bE-\d{6}\b."
    )

    @field_validator("name")
    @classmethod
    def _not_taken(cls, name: str) -> str:
        if name in KINDS:
            raise ValueError(f"{name} is what built-in patterns call theirs: choose another")
        return name

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        own_pattern("try", pattern)
        return pattern


class PresidioConfig(BaseModel):
    """Settings of Presidio, which finds names and places too."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = Field(
        default=False,
        description="Ask Presidio as well. It must be installed (extra `presidio`), with a model of its own.",
    )
    entities: tuple[str, ...] = Field(
        default=("PERSON", "LOCATION"), min_length=1, description="What it looks for, in its own names of entities."
    )
    model: str = Field(default="en_core_web_lg", description="Model of spaCy that it asks; it must be installed.")
    language: str = Field(default="en", description="Language of that model, as ISO 639-1.")
    least_score: float = Field(default=0.6, ge=0, le=1, description="Its score from which on a find counts.")


class RedactConfig(BaseModel):
    """Settings of redaction."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = Field(
        default=True,
        description="Replace personal data and secrets in every text that leaves the process by pseudonyms.",
    )
    score_files: bool = Field(
        default=False, description="Also in what `rag-sidecar score` writes, which is a file of your own."
    )
    off: tuple[Builtin, ...] = Field(default=(), description="Built-in patterns that are not to be used.")
    patterns: tuple[OwnPattern, ...] = Field(default=(), max_length=_MOST_PATTERNS, description="Patterns of your own.")
    terms: tuple[str, ...] = Field(
        default=(), max_length=_MOST_TERMS, description="Words and phrases to be replaced, big or small letters alike."
    )
    presidio: PresidioConfig = Field(default=PresidioConfig(), description="Names and places, by Presidio.")

    @field_validator("terms")
    @classmethod
    def _terms(cls, terms: tuple[str, ...]) -> tuple[str, ...]:
        if not all(2 <= len(term.strip()) <= 200 for term in terms):
            raise ValueError("each term must have 2 to 200 characters")
        return terms

    @model_validator(mode="after")
    def _fit(self) -> RedactConfig:
        names = [one.name for one in self.patterns]
        if len(set(names)) < len(names):
            raise ValueError("two patterns have the same name: give each one of its own")
        self.own()
        return self

    def own(self) -> list[Own]:
        """The patterns and terms, ready to be used."""
        terms = [own_terms(self.terms)] if self.terms else []
        return [*terms, *(own_pattern(one.name, one.pattern) for one in self.patterns)]
