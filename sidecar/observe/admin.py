"""The admin endpoint: /metrics, /livez, /readyz, and a page; the probes also on a port of their own.

Served by starlette on uvicorn, because prometheus_client's own server lets one silent TLS client block all scrapes. Whatever is done
to the metrics port, by whoever may reach it, the probes' own port answers; it never speaks TLS and asks for no token.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from sidecar.observe.admission import Admission, Secret
from sidecar.observe.door import TlsDoor, reread_context
from sidecar.observe.guard import guarded
from sidecar.record.errors import ConfigError

_MOST_HEADER_BYTES = 16 * 1024

Check = Callable[[], str | None]
# Makes the routes of a page, of who may see it and the address that is listened on.
Page = Callable[[Admission, str], Sequence[BaseRoute]]


class AdminConfig(BaseModel):
    """Settings of the admin endpoint."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = Field(default="0.0.0.0", description="Address to listen on.")  # noqa: S104 - Prometheus scrapes from outside
    port: int = Field(default=9464, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    probe_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port of /livez and /readyz alone, without TLS; by default the one after `port`; 0 takes a free one.",
    )
    bearer_token: SecretStr | None = Field(default=None, description="Token that /metrics asks for; probes stay open.")
    bearer_token_file: Path | None = Field(
        default=None, description="File with that token, read at each request; each of its lines is one that is taken."
    )
    basic_username: str | None = Field(
        default=None, min_length=1, pattern="^[^:]*$", description="User that /metrics asks for; probes stay open."
    )
    basic_password: SecretStr | None = Field(default=None, description="Password of that user.")
    basic_password_file: Path | None = Field(
        default=None,
        description="File with that password, read at each request; each of its lines is one that is taken.",
    )
    tls_cert_file: Path | None = Field(
        default=None, description="PEM certificate: serve TLS. Read again for new connections once it is replaced."
    )
    tls_key_file: Path | None = Field(default=None, description="PEM key of that certificate.")
    most_connections: int = Field(
        default=64, ge=1, description="Connections of a port at once; one more closes the longest silent."
    )
    header_seconds: float = Field(
        default=10.0,
        gt=0,
        description="A connection that has not sent a whole request header by then is closed; as long for TLS.",
    )
    answer_seconds: float = Field(
        default=60.0, gt=0, description="Who has asked and not read the whole answer by then is cut off."
    )

    @model_validator(mode="after")
    def _pairs(self) -> AdminConfig:
        if (self.tls_cert_file is None) != (self.tls_key_file is None):
            raise ValueError("tls_cert_file and tls_key_file go together")
        given = (self.basic_password is not None) + (self.basic_password_file is not None)
        if given != (self.basic_username is not None):
            raise ValueError("basic_username goes with either basic_password or basic_password_file")
        if self.probe_port and self.probe_port == self.port:
            raise ValueError("probe_port and port are the same; leave probe_port out, or give another")
        return self

    @property
    def probes(self) -> int:
        """The port of the probes; 0 takes a free one."""
        if self.probe_port is not None:
            return self.probe_port
        # Below the last port the one before, so that there always is one.
        return self.port + (1 if self.port < 65535 else -1) if self.port else 0

    @property
    def asks(self) -> bool:
        """Whether a token or a password is asked for."""
        return any((self.bearer_token, self.bearer_token_file, self.basic_username))


