"""Chinese statements about passages, made by rule of sets that hold questions and passages alone."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from training.data import Row

_SENTENCE = re.compile(r"[^。！？；\n]{12,90}[。！？；]")
_NUMBER = re.compile(r"\d+")
_IS = re.compile(r"(?<![不没還还也就])(?=[是會会能可有])")
_FILLER = re.compile(r"此外，|另外，|同时，|同時，|其中，|因此，|然而，|并且|並且|主要|目前")
_ASKS = re.compile(
    r"什么时候|什么时间|什[么麼]|哪[一些几幾个個裡里兒儿年位種种]*|[谁誰]|多少|何[时時处處人種种]?|[为為]什[么麼]|怎[么麼样樣]*|如何|是否|[吗嗎呢几幾]|请问|請問|[？?]"
)
_VALUE = re.compile(r"\d+(?:\.\d+)?(?:年|月|日|人|万|亿|%|个|公里|米|次|岁)*")
_CLAUSE_ENDS = re.compile(r"[，。！？；、：（）()《》“”\"「」]")
_LEAST_STATEMENT, _ANSWER = 6, range(2, 15)
_ANSWERS_A_QUESTION = 2


@dataclass(frozen=True, slots=True)
class Statement:
    """A text, what it is to be said by, 1 where it is, and the question that it answers, if any."""

    kind: str
    question: str
    context: str
    text: str
    label: int


def changed(rows: Sequence[Row], *, seed: int) -> list[Statement]:
    """A sentence of the passage in slightly other words, and the same with one fact changed;
    sentences of other passages that were found for the same question."""
    rng = random.Random(seed)
    found: list[Statement] = []
    by_question: dict[str, list[str]] = {}
    for row in rows:
        by_question.setdefault(row.get("question", ""), []).append(row["context"])
    for row in rows:
        sentences = _SENTENCE.findall(row["context"])
        if row["label"] != 1 or not sentences:
            continue
        own = rng.choice(sentences)
        found.append(Statement("changed", "", row["context"], _reworded(own, rng), 1))
        if (other := _changed(own, row["context"], rng)) is not None:
            found.append(Statement("changed", "", row["context"], _reworded(other, rng), 0))
        others = [text for text in by_question[row.get("question", "")] if text != row["context"]]
        elsewhere = _SENTENCE.findall(rng.choice(others)) if others else []
        if elsewhere and (one := rng.choice(elsewhere)) not in row["context"]:
            found.append(Statement("elsewhere", "", row["context"], one, 0))
    return found


def _reworded(sentence: str, rng: random.Random) -> str:
    """The sentence without a filler, or without one of its clauses, or with these in another order."""
    sentence = _FILLER.sub("", sentence)
    clauses = [one for one in sentence.rstrip("。！？；").split("，") if one]
    way = rng.random()
    if len(clauses) > 2 and way < 0.4:
        clauses.pop(rng.randrange(1, len(clauses)))
    elif len(clauses) > 1 and way < 0.6:
        rng.shuffle(clauses)
    return "，".join(clauses) + "。"


def _changed(sentence: str, passage: str, rng: random.Random) -> str | None:
    """The sentence with another number, a negation, or a part of another sentence in place of its own."""
    numbers = list(_NUMBER.finditer(sentence))
    if numbers and rng.random() < 0.6:
        one = rng.choice(numbers)
        other = rng.choice(
            [n for n in _NUMBER.findall(passage) if n != one[0]] or [str(int(one[0][:9]) + rng.randint(1, 9))]
        )
        return f"{sentence[: one.start()]}{other}{sentence[one.end() :]}"
    verbs = [match.start() for match in _IS.finditer(sentence) if match.start() > 1]
    if verbs and rng.random() < 0.5:
        at = rng.choice(verbs)
        return sentence[:at] + ("没" if sentence[at] == "有" else "不") + sentence[at:]
    clauses = [
        one for other in _SENTENCE.findall(passage) if other != sentence for one in other.rstrip("。！？；").split("，")
    ]
    own = sentence.rstrip("。！？；").split("，")
    if not clauses or len(own) < 2:
        return None
    return f"{own[0][: max(4, len(own[0]) // 2)]}{rng.choice(clauses)}。"


def asked(rows: Sequence[Row]) -> list[Statement]:
    """Questions without the word that asks, in whose place the passage has something: what people say of a passage in their own words."""
    found = []
    for row in rows:
        text = f"{_ASKS.sub('', row.get('question') or '').strip('，。 ')}。"
        if len(text) >= _LEAST_STATEMENT:
            found.append(Statement("asked", "", row["context"], text, row["label"]))
    return found


def answers(rows: Sequence[Row], *, seed: int) -> list[Statement]:
    """Parts of the sentence that answers a question, by people's labels, against parts of other sentences of the passage and changed numbers."""
    rng = random.Random(seed)
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("question"):
            groups[row["source_id"], row["question"]].append(row)
    found = []
    for (_, question), group in groups.items():
        telling = [row["context"] for row in group if row["label"] == 1]
        passage = "".join(row["context"] for row in group)
        good = [part for text in telling for part in _parts(text, question)]
        bad = [
            part
            for row in group
            if row["label"] == 0
            for part in _parts(row["context"], question)
            if not any(part in text for text in telling)
        ]
        if not telling or len(telling) == len(group):
            continue
        for label, parts in ((1, good), (0, bad)):
            chosen = rng.sample(parts, min(_ANSWERS_A_QUESTION, len(parts)))
            found += [Statement("answers", question, passage, part, label) for part in chosen]
        if good and (number := _NUMBER.search(part := rng.choice(good))):
            other = int(number[0][:8]) + rng.randint(1, 9)
            text = f"{part[: number.start()]}{other}{part[number.end() :]}"
            found.append(Statement("answers", question, passage, text, 0))
    return found


def _parts(sentence: str, question: str) -> Iterator[str]:
    """Values and short clauses of a sentence that the question does not hold."""
    for part in (*_VALUE.findall(sentence), *_CLAUSE_ENDS.split(sentence)):
        if part not in question and (part[:1].isdigit() or len(part) in _ANSWER):
            yield part
