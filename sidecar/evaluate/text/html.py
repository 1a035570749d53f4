"""HTML in an answer written as the Markdown that says the same, in a text of the same length, so that places stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidecar.evaluate.text.tables import is_rule

_BREAKS = r"<(?:br|/?p|/li|/?div|/?[uo]l|/?tr|/?h[1-6])(?:\s[^<>]{0,80})?/?>"
_BREAK = re.compile(_BREAKS, re.IGNORECASE)
_ITEM = re.compile(r"<li(?:\s[^<>]{0,80})?>", re.IGNORECASE)
_IN_CELL = re.compile(
    rf"(?<![ \t])[ \t]*+(?:(?:{_BREAKS}|<li(?:\s[^<>]{{0,80}})?>)[ \t]*+)++(?P<point>[•‣◦▪●*–-][ \t]++)?+",
    re.IGNORECASE,
)
_BARS = re.compile(r"^[\s>]*+(?:(?:[-*+•]|\d{1,3}[.)])\s++)?+\|")
_RULE_IN_ROW = re.compile(r"\|[ \t]*+:?-{2,}+:?[ \t]*+\|")
_TABLE = re.compile(r"<table\b[^<>]{0,200}>(?P<inside>(?:[^<]|<(?!/?table\b))*+)(?:</table>)?+", re.IGNORECASE)
_TABLE_ROW = re.compile(
    r"<tr\b[^<>]{0,200}>(?P<cells>(?:[^<]|<(?!/?(?:tr|thead|tbody|tfoot)\b))*+)(?:</tr>)?+", re.IGNORECASE
)
_CAPTION = re.compile(r"<caption\b[^<>]{0,200}>|</caption>", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b[^<>]{0,200}>|</t[dh]>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]{0,200}>", re.IGNORECASE)
_CODE = re.compile(r"<code\b[^<>]{0,80}>(?P<inside>(?:[^<]|<(?!/?code\b))*+)</code>", re.IGNORECASE)
_MARKS_OF_CODE = re.compile(r"[\s=;{}()]")
_NEAR = 80  # characters
_ENDS_SENTENCE = (".", "!", "?", "。", "！", "？")
_SHORT_FORMS = ("e.g.", "i.e.")
_GOES_ON_BEHIND = (",", ";", ":", ".", "!", "?", "，", "；", "：", "。", "|")


def as_markdown(text: str) -> str:
    """Breaks and items as lines, but those within a cell of a table; tables as rows with bars; nothing of code that is a sentence by itself."""
    if "<" not in text:
        return text
    text = _CODE.sub(lambda code: " " * len(code[0]) if _stands_alone(code) else code[0], text)
    text = _TABLE.sub(_table, text)
    return "\n".join(_lines(text.split("\n")))


def _stands_alone(code: re.Match[str]) -> bool:
    """Whether <code> is no word of a sentence, and is more than a name."""
    before = code.string[max(0, code.start() - _NEAR) : code.start()]
    behind = code.string[code.end() : code.end() + _NEAR].removeprefix(".")
    return bool(_MARKS_OF_CODE.search(code["inside"])) and _ends_sentence(before) and _begins_sentence(behind)


def _ends_sentence(before: str) -> bool:
    said = before.rstrip()
    lines = before.count("\n", len(said))
    ends = said.endswith(_ENDS_SENTENCE) and not said.endswith(_SHORT_FORMS)
    introduces = lines > 0 and said.endswith((":", "："))
    return not said or lines > 1 or ends or introduces or _BREAK.fullmatch(said, said.rfind("<")) is not None


def _begins_sentence(behind: str) -> bool:
    said = behind.lstrip()
    lines = behind.count("\n", 0, len(behind) - len(said))
    begins = said != behind and (said[:1].isupper() or (lines > 0 and not said[:1].islower()))
    return not said or lines > 1 or begins or _BREAK.match(said) is not None


def _lines(lines: list[str]) -> Iterator[str]:
    in_table = False
    for n, line in enumerate(lines):
        after = lines[n + 1] if n + 1 < len(lines) else ""
        in_table = bool(_BARS.match(line)) or ("|" in line and (in_table or ("|" in after and is_rule(after))))
        if "<" not in line:
            yield line
        elif in_table and not _RULE_IN_ROW.search(line):
            yield _IN_CELL.sub(_within_cell, line)
        else:
            line = _ITEM.sub(lambda tag: "\n" + "- ".rjust(len(tag[0]) - 1), line)
            yield _BREAK.sub(lambda tag: "\n".rjust(len(tag[0])), line)


def _within_cell(found: re.Match[str]) -> str:
    """A break in a cell: a semicolon before something new, a blank where the text goes on or at an end of the cell."""
    before, behind = found.string[: found.start()].rstrip(), found.string[found.end() :].lstrip(" \t*_(`")
    goes_on = not before or before.endswith(_GOES_ON_BEHIND) or behind[:1].islower() or behind[:1].strip() in ("", "|")
    return (" " if goes_on and not (found["point"] and before) else ";").ljust(len(found[0]))


def _table(found: re.Match[str]) -> str:
    """A table of HTML. One whose rows begin with names has no header, which an empty one says."""
    inside = found["inside"]
    first = _TABLE_ROW.search(inside)
    cells = first["cells"].lower() if first else ""
    header = "\n| | |" if 0 <= cells.find("<th") < cells.rfind("<td") else "\n"
    said: list[str] = [header.ljust(found.start("inside") - found.start())]
    at = 0
    for row in _TABLE_ROW.finditer(inside):
        said += [_between_rows(inside[at : row.start()]), _table_row(row)]
        at = row.end()
    end = "\n\n---\n\n".rjust(found.end() - found.end("inside")) if found.end() > found.end("inside") else ""
    return "".join([*said, _between_rows(inside[at:]), end])


def _between_rows(text: str) -> str:
    """A caption as a heading, nothing of other tags."""
    text = _CAPTION.sub(lambda tag: ("\n" if tag[0][1] == "/" else "\n# ").rjust(len(tag[0])), text)
    return _TAG.sub(lambda tag: " " * len(tag[0]), text)


def _table_row(row: re.Match[str]) -> str:
    cells = row["cells"].replace("\n", " ").replace("\r", " ").replace("|", "/")
    cells = _CELL.sub(lambda tag: " " * len(tag[0]) if tag[0][1] == "/" else "|".rjust(len(tag[0])), cells)
    begin = "\n".rjust(row.start("cells") - row.start())
    end = "|\n".rjust(row.end() - row.end("cells")) if row.end() > row.end("cells") else ""
    return f"{begin}{_IN_CELL.sub(_within_cell, cells)}{end}"
