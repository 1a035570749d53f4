"""An answer as a list of checkable statements, each with its place in the answer.

Blocks (layout.py) are cut into sentences, sentences into the statements that they join (clauses.py). Code, headings, citations,
greetings, questions, offers of help and remarks about the answer itself are none. A list item that is no sentence is read with what
introduces it, a cell of a table with its column and the first cell of its row.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import sentencex

from sidecar.evaluate.text import chinese
from sidecar.evaluate.text.clauses import Clause, is_sentence, split_clauses, wants_object, wants_verb
from sidecar.evaluate.text.layout import Block, blocks
from sidecar.evaluate.text.marked import Marked
from sidecar.evaluate.text.spoken import is_chatter, without_lead, without_tail
from sidecar.inference.base import Claim

_CITATION = re.compile(
    r"(?<!\s)\s*+(?:\[\^?\d++(?:\s*+[,;–-]\s*+\^?\d++)*+\](?:\([^()\s]{0,500}\))?|【[^】]{0,40}】"
    r"|[\[(](?:source|doc(?:ument)?|ref(?:erence)?|see|chunk|passage|context)s?\b(?:[^\[\]()]|\[[^\[\]]{1,100}\](?:\([^()\s]{0,500}\))?){0,60}[\])](?:\([^()\s]{0,500}\))?"
    r"|\((?:\[[^\[\]]{1,100}\]\([^()\s]{0,500}\)[,;]?\s?){1,5}\)|(?<!\])[\[(][^\[\]()]{0,60}\b(?:(?:pp?\.|pages?)\s?\d|[\w-]{1,40}\.(?:pdf|docx?|pptx?)\b)[^\[\]()]{0,30}[\])](?!\()"
    r"|[（(](?:来源|参见|见|文档|参考)[^）)]{0,60}[）)])|(?<=[.!?。])\s*[¹²³⁴⁵⁶⁷⁸⁹⁰]+",
    re.IGNORECASE,
)
_BLANK_FOR = (re.compile(r"</?[a-zA-Z][^<>]{0,80}>"),)
_MARKUP: tuple[tuple[re.Pattern[str], int | None], ...] = (
    (re.compile(r"!\[[^\[\]]{0,200}\]\([^)]{0,500}\)"), None),
    (re.compile(r"\[([^\[\]]{1,300})\]\([^()]{0,500}\)"), 1),
    (re.compile(r"(?:\*\*|__)([^*_\n]{1,400})(?:\*\*|__)"), 1),
    (re.compile(r"(?<![\w*])\*(?!\s)([^*]{1,400}?)\*(?![\w*])"), 1),
    (re.compile(r"`([^`]{0,400})`"), 1),
    (re.compile(r"</?(?:b|i|u|em|strong|code|span|a|sub|sup|mark|small)(?:\s[^<>]{0,80})?>", re.IGNORECASE), None),
)
# Where sentences end that the splitter goes on with: behind a month that it takes for a short form, and behind a smile.
_ENDS_TOO = re.compile(r"(?:(?<=\bMay\.)|(?<=[\w)] [\U0001F600-\U0001F64F\U0001F44D\U0001F389]))\s+(?=[A-Z])")
_ENDS_ITEM = re.compile(r"[;,](?: (?:and|or))?$")
_LETTER = re.compile(r"[^\W\d_]")
_POINTS_ON = re.compile(
    r"\b(?:following|follows|below|steps?|these|this|here|options?|examples?)\b[^,;]{0,40}$", re.IGNORECASE
)
_JOINS_ON = (" then", " and", ",", ";")  # in the order in which they are taken off
_BEFORE_POINTING = (", ", "; ", " then ", " and ")
_LEAST_TOLD = 4  # words
_OPEN_END = re.compile(
    r"\b(?:is|are|was|were|of|for|to|with|in|as|that|include|includes|including|like|by)$", re.IGNORECASE
)
_LABEL = re.compile(r"[^.:：\n]{1,60}?(?:：|:(?=\s|[^\x00-\x7f])|\s[-–—]\s)")
_PRONOUN = re.compile(
    r"(?:he|she|it|they|this|that|these|those|its|his|her|their|both|such)\b|[他她它这該该這]|其(?![次中他余它实])|此(?!外|次|前|时)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:yes|no|yeah|nope|right|correct|true|false|indeed|exactly|sure|是的?|不是|对|不对|不|否|没错|正确|错误)[.!,。！，]?",
    re.IGNORECASE,
)
# Behind a question of the answer's own.
_ANSWERED = re.compile(r"(?:a: )?(?:yes|no|yeah|nope|是的?|不是|否)[.!。！]?", re.IGNORECASE)
# A question that states what stands behind it.
_TOLD_AS_ASKED = re.compile(
    r"\A(?:(?:yes|no|well|and|but)\b,?\s)?(?:did you know|are you aware|isn['’]t it (?:great|nice|good|amazing|wonderful|interesting))(?: that)?\s"
    r"(?!(?:what|which|who|whom|how|when|where|why|whether|if|about|of|to)\b)(?=[^?]{8,300}\?\Z)",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"(?:summary|overview|answer|details?|key (?:points?|facts?|takeaways?|features?)|main points?|introduction|conclusion|steps?|notes?|background|explanation|results?|information|"
    r"highlights?|more|other|additional (?:information|notes?)|总结|概述|答案|要点|详情|说明|步骤|注意(?:事项)?|结论|背景)\W*",
    re.IGNORECASE,
)
_POINTS_TO_LIST = re.compile(r"^(?:[一二三四五六七八九十]{1,3}、|\d{1,2}[.、]\s{0,2})|^以下[是为為]|如下$")
_NAMES_LIST = re.compile(r"(?:步[骤驟]|流程|建[议議]|方法|[要重][点點]|以下方式.{0,8})$")
# As many as plain sentences have room for in evaluate.most_answer_chars; an answer of more is not judged by some of them.
MOST_CLAIMS = 400
_READ = 50_000
_MOST_SEGMENTED = 5000  # characters at once: sentencex takes time with the square of a run of marks
_MOST_SENTENCES = 5 * MOST_CLAIMS
_MOST_LEAD = 200


@dataclass(frozen=True)
class Statement:
    """A sentence, list item or cell that states something. `text` is what it says, without what is said around it; `context`
    what a pronoun in it may refer to; `whole` is the sentence as it stands, `lead` what introduces it and is needed to read it."""

    text: Marked
    context: str
    whole: str
    language: str
    lead: str = ""
    cell: bool = False
    numbered: bool = False

    @property
    def said(self) -> str:
        """What it says, with what introduces it."""
        return f"{self.lead}{self._mark}{self.text.text}" if self.lead else self.text.text

    def without(self, start: int) -> Statement:
        """The statement from a character of its text on."""
        if not start:
            return self
        text = without_lead(self.text.cut(start), language=self.language)
        return replace(self, text=text, whole=text.text)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims that it joins."""
        whole = [Clause(self.text.text, *self.text.span)]
        clauses = whole if self.cell else split_clauses(self.text, language=self.language)
        if len(clauses) > 1:
            clauses = [one for one in clauses if not is_chatter(one.text, language=self.language)]
        return tuple(self._claim(clause, clauses[0] if n else None) for n, clause in enumerate(clauses))

    def _claim(self, clause: Clause, first: Clause | None) -> Claim:
        text = f"{self.lead}{self._mark}{clause.text}" if self.lead else clause.text
        context = self.context or (first.text if first and _PRONOUN.match(clause.text) else "")
        return Claim(text, context, clause.start, clause.end, numbered=self.numbered)

    @property
    def _mark(self) -> str:
        if self.lead.endswith(("?", "？")):
            return " "
        if self.language == "zh":
            return "：" if self.lead[-1:] not in "括有是为含" else ""
        return " " if wants_object(self.lead) else ": "


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer states and what it asks, without what is only said around that; `whole` where all of it was read."""

    statements: tuple[Statement, ...]
    questions: tuple[str, ...]
    ends_in_question: bool
    whole: bool


def split_claims(answer: str) -> list[Claim]:
    """The claims of an answer, in order; at most one more than MOST_CLAIMS, out of its first 50,000 characters. An answer of one
    short phrase is one claim."""
    return claims_of(read_answer(answer).statements)


def claims_of(said: Sequence[Statement]) -> list[Claim]:
    """The claims of some statements; at most one more than MOST_CLAIMS, which tells that there are too many."""
    return list(itertools.islice((claim for one in said for claim in one.claims), MOST_CLAIMS + 1))


def read_answer(answer: str) -> Answer:
    """The statements and questions of an answer, in order."""
    read = [*itertools.islice(_sentences(answer[:_READ]), _MOST_SENTENCES + 1)]
    read = read or [*itertools.islice(_sentences(answer[:_READ], nothing_else=True), _MOST_SENTENCES + 1)]
    whole = len(answer) <= _READ and len(read) <= _MOST_SENTENCES
    firm = [one for one in read if not one[1].bare] or read
    found: list[Statement] = []
    questions: list[str] = []
    before = asked = ""
    for sentence, block, lead in firm:
        language = chinese.language(sentence.text)
        text = without_tail(without_lead(sentence, language=language), language=language)
        if told := _TOLD_AS_ASKED.match(text.text):
            text = text.cut(told.end(), len(text.text) - 1)
        if text.text.endswith(("?", "？")):
            if not is_chatter(text.text, language=language):
                questions.append(text.text)
                before = asked = text.text
            continue
        if asked and _ANSWERED.fullmatch(text.text):
            found.append(Statement(text, "", sentence.text, language, lead=questions.pop(), cell=block.cell))
        elif _states_something(sentence.text, text.text, language, only=len(firm) == 1, listed=block.alone):
            fragment = not block.cell and _is_fragment(text.text, language)
            joins = bool(lead) and (fragment or (not block.cell and wants_verb(lead)))
            context = "" if joins else lead or (before if _PRONOUN.match(text.text) else "")
            joined = lead if joins else ""
            said = Statement(text, context, sentence.text, language, joined, cell=block.cell, numbered=block.numbered)
            if said.claims:
                found.append(said)
                before = text.text
        asked = ""
    asks = bool(questions) and firm[-1][0].text.endswith(("?", "？"))
    return Answer(tuple(found), tuple(questions), asks, whole)


def _is_fragment(text: str, language: str) -> bool:
    """Whether a text is no sentence; of Chinese, whether what stands behind its label is none."""
    label = _LABEL.match(text)
    if label and language == "zh":
        return not is_sentence(text[label.end() :], language=language)
    return not label and not is_sentence(text, language=language)


def _states_something(whole: str, text: str, language: str, *, only: bool, listed: bool) -> bool:
    """One word says something where it is all that is said, a number, Chinese, or an item of a list."""
    if is_chatter(whole, language=language) or (text != whole and is_chatter(text, language=language)):
        return False
    if only:
        return True
    item = listed and not _SAYS_NOTHING.fullmatch(text)
    enough = item or len(text.split()) >= 2 or language == "zh" or any(c.isdigit() for c in text)
    return enough and not _BARE.fullmatch(text)


def _sentences(answer: str, *, nothing_else: bool = False) -> Iterator[tuple[Marked, Block, str]]:
    """Each sentence, the block that it stands in, and what introduces it; what only introduces a list is none, but of an answer of `nothing_else`, as
    where code follows, what it states."""
    for block in blocks(answer):
        lead = _introduction(block.lead)
        plain = _plain(block.text)
        if block.alone and not block.cell and (end := _ENDS_ITEM.search(plain.text)):
            plain = plain.cut(0, end.start())
        for sentence in _cut(plain, whole=block.cell):
            introduces = not block.alone and sentence.text.endswith((":", "：")) and not block.bare
            if introduces and (told := _told_by(sentence, block, nothing_else=nothing_else)) is not None:
                yield told, block, ""
            if not introduces and (_LETTER.search(sentence.text) or any(c.isdigit() for c in sentence.text)):
                yield sentence, block, lead if block.alone or (lead and _leaves_out(sentence.text)) else ""


def _told_by(lead: Marked, block: Block, *, nothing_else: bool) -> Marked | None:
    """What a sentence that introduces something states itself, with figures or code in it, or of an answer of `nothing_else`: "Hold the button for 10 seconds, then
    do the following:"."""
    said = lead.cut(0, len(lead.text.rstrip(": ")))
    points = _POINTS_ON.search(said.text)
    if points:
        said = said.cut(0, max(0, *(said.text.rfind(one, 0, points.start()) for one in _BEFORE_POINTING)))
        for join in _JOINS_ON:
            said = said.cut(0, len(said.text.removesuffix(join)))
    telling = nothing_else or any(char.isdigit() for char in said.text) or (points is None and "`" in block.text.text)
    enough = len(said.text.split()) >= _LEAST_TOLD and chinese.language(said.text) != "zh"
    whole = is_sentence(said.text) and not wants_object(said.text) and not _OPEN_END.search(said.text)
    return said if telling and enough and whole else None


