"""An answer as a list of checkable statements.

Markdown is unwrapped, list items and table rows stand alone with what introduces them as context, code, headings, citations,
greetings, questions, offers of help and remarks about the answer itself are not claims. Sentences are cut by sentencex.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sentencex

from sidecar.inference.base import Claim

_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s++(.*)$|^\s*+\*\*([^*]{1,80}?):?\*\*:?\s*+$")
_ITEM = re.compile(r"^\s*+(?:[-*•‣–+]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s++(.*)$")
_ROW = re.compile(r"^\s*+\|(.+)\|\s*+$")
_INTRODUCES = re.compile(r"[:：][ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^(?:\s*+[-*_=]{3,}+\s*+|[\s:|-]{3,}+)$")
_CITATION = re.compile(
    r"(?<!\s)\s*+(?:\[\^?\d++(?:\s*+[,;–-]\s*+\^?\d++)*+\]|【[^】]{0,40}】|[\[(](?:source|doc(?:ument)?|ref(?:erence)?|see|chunk|passage|context)s?\b[^\])]{0,60}[\])])"
    r"|(?<=[.!?])\s*[¹²³⁴⁵⁶⁷⁸⁹⁰]+",
    re.IGNORECASE,
)
_MARKUP = (
    (re.compile(r"!\[[^\[\]]{0,200}\]\([^)]{0,500}\)"), ""),
    (re.compile(r"\[([^\[\]]{1,300})\]\([^()]{0,500}\)"), r"\1"),
    (re.compile(r"(\*\*|__)(.{1,400}?)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?!\s)([^*]{1,400}?)\*(?![\w*])"), r"\1"),
    (re.compile(r"`([^`]{0,400})`"), r"\1"),
    (re.compile(r"</?(?:b|i|u|em|strong|code|span|a|sub|sup|mark|small)(?:\s[^<>]{0,80})?>", re.IGNORECASE), ""),
    (re.compile(r"</?[a-zA-Z][^<>]{0,80}>"), " "),
    (re.compile(r"^\s*>+\s?"), ""),
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_PRONOUN = re.compile(r"^(?:he|she|it|they|this|that|these|those|its|his|her|their|both|such)\b", re.IGNORECASE)
_NOT_A_CLAIM = re.compile(
    r"^(?:"
    r"(?:hi|hello|hey|dear|greetings|good (?:morning|afternoon|evening))\b[^.]{0,40}[!.,]?$"
    r"|(?:thanks|thank you|you're welcome|sure|certainly|of course|absolutely|great question|good question|great|okay|ok|no problem)\b[^.]{0,60}[!.,:]?$"
    r"|(?:i )?(?:hope|trust) (?:this|that|it) (?:helps|answers|clarifies)"
    r"|(?:please )?(?:let me know|feel free|don't hesitate|do not hesitate|reach out)\b"
    r"|if you (?:have|need|would like|want|require|are looking for)\b[^.]{0,80}(?:let me know|feel free|ask|please|i can|i'd be|happy to|reach out|contact me)"
    r"|(?:i(?:'m| am)|i(?:'d| would) be) (?:happy|glad) to\b"
    r"|(?:is there anything else|would you like|do you want|can i help)\b"
    r"|(?:here (?:is|are)|here's|below (?:is|are)|the following (?:is|are|table|list)|in (?:summary|short|conclusion))\b[^.]{0,80}:?$"
    r"|(?:based on|according to) the (?:provided |given |above |retrieved )?(?:context|documents?|passages?|information|sources?|text)s?(?: provided)?[,:]?$"
    r"|(?:sources?|references?|note|citations?|disclaimer)\s*:?$"
    r"|(?:best|kind|warm) regards\b.*|sincerely\b.*|cheers\b.*"
    r")",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:based on|according to) the (?:provided |given |above |retrieved )?(?:context|documents?|passages?|information|sources?|text)s?"
    r"(?: provided| above)?,\s*",
    re.IGNORECASE,
)
_BARE = re.compile(r"^(?:yes|no|yeah|nope|right|correct|true|false|indeed|exactly|sure)[.!,]?$", re.IGNORECASE)
MOST_CLAIMS = 200
_READ = 50_000
_MOST_SEGMENTED = 5000  # characters at once: sentencex takes time with the square of a run of marks
_MOST_UNITS = 10 * MOST_CLAIMS


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, list item or table row, with what introduces it."""

    text: str
    context: str
    alone: bool


