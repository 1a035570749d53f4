"""What a Chinese sentence says of two things side by side, exchanged: "财务经理是李四" of "张三任财务经理，李四任人事经理"."""

from __future__ import annotations

import re

from sidecar.inference.answers.han_reading import CLAUSE, DENIED, told_apart

_PARALLEL = re.compile(r"任|为|是|负责|由|主任|经理|协助|电话|号|密码|热线|邮箱|地址|在|：|:")
_BOTH = re.compile(r"和|与|及|都|均|先|再|然后|之后|以及|或|共|合计|一共|比|最|分别|因|如果|若|则|才")
_JOINT = re.compile(
    r"(?:电话|密码|地址|热线|邮箱|号)?(?:是|为|(?<![主责])任|负责|由|在|：|:|(?<=[电密地热邮])[话码址线箱](?=\d|[A-Za-z]))"
)
_LONGEST, _LONGEST_SENTENCE, _LEAST, _MOST = 24, 50, 2, 3  # characters, characters, clauses, clauses
_ASKS = re.compile(r"谁|哪|什么|多少|几")


def beside(question: str, claim: str, sentence: str) -> bool | None:
    """False where a claim says of one of the things that a sentence tells of side by side what that says of another one, else None."""
    clauses = [one for one in CLAUSE.split(sentence) if one.strip()]
    said = (
        claim if _ASKS.search(question) is None or len(claim) > _LONGEST // 2 else f"{_ASKS.sub(' ', question)} {claim}"
    )
    if (
        not _LEAST <= len(clauses) <= _MOST
        or len(sentence) > _LONGEST_SENTENCE
        or len(said) > _LONGEST + len(question)
        or len(claim) > _LONGEST
    ):
        return None
    if (
        CLAUSE.search(claim)
        or _BOTH.search(claim)
        or DENIED.search(claim)
        or DENIED.search(sentence)
        or _BOTH.search(sentence)
    ):
        return None
    words, own = [told_apart(one) for one in clauses], told_apart(said)
    takes = []
    for n, clause in enumerate(words):
        others = frozenset[str]().union(*(words[:n] + words[n + 1 :]))
        if own & (clause - others):
            takes.append(n)
    if len(takes) != 2 or not all(_PARALLEL.search(clauses[n]) for n in takes):
        return None
    sides = [_sides(clauses[n], own, frozenset[str]().union(*(words[:n] + words[n + 1 :]))) for n in takes]
    if sorted(sides) != ["head", "value"]:
        return None
    return False if told_apart(claim) <= frozenset[str]().union(*words, told_apart(question), _joints(claim)) else None


def _joints(claim: str) -> frozenset[str]:
    """Pairs with a character that joins subject and predicate, which no clause need have."""
    return frozenset(claim[n : n + 2] for n in range(len(claim) - 1) if set(claim[n : n + 2]) & set("是为的任在由请打"))


def _sides(clause: str, own: frozenset[str], others: frozenset[str]) -> str:
    """Whether a claim takes what a clause is about, or what it says of that; "" where both, neither, or one without a subject of its own."""
    found = _JOINT.search(clause)
    if found is None or not clause[: found.start()].strip():
        return ""
    joint = clause[found.start() : found.end()]
    head = told_apart(clause[: found.start()] + (joint if len(joint) > 1 else "")) - others
    value = told_apart(clause[found.end() :]) - others
    takes = [bool(own & head), bool(own & value)]
    return "" if takes[0] == takes[1] else "head" if takes[0] else "value"
