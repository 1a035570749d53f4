"""Chinese text: whether it is, its sentences, and the statements that a sentence joins. By marks and characters, without a dictionary."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidecar.evaluate.text.marked import Marked

_HAN = re.compile(r"[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE = re.compile(r"[^。！？!?；;\n]++(?:[。！？!?；;]++[”’」』）)]*+)?|[。！？!?；;]++")
_JOINT = re.compile(r"[，,]\s*+(?P<word>但是|但|而且|并且|并|同时还|同时|此外|另外|而|且|不过|然而)")
_SHARES = frozenset(("并且", "并", "且", "而且", "同时还"))
_HANGS = re.compile(
    r"如果|若|假如|要是|虽然|尽管|即使|除非|只有|只要|因为|由于|无论|不管|不仅|不但|既|当.{1,12}时|[“「『（(][^”」』）)]{0,200}$"
)
_SUBJECT = re.compile(
    r"^(?P<subject>[^，,：:；;]{1,14}?)(?=[是为于在将被由可需应会能已曾把从有没不]|发表|提出|出生|成立|支持|提供|包括|位于|采用|获得)"
)
_VERB = re.compile(r"[是为有在于可需应会能将被由没不无已曾]|发|提|包|支|采|获|成|出|达|设|建|开|收|退|保|使")
_MOST_SHARE = 0.2
_LEAST = 5


def language(text: str) -> str:
    """`zh` where a fifth of the letters are Chinese characters, else `en`."""
    if text.isascii():
        return "en"
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(_HAN.findall(text)) >= _MOST_SHARE * letters else "en"


def sentences(text: Marked) -> Iterator[Marked]:
    """Sentences; a semicolon ends one too."""
    for match in _SENTENCE.finditer(text.text):
        if (own := text.cut(match.start(), match.start() + len(match[0].rstrip("；;")))).text:
            yield own


def is_sentence(text: str) -> bool:
    """Whether a text has a verb, as far as its characters tell."""
    return len(text) > _LEAST and _VERB.search(text) is not None


def joints(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a sentence may be cut: (end of the first part, begin of the second, what must stand before the second)."""
    at = 0
    for match in _JOINT.finditer(text):
        first = text[at : match.start()]
        if _HANGS.search(first):
            return
        if len(first) < _LEAST or len(text) - match.end() < _LEAST:
            continue
        subject = _SUBJECT.match(first) if match["word"] in _SHARES else None
        if match["word"] in _SHARES and subject is None:
            continue
        yield match.start(), match.end(), subject["subject"] if subject else ""
        at = match.end()
