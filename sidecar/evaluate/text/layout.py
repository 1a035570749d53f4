"""An answer as blocks: paragraphs, list items, table cells, JSON values, each with what introduces it.

Code stands in no block. A fence that says that it holds text or JSON, or holds what can be read as JSON, is read as that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sidecar.evaluate.text.code import without_code
from sidecar.evaluate.text.enumerated import lines_of
from sidecar.evaluate.text.html import as_markdown
from sidecar.evaluate.text.marked import Marked, joined
from sidecar.evaluate.text.structured import Said, find_json, label_of, read_json
from sidecar.evaluate.text.tables import Table, is_rule, is_table, row_of

_FENCE = re.compile(
    r"(?:```|~~~)[ \t]*+(?P<language>[\w+-]{0,20})[^\n]*\n?(?P<inside>.*?)(?:```|~~~|\Z)"
    r"|<pre\b[^<>]{0,80}>(?:\s*+<code\b[^<>]{0,80}>)?+(?P<pre>(?:[^<]|<(?!/(?:code>\s{0,9}</)?pre>))*+)(?:(?:</code>\s{0,9})?</pre>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_PROSE_FENCES = frozenset(("text", "txt", "markdown", "md", "plaintext", "plain"))
_LINE = re.compile(r"[^\n]++")
_QUOTE = re.compile(r"^[ \t]*+>[ \t>]*+", re.MULTILINE)
_HEADING = re.compile(
    r"^\s{0,3}#{1,6}\s++(?P<marks>\S.*)|^\s*+(?:[^\w\s*#|>-]{1,4}\s)?(?P<bold>\*\*[^*]{1,80}\*\*:?|__[^_]{1,80}__:?)\s*+"
)
_ITEM = re.compile(
    r"^(?P<indent>[ \t]*+)(?:[-*•‣–+◦▪●·・◆■➢]|"
    r"[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?|(?P<number>\d\ufe0f?\u20e3|(?:[Ss]tep )?\(?\d{1,3}[.．)）、]|\d{1,2}(?::| [-–—])(?=\s+[A-Z*]))|"
    r"\(?[a-zA-Z][.)]|（[\d一二三四五六七八九十]{1,3}）|(?P<han>[一二三四五六七八九十]{1,3}、)|[①-⑳])"
    # Before a Chinese character no blank is needed; a star there is emphasis.
    r"(?:\s++|(?<=[、）①-⑳])|(?<=\d\.)(?=[A-Z][a-z])|(?<!\*)(?=\*\*|[\u3400-\u9fff“《「]))(?:\[[ xX]\]\s++)?(?P<text>\S.*)"
)
_MOST_HEADING = 12
_ENDS_CLAUSE = re.compile(r"[。；：:，！？]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LONG_LINE = 30
_LABELLED = re.compile(
    r"\A[^\w\s]{0,4}\s?[*_]{0,2}(?:[^\W\d_]|\d[\d.,]*\s?[–—-]\s?\d)[^.:*_\u3400-\u9fff]{0,40}(?::[*_]{0,2}|[*_]{2}:)\s+(?P<said>\S.*)"
)
_THOUGHT = re.compile(r"\A\s*+<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FOOTNOTE = re.compile(r"^\s*+\[\^?[\w.-]{1,20}\]:.*")
_SOURCES = re.compile(
    r"^\W*(?:sources?|references?|citations?|further reading|see also|参考(?:资料|文献)?|来源|资料来源|引用)\W*",
    re.IGNORECASE,
)
_ENDS_INTRODUCTION = (":", "：")
_ENDS_LINE = tuple("。！？；：:.!?;”」）)*")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of an answer. `lead` introduces it (a heading, the line before a list); `alone` where it stands by itself, as
    an item of a list or a cell of a table does; `bare` where it is a heading that nothing follows, `numbered` where it is an item with a number."""

    text: Marked
    lead: str = ""
    alone: bool = False
    cell: bool = False
    bare: bool = False
    numbered: bool = False


