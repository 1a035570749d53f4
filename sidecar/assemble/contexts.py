"""Which documents a request had: the candidate whose texts reached the prompt, or texts read out of the prompt itself.

Prompts are anybody's: every pattern here starts at a line or a literal and never looks twice at the same run of characters.
"""

from __future__ import annotations

import contextlib
import html
import itertools
import re
from collections.abc import Sequence

from sidecar.record.request import Document

_CODE = re.compile(r"u([0-9a-fA-F]{4})")
_ESCAPE = re.compile(r"(?<!\\)\\++(?:(u[0-9a-fA-F]{4}(?:\\++u[0-9a-fA-F]{4})*+)|x([0-9a-fA-F]{2})|[nrtfv])")
_NUMBERED = re.compile(r"^[^\S\n]*+\[(\d{1,3})\]\s*+", re.MULTILINE)
_TAG = re.compile(r"<(?:(document|doc|passage|context)\b[^>]{0,200}|/(document|doc|passage|context))>", re.IGNORECASE)
_DASHES = re.compile(r"-{10,}+")
_SECTION = re.compile(r"^[^\S\n]*+(?:context|documents|passages|sources)[^\n:]{0,40}:", re.MULTILINE | re.IGNORECASE)
_AFTER_SECTION = re.compile(
    r"^[^\S\n]*+(?:question|query|user question|answer|instructions?)\s*+:", re.MULTILINE | re.IGNORECASE
)
_PARAGRAPH = re.compile(r"\n(?:[^\S\n]*+\n)++")
_KEY_VALUE = re.compile(r"^[\w .-]{1,40}: \S")
_INSTRUCTION = re.compile(
    r"^[^\S\n]*+(?:please\s++)?(?:(?:answer|respond|reply)\b|(?:use|using|given|based on|according to|if|do not|don't|cite)\b[^\n]{0,200}"
    r"\b(?:question|query|contexts?|passages?|documents?|sources?|answer|above|know)\b)",
    re.MULTILINE | re.IGNORECASE,
)
_LABEL = re.compile(r"^\s*+(?:[\w ]{1,20}+:)?\s*+", re.MULTILINE)
_MOST_INSTRUCTIONS = 20
_MOST_READ = 400_000
_MOST_COMPARED = 100_000_000


def choose_documents(
    candidates: Sequence[tuple[str, tuple[Document, ...]]], prompt: str | None
) -> tuple[tuple[Document, ...], str, bool]:
    """(documents, source, filtered): the candidate with most documents in the prompt, the first of equals; where some but
    not all of them are in the prompt, those alone (a hidden reranker, or truncation). Thousands of documents are not looked
    up in a prompt of megabytes: the first candidate stands."""
    if not candidates:
        return (), "none", False
    folded = _fold(prompt) if prompt else ""
    if len(folded) * sum(len(documents) for _, documents in candidates) > _MOST_COMPARED:
        folded = ""
    best_source, best, found = candidates[0][0], candidates[0][1], _in_prompt(candidates[0][1], folded)
    for source, documents in candidates[1:]:
        mine = _in_prompt(documents, folded)
        if len(mine) > len(found) or (not folded and not best):
            best_source, best, found = source, documents, mine
    if found and len(found) < len(best):
        return tuple(found), best_source, True
    return best, best_source, False


def documents_of_prompt(variable: str | None, prompt: str | None, question: str | None = None) -> list[str]:
    """Texts of the documents that a prompt holds, by the known ways of writing them; [] where none fits. The question, where it
    is known, and instructions that follow the last document are none."""
    if variable:
        return _split(variable[:_MOST_READ])
    if not prompt:
        return []
    text = _before_question(prompt, question)[:_MOST_READ]
    tagged = _tagged(text)
    if tagged:
        return [one for one in tagged if one]
    block = _between_dashes(text)
    if block is None:
        block = _section(text) or None
    return _numbered(text) if block is None else _split(block)


def _before_question(prompt: str, question: str | None) -> str:
    """A prompt without the question, its label and the instructions at its end."""
    text, asked = prompt.rstrip(), (question or "").strip()
    for _ in range(_MOST_INSTRUCTIONS):
        start = text.rfind("\n") + 1
        place = len(text) - len(asked) if asked and text.endswith(asked) else None
        if place is not None and _LABEL.fullmatch(text, line := text.rfind("\n", 0, place) + 1, place):
            start = line
        elif not (_AFTER_SECTION.match(text, start) or _INSTRUCTION.match(text, start)):
            break
        if start == 0:
            return prompt  # There is nothing else.
        text = text[:start].rstrip()
    return text


