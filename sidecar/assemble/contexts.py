"""Which documents a request had: the candidate whose texts reached the prompt, or texts read out of the prompt itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sidecar.record.trace import Document

_SPACE = re.compile(r"\s+")
_NUMBERED = re.compile(r"^\s*\[(\d{1,3})\]\s*", re.MULTILINE)
_TAGGED = re.compile(r"<(document|doc|passage|context)\b[^>]{0,200}>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_DASHES = re.compile(r"-{10,}\s*\n(.*?)\n\s*-{10,}", re.DOTALL)
_SECTION = re.compile(
    r"(?:^|\n)\s*(?:context|contexts|context information|documents|passages|sources)[^\n:]{0,40}:\s*\n?(.*?)"
    r"(?=\n\s*(?:question|query|user question|answer|instructions?)\s*:|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_METADATA_LINE = re.compile(r"^(?:[\w .-]{1,40}: [^\n]{1,300}\n)+\n+")
_MOST_READ = 400_000


def choose_documents(
    candidates: Sequence[tuple[str, tuple[Document, ...]]], prompt: str | None
) -> tuple[tuple[Document, ...], str, bool]:
    """(documents, source, filtered): the candidate with most documents in the prompt, the first of equals; where some but
    not all of them are in the prompt, those alone (a hidden reranker, or truncation)."""
    if not candidates:
        return (), "none", False
    folded = _fold(prompt) if prompt else ""
    best_source, best, found = candidates[0][0], candidates[0][1], _in_prompt(candidates[0][1], folded)
    for source, documents in candidates[1:]:
        mine = _in_prompt(documents, folded)
        if len(mine) > len(found) or (not folded and not best):
            best_source, best, found = source, documents, mine
    if found and len(found) < len(best):
        return tuple(found), best_source, True
    return best, best_source, False


def documents_of_prompt(variable: str | None, prompt: str | None) -> list[str]:
    """Texts of the documents that a prompt holds, by the known ways of writing them; [] where none fits."""
    if variable:
        return _split(variable)
    if not prompt:
        return []
    text = prompt[:_MOST_READ]
    tagged = [match.group(2).strip() for match in _TAGGED.finditer(text)]
    if tagged:
        return [one for one in tagged if one]
    dashed = _DASHES.search(text)
    if dashed:
        return _split(dashed.group(1))
    section = _SECTION.search(text)
    if section and section.group(1).strip():
        return _split(section.group(1))
    return _numbered(text)


def _split(text: str) -> list[str]:
    """A block of contexts into texts: numbered passages, else paragraphs."""
    numbered = _numbered(text)
    if numbered:
        return numbered
    parts = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    return [part for part in (_without_metadata(parts)) if part]


def _numbered(text: str) -> list[str]:
    """Passages that begin with [1], [2], ... in order."""
    marks = list(_NUMBERED.finditer(text))
    if not marks or [int(m.group(1)) for m in marks] != list(range(1, len(marks) + 1)):
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    found = [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
    last = re.split(r"\n\s*\n\s*(?=(?:question|query|answer)\s*:)", found[-1], maxsplit=1, flags=re.IGNORECASE)[0]
    return [*found[:-1], last.strip()]


def _without_metadata(parts: Sequence[str]) -> list[str]:
    """LlamaIndex writes a paragraph of `key: value` lines before each text: drop these where every second one is so."""
    lines = [
        all(re.match(r"[\w .-]{1,40}: \S", line) for line in part.splitlines()) and len(part) < 400 for part in parts
    ]
    if len(parts) >= 2 and len(parts) % 2 == 0 and all(lines[::2]) and not any(lines[1::2]):
        return list(parts[1::2])
    return list(parts)


def _in_prompt(documents: Sequence[Document], folded: str) -> list[Document]:
    return [document for document in documents if document.text and folded and _fold(document.text) in folded]


def _fold(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
