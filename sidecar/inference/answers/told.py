"""What the documents' sentences say of an answer to a plain question."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from sidecar.inference.answers.bounds import asks_bounds, bounds
from sidecar.inference.answers.branches import asks_branches, branches
from sidecar.inference.answers.by_itself import asks_by_itself, by_itself
from sidecar.inference.answers.changed import asks_changed, changed, changes
from sidecar.inference.answers.closed import asks_closed, asks_list, closed
from sidecar.inference.answers.compared import COMPARED, asks_compared, compared
from sidecar.inference.answers.converse import asks_converse, converse
from sidecar.inference.answers.excepted import excepted
from sidecar.inference.answers.included import asks_included, included
from sidecar.inference.answers.moments import asks_moments, moments
from sidecar.inference.answers.on_date import asks_on_date, on_date
from sidecar.inference.answers.position import asks_position, goes_on, position, position_in_list
from sidecar.inference.answers.reading import LONGEST, NEGATED, Asked, Told, sentences_of, told_apart
from sidecar.inference.answers.sequence import asks_sequence, sequence
from sidecar.inference.answers.siblings import asks_siblings, siblings
from sidecar.inference.answers.status import asks_status, status
from sidecar.inference.answers.valued import asks_valued, valued
from sidecar.inference.answers.versions import asks_versions, versions
from sidecar.inference.answers.whose import asks_whose, whose
from sidecar.inference.answers.yes_or_no import REPLY, without_little

_OF_PARTS = re.compile(r"\b(?:only|some|all|every|each|both|most|always)\b", re.IGNORECASE)
_PLAIN = told_apart(
    "too young old late early heavy large big small short long low high few many enough allowed possible fine yet above below over under expired then by closed open valid nothing"
)
_KIND = re.compile(r"\A(?:and )?(?:which|what) [a-z-]{2,20}(?= [a-z])", re.IGNORECASE)
_OVER_SENTENCES = (
    (asks_valued, valued),
    (asks_sequence, sequence),
    (asks_siblings, siblings),
    (asks_status, status),
    (asks_on_date, on_date),
)
_SURE = (status, on_date)  # they look themselves whether a document is about what is asked
_WAYS = (
    (asks_changed, changed),
    (asks_converse, converse),
    (asks_compared, compared),
    (asks_whose, whose),
    (asks_position, position),
    (asks_closed, closed),
    (asks_by_itself, by_itself),
)


def told(question: str, answer: str, texts: Sequence[str]) -> Told | None:
    """Whether a sentence says what an answer does, None where none tells, where they tell both, or where another one speaks of what the question does and
    that one does not: that may be the asker's own case."""
    question = " ".join(question.split())
    if len(question) > LONGEST or len(answer) > LONGEST:
        return None
    asked = Asked(question, answer.strip())
    found = list(_told(asked, texts))
    if not found or any(one.holds != found[0].holds for one in found):
        return None
    return None if any(not one.sure and _of_another_case(asked, one, texts) for one in found) else found[0]


def _of_another_case(asked: Asked, one: Told, texts: Sequence[str]) -> bool:
    """All other text is read, what is too long to be a sentence here as well."""
    own = texts[one.document]
    question = _KIND.sub("", asked.question, count=1) if asks_valued(asked) else asked.question
    asks = without_little(told_apart(question) - told_apart(own[one.start : one.end]) - told_apart(asked.answer))
    others = [*texts[: one.document], *texts[one.document + 1 :], own[: one.start], own[one.end :]]
    return any(not asks.isdisjoint(told_apart(other)) for other in others if asks)


