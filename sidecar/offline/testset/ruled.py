"""Cases without a judge, by rule: questions that documents ask themselves, and gaps where they state a value.

They try retrieval and reading word for word, no inference: the kinds are simple and negative. A negative one is a statement of the documents about a name
that they do not have.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator

from sidecar.evaluate.text.language import language_of
from sidecar.inference.embedding.text import sentences
from sidecar.inference.values.read import read_values
from sidecar.inference.values.value import Kind
from sidecar.offline.case import NEGATIVE
from sidecar.offline.testset.documents import Window
from sidecar.offline.testset.draft import Draft, RejectedError, Task
from sidecar.offline.testset.judged import no_answer
from sidecar.offline.testset.plan import SIMPLE

GAP = "____"
_ASKS = {
    "zh": "这句话中空缺的是什么：“{sentence}”",
    "en": "What belongs in the gap: “{sentence}”",
}
# Names that nothing has. Where a collection has one all the same, it is passed over.
_NOBODY = ("Vorrenholt", "Quellmarch", "Ostrivane", "Tamberlyne", "Zelkoria", "Brindlecombe", "Harrowfen", "Maraxis")
_OF_ANY = (
    ("When was {name} founded?", "Who is in charge of {name}?", "How many people work for {name}?"),
    ("{name}是哪一年成立的？", "{name}由谁负责？", "{name}有多少名员工？"),
)
# What stands at the beginning of a sentence that cannot be read alone.
_POINTS_BACK = frozenset(
    "it its they their them this that these those he she his her we you i here there then but and or so also however such both other otherwise".split()
)
_POINTS_BACK_ZH = ("它", "他", "她", "这", "那", "其", "此", "但", "而", "并")
_READ_FIRST = 3
_NAME = re.compile(r"(?<=[a-z0-9,] )[A-Z][a-z]{2,30}(?: [A-Z][a-z]{2,30}){0,2}\b")
_MARKS = re.compile(r"^(?:#{1,6}|[-*+>]|\d{1,3}[.)])[ \t]+")
_NO_PROSE = re.compile(r"[|`{}<>\[\]]|https?:|" + GAP)
_FEWEST, _FEWEST_ZH, _MOST = 24, 8, 240
_ENDS = (".", "!", "。", "！")
_VALUES = frozenset({Kind.QUANTITY, Kind.MONEY, Kind.PERCENT, Kind.DATE, Kind.TIME})


class RuleWriter:
    """offline.testset.draft.Writer by rule. `collection` holds all that the documents say, to know which names they do not have."""

    origin = "synthetic_by_rule"
    kinds = frozenset({SIMPLE, NEGATIVE})

    def __init__(self, collection: Iterable[str]) -> None:
        words = {name for text in collection for name in _NOBODY if name in text}
        self._nobody = tuple(name for name in _NOBODY if name not in words)

    async def write(self, task: Task) -> Draft:
        """The first that was not asked yet. Raises RejectedError(nothing_to_ask) where a window has no more."""
        [window] = task.windows
        made = self._negative(window) if task.kind == NEGATIVE else _simple(window)
        for draft in made:
            if draft.question not in task.asked:
                return draft
        raise RejectedError("nothing_to_ask")

    async def answered(self, question: str, found: tuple[str, ...]) -> bool:
        """Nobody is asked."""
        return False

    def _negative(self, window: Window) -> Iterator[Draft]:
        """First what the documents say of a name, asked of another one; then what any name may be asked for."""
        reference = no_answer(window.text)
        for sentence, start, end in _gaps(window.text):
            own = _name(sentence)
            if own is None or own.end() > start:
                continue
            for name in self._nobody[:1]:
                other = sentence[: own.start()] + name + sentence[own.end() :]
                moved = len(name) - len(own[0])
                params = {"by": "rule", "rule": "cloze_of_another_name"}
                yield Draft(_asks(other, start + moved, end + moved), reference, statement=other, params=params)
        any_name = [
            form.format(name=name) for form in _OF_ANY[language_of(window.text) == "zh"] for name in self._nobody
        ]
        random.Random(f"{window.document}/{window.start}").shuffle(any_name)  # noqa: S311 - it guards nothing
        for question in any_name:
            yield Draft(question, reference, params={"by": "rule", "rule": "question_of_nobody"})


def _name(sentence: str) -> re.Match[str] | None:
    """A name in a sentence that is no part of a date or another value."""
    values = read_values(sentence)
    return next(
        (n for n in _NAME.finditer(sentence) if not any(n.start() < v.end and v.start < n.end() for v in values)), None
    )


def _simple(window: Window) -> Iterator[Draft]:
    yield from _headings(window.text)
    for sentence, start, end in _gaps(window.text):
        params = {"by": "rule", "rule": "cloze", "gap": sentence[start:end]}
        yield Draft(_asks(sentence, start, end), sentence, params=params)


def _headings(text: str) -> Iterator[Draft]:
    """Questions that stand in a line of their own, each with the sentences under it."""
    lines = [_MARKS.sub("", line.strip()).strip("*_ ") for line in text.splitlines()]
    for n, line in enumerate(lines):
        if not line.endswith(("?", "？")) or not _FEWEST_ZH <= len(line) <= _MOST or _NO_PROSE.search(line):
            continue
        under = next((other for other in lines[n + 1 : n + 3] if other), "")
        said = [under[one.start : one.end] for one in sentences(under)][:2]
        reference = " ".join(said)
        if reference.endswith(_ENDS) and not _NO_PROSE.search(reference):
            yield Draft(line, reference, params={"by": "rule", "rule": "question_of_the_document"})


def _gaps(text: str) -> Iterator[tuple[str, int, int]]:
    """Sentences that can be read alone and state a value, with the place of the first one in them."""
    for span in sentences(text):
        sentence = _MARKS.sub("", text[span.start : span.end])
        if _stands_alone(sentence):
            one = next((one for one in read_values(sentence) if one.kind in _VALUES and one.start > 0), None)
            if one is not None:
                yield sentence, one.start, one.end


def _stands_alone(sentence: str) -> bool:
    fewest = _FEWEST if sentence.isascii() else _FEWEST_ZH
    if not fewest <= len(sentence) <= _MOST or not sentence.endswith(_ENDS) or "\n" in sentence:
        return False
    first = [word.strip(",").lower() for word in sentence.split()[:_READ_FIRST]]
    if sentence[0].islower() or not _POINTS_BACK.isdisjoint(first) or sentence.startswith(_POINTS_BACK_ZH):
        return False
    return _NO_PROSE.search(sentence) is None


def _asks(sentence: str, start: int, end: int) -> str:
    form = _ASKS.get(language_of(sentence) or "en", _ASKS["en"])
    return form.format(sentence=f"{sentence[:start]}{GAP}{sentence[end:]}")
