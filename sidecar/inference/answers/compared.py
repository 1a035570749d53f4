"""Which of two things has more: "Room 14." to "Which room is smaller?" of "Room 12 is bigger than room 14."."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from sidecar.inference.answers.reading import REMEMBERED, Asked, side_of, told_apart

# More of it | less of it; behind the slash what "more" and "less" stand before.
_SCALES = """
bigger larger | smaller / big large
longer | shorter / long
taller higher | shorter lower / tall high
heavier | lighter / heavy
dearer pricier costlier | cheaper / expensive costly
faster quicker | slower / fast
older | newer younger / old
warmer hotter milder | colder cooler chillier / warm hot
louder noisier | quieter calmer / loud noisy
busier | quieter emptier / busy crowded popular
brighter | darker / bright
stronger | weaker / strong powerful
better | worse / good
harder tougher | easier simpler / difficult hard
thicker | thinner / thick
wider broader | narrower / wide
deeper | shallower / deep
richer wealthier | poorer / rich
nearer closer | farther further / near close
safer | riskier / safe
earlier sooner | later / early
wetter rainier | drier sunnier / wet
""".strip().splitlines()
_MORE, _LESS = frozenset({"more"}), frozenset({"less", "fewer"})
_COSTS = frozenset("cost costs costing pay pays".split())
_PLUS, _MINUS = 1, -1
_OF: dict[str, list[tuple[str, int]]] = {}
_BASE: dict[str, list[str]] = {}
for _line in _SCALES:
    _words, _, _bases = _line.partition("/")
    _more, _, _less = _words.partition("|")
    _name = _more.split()[0]
    for _each in _more.split():
        _OF.setdefault(_each, []).append((_name, _PLUS))
    for _each in _less.split():
        _OF.setdefault(_each, []).append((_name, _MINUS))
    for _each in _bases.split():
        _BASE.setdefault(_each, []).append(_name)
COMPARED = re.compile(rf"\b(?:{'|'.join(sorted(_OF))}|more|less|fewer)\b", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_]++(?:['’.-][^\W_]++)*+|[^\w\s]")
_ENDS = frozenset(",;:.?!()")
_PRICES = frozenset({"dearer"})
_FAR = 4  # words from a comparative to "than"
_AS = re.compile(
    r"\b(?P<much>half|twice|double|(?:two|three|four|five|ten|\d{1,2}) times) as (?P<what>much|many|\w{3,12})\b",
    re.IGNORECASE,
)
_NOT_READ = re.compile(r"\b(?:or|if|as|both|same|equal|before|usually|average|times|twice|half)\b", re.IGNORECASE)
_ALIKE = re.compile(r"\b(?:both|same|equal|equally)\b|\bthan (?:for|in|on|at|with|when|by|to|of)\b", re.IGNORECASE)
_TIMED = re.compile(r"\b(?:was|were|did|used to|(?:19|20)\d\d)\b", re.IGNORECASE)
_NOW = re.compile(r"\b(?:today|now|currently|still)\b", re.IGNORECASE)
_ASKS = re.compile(r"\A(?:(?:and|so|ok) )?(?:which|who|what)\b", re.IGNORECASE)
_YES_OR_NO = re.compile(r"\A(?P<reply>yes|no)\b[,.!]?\s?", re.IGNORECASE)
_IS = re.compile(r"\A(?:is|are|was|were|does|do|did|has|have)\s(?P<rest>.{3,150})\?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What stands left of it has more (1) or less (-1) of `scales` than what stands right of it."""

    left: str
    scales: frozenset[str]
    sign: int
    right: str


def compared(asked: Asked, sentence: str) -> bool | None:
    """Whether a sentence says of two things what an answer says of one of them; None where either does not compare them plainly."""
    if _ALIKE.search(sentence) or (_TIMED.search(sentence) and _NOW.search(asked.question)):
        return None
    there, said = _in_sentence(sentence), _said(asked)
    if there is None or said is None or not said.scales & there.scales:
        return None
    one, other = told_apart(there.left), told_apart(there.right)
    side = _side(said.left, one, other)
    if side < 0 or (said.right and _side(said.right, one, other) == side):
        return None
    return (side == 0) == (said.sign == there.sign)