@dataclass(slots=True)
class _Reader:
    """Where in the answer the reading is."""

    lead: str = ""
    paragraph: list[Marked] = field(default_factory=list)
    table: Table = field(default_factory=Table)
    heading: Marked | None = None
    items: list[tuple[int, str]] = field(default_factory=list)

    def read(self, lines: Sequence[Marked]) -> Iterator[Block]:
        """The blocks of some lines."""
        lines = [own for line in lines for own in lines_of(line)]
        for n, line in enumerate(lines):
            yield from self._line(line, lines[n + 1].text if n + 1 < len(lines) else "")
        yield from self._flush()
        yield from self._end_table()
        if self.heading is not None:
            yield Block(self.heading, bare=True)
            self.heading = None

    def _line(self, line: Marked, after: str) -> Iterator[Block]:
        row = row_of(line, after, going=bool(self.table.rows))
        rule = is_rule(line.text)
        drawn = rule or row is not None or not line.text.strip()
        if self.table.begun and (not drawn or self.table.ends_before(line.text, after)):
            yield from self._end_table()
        if rule or _FOOTNOTE.fullmatch(line.text):
            yield from self._flush()
            self.table.rule(line.text)
        elif row is not None:
            yield from self._flush()
            self.heading = None
            self.table.add(row)
        elif heading := _HEADING.fullmatch(line.text):
            yield from self._flush()
            name = "marks" if heading["marks"] is not None else "bold"
            self.heading = line.cut(*heading.span(name))
            self.lead, self.items = self.heading.text, []
        elif (item := _ITEM.fullmatch(line.text)) and _is_section(item, after):
            yield from self._flush()
            self.heading = line.cut(*item.span("text"))
            self.lead, self.items = self.heading.text, []
        elif item:
            yield from self._flush()
            indent = len(item["indent"].expandtabs(4))
            yield from self._item(line.cut(*item.span("text")), indent, numbered=item["number"] is not None)
        elif line.text.strip():
            self._sentence(line)
        else:
            self.table.apart = True
            yield from self._flush()

    def _sentence(self, line: Marked) -> None:
        """A line of a paragraph; where it is indented below an item it goes on with that."""
        if not line.text[:1].isspace():
            self.items = []
        self.paragraph.append(line)

    def _item(self, text: Marked, indent: int, *, numbered: bool) -> Iterator[Block]:
        self.heading = None
        while self.items and self.items[-1][0] >= indent:
            self.items.pop()
        above = self.items[-1][1] if self.items else self.lead
        self.items.append((indent, text.text))
        if not text.text.rstrip("*_ ").endswith(_ENDS_INTRODUCTION) and not _SOURCES.fullmatch(above):
            yield Block(text, above, alone=True, numbered=numbered)

    def _end_table(self) -> Iterator[Block]:
        yield from (Block(said, alone=True, cell=True) for said in self.table.said())
        self.table = Table()

    def _flush(self) -> Iterator[Block]:
        if self.paragraph:
            lines = [line.cut(0) for line in self.paragraph]
            self.paragraph = []
            below = self.lead if self.heading is not None else ""
            texts = [] if _SOURCES.fullmatch(below) else _paragraphs(lines)
            if texts and _SOURCES.fullmatch(texts[0].text):
                texts = texts[:1]
            labelled = len(texts) == 1 < len(lines) and _labelled(lines)
            if labelled:
                above, texts = (lines[0].text, lines[1:]) if _introduces(lines[0]) else (below, lines)
                below = above
            for text in texts:
                yield Block(text, below, alone=labelled)
            introduces = bool(texts) and (_introduces(texts[-1]) or _SOURCES.fullmatch(texts[-1].text) is not None)
            self.lead = texts[-1].text if introduces else self.lead if not texts else ""
            self.heading = None


def _introduces(line: Marked) -> bool:
    return line.text.rstrip("*_ ").endswith(_ENDS_INTRODUCTION)


def _labelled(lines: Sequence[Marked]) -> bool:
    """Whether each line but one that introduces them begins with a name and a colon, so that each says something by itself."""
    own = lines[1:] if _introduces(lines[0]) else lines
    return len(own) > 1 and all(_LABELLED.fullmatch(line.text) for line in own)


def _is_section(item: re.Match[str], after: str) -> bool:
    """Whether 一、适用对象 is a heading: short, without marks, before a line that is no item."""
    plain = len(item["text"]) <= _MOST_HEADING and not _ENDS_CLAUSE.search(item["text"])
    return item["han"] is not None and plain and bool(after.strip()) and not _ITEM.fullmatch(after)


def _paragraphs(lines: Sequence[Marked]) -> list[Marked]:
    """Lines as one text; those of Chinese, which are broken where something ends, each by itself, but after one that is long and does not end."""
    found: list[list[Marked]] = []
    for line in lines:
        before = found[-1][-1].text if found else ""
        goes_on = len(before) >= _LONG_LINE and not before.endswith(_ENDS_LINE)
        if found and (goes_on or not (_HAN.search(line.text) and _HAN.search(before))):
            found[-1].append(line)
        else:
            found.append([line])
    return [joined(one) for one in found]


def blocks(answer: str) -> Iterator[Block]:
    """The blocks of an answer, in order."""
    reader = _Reader()
    # Of the same length, so that places stay.
    if thought := _THOUGHT.match(answer):
        answer = " " * thought.end() + answer[thought.end() :]
    lines: list[Marked] = []
    for part in _parts(answer):
        if isinstance(part, Marked):
            lines.append(part)
            continue
        yield from reader.read(without_code(lines))
        lines = []
        lead = reader.lead if part.item else ""
        if not _SOURCES.fullmatch(lead):
            yield Block(part.text, lead, alone=True, cell=not part.prose)
    yield from reader.read(without_code(lines))


def _parts(answer: str) -> Iterator[Marked | Said]:
    """Its lines, and what JSON in it says."""
    whole = read_json(Marked.of(answer))
    if whole is not None:
        yield from whole
        return
    at = 0
    for fence in _FENCE.finditer(answer):
        yield from _prose(answer, at, fence.start())
        span = fence.span("inside" if fence["inside"] is not None else "pre")
        inside = Marked.of(answer).cut(*span)
        language = (fence["language"] or "").lower()
        if language in _PROSE_FENCES or (not language and is_table(inside.text)):
            yield from _lines(answer, *span)
        else:
            yield from read_json(inside) or ()
        at = fence.end()
    yield from _prose(answer, at, len(answer))


def _prose(answer: str, start: int, end: int) -> Iterator[Marked | Said]:
    """Lines of what is in no fence, and what JSON between them says."""
    at = start
    for begin, stop in find_json(answer[start:end]):
        yield from _lines(answer, at, start + begin)
        label = label_of(answer[at : start + begin])
        yield from read_json(Marked.of(answer).cut(start + begin, start + stop), label) or ()
        at = start + stop
    yield from _lines(answer, at, end)


def _lines(answer: str, start: int, end: int) -> list[Marked]:
    """Lines without marks of quotation; a blank one between two that a blank line stands between."""
    part = Marked(as_markdown(answer[start:end]), range(start, end)).replaced(_QUOTE)
    found: list[Marked] = []
    at = 0
    for match in _LINE.finditer(part.text):
        if part.text.count("\n", at, match.start()) > 1:
            found.append(Marked("", ()))
        found.append(Marked(match[0], part.places[slice(*match.span())]))
        at = match.end()
    return [*found, Marked("", ())]
