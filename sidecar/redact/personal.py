"""The built-in patterns of personal data. A pattern proposes, check digits and context decide."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable

from sidecar.redact import checks
from sidecar.redact.checks import digits, letters_and_digits
from sidecar.redact.detect import Read, Shape

Span = tuple[int, int, str]

# Each begins with what it looks for and looks back over it: the engine then skips fast over everything else. A Chinese character or a
# letter of another script may stand beside a number; a Latin letter makes it a part of something else.
_W = "A-Za-z0-9_"
_LATIN = r"A-Za-z0-9\u00c0-\u024f\u0370-\u04ff"
_LOCAL = rf"{_LATIN}_.%+'-"
_EMAIL = re.compile(rf"[{_LOCAL}](?<![{_LOCAL}].)[{_LOCAL}]*+@[{_LATIN}-]++(?:\.[{_LATIN}-]++){{1,8}}+")
# As links write it; and letters of scripts that stand beside a word without a space, so that an address is told by where it begins or ends.
_EMAIL_CODED = re.compile(
    rf"[{_LATIN}_](?<![{_LATIN}_.+-].)[{_LATIN}_.+-]{{0,63}}+(?:%40|&#64;|\uff20)[{_LATIN}-]{{1,63}}+(?:\.[{_LATIN}-]{{1,63}}+){{1,8}}+"
)
_EAST = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_EMAIL_EAST = re.compile(
    rf"(?:[{_EAST}](?<!\w.)[{_EAST}]{{0,15}}+@[{_LATIN}-]{{1,63}}+(?:\.[{_LATIN}-]{{1,63}}+){{1,8}}+"
    rf"|[{_LOCAL}](?<![{_LOCAL}].)[{_LOCAL}]*+@[{_EAST}]{{1,24}}+\.[A-Za-z]{{2,24}})"
)
_TOP = re.compile(r"\.[A-Za-z\u00c0-\u04ff]{2,63}$|\.xn--[a-z0-9-]{2,59}$")
_SEP = r"[ \u00a0\u202f.\u2010-\u2013-]"
_CARD = re.compile(
    rf"\d(?<![{_W}.].)(?:\d{{12,18}}+|\d{{3}}({_SEP}|[ \u00a0\u202f]{{2}}|_)\d{{4}}\1\d{{4}}\1\d{{4}}(?:\1\d{{1,3}})?+|\d{{3}}({_SEP})\d{{6}}\2\d{{4,5}}+)(?![{_W}])"
)
_IBAN = re.compile(rf"[A-Za-z](?<![{_W}-].)[A-Za-z]\d{{2}}(?:[ \u00a0\u202f-]?[A-Za-z0-9]){{11,32}}")
_SSN = re.compile(rf"\d(?<![{_W}.-].)\d\d-\d\d-\d{{4}}(?![{_W}-])")
_SSN_SAID = re.compile(
    r"(?i)(?:ssn|social security (?:number|no\.?))[^\w\n]{0,3}(?:is )?(\d{3}[ -]?\d{2}[ -]?\d{4})(?!\d)"
)
_ELEVEN = re.compile(rf"\d(?<![{_W}.,-].)(?:\d{{10}}|\d \d{{3}} \d{{3}} \d{{3}})(?![{_W}-]|[.,]\d)")
_CN_ID = re.compile(rf"\d(?<![{_W}.].)\d{{16}}[\dXx](?![{_W}])")
_NINO = re.compile(rf"[A-CEGHJ-PR-TW-Z](?<![{_W}].)[A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D](?![{_W}])")
_DNI = re.compile(rf"[\dXYZ](?<![{_W}.].)\d{{7}}[ -]?[A-HJ-NP-TV-Z](?![{_W}])")
_NIR = re.compile(rf"[12](?<![{_W}.].) ?\d\d ?\d\d ?(?:\d\d|2[AB]) ?\d{{3}} ?\d{{3}} ?\d\d(?![{_W}])")
_CODICE = re.compile(rf"[A-Z](?<![{_W}].)[A-Z]{{5}}\d\d[A-EHLMPRST]\d\d[A-Z]\d{{3}}[A-Z](?![{_W}])")
_CPF = re.compile(rf"\d(?<![{_W}.].)\d\d\.\d{{3}}\.\d{{3}}-\d\d(?![{_W}])")
_AADHAAR = re.compile(rf"[2-9](?<![{_W}.,-].)\d{{3}}([ -])\d{{4}}\1\d{{4}}(?![{_W}]|[ .,]\d|-[{_W}])")
_IPV4 = re.compile(rf"\d(?<![{_W}.-].)\d{{0,2}}\.\d{{1,3}}\.\d{{1,3}}\.\d{{1,3}}(?![{_W}]|[.-]\d)")
_IPV6 = re.compile(rf"[0-9A-Fa-f:](?<![{_W}:.].)[0-9A-Fa-f:]{{1,38}}+(?:\.\d{{1,3}}){{0,3}}+(?![{_W}:])")
# Four numbers with points are a version, an article or an enzyme too: the words beside them tell.
_VERSION = re.compile(
    r"(?i)(?:\bv|\bver\.?|versions?|release|build|firmware|driver|patch|update|section|chapter|clause|article|§|版本|\bEC|\bEC\)? number|commission number)"
    r"(?: of| is)?[ :=]{0,2}$"
)
_VERSION_AFTER = re.compile(r"(?i) (?:update|patch|release|version|build)\b")
_SECTION = re.compile(r"(?:\d\.){3}\d")

_ABROAD = re.compile(rf"\+(?<![{_W}+].)[ (]?[1-9]\d{{0,2}}\)?(?:[ \u00a0\u202f./()-]{{0,3}}\d){{6,14}}(?![{_W}])")
_ABROAD_00 = re.compile(rf"0(?<![{_W}.,+-].)0[1-9]\d{{0,2}}[ /-](?:[ ./()-]{{0,3}}\d){{6,12}}(?![{_W}])")
_AMERICAN = re.compile(
    rf"[(1-9](?<![{_W}.,+-].)(?:(?<=\()[2-9]\d\d\)[ -]?|(?<=1)[ .-]\(?[2-9]\d\d\)?[ .-]|(?<=[2-9])\d\d[ .-])"
    rf"[2-9]\d\d[ .-]\d{{4}}(?![{_W}-]|\.\d)"
)
_CHINESE = re.compile(rf"1(?<![{_W}.,+-].)[3-9]\d(?:\d{{8}}|([ -])\d{{4}}\1\d{{4}})(?![{_W}]|[.,-]\d)")
_NATIONAL = re.compile(
    rf"[(0](?<![{_W}.,/+-].)(?:(?<=0)|(?<=\()0)[1-9]\d{{0,4}}\)?(?:[ /-]\d{{2,8}}){{1,5}}(?![{_W}]|[.,/-]\d)"
)
_FRENCH = re.compile(rf"0(?<![{_W}.,/+-].)[1-9](?:\.\d\d){{4}}(?![{_W}]|[.,/-]\d)")
# German, British and French mobiles without a space. Numbers of orders and goods look alike: the words before them and their check digits tell.
_MOBILE = re.compile(rf"0(?<![{_W}.,/+#-].)(?:1(?:5\d|6[023]|7\d)\d{{7,8}}|7\d{{9}}|[67]\d{{8}})(?![{_W}]|[.,/-]\d)")
_OF_GOODS = re.compile(
    rf"(?i)(?:(?:(?<![{_LATIN}])|(?-i:(?<=[a-z])(?=[A-Z])))"
    r"(?:order|invoice|ticket|item|article|product|part|sku|ean|gtin|upc|isbn(?:-10)?|barcode|account|customer|contract|case|batch|ref(?:erence)?|serial|id|"
    r"kunden|commande|facture|compte)|bestell|auftrags|rechnungs|artikel|konto|vertrags|serien|订单|编号)"
    r"[ _-]?(?:number|num|no\.?|nr\.?|nummer|id|code|号)?(?: is| ist| est|是|为)?[ :#.=(]{0,3}$"
)
_PHONE_SAID = re.compile(
    r"(?i)(?:\b(?:tel|telephone|phone|mobile|cell|fax|whatsapp|telefon|telefono|teléfono|tél|téléphone|mobil|móvil|(?:ruf|handy|mobil|telefon)(?:nummer|nr)|handy|(?:call|text|reach)"
    r"(?: (?:us|me|him|her|them))? (?:at|on))\b|电话|手机|座机|热线|号码)"
    r"(?: ?(?:number|no\.?|nr\.?|is|号|号码|是|为)){0,3}[ .:#：为是]{0,3}(\+?\(?\d(?:[ \u00a0./()-]{0,2}\d){5,14})(?![A-Za-z0-9_])"
)
_SAYING = (
    "tel", "phone", "mobile", "cell", "fax", "whatsapp", "tél", "mobil", "móvil", "rufn", "handy", "call", "text", "reach", "电话", "手机", "座机", "热线",
    "号码",
)  # fmt: skip
_DATE = re.compile(r"(?<!\d)(?:\d{1,2}[ ./-]\d{1,2}[ ./-](?:19|20)\d\d|(?:19|20)\d\d[ ./-]\d{1,2}[ ./-]\d{1,2})(?!\d)")


def _email(match: re.Match[str]) -> Span | None:
    start, end, text = match.start(), match.end(), match.group()
    at = next(place for sign in ("@", "%40", "&#64;", "\uff20") if (place := text.find(sign)) >= 0)
    while text and not _TOP.search(text):
        cut = text.rfind(".")
        if cut < at:
            return None
        text = text[:cut]
        end = start + cut
    kept = text.lstrip(".'%+-")
    return (end - len(kept), end, kept.casefold()) if kept and kept[0] != "@" else None


def _email_coded(match: re.Match[str]) -> Span | None:
    """The same value as the address that it stands for."""
    found = _email(match)
    return found and (found[0], found[1], found[2].replace("%40", "@").replace("&#64;", "@").replace("\uff20", "@"))


def _mobile(match: re.Match[str]) -> Span | None:
    """A number that no word calls one of goods, nor its check digit, of an ISBN (ten digits) or a bar code (twelve)."""
    value, start = match.group(), match.start()
    known = (len(value) == 10 and checks.isbn(value)) or (len(value) == 12 and checks.bar_code(value))
    if known or _OF_GOODS.search(match.string[max(0, start - 40) : start]):
        return None
    return start, match.end(), value


def _checked(check: Callable[[str], bool], normal: Callable[[str], str] = digits, *, group: int = 0) -> Read:
    """Read that takes what passes a check."""

    def read(match: re.Match[str]) -> Span | None:
        value = normal(match.group(group))
        return (match.start(group), match.end(group), value) if check(value) else None

    return read


def _iban(match: re.Match[str]) -> Span | None:
    """What follows may be another word: the country says how long it is."""
    text = match.group()
    length = checks.iban_length(text[:2].upper())
    taken = 0
    for place, one in enumerate(text, 1):
        taken += one.isalnum()
        if taken == length:
            value = letters_and_digits(text[:place])
            after = match.string[match.start() + place : match.start() + place + 1]
            return (match.start(), match.start() + place, value) if checks.iban(value) and not _goes_on(after) else None
    return None


def _goes_on(one: str) -> bool:
    return one.isascii() and one.isalnum()


def _ssn(number: str) -> bool:
    """What the Social Security Administration gives out."""
    return number[:3] not in ("000", "666") and number[0] != "9" and number[3:5] != "00" and number[5:] != "0000"


def _nino(text: str) -> bool:
    """Prefixes that are never given out are no number."""
    return text[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


def _ip(match: re.Match[str]) -> Span | None:
    """An address; not one that stands for the host itself, nor a version or a section that looks like one."""
    text = match.group()
    if text.endswith(":") and not text.endswith("::"):
        text = text[:-1]
    first = text.partition("::")[0]
    if text.endswith("::") or text.startswith("255."):
        return None
    if (
        "::" in text
        and not text.lower().startswith("::ffff:")
        and not (len(first.partition(":")[0]) >= 3 and any(one.isdigit() for one in text))
    ):
        return None  # A name within a name, as C++ has it.
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if address.is_loopback or address.is_unspecified or (address.version == 4 and _is_version(match)):
        return None
    return match.start(), match.start() + len(text), str(address)


def _is_version(match: re.Match[str]) -> bool:
    whole, start = match.string, match.start()
    heading = whole[start - 1 : start] in ("", "\n") and whole[match.end() : match.end() + 1] == " "
    return (
        _VERSION.search(whole[max(0, start - 30) : start]) is not None
        or _VERSION_AFTER.match(whole, match.end()) is not None
        or (heading and _SECTION.fullmatch(match.group()) is not None)
    )


def _phone(least: int, most: int, *, group: int = 0) -> Read:
    """Read that takes a number of so many digits that holds no date."""

    def read(match: re.Match[str]) -> Span | None:
        text = match.group(group)
        start, end, value = match.start(group), match.end(group), digits(text.replace("(0)", ""))
        if not least <= len(value) <= most or _DATE.search(text) or text.count(".") == 1 == len(text) - len(value):
            return None
        value = value.removeprefix("00") if value.startswith("00") else value
        abroad = text[0] == "+" or text.startswith("00")
        return start + (text[0] == "(" and ")" not in text), end, "+" + value if abroad else value

    return read


PERSONAL: tuple[Shape, ...] = (
    Shape("email", "email", _EMAIL, _email, ("@",), in_ids=True),
    Shape("email", "email", _EMAIL_CODED, _email_coded, ("%40", "&#64;", "\uff20"), in_ids=True),
    Shape("email", "email", _EMAIL_EAST, _email, ("@",), in_ids=True),
    Shape("iban", "iban", _IBAN, _iban),
    Shape("card", "card", _CARD, _checked(checks.card)),
    Shape("us_ssn", "id", _SSN, _checked(_ssn), ("-",)),
    Shape("us_ssn", "id", _SSN_SAID, _checked(_ssn, group=1), ("ssn", "social security"), folded=True, loose=True),
    Shape("de_tax_id", "id", _ELEVEN, _checked(checks.german_tax_id)),
    Shape("cn_resident_id", "id", _CN_ID, _checked(checks.chinese_id, letters_and_digits)),
    Shape("uk_nino", "id", _NINO, _checked(_nino, letters_and_digits)),
    Shape("es_dni", "id", _DNI, _checked(checks.spanish_id, letters_and_digits)),
    Shape("fr_nir", "id", _NIR, _checked(checks.french_id, lambda text: text.replace(" ", "").replace("2A", "19").replace("2B", "18"))),
    Shape("it_codice_fiscale", "id", _CODICE, _checked(checks.italian_code, letters_and_digits)),
    Shape("br_cpf", "id", _CPF, _checked(checks.brazilian_id), ("-",)),
    Shape("in_aadhaar", "id", _AADHAAR, _checked(checks.aadhaar)),
    Shape("ip", "ip", _IPV4, _ip, (".",)),
    Shape("ip", "ip", _IPV6, _ip, (":",)),
    Shape("phone", "phone", _ABROAD, _phone(8, 15), ("+",)),
    Shape("phone", "phone", _ABROAD_00, _phone(10, 17), ("00",)),
    Shape("phone", "phone", _AMERICAN, _phone(10, 11)),
    Shape("phone", "phone", _CHINESE, _phone(11, 11)),
    Shape("phone", "phone", _NATIONAL, _phone(9, 12), ("0",)),
    Shape("phone", "phone", _FRENCH, _phone(10, 10), ("0",)),
    Shape("phone", "phone", _MOBILE, _mobile, ("0",)),
    Shape("phone", "phone", _PHONE_SAID, _phone(6, 15, group=1), _SAYING, folded=True, loose=True),
)  # fmt: skip