def _told(asked: Asked, texts: Sequence[str]) -> Iterator[Told]:
    for asks, way in _OVER_SENTENCES:
        if asks(asked):
            yield from _over_sentences(asked, texts, way)
    if asks_bounds(asked) or asks_moments(asked) or asks_versions(asked):
        yield from _by_values(asked, list(sentences_of(texts)), texts)
    if asks_closed(asked):
        yield from _by_sentence(asked, [excepted], texts)
    if asks_included(asked):
        yield from _included(asked, texts)
    ways = _ways(asked)
    if position in ways:
        for number, text in enumerate(texts):
            holds = position_in_list(asked, text)
            if holds is not None:
                yield Told(holds, number, 0, len(text))
    if ways:
        yield from _by_sentence(asked, ways, texts)


def _by_sentence(asked: Asked, ways: Sequence[Callable[..., bool | None]], texts: Sequence[str]) -> Iterator[Told]:
    places = list(sentences_of(texts, whole=True))
    own = told_apart(asked.question) | told_apart(asked.answer)
    names = told_apart(" ".join(texts)) if closed in ways and asks_list(asked.question) else frozenset[str]()
    changing = sum(changes(sentence) for _, _, sentence in places) if changed in ways else 0
    for n, (number, start, sentence) in enumerate(places):
        if own.isdisjoint(told_apart(sentence)):
            continue
        denied = NEGATED.search(sentence) is not None
        beside = [one for other, _, one in places[max(0, n - 1) : n + 2] if other == number and one != sentence]
        for way in ways:
            if (denied and way not in (branches, excepted)) or (way is changed and changing > 1):
                continue
            holds = closed(asked, sentence, names) if way is closed else way(asked, sentence)
            if holds is None or (way is position and goes_on(beside)) or (holds and _says_more(asked, sentence)):
                continue
            if way is not closed or not _more(asked, sentence):
                yield Told(holds, number, start, start + len(sentence))


def _included(asked: Asked, texts: Sequence[str]) -> Iterator[Told]:
    found = [(place, holds) for place in sentences_of(texts) if (holds := included(asked, place[2])) is not None]
    if len({holds for _, holds in found}) == 1:  # the prices of two things of a kind tell nothing
        for (number, start, sentence), holds in found:
            if not (holds and _says_more(asked, sentence)):
                yield Told(holds, number, start, start + len(sentence))


def _over_sentences(
    asked: Asked, texts: Sequence[str], way: Callable[..., Iterator[tuple[int, int, bool]]]
) -> Iterator[Told]:
    for number, text in enumerate(texts):
        places = list(sentences_of([text]))
        for first, last, holds in way(asked, [sentence for _, _, sentence in places]):
            start, end = places[first][1], places[last][1] + len(places[last][2])
            if not (holds and _more(asked, text[start:end])):
                yield Told(holds, number, start, end, sure=way in _SURE)


def _by_values(asked: Asked, places: Sequence[tuple[int, int, str]], texts: Sequence[str]) -> Iterator[Told]:
    every = [sentence for _, _, sentence in places]
    for n, holds in itertools.chain(bounds(asked, every), moments(asked, every), versions(asked, every)):
        number, start, sentence = places[n]
        more = _more(asked, sentence)
        if not more or not (holds or more & told_apart(" ".join(texts))):
            yield Told(holds, number, start, start + len(sentence))


def _ways(asked: Asked) -> list[Callable[..., bool | None]]:
    """What may tell of an answer, sentence by sentence."""
    if NEGATED.search(REPLY.sub("", asked.answer, count=1)):
        return []
    found: list[Callable[..., bool | None]] = [branches] if asks_branches(asked) else []
    if not NEGATED.search(asked.question):
        found += [way for asks, way in _WAYS if asks(asked) and not (way is closed and asks_on_date(asked))]
    return found


def _says_more(asked: Asked, sentence: str) -> bool:
    """Whether an answer says what neither its question nor the sentence does."""
    return bool(_more(asked, sentence)) or _OF_PARTS.search(asked.answer) is not None


def _more(asked: Asked, sentence: str) -> frozenset[str]:
    said = told_apart(f"{sentence} {asked.question} {' '.join(COMPARED.findall(asked.answer))}")
    return told_apart(asked.answer) - said - _PLAIN
