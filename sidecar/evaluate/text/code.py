"""Code that an answer sets off by four blanks, as Markdown does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sidecar.evaluate.text.marked import Marked

_INDENT = 4
_ITEM = re.compile(r"^\s*+(?:[-*+•‣◦▪●]|\(?\d{1,3}[.)、]|\(?[a-zA-Z][.)])\s")
_SENTENCE = re.compile(r"^\s*+(?:[A-Z][a-z]*\s|[^\W\d_].{0,400}[.!?:]\s*+$)")
_LABELLED = re.compile(r"^\s*+[A-Z][\w ]{0,40}:\s")
_HAN = re.compile(r"[\u3400-\u9fff]")
_MARKS_OF_CODE = re.compile(r"[=;{}<>\\]|\w\(|^\s*+(?:#|//|\$ )")
_COMMAND = re.compile(r"^\s*+(?:[a-z][\w.-]{0,30}(?:\s|$)|.{0,200}(?:\s--?[a-z]|/\w|\w\.\w))")
_LEAST_WORDS = 3


def without_code(lines: Sequence[Marked]) -> list[Marked]:
    """Lines without those of code: indented behind an empty line, below no item of a list, and not read as prose."""
    if not any(line.text[:1].isspace() for line in lines):
        return list(lines)
    if all(not line.text.strip() or _indent(line.text) >= _INDENT for line in lines):
        return list(lines)
    code = set(_of_code([line.text for line in lines]))
    return [line for n, line in enumerate(lines) if n not in code]


def _of_code(lines: Sequence[str]) -> Iterator[int]:
    below = False
    block: list[int] = []
    for n, line in enumerate([*lines, "."]):
        if not line.strip():
            continue
        set_off = not below and _indent(line) >= _INDENT and (n == 0 or bool(block) or not lines[n - 1].strip())
        if set_off:
            block.append(n)
            continue
        if _is_code([lines[one] for one in block]):
            yield from block
        block = []
        below = bool(_ITEM.match(line)) or (below and line[:1].isspace())


def _is_code(lines: Sequence[str]) -> bool:
    """Whether some line has a mark of code, or a command, and fewer than half are prose."""
    marked = any(_MARKS_OF_CODE.search(line) or _COMMAND.match(line) for line in lines)
    return marked and sum(map(_is_prose, lines)) * 2 < len(lines)


def _is_prose(line: str) -> bool:
    """Whether a line is an item, a row, a label with what it names, Chinese, or a sentence."""
    if _MARKS_OF_CODE.search(line):
        return False
    told = _ITEM.match(line) or line.lstrip().startswith("|") or _LABELLED.match(line) or _HAN.search(line)
    return bool(told) or (len(line.split()) >= _LEAST_WORDS and bool(_SENTENCE.match(line)))


def _indent(line: str) -> int:
    blanks = line[: len(line) - len(line.lstrip(" \t"))]
    return len(blanks.expandtabs(_INDENT))
