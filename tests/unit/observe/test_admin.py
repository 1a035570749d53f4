"""The admin endpoint over a real socket."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket
import threading
from pathlib import Path

import httpx
import pytest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector
from pydantic import SecretStr

from sidecar.observe.admin import Admin, AdminConfig, serving
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError


def _config(**values: object) -> AdminConfig:
    return AdminConfig.model_validate({"host": "127.0.0.1", "port": 0, **values})


def _admin(config: AdminConfig, *, alive: str | None = None, ready: str | None = None) -> Admin:
    telemetry = Telemetry()
    telemetry.count("rag_sidecar_late_spans_total", 3)
    return Admin(config, telemetry.registry, alive=lambda: alive, ready=lambda: ready)


async def _get(admin: Admin, path: str, *, port: int | None = None, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port or admin.port}") as client:
        return await client.get(path, headers=headers)


async def test_metrics_are_rendered_in_the_format_that_is_asked_for() -> None:
    async with serving(_admin(_config())) as admin:
        plain = await _get(admin, "/metrics")
        assert "rag_sidecar_late_spans_total 3.0" in plain.text
        assert plain.headers["content-type"].startswith("text/plain")
        modern = await _get(admin, "/metrics", accept="application/openmetrics-text; version=1.0.0")
        assert modern.text.endswith("# EOF\n")


class Slow(Collector):
    """Collects once it is let go, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.begun, self.go = threading.Event(), threading.Event()

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> list[Metric]:
        self.asked += 1
        self.begun.set()
        assert self.go.wait(30)
        return []


async def test_a_scrape_renders_once_and_the_loop_goes_on_meanwhile() -> None:
    telemetry, slow = Telemetry(), Slow()
    telemetry.registry.register(slow)
    admin = Admin(_config(), telemetry.registry, alive=lambda: None, ready=lambda: None)
    async with serving(admin):
        scrape = asyncio.create_task(_get(admin, "/metrics"))
        assert await asyncio.to_thread(slow.begun.wait, 30)
        assert (await _get(admin, "/livez")).status_code == 200
        slow.go.set()
        assert (await scrape).status_code == 200
    assert slow.asked == 1


async def test_probes_say_what_is_wrong() -> None:
    async with serving(_admin(_config(), ready="no partitions")) as admin:
        assert (await _get(admin, "/livez")).status_code == 200
        ready = await _get(admin, "/readyz")
        assert (ready.status_code, ready.text) == (503, "no partitions\n")


async def test_metrics_ask_for_the_token_and_probes_do_not() -> None:
    async with serving(_admin(_config(bearer_token=SecretStr("s3cret")))) as admin:
        assert (await _get(admin, "/metrics")).status_code == 401
        assert (await _get(admin, "/metrics", authorization="Bearer wrong")).status_code == 401
        assert (await _get(admin, "/metrics", authorization="Bearer s3cret")).status_code == 200
        assert (await _get(admin, "/livez")).status_code == 200


async def test_the_token_may_come_from_a_file_and_be_replaced(tmp_path: Path) -> None:
    """While both are in the file both are taken; a file that is away, or empty, lets nobody in."""
    file = tmp_path / "token"

    async def taken(admin: Admin) -> list[bool]:
        given = ("Bearer abc", "Bearer def", "Bearer")
        return [(await _get(admin, "/metrics", authorization=one)).status_code == 200 for one in given]

    file.write_text("abc\n")
    async with serving(_admin(_config(bearer_token_file=file))) as admin:
        assert await taken(admin) == [True, False, False]
        file.write_text("abc\ndef\n")
        assert await taken(admin) == [True, True, False]
        file.write_text("def")
        assert await taken(admin) == [False, True, False]
        file.write_text("\n")
        assert await taken(admin) == [False, False, False]
        file.unlink()
        assert await taken(admin) == [False, False, False]


def _basic(pair: str) -> str:
    return "Basic " + base64.b64encode(pair.encode()).decode()


async def test_metrics_ask_for_user_and_password_and_probes_do_not(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("pä:ss\n", encoding="utf-8")
    config = _config(basic_username="prometheus", basic_password_file=tmp_path / "password")
    async with serving(_admin(config)) as admin:
        refused = await _get(admin, "/metrics")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (
            401,
            'Basic realm="rag-sidecar", charset="UTF-8"',
        )
        for wrong in (
            _basic("prometheus:pass"),
            _basic("other:pä:ss"),
            _basic(":"),
            "Basic x",
            "Basic",
            "Bearer pass",
        ):
            assert (await _get(admin, "/metrics", authorization=wrong)).status_code == 401, wrong
        assert (await _get(admin, "/metrics", authorization=_basic("prometheus:pä:ss"))).status_code == 200
        assert (await _get(admin, "/livez")).status_code == 200


async def test_either_way_of_asking_is_enough_where_both_are_set() -> None:
    config = _config(basic_username="u", basic_password="p", bearer_token="t")
    async with serving(_admin(config)) as admin:
        for given, status in ((_basic("u:p"), 200), ("bearer t", 200), (_basic("u:t"), 401), ("Bearer p", 401)):
            assert (await _get(admin, "/metrics", authorization=given)).status_code == status


@pytest.mark.parametrize("field", ["bearer_token", "bearer_token_file", "basic_password_file"])
def test_an_empty_secret_is_refused_at_the_start(field: str, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text(" \n")
    given: dict[str, object] = {field: tmp_path / "empty" if field.endswith("_file") else ""}
    if field.startswith("basic"):
        given["basic_username"] = "u"
    with pytest.raises(ConfigError, match=rf"^admin\.{field}: is empty"):
        _admin(_config(**given))


@pytest.mark.parametrize(
    "given",
    [{"basic_username": "u"}, {"basic_password": "p"}, {"basic_username": "u", "basic_password": "p", "basic_password_file": "f"}],
)  # fmt: skip
def test_a_user_has_one_password(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="basic_username goes with either"):
        _config(**given)


async def test_a_header_beyond_its_size_is_refused_and_closed() -> None:
    async with serving(_admin(_config())) as admin:
        with socket.create_connection(("127.0.0.1", admin.port), timeout=30) as sock:
            sock.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 20_000)
            said = await asyncio.to_thread(lambda: b"".join(iter(lambda: sock.recv(1000), b"")))
            assert said.startswith(b"HTTP/1.1 400")


async def test_the_page_lists_what_there_is() -> None:
    async with serving(_admin(_config())) as admin:
        assert '<a href="/metrics">' in (await _get(admin, "/")).text


async def test_a_silent_client_does_not_block_a_scrape() -> None:
    async with serving(_admin(_config())) as admin:
        with socket.create_connection(("127.0.0.1", admin.port)):
            assert (await _get(admin, "/metrics")).status_code == 200


def _silent(stack: contextlib.ExitStack, port: int, count: int = 200) -> list[socket.socket]:
    made = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30)) for _ in range(count)]
    for sock in made[::2]:
        sock.sendall(b"GET /livez HTTP/1.1\r\nHost:")
    return made


