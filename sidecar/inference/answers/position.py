"""Which of several steps: "Sign in." to "What is the last step?" of "1. Sign in. 2. Open Billing. 3. Click Cancel."."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sidecar.inference.answers.reading import LONGEST, Asked, told_apart

_THING = r"(?:step|thing|stage|stop|part|item|action|task|city|place|phase|point|course)"
FIRST = re.compile(
    rf"\bfirst {_THING}\b|\b(?:do|add|need|comes?|happens|have to|must|should)\b[^?]{{0,40}}\bfirst\s?\?|\bwhere does\b[^?]{{2,40}}\b(?:start|begin)s?\s?\?|\bwhat comes first\b",
    re.IGNORECASE,
)
LAST = re.compile(
    rf"\b(?:last|final) {_THING}\b|\b(?:do|add|need|comes?|happens)\b[^?]{{0,40}}\b(?:last|at the end|in the end)\s?\?|\bwhere does\b[^?]{{2,40}}\b(?:end|finish)\s?\?",
    re.IGNORECASE,
)
NTH = re.compile(
    r"\bstep (?:number )?(?P<n>\d|two|three|four|five)\b|\b(?P<nth>second|third|fourth|fifth) (?:step|stage|stop)\b",
    re.IGNORECASE,
)
AFTER = re.compile(
    r"\A(?:and )?what (?:do|should|must|can) (?:i|you|we) (?:have to |need to )?do (?:right |directly |immediately |next )?after (?P<what>[^?]{3,80})\?\Z"
    r"|\Awhat (?:comes|happens|is) (?:right |directly |immediately |next )?after (?P<that>[^?]{3,80})\?\Z",
    re.IGNORECASE,
)
NUMBERS = {"two": 1, "three": 2, "four": 3, "five": 4, "second": 1, "third": 2, "fourth": 3, "fifth": 4}
_NUMBERED = re.compile(r"(?:\A|(?<=\s))(?:step )?(?P<n>\d{1,2})[.):] ", re.IGNORECASE)
_LABEL = re.compile(r"\A[\w ]{2,40}: ")
_HEADING = re.compile(r"\Afirst(?:ly| of all)?,\s", re.IGNORECASE)
_CUT = re.compile(r",? and (?:then|finally|lastly) |,? (?:then|finally|lastly),? |, and |, |; (?:then )?")
_ORDERED = re.compile(r"\A(?:\w+: )?first\b|\b(?:then|finally|lastly)\b", re.IGNORECASE)
_TURNED = re.compile(
    r"\A(?:(?:second|third|fourth|fifth|sixth)(?:ly)?\b|then|finally|lastly|next|before|after|at the end|to)\b|\b(?:before|after|until)\b|"
    r"\b(?:second|third|last|final) (?:step|stage|part)\b|\bfrom\b[^,;.]*\bto\b",
    re.IGNORECASE,
)
_END = re.compile(r"\bat the end\b|\bonce\b", re.IGNORECASE)
_NO_STEPS = re.compile(r"\b(?:tips?|requirements?|notes?|options|faq|features|reasons|you need)\b", re.IGNORECASE)
_LEAST, _MOST = 2, 20


def goes_on(beside: Sequence[str]) -> bool:
    """Whether sentences beside one tell of steps before or after it."""
    return any(_ORDERED.search(one) or _TURNED.search(one) or _END.search(one) for one in beside)


def asks_position(asked: Asked) -> bool:
    """Whether a question asks for one of several steps."""
    return any(one.search(asked.question) for one in (FIRST, LAST, NTH, AFTER))


def position(asked: Asked, sentence: str) -> bool | None:
    """Whether an answer names the step that is asked for, of those that a sentence tells in their order."""
    return _position(asked, _told(sentence, asked.question))


def position_in_list(asked: Asked, text: str) -> bool | None:
    """Whether it names that one of the steps of a numbered list."""
    return _position(asked, _numbered(text))


def _position(asked: Asked, parts: Sequence[str]) -> bool | None:
    steps = [step for one in parts if (step := told_apart(one))]
    wanted = _wanted(asked.question, steps) if len(steps) >= _LEAST else None
    if wanted is None or not 0 <= wanted < len(steps):
        return None
    answer = told_apart(asked.answer)
    answer = answer - told_apart(asked.question) or answer
    own = [n for n, step in enumerate(steps) if answer <= step]
    return own[0] == wanted if len(own) == 1 else None


def _wanted(question: str, steps: Sequence[frozenset[str]]) -> int | None:
    """The number of the step that a question asks for."""
    if found := AFTER.match(question):
        return step_behind(found, steps)
    if found := NTH.search(question):
        word = (found["n"] or found["nth"]).lower()
        return int(word) - 1 if word.isdecimal() else NUMBERS[word]
    first, last = FIRST.search(question) is not None, LAST.search(question) is not None
    if first == last:
        return None
    return 0 if first else len(steps) - 1


def step_behind(asks: re.Match[str], steps: Sequence[frozenset[str]]) -> int | None:
    """The number of the step behind the one that a question, as AFTER has it, names."""
    what = told_apart(asks["what"] or asks["that"])
    own = [n for n, step in enumerate(steps) if what and what <= step]
    return own[0] + 1 if len(own) == 1 else None


def _numbered(text: str) -> list[str]:
    """The items of the first list of a text that counts from 1."""
    marks = list(_NUMBERED.finditer(text[: 10 * LONGEST]))
    run: list[re.Match[str]] = []
    for one in marks:
        if int(one["n"]) == len(run) + 1:
            run.append(one)
    ends = [one.start() for one in run[1:]]
    if not run:
        return []
    last = text.find("\n", run[-1].end())
    found = [text[one.end() : end] for one, end in zip(run, [*ends, last if last >= 0 else len(text)], strict=True)]
    twice = sum(int(one["n"]) == 1 for one in marks) > 1 or _NO_STEPS.search(text, 0, run[0].start())
    return found if all(len(one) <= LONGEST for one in found) and not twice else []


def _told(sentence: str, question: str) -> list[str]:
    """The parts of a sentence that tells things in their order, or that a question takes as doing so."""
    if _TURNED.search(sentence) or _NUMBERED.search(sentence):
        return []
    if not _ORDERED.search(sentence) and "step" not in question.lower():
        return []
    found = [one for one in _CUT.split(_HEADING.sub("", _LABEL.sub("", sentence, count=1), count=1)) if one.strip()]
    return found if _LEAST <= len(found) <= _MOST else []