def _tagged(text: str) -> list[str]:
    """What stands between each opening tag and the nearest end tag of its name."""
    nearest: dict[str, re.Match[str]] = {}
    pairs: list[tuple[re.Match[str], re.Match[str]]] = []
    for tag in reversed(list(_TAG.finditer(text))):
        opened, closed = tag.groups()
        if closed:
            nearest[closed.lower()] = tag
        elif opened.lower() in nearest:
            pairs.append((tag, nearest[opened.lower()]))
    found, reached = [], 0
    for opening, closing in reversed(pairs):
        if opening.start() >= reached:
            found.append(text[opening.end() : closing.start()].strip())
            reached = closing.end()
    return found


def _between_dashes(text: str) -> str | None:
    """What stands between a line that ends with dashes and the next one that begins with them."""
    start: int | None = None
    for before, after in itertools.pairwise(_DASHES.finditer(text)):
        gap = text[before.end() : after.start()]
        if start is None and "\n" in gap[: len(gap) - len(gap.lstrip())]:
            start = before.end()
        if start is None or "\n" not in gap[len(gap.rstrip()) :]:
            continue
        if start < before.end() or gap.strip() or gap.count("\n") > 1:
            return text[start : after.start()]
    return None


def _section(text: str) -> str:
    """What stands under the first heading `Context:` and the like, up to a heading such as `Question:`."""
    heading = _SECTION.search(text)
    if heading is None:
        return ""
    after = _AFTER_SECTION.search(text, heading.end())
    return text[heading.end() : after.start() if after else len(text)].strip()


def _split(text: str) -> list[str]:
    """A block of contexts into texts: numbered passages, else paragraphs."""
    numbered = _numbered(text)
    if numbered:
        return numbered
    parts = [stripped for part in _PARAGRAPH.split(text) if (stripped := part.strip())]
    return [part for part in (_without_metadata(parts)) if part]


def _numbered(text: str) -> list[str]:
    """Passages that begin with [1], [2], ... in order."""
    marks = list(_NUMBERED.finditer(text))
    if not marks or [int(m.group(1)) for m in marks] != list(range(1, len(marks) + 1)):
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    found = [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
    paragraphs = _PARAGRAPH.split(found[-1])
    last = next((n for n, part in enumerate(paragraphs) if n and _AFTER_SECTION.match(part)), len(paragraphs))
    return [*found[:-1], "\n\n".join(paragraphs[:last]).strip()]


def _without_metadata(parts: Sequence[str]) -> list[str]:
    """LlamaIndex writes a paragraph of `key: value` lines before each text: drop these where every second one is so."""
    lines = [len(part) < 400 and all(map(_KEY_VALUE.match, part.splitlines())) for part in parts]
    if len(parts) >= 2 and len(parts) % 2 == 0 and all(lines[::2]) and not any(lines[1::2]):
        return list(parts[1::2])
    return list(parts)


def _in_prompt(documents: Sequence[Document], folded: str) -> list[Document]:
    return [document for document in documents if document.text and folded and _fold(document.text) in folded]


def folded_texts(documents: Sequence[Document]) -> list[str]:
    """The texts of documents as they are looked for in prompts."""
    return [_fold(document.text) for document in documents if document.text]


def holds_any(prompt: str | None, folded: Sequence[str]) -> bool:
    """Whether one of some texts, folded already, is in a prompt."""
    within = _fold(prompt) if prompt else ""
    return bool(within) and len(within) * len(folded) <= _MOST_COMPARED and any(text in within for text in folded)


def _fold(text: str) -> str:
    """A text as it is compared: with the marks that JSON, Python or HTML put around it taken away, be it that they did twice, and white space folded. What
    an author wrote with a backslash loses it too, on both sides alike."""
    if "\\" in text:
        text = _ESCAPE.sub(_unescaped, text).replace("\\", "")
    if "&" in text:
        with contextlib.suppress(ValueError):  # A number of thousands of digits stands for no character.
            text = html.unescape(text)
    return " ".join(text.split())


def _unescaped(escape: re.Match[str]) -> str:
    """What an escape stands for, at any depth; two halves of a character come together."""
    codes, code = escape.groups()
    if codes:
        return bytes.fromhex("".join(_CODE.findall(codes))).decode("utf-16-be", "replace")
    return chr(int(code, 16)) if code else " "
