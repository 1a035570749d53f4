"""Names and numbers of an English text, by how they are written: what stands with a capital where no sentence begins, and what has digits."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sidecar.inference.compatible import resolved

_TOKEN = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
# So far back is looked for the end of the sentence before.
_LOOK_BACK = 12
# Between two words of one name: of, the and their like in other languages.
_WITHIN = frozenset("of the de del la le du da di van von der den al el bin ibn".split())
# With a capital where a sentence begins, and by custom.
_PLAIN = frozenset(
    """a about above across after again against all almost along also although always among an and another any anyone anything are around as at
    away back based because been before began being below beneath beside besides between beyond both but by can compared consequently could despite did
    do does due during each either enough especially even every everyone everything except few finally first following for former from furthermore given
    had has have he hence her here hers herself him himself his how however i if in indeed initially inside instead into is it its itself just known
    last later least less like located made many may maybe me meanwhile might more moreover most much must my near nearly neither nevertheless next no nobody
    none nor not nothing now of off often on once one only or originally other others our ours out outside over overall own per perhaps please prior
    rather recently regarding same second several shall she should similarly since so some someone something sometimes soon still subsequently such
    than that the their theirs them themselves then there therefore these they third this those though through throughout thus to today together
    too toward towards two under unless unlike until up upon us usually various very was we were what whatever when whenever where whereas whether
    which while who whoever whom whose why will with within without would yes yet you your yours""".split()
)


def folded(entity: str) -> str:
    """An entity whatever its case, width and spaces."""
    return " ".join(resolved(entity).casefold().split())


def entities(text: str, *, beside: Iterable[str] = ()) -> list[str]:
    """Names and numbers in the order of the text, each once. A single word with a capital at the begin of a sentence is one only where it has its capital
    elsewhere too: in the text, or in those `beside` it."""
    tokens = list(_TOKEN.finditer(text))
    named = {one for other in (text, *beside) for one in _inside(other)}
    found: dict[str, str] = {}
    place = 0
    while place < len(tokens):
        end = _run(text, tokens, place)
        if end > place:
            begun = place + (tokens[place][0].casefold() in _PLAIN)
            alone = end - begun == 1 and begun == place and _begins(text, tokens[place]) and len(tokens) > 1
            if begun < end and not (alone and not _sure(tokens[place][0], named)):
                name = text[tokens[begun].start() : tokens[end - 1].end()]
                found.setdefault(folded(name), name)
        place = max(end, place + 1)
    return list(found.values())


def named_in(texts: Iterable[str], names: Iterable[str]) -> set[str]:
    """Those of the names that any of the texts has, word by word. Each text is read once, whatever the number of names."""
    read = [f" {_words(text)} " for text in texts]
    return {name for name in names if any(f" {_words(name)} " in text for text in read)}


def _words(text: str) -> str:
    return " ".join(token.casefold() for token in _TOKEN.findall(resolved(text))).replace("'s ", " ")


def _inside(text: str) -> Iterable[str]:
    """Words with a capital where no sentence begins."""
    for token in _TOKEN.finditer(text):
        if token[0][0].isupper() and not _begins(text, token):
            yield token[0]


def _sure(word: str, named: set[str]) -> bool:
    """Whether one word is a name though a sentence begins with it."""
    return word in named or any(map(str.isdigit, word)) or (len(word) > 1 and word.isupper())


def _begins(text: str, token: re.Match[str]) -> bool:
    before = text[max(0, token.start() - _LOOK_BACK) : token.start()].rstrip(" \t\"'“”‘’([*_-")
    initial = len(before) > 1 and before[-2].isupper() and not before[-3:-2].isalnum()
    return not before or (before[-1] in ".!?:\n" and not (before[-1] == "." and initial))


def _run(text: str, tokens: list[re.Match[str]], place: int) -> int:
    """Where a name that begins at a token ends; the same place where none begins."""
    if not _telling(tokens[place][0]):
        return place
    end = place + 1
    while end < len(tokens) and _beside(text, tokens, end):
        if _telling(tokens[end][0]) and tokens[end][0].casefold() not in _PLAIN:
            end += 1
        elif _within(text, tokens, end):
            end += 2
        else:
            break
    return end


def _within(text: str, tokens: list[re.Match[str]], place: int) -> bool:
    """Whether a small word stands within a name."""
    if tokens[place][0] not in _WITHIN or place + 1 >= len(tokens) or not _beside(text, tokens, place + 1):
        return False
    return tokens[place + 1][0][0].isupper()


def _beside(text: str, tokens: list[re.Match[str]], place: int) -> bool:
    return text[tokens[place - 1].end() : tokens[place].start()] == " "


def _telling(word: str) -> bool:
    return (word[0].isupper() and len(word) > 1) or any(map(str.isdigit, word))