@pytest.mark.parametrize("silenced", ["metrics", "probes"])
async def test_silent_sockets_take_nothing_from_those_who_ask(silenced: str) -> None:
    async with serving(_admin(_config(probe_port=0))) as admin:
        with contextlib.ExitStack() as stack:
            await asyncio.to_thread(_silent, stack, admin.port if silenced == "metrics" else admin.probe_port)
            for port in (admin.probe_port, admin.port):
                for path in ("/livez", "/readyz"):
                    answer = await _get(admin, path, port=port)
                    assert (answer.status_code, answer.text) == (200, "ok\n")
            assert (await _get(admin, "/metrics")).status_code == 200


async def test_a_port_holds_no_more_connections_than_it_may() -> None:
    async with serving(_admin(_config(most_connections=8))) as admin:
        with contextlib.ExitStack() as stack:
            made = await asyncio.to_thread(_silent, stack, admin.port, 40)
            assert (await _get(admin, "/livez")).status_code == 200
            closed = await asyncio.to_thread(lambda: [_closed(sock, 0.2) for sock in made])
            assert closed == [True] * 33 + [False] * 7


def _closed(sock: socket.socket, seconds: float) -> bool:
    sock.settimeout(seconds)
    try:
        return sock.recv(10_000) == b""
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True


def _answer(sock: socket.socket) -> bytes:
    said = b""
    while not said.endswith(b"ok\n"):
        said += sock.recv(1000)
    return said


@pytest.mark.parametrize(
    "said", [b"", b"GET /livez HT", b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"], ids=["nothing", "half", "more"]
)
async def test_who_does_not_send_a_whole_header_in_time_is_closed(said: bytes) -> None:
    """Trickling does not help; where a request was answered before, the half of another is timed as well."""
    async with serving(_admin(_config(header_seconds=0.3))) as admin:
        for port in (admin.port, admin.probe_port):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as sock:
                sock.sendall(said)
                if said.endswith(b"\r\n\r\n"):
                    await asyncio.to_thread(_answer, sock)
                    sock.sendall(b"GET /readyz")
                assert await asyncio.to_thread(_closed, sock, 30)


async def test_a_connection_that_asks_stays_open_past_the_time_for_headers() -> None:
    async with serving(_admin(_config(header_seconds=0.2))) as admin:
        with socket.create_connection(("127.0.0.1", admin.port), timeout=30) as sock:
            for _ in range(3):
                sock.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
                assert (await asyncio.to_thread(_answer, sock)).startswith(b"HTTP/1.1 200 OK")
                await asyncio.sleep(0.3)


async def test_the_port_of_the_probes_answers_probes_alone() -> None:
    async with serving(_admin(_config(), ready="no partitions")) as admin:
        assert admin.probe_port not in (0, admin.port)
        assert (await _get(admin, "/readyz", port=admin.probe_port)).status_code == 503
        assert (await _get(admin, "/metrics", port=admin.probe_port)).status_code == 404


@pytest.mark.parametrize(
    ("given", "port"),
    [({"port": 9464}, 9465), ({"port": 65535}, 65534), ({"port": 0}, 0), ({"port": 9464, "probe_port": 8080}, 8080)],
)
def test_the_port_of_the_probes_is_the_next_one_where_none_is_given(given: dict[str, int], port: int) -> None:
    assert _config(**given).probes == port


def test_the_two_ports_differ() -> None:
    with pytest.raises(ValueError, match="are the same"):
        _config(port=9000, probe_port=9000)


async def test_a_port_of_the_probes_that_is_taken_is_named_and_nothing_is_left_open() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        admin = _admin(_config(probe_port=taken.getsockname()[1]))
        with pytest.raises(ConfigError, match=r"^admin.probe_port: cannot listen on 127.0.0.1"):
            await admin.start()


async def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        admin = _admin(_config(port=taken.getsockname()[1]))
        with pytest.raises(ConfigError, match=r"^admin.port: cannot listen on 127.0.0.1"):
            await admin.start()


def test_a_certificate_without_its_key_is_refused() -> None:
    with pytest.raises(ValueError, match="go together"):
        _config(tls_cert_file="a.pem")
