"""A text as tokens with their places. Every alternative is bounded or possessive, so that it is linear in any text."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WIDE = {0xFF10 + n: str(n) for n in range(10)} | {
    ord("％"): "%", ord("．"): ".", ord("，"): ",", ord("：",): ":", ord("￥"): "¥", ord("＄"): "$", ord("／"): "/", ord("－"): "-",
    ord("−"): "-", ord("–"): "-", ord("—"): "-", ord("‑"): "-", ord("’"): "'", ord("〜"): "~", ord("～"): "~",
}  # fmt: skip
_CODES = "USD|EUR|GBP|JPY|CNY|RMB|INR|CHF|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HKD|SGD|KRW|BRL|MXN|ZAR|TRY|US"
_TOKEN = re.compile(
    r"(?=[\d+(])(?:"
    r"(?P<ymd>\d{4}([-/.])\d{1,2}\2\d{1,2}(?![\d/-]))"
    r"|(?P<dmy>\d{1,2}(?:/\d{1,2}/(?:\d{4}|\d{2})|\.\d{1,2}\.\d{4}|-\d{1,2}-\d{4})(?![\w/-]))"
    r"|(?P<clock>\d{1,2}:\d{2}(?::\d{2})?(?!\d|:\w))"
    r"|(?P<phone>\+\d{1,3}(?:[ -]?\(?\d{1,4}\)?){2,6}(?!\d)|\(\d{3}\) ?\d{3}-\d{4}(?!\d)|\d{3}-\d{3}-\d{4}(?!\d))"
    r"|(?P<version>\d{1,9}(?:\.\d{1,9}){2,9}(?![\d]))"
    r"|(?P<number>\d++(?:[,.]\d++|['\u00a0\u202f\u2009]\d{3}(?!\d))*+)"
    r")|(?=[A-Za-z])(?:"
    rf"(?P<code>(?:{_CODES})(?=[\d$]))"
    r"|(?P<quarter>(?:Q[1-4]|H[12]|FY)(?![A-Za-z]))"
    r"|(?P<name>(?:[A-Za-z]{0,12}[A-Z][A-Za-z]{0,12}-?|v)\d[\w.-]*+)"
    r")|(?P<han>[\u3007\u4e00-\u9fff])"
    r"|(?P<word>[^\W\d_\u4e00-\u9fff]++(?:'[a-z]{1,2}(?![a-z]))?)"
    r"|(?P<sign>[^\w\s])"
)


@dataclass(frozen=True, slots=True)
class Token:
    """text[start:end] of a kind, which is the name of the pattern's group. `low` is the text in lower case."""

    kind: str
    text: str
    low: str
    start: int
    end: int


END = Token("end", "", "", -1, -1)


def plain(text: str) -> str:
    """The text with full-width digits and signs, dashes and apostrophes as ASCII, of the same length."""
    return text.translate(_WIDE)


def tokenise(text: str) -> list[Token]:
    """The tokens of a text, in order."""
    found = []
    for match in _TOKEN.finditer(plain(text)):
        kind, own = match.lastgroup or "sign", match.group()
        if kind == "name":
            own = own.rstrip(".-")
        found.append(Token(kind, own, own.lower(), match.start(), match.start() + len(own)))
    return found
