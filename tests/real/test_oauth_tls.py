"""A token endpoint over TLS: whom we trust, and what an endpoint that we do not is called."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from pydantic import SecretStr

from exporters.clients.oauth import OauthConfig, TokenError, TokenSource
from tests.parts.certificates import Certificates, make_certificates
from tests.parts.token_endpoint import TokenEndpoint

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("tls"))


def endpoint(made: Certificates) -> TokenEndpoint:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(made.broker)
    return TokenEndpoint(tls=context)


def source(url: str, authority: Path | None) -> TokenSource:
    return TokenSource(OauthConfig(token_url=url, client_id="me", client_secret=SecretStr("hidden"), ca_file=authority))


async def test_an_endpoint_of_our_authority_is_asked(made: Certificates) -> None:
    async with endpoint(made) as there:
        assert await source(there.url, made.authority).token("receive.security.oauth") == "token-1"


@pytest.mark.parametrize("other", [True, False], ids=["another authority", "the system's"])
async def test_an_endpoint_that_is_not_trusted_is_told_nothing(made: Certificates, *, other: bool) -> None:
    async with endpoint(made) as there:
        with pytest.raises(TokenError, match="certificate is not trusted") as caught:
            await source(there.url, made.other_authority if other else None).token("receive.security.oauth")
        assert there.asked == []
    assert "{section}.security.oauth.ca_file" in caught.value.mend


async def test_a_name_that_nobody_knows_is_told(made: Certificates) -> None:
    with pytest.raises(TokenError, match="the host name is not known"):
        await source("https://no-such-host.invalid/token", made.authority).token("receive.security.oauth")
