"""Tokens by client credentials: one fetch for all, fetched again in time, and errors that name the mend and no secret."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest

from exporters.clients.files import UnreadableFileError
from exporters.clients.oauth import ClientCredentials, OauthConfig, TokenError, TokenSource
from exporters.clients.security import SecurityConfig
from tests.parts.token_endpoint import Asked, TokenEndpoint

SECRET = "hidden/secret&more"
PATH = "receive.security.oauth"


class Hands:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def config(endpoint: TokenEndpoint | None = None, **values: Any) -> OauthConfig:
    url = endpoint.url if endpoint else "https://login.example.org/token"
    return OauthConfig.model_validate({"token_url": url, "client_id": "me", "client_secret": SECRET, **values})


async def test_a_token_is_asked_for_by_the_header() -> None:
    async with TokenEndpoint() as endpoint:
        wanted = config(endpoint, client_id="me:too", scope="a b", audience="kafka")
        assert await TokenSource(wanted).token(PATH) == "token-1"
    (asked,) = endpoint.asked
    assert asked.form == {"grant_type": "client_credentials", "scope": "a b", "audience": "kafka"}
    pair = base64.b64decode(asked.headers["authorization"].removeprefix("Basic "))
    # Both parts are encoded as in a form (RFC 6749, 2.3.1).
    assert pair == b"me%3Atoo:hidden%2Fsecret%26more"


async def test_a_token_is_asked_for_by_the_body_where_that_is_wanted() -> None:
    async with TokenEndpoint() as endpoint:
        await TokenSource(config(endpoint, client_auth="post")).token(PATH)
    (asked,) = endpoint.asked
    assert asked.form == {"grant_type": "client_credentials", "client_id": "me", "client_secret": SECRET}
    assert "authorization" not in asked.headers


async def test_all_clients_of_a_process_share_one_token() -> None:
    async with TokenEndpoint() as endpoint:
        clients = [ClientCredentials(config(endpoint), path) for path in (PATH, "results.security.oauth", PATH)]
        assert await asyncio.gather(*(client.token() for client in clients)) == ["token-1"] * 3
        assert len(endpoint.asked) == 1
        await ClientCredentials(config(endpoint, scope="other"), PATH).token()
        assert len(endpoint.asked) == 2


async def test_a_client_that_gives_up_waiting_leaves_the_others_their_token() -> None:
    async with TokenEndpoint() as endpoint:
        source = TokenSource(config(endpoint))
        first, second = (asyncio.create_task(source.token(PATH)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).startswith("token-")


def test_a_source_serves_one_event_loop_after_another() -> None:
    source: TokenSource | None = None

    async def fetch() -> list[str]:
        nonlocal source
        async with TokenEndpoint() as endpoint:
            source = source or TokenSource(config(endpoint))
            return await asyncio.gather(*(source.token(PATH) for _ in range(3)))

    assert [asyncio.run(fetch()), asyncio.run(fetch())] == [["token-1"] * 3] * 2


async def test_a_token_is_fetched_again_before_it_expires() -> None:
    now = Hands()
    async with TokenEndpoint() as endpoint:
        source = TokenSource(config(endpoint), now=now)
        assert await source.token(PATH) == "token-1"
        now.at += 0.79 * 3600
        assert await source.token(PATH) == "token-1"
        now.at += 0.02 * 3600
        assert await source.token(PATH) == "token-2"


async def test_the_old_token_serves_to_its_end_while_the_endpoint_is_away() -> None:
    now = Hands()
    async with TokenEndpoint() as endpoint:
        source = TokenSource(config(endpoint), now=now)
        assert await source.token(PATH) == "token-1"
        endpoint.answer = lambda _: (503, b"")
        now.at += 0.9 * 3600
        assert await source.token(PATH) == "token-1"
        now.at += 0.1 * 3600
        with pytest.raises(TokenError, match="answered 503"):
            await source.token(PATH)


async def test_an_endpoint_that_fails_is_left_alone_for_a_while() -> None:
    now = Hands()
    async with TokenEndpoint(lambda _: (503, b"")) as endpoint:
        source = TokenSource(config(endpoint), now=now)
        failed = await asyncio.gather(*(source.token(PATH) for _ in range(5)), return_exceptions=True)
        assert [str(one) for one in failed] == ["the token endpoint answered 503"] * 5
        assert len(endpoint.asked) == 1
        endpoint.headers["retry-after"] = "30"
        now.at += 2
        with pytest.raises(TokenError):
            await source.token(PATH)
        endpoint.answer = None
        now.at += 29
        with pytest.raises(TokenError):
            await source.token(PATH)
        now.at += 1
        assert await source.token(PATH) == "token-3"


@pytest.mark.parametrize("said", [{"expires_in": "3600"}, {"expires_in": None}, {}, {"expires_in": float("nan")}])
async def test_a_lifetime_may_be_a_text_or_missing(said: dict[str, object]) -> None:
    async with TokenEndpoint(lambda _: (200, {"access_token": "t", **said})) as endpoint:
        source = TokenSource(config(endpoint))
        assert [await source.token(PATH), await source.token(PATH)] == ["t", "t"]
        assert len(endpoint.asked) == 1


@pytest.mark.parametrize(
    ("status", "said", "problem", "mend"),
    [
        (401, {"error": "invalid_client"}, "answered 401 (invalid_client)", "client_id and client_secret"),
        (401, b"no json", "answered 401", "client_id and client_secret"),
        (400, {"error": "invalid_scope"}, "answered 400 (invalid_scope)", "oauth.scope"),
        (400, {"error": SECRET, "error_description": SECRET}, "answered 400", "token_url"),
        (302, b"", "answered 302", "token_url"),
        (200, b"<html>", "holds no access_token", "token_url"),
        (200, [1], "holds no access_token", "token_url"),
        (200, b"[" * 50_000, "holds no access_token", "token_url"),
        (200, {"access_token": "a\x01b"}, "holds no access_token", "token_url"),
        (200, {"access_token": ""}, "holds no access_token", "token_url"),
    ],
)
async def test_what_an_endpoint_refuses_is_named_with_its_mend(
    status: int, said: object, problem: str, mend: str
) -> None:
    async with TokenEndpoint(lambda _: (status, said)) as endpoint:
        with pytest.raises(TokenError) as caught:
            await TokenSource(config(endpoint)).token(PATH)
    assert str(caught.value).endswith(problem)
    assert mend in caught.value.mend
    assert "hidden" not in str(caught.value)


async def test_an_endpoint_out_of_reach_is_named() -> None:
    with pytest.raises(TokenError, match="does not answer: ConnectError") as caught:
        await TokenSource(config(token_url="http://127.0.0.1:1/token")).token(PATH)
    assert "oauth.token_url" in caught.value.mend


async def test_a_secret_is_read_from_its_file_for_each_token(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("before\n", encoding="utf-8")
    sent: list[str] = []

    def note(asked: Asked) -> tuple[int, object]:
        sent.append(asked.form["client_secret"])
        return 200, {"access_token": "t", "expires_in": 0}

    async with TokenEndpoint(note) as endpoint:
        wanted = config(endpoint, client_secret=None, client_secret_file=secret, client_auth="post")
        source = TokenSource(wanted)
        await source.token(PATH)
        secret.write_text("after\n", encoding="utf-8")
        await source.token(PATH)
        secret.unlink()
        with pytest.raises(UnreadableFileError, match=r"receive\.security\.oauth\.client_secret_file"):
            await source.token(PATH)
    assert sent == ["before", "after"]


async def test_an_authority_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match=r"receive\.security\.oauth\.ca_file"):
        await TokenSource(config(ca_file=tmp_path / "missing")).token(PATH)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"token_url": "login.example.org"}, "https://"),
        ({"token_url": "https://me:hidden@login.example.org/"}, "client_secret"),
        ({"client_secret": None}, "either client_secret or client_secret_file"),
        ({"client_secret_file": "x"}, "either client_secret or client_secret_file"),
        ({"client_id": ""}, "client_id"),
    ],
)
def test_settings_that_make_no_sense_are_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        config(**values)


@pytest.mark.parametrize("given", [{}, {"token_file": "t", "oauth": True}])
def test_a_token_comes_from_one_place(given: dict[str, Any]) -> None:
    oauth = {"oauth": config()} if given.pop("oauth", None) else {}
    with pytest.raises(ValueError, match="either token_file or oauth"):
        SecurityConfig.model_validate({"protocol": "SASL_SSL", "sasl_mechanism": "OAUTHBEARER", **given, **oauth})


async def test_a_secret_and_a_token_show_in_no_representation() -> None:
    async with TokenEndpoint() as endpoint:
        wanted = config(endpoint)
        provider = ClientCredentials(wanted, PATH)
        await provider.token()
        security = SecurityConfig(protocol="SASL_SSL", sasl_mechanism="OAUTHBEARER", oauth=wanted)
        texts = (repr(wanted), security.model_dump_json(), str(security), repr(vars(provider._source)))
    assert "hidden" not in "".join(texts)
    assert "token-1" not in "".join(texts)