def split_claims(answer: str) -> list[Claim]:
    """The claims of an answer, in order; at most MOST_CLAIMS, out of its first 50,000 characters. An answer of one short
    phrase is one claim."""
    said = (unit for unit in _units(answer[:_READ]) if _LETTER.search(unit.text) or any(c.isdigit() for c in unit.text))
    units = list(itertools.islice(said, _MOST_UNITS))
    claims: list[Claim] = []
    previous = ""
    for unit in units:
        text = _LEAD.sub("", unit.text) if len(unit.text.split()) > 6 else unit.text
        if _states_something(text, only=len(units) == 1):
            context = unit.context or (previous if _PRONOUN.match(text) else "")
            claims.append(Claim(text, context))
        previous = text
        if len(claims) == MOST_CLAIMS:
            break
    return claims


def _states_something(text: str, *, only: bool) -> bool:
    if text.endswith(("?", "？")) or _NOT_A_CLAIM.match(text):
        return False
    if only:
        return True
    return not _BARE.match(text) and (
        len(text.split()) >= 2 or bool(_HAN.search(text)) or any(c.isdigit() for c in text)
    )


def _units(answer: str) -> Iterator[_Unit]:
    lead = ""
    header: list[str] = []
    paragraph: list[str] = []
    lines = _INTRODUCES.sub(r"\g<0>\n", _FENCE.sub("\n", answer.replace("\r\n", "\n"))).split("\n")
    for line in [*lines, ""]:
        if not (paragraph or header or line.strip()):
            continue
        block = _RULE.match(line) or _HEADING.match(line) or _ITEM.match(line) or _ROW.match(line)
        if block or not line.strip():
            found = [_Unit(sentence, "", alone=False) for sentence in _sentences(" ".join(paragraph))]
            yield from (unit for unit in found if not unit.text.endswith((":", "：")))
            if found:
                lead = found[-1].text if found[-1].text.endswith((":", "：")) else ""
            paragraph = []
        if row := _ROW.match(line):
            cells = [_plain(cell) for cell in row.group(1).split("|")]
            if _RULE.match(line):
                continue
            if header:
                yield _Unit(_row(header, cells), "", alone=True)
            else:
                header = cells
            continue
        header = []
        if heading := _HEADING.match(line):
            lead = _plain(heading.group(1) or heading.group(2) or "")
        elif item := _ITEM.match(line):
            for sentence in _sentences(item.group(1)):
                yield _Unit(sentence, lead, alone=True)
        elif line.strip() and not block:
            paragraph.append(line)


def _row(header: Sequence[str], cells: Sequence[str]) -> str:
    pairs = [f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=False) if cell]
    return "; ".join(pairs)


def _sentences(text: str) -> list[str]:
    plain = _plain(text)
    if not plain:
        return []
    language = "zh" if _HAN.search(plain) else "en"
    found = (sentence for piece in _pieces(plain) for sentence in sentencex.segment(language, piece))
    return [one for sentence in found if (one := sentence.strip())]


def _pieces(text: str) -> Iterator[str]:
    """The text itself, or pieces that end after a sentence where there is one to end after."""
    start = 0
    while len(text) - start > _MOST_SEGMENTED:
        most = start + _MOST_SEGMENTED
        end = max(text.rfind(mark, start, most) for mark in (". ", "? ", "! ", "。")) + 1 or most
        yield text[start:end]
        start = end
    yield text[start:]


def _plain(text: str) -> str:
    """Text without citations and markup, white space folded."""
    text = _CITATION.sub("", text)
    for pattern, put in _MARKUP:
        text = pattern.sub(put, text)
    return " ".join(text.split())
