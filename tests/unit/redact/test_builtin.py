"""What the built-in patterns find, each kind in the ways that people write it, and what they leave alone."""

from __future__ import annotations

import typing

import pytest

from sidecar.redact.redactor import BUILTIN, Redactor
from sidecar.redact.settings import KINDS, Builtin, RedactConfig

KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234567890abcdef\nabcd1234abcd1234abcd==\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

# name of the pattern: what it must find, all of it.
CANARIES: dict[str, tuple[str, ...]] = {
    "email": ("john.doe+tag@mail.example.co.uk", "müller@firma.de", "O'Neil@example.com", "a_b@xn--80ak6aa92e.com",
              "jane%40example.com", "jane.doe&#64;example.com", "jane＠example.com", "jane@例え.jp"),
    "phone": (
        "+49 (0)30 1234567", "+49 30 1234567", "0049 30 1234567", "030 1234567", "(030) 1234567", "0171/1234567", "020 7946 0958",
        "01 23 45 67 89", "+1 (212) 555-0199", "(212) 555-0199", "212-555-0199", "212.555.0199", "1-212-555-0199", "13812345678",
        "138 1234 5678", "010-87182008", "+86-10-65961114", "+44 (0) 795 608 8750", "01712345678", "015112345678", "07911123456", "0612345678", "06.12.34.56.78",
    ),
    "card": ("4111 1111 1111 1111", "4111-1111-1111-1111", "5555555555554444", "3782 822463 10005", "6011\u00a01111\u00a01111\u00a01117",
             "4111  1111  1111  1111", "4111_1111_1111_1111"),
    "iban": ("DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "fr1420041010050500013M02606", "NL91-ABNA-0417-1643-00",
             "DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000", "DE89\u202f3704\u202f0044\u202f0532\u202f0130\u202f00"),
    "us_ssn": ("123-45-6789",),
    "de_tax_id": ("86095742719", "47 036 892 816"),
    "cn_resident_id": ("11010519491231002X", "440524188001010014"),
    "uk_nino": ("AB 12 34 56 C", "AB123456C"),
    "es_dni": ("12345678Z", "X1234567L"),
    "fr_nir": ("2 55 08 14 168 025 38", "255081416802538"),
    "it_codice_fiscale": ("RSSMRA85T10A562S",),
    "br_cpf": ("529.982.247-25",),
    "in_aadhaar": ("2341 2341 2346",),
    "ip": ("192.168.17.4", "2001:db8::8a2e:370:7334", "fe80::1", "2001:0db8:0000:0000:0000:8a2e:0370:7334", "::ffff:192.0.2.1"),
    "private_key": (KEY, KEY.replace("RSA ", "OPENSSH "), KEY.replace("\n", "\\n")),
    "aws_key": ("AKIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE"),
    "github_token": ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "github_pat_11ABCDEFG0abcdefghijkl_mnop"),
    "gitlab_token": ("glpat-abcdefghij1234567890",),
    "slack_token": ("xoxb-123456789012-abcdefghij", "hooks.slack.com/services/T00000000/B00000000/XXXXXXXX"),
    "api_key": ("sk-proj-abcdefghijklmnopqrst1234", "sk_live_abcdefghijklmnop1234", "AIza" + "a1B2c" * 7, "hf_" + "aB3" * 11,
                *(prefix + "aB3" * 15 for prefix in ("gsk_", "xai-", "pplx-", "pcsk_", "tvly-", "tvly-dev-", "r8_", "npm_", "lsv2_pt_", "nvapi-", "whsec_", "pypi-AgE")),
                "dapi" + "0a" * 16, "SG." + "aB3" * 7 + "." + "aB3" * 14, "dop_v1_" + "0a" * 32),
    "jwt": (JWT,),
}  # fmt: skip

# What is replaced within a text, by what told it.
SAID = {
    "password": (
        ("password=hunter2", "hunter2"), ("PASSWORD: hunter2!x", "hunter2!x"), ('"api_key": "abcd1234"', "abcd1234"),
        ("the password is pa55word.", "pa55word"), ("DB_PASSWORD='correct horse'", "correct"), ("密码：abc12345。", "abc12345"),
        ("client_secret=" + "x1" * 300, "x1" * 300), ("Passwort: Sommer2024", "Sommer2024"), ("Das Kennwort lautet Sommer2024.", "Sommer2024"),
        ("mot de passe : Ete2024", "Ete2024"), ("contraseña: Verano2024", "Verano2024"),
    ),
    "url_password": (("postgres://user:s3cr3t@host/db", "s3cr3t"), ("redis://:pass@host", "pass")),
    "api_key": (
        ("https://x.blob.core.windows.net/c?sv=2020&sig=abcdEFGH1234%2Bxyz%3D", "abcdEFGH1234%2Bxyz%3D"),
        ("https://s3.amazonaws.com/b?X-Amz-Signature=" + "0a" * 32, "0a" * 32),
    ),
    "email": (("Mail an 田中@example.com", "田中@example.com"), ("mailto:jane%40example.com?subject=x", "jane%40example.com")),
    "bearer": (("Authorization: Bearer abcdefgh12345678", "abcdefgh12345678"),),
    "us_ssn": (("his SSN is 123456789 they say", "123456789"), ("social security number: 123 45 6789", "123 45 6789")),
    "phone": (("Tel.: 87654321", "87654321"), ("call us at 555-0123", "555-0123"), ("电话：87654321", "87654321"), ("手机号码是87654321", "87654321"),
              ("Please ring David 07700900123 tomorrow", "07700900123"), ("He said 07700900123", "07700900123"), ("I already paid, Jean: 07700900123", "07700900123"),
              ("my counterpart 07700900123", "07700900123"), ("le départ 0612345678", "0612345678"), ("in 5 Sekunden 01712345678", "01712345678"),
              ("Mobil: 87654321", "87654321"), ("Handynummer 87654321", "87654321"), ("móvil: 87654321", "87654321")),
}  # fmt: skip