class Admin:
    """The HTTP server. `alive` and `ready` return None when all is well, else what is not. Without `page` a list of what there is stands at `/`."""

    def __init__(
        self, config: AdminConfig, registry: CollectorRegistry, *, alive: Check, ready: Check, page: Page | None = None
    ) -> None:
        self._config = config
        self._registry = registry
        self._checks = {"/livez": alive, "/readyz": ready}
        self._admission = _admission(config)
        self._page = page
        self._door: TlsDoor | None = None
        self._servers: list[tuple[_Server, asyncio.Task[None]]] = []
        self.port = config.port
        self.probe_port = config.probes

    async def start(self) -> None:
        """Listen. Raises ConfigError where an address is taken or a file cannot be read."""
        config = self._config
        self._door = self._tls_door()
        options = self._options(
            self._application(), self._door or guarded(config.header_seconds, config.answer_seconds)
        )
        main = _bind("admin.port", config.host, config.port)
        try:
            probes = _bind("admin.probe_port", config.host, config.probes)
        except ConfigError:
            main.close()
            raise
        self.port, self.probe_port = main.getsockname()[1], probes.getsockname()[1]
        self._serve(options, main)
        self._serve(
            self._options(Starlette(routes=self._probes()), guarded(config.header_seconds, config.answer_seconds)),
            probes,
        )

    async def stop(self) -> None:
        """Stop listening; requests in flight have two seconds."""
        servers, self._servers = self._servers, []
        for server, _ in servers:
            server.should_exit = True
        if self._door is not None:
            self._door.close()
        for _, task in servers:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _tls_door(self) -> TlsDoor | None:
        config = self._config
        if config.tls_cert_file is None or config.tls_key_file is None:
            return None
        try:
            context = reread_context(config.tls_cert_file, config.tls_key_file)
        except OSError as error:
            mend = "give readable PEM files, a certificate and its key without a password"
            raise ConfigError("admin.tls_cert_file", type(error).__name__, mend) from error
        inner = guarded(config.header_seconds, config.answer_seconds)
        return TlsDoor(inner, context, seconds=config.header_seconds, most=config.most_connections)

    def _options(self, application: Starlette, protocol: Any) -> uvicorn.Config:
        config = self._config
        return uvicorn.Config(
            application,
            http=protocol,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            # uvicorn refuses the connection that makes the limit full.
            limit_concurrency=config.most_connections + 1,
            h11_max_incomplete_event_size=_MOST_HEADER_BYTES,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=2,
        )

    def _serve(self, options: uvicorn.Config, sock: socket.socket) -> None:
        server = _Server(options)
        self._servers.append((server, asyncio.create_task(server.serve(sockets=[sock]), name="admin")))

    def _application(self) -> Starlette:
        own = [Route("/metrics", self._metrics), *self._probes()]
        page = self._page(self._admission, self._config.host) if self._page is not None else [Route("/", self._list)]
        return Starlette(routes=[*page, *own])

    def _probes(self) -> list[Route]:
        return [Route(path, self._probe) for path in self._checks]

    async def _metrics(self, request: Request) -> Response:
        if not self._admission.admits(request.headers.get("authorization", "")):
            return PlainTextResponse("unauthorized\n", 401, headers={"WWW-Authenticate": self._admission.challenge})
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        body = await asyncio.to_thread(encode, self._registry)
        return Response(body, media_type=content_type)

    async def _probe(self, request: Request) -> Response:
        problem = self._checks[request.url.path]()
        return PlainTextResponse("ok\n") if problem is None else PlainTextResponse(problem + "\n", 503)

    async def _list(self, request: Request) -> Response:
        rows = "".join(f'<li><a href="{path}">{path}</a></li>' for path in ("/metrics", "/livez", "/readyz"))
        return HTMLResponse(f"<!doctype html><title>RAG Sidecar</title><h1>RAG Sidecar</h1><ul>{rows}</ul>")


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: the process has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _bind(field: str, host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(128)
    except OSError as error:
        sock.close()
        raise ConfigError(field, f"cannot listen on {host}:{port}: {error.strerror}", "choose a free port") from error
    return sock


def _admission(config: AdminConfig) -> Admission:
    """Raises ConfigError where a file cannot be read or is empty."""
    token = password = None
    if config.bearer_token is not None or config.bearer_token_file is not None:
        token = Secret("admin.bearer_token", config.bearer_token, config.bearer_token_file)
    if config.basic_username is not None:
        password = Secret("admin.basic_password", config.basic_password, config.basic_password_file)
    return Admission(token=token, user=config.basic_username, password=password)


@contextlib.asynccontextmanager
async def serving(admin: Admin) -> AsyncIterator[Admin]:
    """Serve within a block."""
    await admin.start()
    try:
        yield admin
    finally:
        await admin.stop()
