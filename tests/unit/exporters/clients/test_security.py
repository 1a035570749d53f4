"""Who we say we are to brokers: secrets stay secret, files are read when they are needed, and each is named by its setting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from exporters.clients.files import UnreadableFileError
from exporters.clients.security import Brokers, SecurityConfig

LOGIN = {"protocol": "SASL_SSL", "username": "u", "password": "hidden"}


def test_a_secret_shows_in_no_representation() -> None:
    config = SecurityConfig.model_validate({**LOGIN, "key_password": "hidden-too"})
    for text in (repr(config), str(config), config.model_dump_json(), str(config.model_dump())):
        assert "hidden" not in text
    assert config.client_options("receive.security")["sasl_plain_password"] == "hidden"


def test_a_password_file_is_read_without_its_line_end(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("hidden\n", encoding="utf-8")
    settings = {"protocol": "SASL_PLAINTEXT", "username": "u", "password_file": secret}
    assert SecurityConfig.model_validate(settings).client_options("receive.security")["sasl_plain_password"] == "hidden"


@pytest.mark.parametrize("field", ["ca_file", "password_file", "cert_file"])
def test_a_file_that_cannot_be_read_is_named_by_its_field(field: str, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("x", encoding="utf-8")
    settings: dict[str, Any] = {"protocol": "SASL_SSL", "username": "u", "password_file": there}
    if field == "cert_file":
        settings["key_file"] = there
    settings[field] = tmp_path / "missing"
    with pytest.raises(UnreadableFileError) as caught:
        SecurityConfig.model_validate(settings).client_options("receive.security")
    assert caught.value.field == f"receive.security.{field}"
    assert str(caught.value).startswith(f"receive.security.{field}: ")


def test_a_file_that_holds_no_certificate_is_named_by_its_field(tmp_path: Path) -> None:
    wrong = tmp_path / "ca.pem"
    wrong.write_text("not a certificate", encoding="utf-8")
    with pytest.raises(UnreadableFileError) as caught:
        SecurityConfig.model_validate({"protocol": "SSL", "ca_file": wrong}).client_options("receive.security")
    assert caught.value.field == "receive.security.ca_file"


async def test_a_token_is_read_from_its_file_each_time(tmp_path: Path) -> None:
    token = tmp_path / "token"
    settings = {"protocol": "SASL_SSL", "sasl_mechanism": "OAUTHBEARER", "token_file": token}
    provider = SecurityConfig.model_validate(settings).client_options("receive.security")["sasl_oauth_token_provider"]
    for text in ("one", "two"):
        token.write_text(text, encoding="utf-8")
        assert await provider.token() == text


def test_a_file_is_named_by_the_section_that_it_is_set_in(tmp_path: Path) -> None:
    settings = {"protocol": "SASL_PLAINTEXT", "username": "u", "password_file": tmp_path / "missing"}
    with pytest.raises(UnreadableFileError, match=r"results\.security\.password_file: .*FileNotFoundError"):
        Brokers("a:1", SecurityConfig.model_validate(settings), "results").client_options()


@pytest.mark.parametrize(
    ("named", "other"),
    [
        ("a:1,b:2", False),
        ("b:2, A:1", False),
        ("b:2", False),
        ("a:1,c:3", True),
        ("a:2", True),
        ("a", True),
        ("c:3", True),
    ],
)
def test_servers_are_others_where_one_of_them_is(named: str, *, other: bool) -> None:
    known = Brokers("a:1,b:2", SecurityConfig(), "receive")
    assert Brokers(named, SecurityConfig(), "results").others(known) is other