def _leaves_out(text: str) -> bool:
    """Whether a text below a heading leaves out what that named: Chinese does, and what is no sentence."""
    language = chinese.language(text)
    return language == "zh" or _is_fragment(text, language)


def _introduction(text: str) -> str:
    """What introduces a list, where it says something."""
    if not text:
        return ""
    last = [*_cut(_plain(Marked.of(text[-_MOST_LEAD:])), whole=False)][-1:]
    said = last[0].text.rstrip(":： ") if last else ""
    label = _LABEL.match(said)
    said = label[0].rstrip(":：–—- ") if label else said
    language = chinese.language(said)
    nothing = (
        _SAYS_NOTHING.fullmatch(said)
        or is_chatter(f"{said}:", language=language)
        or is_chatter(said, language=language)
    )
    said = "" if nothing else without_lead(Marked.of(said), language=language).text
    return _as_chinese_lead(said) if language == "zh" else said


def _as_chinese_lead(said: str) -> str:
    """出差标准如下 and 以下是所需文件 without what points to the list; nothing of 以下步骤."""
    said = _POINTS_TO_LIST.sub("", said)
    return "" if _NAMES_LIST.search(said) else said


def _cut(text: Marked, *, whole: bool) -> Iterator[Marked]:
    """The sentences of a text; the text itself where it is to stay `whole`."""
    if whole or not text.text:
        yield from (text,) if text.text else ()
        return
    if chinese.language(text.text) == "zh":
        yield from chinese.sentences(text)
        return
    at = 0
    for piece in itertools.chain.from_iterable(map(_ENDS_TOO.split, _pieces(text.text))):
        for sentence in sentencex.segment("en", piece):
            start = text.text.find(sentence, at)
            if start >= 0 and (own := text.cut(start, start + len(sentence))).text:
                yield own
            at = max(at, start + len(sentence))


def _pieces(text: str) -> Iterator[str]:
    """The text itself, or pieces that end after a sentence where there is one to end after."""
    start = 0
    while len(text) - start > _MOST_SEGMENTED:
        most = start + _MOST_SEGMENTED
        end = max(text.rfind(mark, start, most) for mark in (". ", "? ", "! ", "。")) + 1 or most
        yield text[start:end]
        start = end
    yield text[start:]


def _plain(text: Marked) -> Marked:
    """Text without citations and markup, white space folded."""
    text = text.replaced(_CITATION)
    for pattern, group in _MARKUP:
        text = text.replaced(pattern, group=group)
    for pattern in _BLANK_FOR:
        text = text.replaced(pattern, put=" ")
    return text.folded()
