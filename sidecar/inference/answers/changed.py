"""What was and what is: "In Dover." to "Where was the office before?" of "The office moved from Kent to Dover."."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from sidecar.inference.answers.reading import REMEMBERED, Asked, side_of, told_apart

_END = r"(?=\s?(?:[,.;()]|\Z)|\s(?:in|on|as|at|last|this|since|from|by|for|after|two|a)\s)"
_FROM_TO = re.compile(
    r"\b(?:moved?|moves|relocated|changed?|renamed|switched|migrated|raised|increased|lowered|reduced|cut|dropped|rose|fell|went|grew|extended|shortened|upgraded|transferred|"
    r"(?:brought|put|pushed|moved) (?:forward|back)|postponed|rescheduled|delayed|shifted|updated|revised|corrected)\b"
    rf"[^,.;]{{0,60}}? from (?P<old>[^,.;]{{1,60}}?) to (?P<new>[^,.;]{{1,60}}?){_END}",
    re.IGNORECASE,
)
_REPLACED = re.compile(
    rf"\b(?P<new>[^,.;]{{2,60}}?) (?:has |have )?(?:replaced|replaces|succeeded|succeeds|took over from|takes over from|supersedes|superseded) (?P<old>[^,.;]{{2,60}}?){_END}",
    re.IGNORECASE,
)
_REPLACED_WITH = re.compile(
    rf"\b(?:we|they|i|have|has)(?: have| has)? replaced (?P<old>[^,.;]{{2,60}}?) (?:with|by) (?P<new>[^,.;]{{2,60}}?){_END}",
    re.IGNORECASE,
)
_REPLACED_BY = re.compile(
    rf"\b(?P<old>[^,.;]{{2,60}}?) (?:was|were|is|are|has been|have been) (?:replaced|succeeded|superseded) (?:by|with) (?P<new>[^,.;]{{2,60}}?){_END}",
    re.IGNORECASE,
)
_DOWN_FROM = re.compile(
    rf"\b(?P<new>[^.;]{{2,80}}?),? \(?(?:down|up|reduced|lowered|raised|increased|cut|marked down) from (?P<old>[^,.;()]{{1,40}}?){_END}",
    re.IGNORECASE,
)
_INSTEAD = re.compile(rf"\b(?P<new>[^.;]{{2,80}}?),? instead of (?P<old>[^,.;()]{{1,40}}?){_END}", re.IGNORECASE)
_WAS_NOW = re.compile(
    r"\b(?:was|were|used to be|used to cost|cost) (?P<old>[^,.;]{1,40}?)(?:,|;| and| but)? "
    r"(?:(?:and|but) )?(?:(?:it|they) )?(?:(?:is|are|costs?) )?now (?:is |are |costs? )?(?P<new>[^,.;]{1,40})",
    re.IGNORECASE,
)
_FORMERLY = re.compile(
    r"\b(?:formerly|previously|once)(?: (?:called|known as|named))? (?P<old>[^,.;()]{2,40}?)(?=[,()])", re.IGNORECASE
)
_CHANGES = re.compile(
    r"\bfrom\b|\breplace[sd]?\b|\bsucceed|\btook over\b|\bsupersede|\binstead of\b|\bnow\b|\b(?:formerly|previously|once)\b",
    re.IGNORECASE,
)
_SIDES = re.compile(r"\bfrom\b|\breplace|\bsucceed|\binstead\b|\b(?:formerly|previously)\b", re.IGNORECASE)
_MARKS, _ROOT = 2, 4  # changes of a sentence, letters
_NOT_READ = re.compile(
    r"\b(?:again|back|since|returned|then|respectively|for a while|temporarily|(?:who|which) now|and was)\b",
    re.IGNORECASE,
)
_TO_COME = re.compile(
    r"\b(?:will|shall|(?:is|are) to be|plans? to|proposals?|may be|might be|tomorrow|next (?:year|month|week|summer)|starting in|from next)\b",
    re.IGNORECASE,
)
_ASKS_TO_COME = re.compile(r"\b(?:will|new|next|going to)\b", re.IGNORECASE)
_NOT_SURE = re.compile(r"\b(?:would|could|decided?|takes over|replaces|succeeds|moves)\b", re.IGNORECASE)
_OF_CHANGES = told_apart(
    "before previous previously former formerly original originally old used initial initially now current currently today new nowadays normal usual regular full price cost costs "
    "pay called name named year years ago month much many earlier predecessor"
)
_ASKS_PAST = re.compile(
    r"\b(?:before|previous(?:ly)?|former(?:ly)?|original(?:ly)?|old|used to|initial(?:ly)?|predecessor)\b(?! (?:i|you|we|they|the|my|it)\b)",
    re.IGNORECASE,
)
_ASKS_USUAL = re.compile(r"\b(?:normal|usual|regular|full)(?:ly)?\b", re.IGNORECASE)
_ASKS_NOW = re.compile(
    r"\b(?:now|current(?:ly)?|today|new|nowadays|present(?:ly)?|at the moment|these days)\b", re.IGNORECASE
)
# What is so now is asked for by "When is the exam?" as well, but not by what asks for the change itself.
_ASKS_WHAT_IS = re.compile(
    r"\A(?:what|which|where|when|who|how (?:much|many|long|big|high|large|often))\b[^?]{0,60}?(?:\b(?:is|are|does|do|can|should|must)\b|['’]s\b)|\A(?:who|which \w+) [a-z]+s\b",
    re.IGNORECASE,
)
_OF_A_CHANGE = re.compile(
    r"\b(?:was|were|did|had|been|will|would|if|until|change[sd]?|moved?|replac\w+|instead|switch\w*|differ\w*|happen\w*|becom\w+|to whom|rais\w+|reduc\w+|increas\w+)\b",
    re.IGNORECASE,
)
_ASKS_OTHER = re.compile(
    r"\b(?:from(?!\?)|why|when(?! (?:is|are|does|do)\b)|how (?:much|many) (?:more|less|fewer)|by how|difference|between)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|had|did|used|until|before|previously|formerly|originally|from|instead|no longer|replaced|succeeded|took|moved|changed)\b",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(r"\A(?:yes|no)\b", re.IGNORECASE)


def changed(asked: Asked, sentence: str) -> bool | None:
    """Whether an answer names the side of a change that its question asks for, of the two that a sentence tells; None where either is not plain."""
    past = _asks(asked)
    if past is None or not _CHANGES.search(sentence):
        return None
    if (
        len(_CHANGES.findall(sentence)) > _MARKS
        or len(_SIDES.findall(sentence)) > 1
        or _NOT_READ.search(sentence)
        or (not past and _NOT_SURE.search(sentence))
        or (past and _TO_COME.search(sentence))
    ):
        return None
    past = past or (_TO_COME.search(sentence) is not None and not _ASKS_TO_COME.search(asked.question))  # it is so now
    answer = told_apart(asked.answer)
    about = told_apart(asked.question) - answer - _OF_CHANGES
    if not all(any(one[:_ROOT] == other[:_ROOT] for other in told_apart(sentence)) for one in about):
        return None
    answer = answer - told_apart(asked.question) or answer
    for old, new, usual in _sides(sentence):
        if usual and not _ASKS_USUAL.search(asked.question) and not past:
            continue
        side = side_of(answer, told_apart(old), told_apart(new))
        if side >= 0:
            return (side == 0) == past
    return None


def changes(sentence: str) -> bool:
    """Whether a sentence may tell of a change."""
    return _CHANGES.search(sentence) is not None or _NOT_READ.search(sentence) is not None


def asks_changed(asked: Asked) -> bool:
    """Whether a question asks for one side of a change."""
    return _asks(asked) is not None


@functools.lru_cache(maxsize=REMEMBERED)
def _asks(asked: Asked) -> bool | None:
    """Whether a question asks for what was, or for what is."""
    if _YES_OR_NO.match(asked.answer):
        return None
    if _ASKS_OTHER.search(asked.question) or (_ASKS_NOW.search(asked.answer) and _PAST.search(asked.answer)):
        return None
    now = _ASKS_NOW.search(asked.question) is not None
    past = _ASKS_PAST.search(asked.question) is not None or _ASKS_USUAL.search(asked.question) is not None
    if not now and not past:
        now = _ASKS_WHAT_IS.search(asked.question) is not None and not _OF_A_CHANGE.search(asked.question)
    return past if now != past else None


def _sides(sentence: str) -> Iterator[tuple[str, str, bool]]:
    """What was, what is, and whether that is only so for now."""
    for pattern in (_FROM_TO, _REPLACED_WITH, _REPLACED_BY, _REPLACED, _WAS_NOW, _DOWN_FROM):
        if found := pattern.search(sentence):
            yield found["old"], found["new"], False
            return
    if found := _INSTEAD.search(sentence):
        yield found["old"], found["new"], True
        return
    if found := _FORMERLY.search(sentence):
        yield found["old"], sentence[: found.start()] + sentence[found.end() :], False