LEFT_ALONE = (
    "On 2024-01-15 at 12:30:45, 01/02/2024 10:30, 15.01.2024 and 2024/01/15 it rained 1,234,567.89 mm over 10.5 days.",
    "Version 1.2.3.4 follows v1.10.2-rc1, release 10.0.19041.1 and python 3.11.7; see section 4.1.2.3.",
    "Patch 1.4.0.1 and the 1.4.0.2 update, Driver Version: 15.40.10.64, Enzyme Commission number 3.1.4.2, EC 3.4.21.21, Article 1.3.3.1.",
    "3.2.4.2 Economic aspects\n3.2.4.3 Others",
    "Order 2024-000123, invoice 4500012345, ticket #123456, part AB-1234-56 and article 12-3456.",
    "ISBN 978-3-16-148410-0, RFC 3339, ISO 8601, port 9092, 16384 bytes, 1700000000 s, 1700000000000 ms.",
    "std::cout << dead::beef; a::b; key = value; token: the next one; the password is required; token=${TOKEN}.",
    "In 2010 2011 2012 there were 4111 1111 1111 1112 of them; he ran 100 200 300 m; call 5 at 7.",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 and 51ae-4ab2-be05-6346daad5437 are ids.",
    "550e8400-e29b-41d4-a716-446655440000 is one too; @mention, user@localhost and npm i left-pad@1.2.3 are no mail.",
    "127.0.0.1, 0.0.0.0, ::1 and 255.255.255.0 are everybody's.",
    "The secret is out, the key is here; a risk-free task-based desk-top sk-8 board; bearer of bad news.",
    "Order 0612345678, invoice no. 07911123456, Bestellnummer: 01712345678, item #0612345678, ISBN 0672310503 or plain 0716703440, bar code 016000275287.",
    "order_id=0612345678, user_id: 0612345678, userId=0612345678, bookingRef: 07911123456, Sammelbestellnummer 01712345678, Girokonto 01712345678.",
    "It costs 0.12.34 or 06.12.2024 at 10.11.12; 0123456789 and 0412345678 are ids, 75001 75002 and 98765 43210 postcodes, 01.02.03.04.05.06 sections.",
    "xai-grok, tvly-search, npm_config_registry, SG.1 and gsk_models are names; sig=short, react%4018.2.0 and medium.com/%40user no secrets.",
    "Das Passwort ist erforderlich; Kennwort: mindestens acht Zeichen; la contraseña es necesaria; 请看@example，谢谢。",
    "在2010年，token是一些信息单元；比分1-0或者2-1。编号202401150001。",
    "<phone-1> and <email-22> are pseudonyms; <step-3> is none of ours.",
)


def redact(text: str, **config: object) -> str:
    return Redactor(RedactConfig.model_validate(config)).session([text]).redact(text).text


def _all(values: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(name, value) for name, several in values.items() for value in several]


@pytest.mark.parametrize(("name", "value"), _all(CANARIES))
@pytest.mark.parametrize("around", ["{}", "It is {}.", "({})", "这是{}，对吗", "a, {}, b", '"{}"', "x: {}\n", "**{}**"])
def test_what_is_written_in_any_of_the_usual_ways_is_found_whole(name: str, value: str, around: str) -> None:
    kind = next(one.kind for one in BUILTIN if one.name == name)
    assert redact(around.format(value)) == around.format(f"<{kind}-1>")


@pytest.mark.parametrize(
    ("name", "text", "value"), [(name, text, value) for name, several in SAID.items() for text, value in several]
)
def test_what_the_words_before_it_tell_is_found(name: str, text: str, value: str) -> None:
    kind = next(one.kind for one in BUILTIN if one.name == name)
    assert redact(text) == text.replace(value, f"<{kind}-1>")


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(("name", "value"), _all(CANARIES))
def test_a_pattern_can_be_switched_off_by_its_name(name: str, value: str) -> None:
    others = [one.name for one in BUILTIN if one.name != name]
    assert value in redact(f"It is {value}.", off=[name, *others])


def test_the_settings_know_every_pattern_and_kind() -> None:
    assert set(typing.get_args(Builtin)) == {one.name for one in BUILTIN} == CANARIES.keys() | SAID.keys()
    assert {one.kind for one in BUILTIN} | {"term"} == KINDS


@pytest.mark.parametrize(
    "value", [value for name in ("card", "iban", "de_tax_id", "cn_resident_id") for value in CANARIES[name]]
)
def test_a_number_with_a_wrong_digit_is_no_such_number(value: str) -> None:
    place = next(place for place in range(len(value) - 1, 0, -1) if value[place].isdecimal())
    wrong = value[:place] + str((int(value[place]) + 1) % 10) + value[place + 1 :]
    assert redact(f"no. {wrong}", off=["phone"]) == f"no. {wrong}"


def test_a_key_that_is_cut_off_is_replaced_to_its_last_line() -> None:
    cut = KEY[: KEY.index("-----END")]
    assert redact(f"see {cut}and more") == "see <secret-1>\nand more"
    assert redact("-----BEGIN PRIVATE KEY----- is how a key begins") == "<secret-1> is how a key begins"
