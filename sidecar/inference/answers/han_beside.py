"""What a Chinese sentence says of two things side by side, exchanged: "财务经理是李四" of "张三任财务经理，李四任人事经理"."""

from __future__ import annotations

import re

from sidecar.inference.answers.han_reading import CLAUSE, DENIED, told_apart

_PARALLEL = re.compile(r"任|为|是|负责|由|主任|经理|协助|电话|号|密码|热线|邮箱|地址|在|：|:")
_BOTH = re.compile(r"和|与|及|都|均|先|再|然后|之后|以及|或|共|合计|一共|比|最|分别|因|如果|若|则|才")
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
    return False if told_apart(claim) <= frozenset[str]().union(*words, told_apart(question), _joints(claim)) else None


def _joints(claim: str) -> frozenset[str]:
    """Pairs with a character that joins subject and predicate, which no clause need have."""
    return frozenset(claim[n : n + 2] for n in range(len(claim) - 1) if set(claim[n : n + 2]) & set("是为的任在由请打"))
