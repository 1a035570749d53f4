"""Tokens by client credentials (RFC 6749, section 4.4): fetched once for all clients of a process, and again before they expire."""

from __future__ import annotations

import asyncio
import base64
import functools
import json
import re
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import quote_plus, urlencode, urlsplit

from aiokafka.abc import AbstractTokenProvider
from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from exporters.clients.files import UnreadableFileError, read_text
from exporters.clients.http import Answer, HttpClient, Limits, TlsFiles, UnansweredError, WrongRequestError

_LIMITS = Limits(timeout_seconds=10.0, most_connections=1, most_answer_bytes=100_000)
# Of a token's time, when the next one is fetched; until its end the old one serves where that fails.
_RENEW_AFTER = 0.8
# Of a token whose answer does not say it.
_LIFETIME_SECONDS = 300.0
# Clients connect again ten times a second; the endpoint is asked less often.
_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 2.0, 60.0
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_CLIENT_MEND = "check {section}.security.oauth.client_id and client_secret"
_URL_MEND = "check {section}.security.oauth.token_url"
_MENDS = {
    "invalid_client": _CLIENT_MEND,
    "unauthorized_client": _CLIENT_MEND,
    "invalid_scope": "check {section}.security.oauth.scope",
    "invalid_target": "check {section}.security.oauth.audience",
    "invalid_request": "check {section}.security.oauth.scope, audience and client_auth",
    "invalid_grant": _CLIENT_MEND,
    "unsupported_grant_type": "allow this client the grant client_credentials",
    "access_denied": "allow this client what {section}.security.oauth.scope and audience ask for",
}