def asks_compared(asked: Asked) -> bool:
    """Whether an answer, or its question, compares."""
    return (COMPARED.search(asked.question) or COMPARED.search(asked.answer)) is not None and _said(asked) is not None


def _side(text: str, one: frozenset[str], other: frozenset[str]) -> int:
    """Which of two things a text names, by all of its words or, where the last is the verb, "Ben earns" less, by the others."""
    side = side_of(told_apart(text), one, other)
    return side if side >= 0 else side_of(told_apart(text.rpartition(" ")[0]), one, other)


def _in_sentence(sentence: str) -> _Comparison | None:
    """The one comparison of a sentence that names both things."""
    if found := _AS.search(sentence):
        behind = sentence[found.end() :].split(" as ", 1)
        if len(behind) < 2:
            return None
        what = found["what"].lower()
        noun = "more" if what in ("much", "many") else what
        scales = _scales(
            ["more", *behind[0].split()] if noun == "more" else ["more", what], 0, sentence[: found.start()].split()
        )
        return _Comparison(
            sentence[: found.start()], scales, _MINUS if found["much"].lower() == "half" else _PLUS, behind[1]
        )
    one = _compare(sentence)
    return one if one is not None and one.right else None


@functools.lru_cache(maxsize=REMEMBERED)
def _said(asked: Asked) -> _Comparison | None:
    """What an answer compares, by itself or by its question."""
    answer = _YES_OR_NO.sub("", asked.answer, count=1)
    reply = _YES_OR_NO.match(asked.answer)
    if (own := _compare(answer)) is not None:
        return own
    if reply:
        found = _IS.match(asked.question)
        one = _compare(found["rest"]) if found else None
        if one is None or not one.right or len(answer.split()) > _FAR:
            return None
        return one if reply["reply"].lower() == "yes" else _Comparison(one.left, one.scales, -one.sign, one.right)
    one = _compare(asked.question, of_question=True) if _ASKS.match(asked.question) else None
    return None if one is None or one.right else _Comparison(answer, one.scales, one.sign, "")


def _compare(text: str, *, of_question: bool = False) -> _Comparison | None:
    """The one comparison of a text; `right` is empty where the other thing is left out."""
    tokens = _TOKEN.findall(text)
    low = [one.lower() for one in tokens]
    at = [n for n, one in enumerate(low) if COMPARED.fullmatch(one)]
    if len(at) != 1:
        return None
    [n] = at
    scales = _scales(low, n, low[:n])
    if not scales:
        return None
    sign = _sign(low, n)
    than = next((k for k in range(n + 1, min(len(low), n + 2 + _FAR)) if low[k] == "than"), None)
    begins = max((k + 1 for k in range(n) if low[k] in _ENDS), default=0)
    left = " ".join(tokens[begins:n])
    if than is None:
        return _Comparison(left if not of_question else "", scales, sign, "")
    ends = next((k for k in range(than, len(low)) if low[k] in _ENDS), len(low))
    right = " ".join(tokens[than + 1 : ends])
    return None if _NOT_READ.search(f"{left} {right}") else _Comparison(left, scales, sign, right)


def _sign(low: list[str], n: int) -> int:
    if low[n] in _MORE or low[n] in _LESS:
        return _PLUS if low[n] in _MORE else _MINUS
    return _OF[low[n]][0][1]


def _scales(low: list[str], n: int, before: list[str]) -> frozenset[str]:
    """What a comparative compares by: "more" by the word behind it or, alone, by the verb before it."""
    if low[n] not in _MORE and low[n] not in _LESS:
        return frozenset(name for name, _ in _OF[low[n]])
    behind = [one for one in low[n + 1 : n + 3] if one[0].isalpha() and one != "than"]
    if low[n + 1 : n + 2] != ["than"] and behind:
        if behind[0] in _BASE:
            return frozenset(_BASE[behind[0]])
        return frozenset(f"more {one}" for one in told_apart(behind[0]))
    verbs = [one.lower() for one in before[-2:]]
    if not _COSTS.isdisjoint(verbs):
        return _PRICES
    return frozenset(f"more {one}" for one in told_apart(" ".join(verbs[-1:])))
