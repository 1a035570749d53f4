"""What every request to the page passes: admission, the host it was sent to, and for what changes something that somebody answers for it, and where it was
sent from.

Answers carry a policy under which a browser runs nothing but our own scripts, whatever stands in the texts.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from exporters.serialize import Json
from sidecar.observe.admission import Admission

# A page of another origin can send this header only after asking us, and we say nothing.
OWN_HEADER = "x-rag-sidecar"
# What lets in who may read texts and change something: a login, or nobody but this machine.
CLOSED_BY = (
    "set admin.basic_username and admin.basic_password_file (or admin.bearer_token_file), or admin.host to 127.0.0.1"
)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


class Door:
    """Wraps handlers. `host` is the address that is listened on."""

    def __init__(self, admission: Admission, host: str) -> None:
        self._admission = admission
        self._local_only = is_loopback(host) and not admission.asks
        self._open_to_all = not is_loopback(host) and not admission.asks

    def name(self, request: Request) -> str | None:
        """The login of whoever asks, where there is one."""
        return self._admission.name(request.headers.get("authorization", ""))

    def data(self, handler: Handler) -> Handler:
        """Of what holds data: who asks is to be admitted, and what changes something comes from our own page and is never open to all."""

        async def handle(request: Request) -> Response:
            refused = self._refused(request)
            if request.method not in ("GET", "HEAD"):
                refused = refused or self._unasked() or _foreign(request)
            return self._sealed(refused or await handler(request), "no-store")

        return handle

    def page(self, handler: Handler) -> Handler:
        """Of the pages, which hold no data: behind the password, so that a browser asks for it; a token is asked for by the page."""

        async def handle(request: Request) -> Response:
            refused = self._refused(request) if self._admission.asks_for_password else None
            return self._sealed(refused or await handler(request), "no-cache")

        return handle

    def _refused(self, request: Request) -> Response | None:
        if self._local_only and not is_loopback(_host(request)):
            # Another name for this machine is how a page elsewhere would read what is meant for whoever sits here.
            return PlainTextResponse("ask for localhost or 127.0.0.1\n", 421)
        if self._admission.admits(request.headers.get("authorization", "")):
            return None
        return PlainTextResponse("unauthorized\n", 401, headers={"WWW-Authenticate": self._admission.challenge})

    def _unasked(self) -> Response | None:
        """A refusal of every change where whoever reaches the port would be let in."""
        return problem(403, f"nobody is asked for a login here: {CLOSED_BY}") if self._open_to_all else None

    @staticmethod
    def _sealed(response: Response, cache: str) -> Response:
        response.headers.update({**_HEADERS, "cache-control": cache})
        return response


def answer(value: Json, status: int = 200) -> Response:
    """JSON."""
    return Response(orjson.dumps(value), status, media_type="application/json")


def problem(status: int, message: str) -> Response:
    """What is wrong, without user text."""
    return answer({"error": message}, status)


def _host(request: Request) -> str:
    """The name that was asked for, without its port, as it was sent: a URL made of an odd one would name our own address."""
    sent = request.headers.get("host", "")
    return sent[1 : sent.find("]")] if sent.startswith("[") else sent.partition(":")[0]


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _foreign(request: Request) -> Response | None:
    """A refusal of what another site made a browser send, with the login that it remembers."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    own = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if own and site in (None, "same-origin") and OWN_HEADER in request.headers:
        return None
    return problem(403, f"send it from the page itself, or with the header {OWN_HEADER}: 1")