class OauthConfig(BaseModel):
    """Where OAUTHBEARER tokens come from: a token endpoint, by client credentials."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    token_url: str = Field(description="Token endpoint, https://...")
    client_id: str = Field(min_length=1, description="Name of the client.")
    client_secret: SecretStr | None = Field(default=None, description="Its secret; better from the environment.")
    client_secret_file: Path | None = Field(
        default=None, description="File that holds the secret; read again for each token."
    )
    client_auth: Literal["basic", "post"] = Field(
        default="basic", description="Whether the secret goes in the header or in the body: basic or post."
    )
    scope: str | None = Field(default=None, description="Scopes to ask for, separated by spaces.")
    audience: str | None = Field(default=None, description="Audience to ask for, where the endpoint wants one.")
    ca_file: Path | None = Field(
        default=None, description="PEM file of authorities to trust for the endpoint; else the system's."
    )

    @field_validator("token_url")
    @classmethod
    def _url(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("is not an address that begins with https://")
        if parts.username or parts.password:
            raise ValueError("holds a login: give client_id and client_secret")
        return value

    @model_validator(mode="after")
    def _one_secret(self) -> Self:
        if (self.client_secret is None) == (self.client_secret_file is None):
            raise ValueError("give either client_secret or client_secret_file")
        return self


class TokenError(OSError):
    """There is no token: to a client one more connection that could not be made. `problem` says why; `mend` what to do, with
    `{section}` for the section of the settings; the endpoint is not asked again for `pause_seconds`."""

    def __init__(self, problem: str, mend: str, *, pause_seconds: float | None = None) -> None:
        self.problem = problem
        self.mend = mend
        self.pause_seconds = min(_PAUSE_SECONDS if pause_seconds is None else pause_seconds, _LONGEST_PAUSE_SECONDS)
        super().__init__(problem)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str = field(repr=False)
    renew_at: float
    expires_at: float


class TokenSource:
    """Holds the present token. Safe for many clients at once: one of them fetches, the others wait for what it gets."""

    def __init__(self, config: OauthConfig, *, now: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._now = now
        self._token: _Token | None = None
        self._failed: TokenError | None = None
        self._ask_again_at = 0.0
        self._turn: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None

    async def token(self, path: str) -> str:
        """A token that has not expired. `path` is the dotted path of the settings, for messages. Raises TokenError or UnreadableFileError."""
        async with self._lock():
            now = self._now()
            if self._token is not None and now < self._token.renew_at:
                return self._token.text
            try:
                self._token = await self._renewed(path)
            except (TokenError, UnreadableFileError):
                if self._token is None or self._now() >= self._token.expires_at:
                    raise
            return self._token.text

    async def _renewed(self, path: str) -> _Token:
        asked_at = self._now()
        if self._failed is not None and asked_at < self._ask_again_at:
            raise TokenError(self._failed.problem, self._failed.mend)
        try:
            found = _token(await self._ask(path), asked_at)
        except TokenError as error:
            self._failed, self._ask_again_at = error, self._now() + error.pause_seconds
            raise
        self._failed = None
        return found

    def _lock(self) -> asyncio.Lock:
        """Commands run one loop after another, and a lock belongs to one."""
        loop = asyncio.get_running_loop()
        if self._turn is None or self._turn[0] is not loop:
            self._turn = (loop, asyncio.Lock())
        return self._turn[1]

    async def _ask(self, path: str) -> Answer:
        config = self._config
        secret = _secret(config, path)
        form = {"grant_type": "client_credentials", "scope": config.scope, "audience": config.audience}
        headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
        if config.client_auth == "post":
            form |= {"client_id": config.client_id, "client_secret": secret}
        else:
            pair = f"{quote_plus(config.client_id)}:{quote_plus(secret)}"
            headers["authorization"] = "Basic " + base64.b64encode(pair.encode()).decode("ascii")
        body = urlencode({name: value for name, value in form.items() if value is not None}).encode("ascii")
        client = _client(config, path)
        try:
            return await client.post(config.token_url, body, headers=headers)
        except (UnansweredError, WrongRequestError) as error:
            raise TokenError(f"the token endpoint does not answer: {_why(error)}", _mend(error)) from error
        finally:
            await client.close()


@functools.lru_cache(maxsize=16)
def shared_source(config: OauthConfig) -> TokenSource:
    """The one source of a process for these settings."""
    return TokenSource(config)


class ClientCredentials(AbstractTokenProvider):  # type: ignore[misc]
    """As aiokafka asks for a token. `path` is the dotted path of the settings."""

    def __init__(self, config: OauthConfig, path: str) -> None:
        self._source = shared_source(config)
        self._path = path

    async def token(self) -> str:
        """Raises TokenError or UnreadableFileError, which aiokafka takes as any OSError: it connects again later."""
        return await self._source.token(self._path)


def _secret(config: OauthConfig, path: str) -> str:
    if config.client_secret is not None:
        return config.client_secret.get_secret_value()
    if config.client_secret_file is None:
        raise ValueError("the settings were not validated")
    return read_text(f"{path}.client_secret_file", config.client_secret_file)


def _client(config: OauthConfig, path: str) -> HttpClient:
    try:
        return HttpClient(_LIMITS, tls=TlsFiles(str(config.ca_file) if config.ca_file else None))
    except OSError as error:
        raise UnreadableFileError(f"{path}.ca_file", f"{config.ca_file}: {type(error).__name__}") from error


def _token(answer: Answer, asked_at: float) -> _Token:
    """Raises TokenError."""
    said = _json(answer.body)
    if answer.status != 200:
        # Only words of the standards: an endpoint's own text may repeat what it was sent.
        code = said.get("error")
        known = code if isinstance(code, str) and code in _MENDS else None
        mend = _MENDS[known] if known else _CLIENT_MEND if answer.status in (401, 403) else _URL_MEND
        problem = f"the token endpoint answered {answer.status}" + (f" ({known})" if known else "")
        raise TokenError(problem, mend, pause_seconds=answer.retry_after_seconds)
    text = said.get("access_token")
    if not isinstance(text, str) or not _TOKEN.fullmatch(text):
        raise TokenError("the token endpoint's answer holds no access_token", _URL_MEND)
    lifetime = _seconds(said.get("expires_in"))
    return _Token(text, asked_at + lifetime * _RENEW_AFTER, asked_at + lifetime)


def _json(body: bytes) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _seconds(said: object) -> float:
    """`expires_in`, which some endpoints give as a text."""
    try:
        seconds = float(said) if isinstance(said, (int, float, str)) else _LIFETIME_SECONDS
    except (ValueError, OverflowError):
        return _LIFETIME_SECONDS
    return seconds if 0 <= seconds < float("inf") else _LIFETIME_SECONDS


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _why(error: Exception) -> str:
    causes = _causes(error)
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "the TLS handshake failed"
        if isinstance(cause, socket.gaierror):
            return "the host name is not known"
    return str(error)


def _mend(error: Exception) -> str:
    untrusted = any(isinstance(cause, ssl.SSLCertVerificationError) for cause in _causes(error))
    return "set {section}.security.oauth.ca_file to the authority that signed it" if untrusted else _URL_MEND
