"""Lists read as tables: what a sentence is labelled by, in its own line ("Team: 20 users, chat support") or by the heading above it.

A label tells its line from others that are labelled too, and a heading its section from others of the same kind ("Denton branch", "Ashby branch")."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sidecar.inference.embedding.text import Span
from sidecar.inference.values.stated import Stem

SECTIONS = -1  # the group of all that headings tell apart
_MOST_SENTENCES = 400  # of a text
_MOST_SECTIONS = 60  # of all texts
_MOST_WORDS, _MOST_BEHIND = 6, 3  # of a label, and where a preposition goes on with it
_LEAST_DIGITS = 5  # of a number that names something: fewer are a year, or a value
_QUESTION = re.compile(
    r"(?:how|what|when|where|who|why|which|can|do|does|is|are|may|should|will)\b|.*\?$", re.IGNORECASE
)
_HEADING = re.compile(r"#{1,6}\s(?P<marked>[^\n|]{2,80})|\*\*(?P<bold>[^*\n|]{2,80})\*\*[:.]?(?P<rest>[^\n|]{0,400})")
# "Visa for students.", "Main pool (27 °C).", "2.4 (June 2026)", the first words of a text: no mark within them, and no verb.
_TITLE = re.compile(
    r"(?P<title>(?:[^\W\d_][\w'’/-]*|v?\d{1,4}(?:\.\d{1,4}){1,3})(?: (?:[\w'’/-]+|v?\d{1,4}(?:\.\d{1,4}){1,3})){0,6})(?: \([^()\n]{1,40}\))?[.:]?"
)
VERBS = frozenset(
    "is are was were has have had can may must will do does did not costs takes lasts opens closes starts begins ends runs leaves arrives needs includes covers works lives "
    "teaches sells offers applies pays charges allows accepts requires contains ships weighs holds follows stop please call ask see use read press open close".split()
)
# "E1042 means that", "Error 429 is": what a sentence tells by its code.
_CODE = re.compile(
    r"\A\W{0,4}(?:(?:[Tt]he )?(?P<kind>(?i:(?:http |exit )?(?:error|code|status|fault|alarm|warning|message)(?: code)?) ))?"
    r"[`'\"*]{0,2}(?P<code>(?P<letters>[A-Z]{1,6}[-_]?)?\d{1,5})[`'\"*]{0,2}(?:(?=:? [–—-] |: )| (?=(?:means?|indicates?|says|shows|appears?|occurs?|stands|is)\b))"
)
_MARK = "# "
_BULLET = re.compile(r"\s{0,8}(?:[-*•·–]\s{1,3})?")
_LABEL = re.compile(
    r"(?<![^\W_])(?<![^\W_] )(?:\*\*)?(?P<name>[^\W\d_][^:.!?\n|*]{1,50}?)(?:\*\*)?(?::(?:\*\*)?\s{1,2}|\s(?:-|–|—)\s)(?=\S)"
)
_ANOTHER = re.compile(r"[;,.]\s[^\W\d_][\w ]{0,40}(?::|\s[-–—])\s")
_WORD = re.compile(r"[^\W_]+")
_PREPOSITION = re.compile(
    r"\s(?:if|after|for|per|until|from|when|before|of|in|by|on|to|at|with|without)\s", re.IGNORECASE
)
_BRACKETS = re.compile(r"(?<=\w) ?\([^()\n]{1,40}\)[.:]?$")
_VERSION = re.compile(r"(?<![\w.])v?(\d{1,4}(?:\.\d{1,4}){1,3})(?![\w.]*\w)")
_SAYS_NOTHING = frozenset("note tip hint warning important example answer question one".split())


@dataclass(frozen=True, slots=True)
class Label:
    """`row` are the stems that tell a sentence from others, `head` those of its own line where its heading tells it already, and `begins` where in
    the sentence the label ends. `group` is the number of the list."""

    row: frozenset[str]
    head: frozenset[str]
    begins: int
    group: int


@dataclass(slots=True)
class _Line:
    number: int
    n: int
    label: frozenset[str]
    begins: int
    core: frozenset[str] = frozenset()  # of "Penalty after the due date" what stands before the preposition


@dataclass(slots=True)
class _Section:
    heading: frozenset[str]
    code: str = ""  # what the codes of its kind begin with
    lines: list[_Line] = field(default_factory=list)
    items: set[frozenset[str]] = field(default_factory=set)  # the stems of its bulleted lines


def sentences_with_headings(text: str, spans: Sequence[Span]) -> tuple[str, ...]:
    """The sentences of a text at `spans`; one that stands alone on its line, an empty one above and another below, is marked as a heading."""
    found = []
    for before, span in zip((None, *spans), spans, strict=False):
        own = text[span.start : span.end]
        above = before is not None and text[before.end : span.start].count("\n") > 1
        below = text[span.end : span.end + 2]
        alone = above and below[:1] == "\n" and below[1:].strip()
        found.append(_MARK + own if alone and _is_title(own) else own)
    return tuple(found)


def _is_title(text: str) -> bool:
    return _TITLE.fullmatch(text.strip()) is not None and VERBS.isdisjoint(text.lower().rstrip(".").split())


def labelled(texts: Sequence[Sequence[str]], stem: Stem) -> dict[tuple[int, int], Label]:
    """The labels of sentences, by the number of their text and their own. `texts` are the sentences of each text."""
    codes = _codes(texts, stem)
    sections = [one for number, sentences in enumerate(texts) for one in _sections(number, sentences, stem, codes)]
    found: dict[tuple[int, int], Label] = {}
    told = _told_apart([section for section in sections if section.heading][:_MOST_SECTIONS])
    for group, section in enumerate(sections):
        row = told.get(id(section))
        labels = [line.label for line in section.lines if line.label]
        counts = Counter(word for line in section.lines for word in line.label)
        for line in section.lines:
            if line.core and all(counts[word] == 1 for word in line.core):
                line.label = line.core
            if row:
                found[line.number, line.n] = Label(row, line.label, line.begins, SECTIONS)
            elif line.label and len(set(labels)) > 1:
                found[line.number, line.n] = Label(line.label, frozenset(), line.begins, group)
    return found


def _told_apart(sections: Sequence[_Section]) -> dict[int, frozenset[str]]:
    """What tells each section that is one of several of a kind from them: their headings have words in common, or their lines' labels, or an
    item of their lists, but for figures."""
    found = {}
    for one in sections:
        alike = [
            other for other in sections if other is not one and other.heading != one.heading and _of_a_kind(one, other)
        ]
        common = one.heading.intersection(*(other.heading for other in alike))
        own = one.heading - common
        if alike and own:  # figures, where no word tells it
            found[id(one)] = frozenset(word for word in own if not word.isdecimal()) or own
    return found


def _of_a_kind(one: _Section, other: _Section) -> bool:
    if one.code and one.code == other.code:
        return True
    if one.heading & other.heading and (one.heading - other.heading) and (other.heading - one.heading):
        return True
    labels = {line.label for line in one.lines if line.label}
    if any(line.label in labels for line in other.lines if line.label):
        return True
    return not one.items.isdisjoint(other.items)


def _sections(
    number: int, sentences: Sequence[str], stem: Stem, codes: Mapping[tuple[int, int], _Section]
) -> Iterator[_Section]:
    section = _Section(frozenset())
    if opening := _opening(sentences, stem):
        section = _Section(opening)
    for n, text in enumerate(sentences[:_MOST_SENTENCES]):
        if (number, n) in codes:
            yield section
            section = codes[number, n]
        heading = _HEADING.match(text)
        title = (heading["marked"] or heading["bold"]).strip() if heading else ""
        if n == 0 and len(sentences) > 1 and (plain := _TITLE.fullmatch(text.strip())):
            name = _name(plain["title"], stem)
            if name and _is_title(text):
                section = _Section(name)
                continue
        name = frozenset[str]() if _QUESTION.match(title) else _name(_BRACKETS.sub("", title), stem)
        rest = heading["rest"] if heading and heading["rest"] else ""
        if heading and name and (not rest.strip() or rest.lstrip().startswith(("-", "–", "—"))):
            yield section
            section = _Section(name)
            if rest.strip():
                section.lines.append(_Line(number, n, frozenset(), len(text) - len(rest)))
            continue
        start = _BULLET.match(text)
        begins = start.end() if start else 0
        label, at, core = _label(text, begins, stem)
        section.lines.append(_Line(number, n, label, at, core))
        if begins > 0 and (item := _stems(text[at:], stem)):
            section.items.add(item)
    yield section


def _codes(texts: Sequence[Sequence[str]], stem: Stem) -> dict[tuple[int, int], _Section]:
    """The sections that sentences about one of several codes of a kind begin, by the numbers of their text and their own."""
    found = {
        (number, n): match
        for number, sentences in enumerate(texts)
        for n, text in enumerate(sentences[:_MOST_SENTENCES])
        if (match := _CODE.match(text)) and (match["kind"] or match["letters"])
    }
    kinds = {place: match["letters"] or match["kind"].strip().lower() for place, match in found.items()}
    many = {kind for kind in kinds.values() if len({found[at]["code"] for at in found if kinds[at] == kind}) > 1}
    return {at: _Section(_name(match["code"], stem), kinds[at]) for at, match in found.items() if kinds[at] in many}


def _opening(sentences: Sequence[str], stem: Stem) -> frozenset[str]:
    """What a text says to be about before its first sentence, "Half-year report, Halden Foods: ...", where no other sentence is labelled."""
    found = _LABEL.match(sentences[0]) if sentences and not _HEADING.match(sentences[0]) else None
    if found is None or not VERBS.isdisjoint(found["name"].lower().split()):
        return frozenset()
    alone = not any(_label(text, 0, stem)[0] for text in sentences[1:_MOST_SENTENCES])
    return _name(found["name"], stem) if alone else frozenset()


def _label(text: str, begins: int, stem: Stem) -> tuple[frozenset[str], int, frozenset[str]]:
    """The label of a line, where it ends, and its core; of "Plans: Team: 20 users" the last."""
    label, at, core = frozenset[str](), begins, frozenset[str]()
    for _ in range(2):
        found = _LABEL.match(text, at)
        if found is None or _ANOTHER.search(text, found.end()):
            break
        first, *rest = _PREPOSITION.split(found["name"], 1)
        if len(found["name"].split()) > _MOST_WORDS + (_MOST_BEHIND if rest else 0):
            break
        label, at = _stems(found["name"], stem) - _SAYS_NOTHING, found.end()
        core = _stems(first, stem) - _SAYS_NOTHING if rest else frozenset[str]()
    return label, at, core


def _name(text: str, stem: Stem) -> frozenset[str]:
    """The stems of a heading, with its figures: "Hub 3 status light", and versions whole: "2.4 for Windows"."""
    rest = _VERSION.sub(" ", text)
    return _stems(rest, stem) | {word for word in _WORD.findall(rest) if word.isdecimal()} | {*_VERSION.findall(text)}


def _stems(text: str, stem: Stem) -> frozenset[str]:
    words = (word for word in _WORD.findall(text.lower()) if not word.isdecimal() or len(word) >= _LEAST_DIGITS)
    return frozenset(one for word in words if (one := stem(word)) is not None and len(one) > 1)
