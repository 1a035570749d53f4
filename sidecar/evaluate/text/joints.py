"""Where two statements may meet in an English sentence, and what keeps them together."""

from __future__ import annotations

from sidecar.evaluate.text.coordination import listed_alike, wants_its_object
from sidecar.evaluate.text.sentence import CONTRACTED, Sentence
from sidecar.evaluate.text.verbs import AUXILIARIES, OPENS_WITH, PAST, PREPOSITIONS, PRONOUNS, SUBORDINATORS, VERBS

REACH = 8  # tokens within which a subject has its verb
_TIED_BY_VERB = frozenset("before after until since as than once while though although".split())


def has_subject(sentence: Sentence, start: int, *, sure: bool) -> bool:
    """Whether a clause with a subject of its own begins at `start`; `sure` where a mark stands before it."""
    first = sentence.word(start)
    if (first in SUBORDINATORS and first not in PRONOUNS) or first == "that":
        return False
    if sentence.is_verb(start):
        return CONTRACTED.fullmatch(first) is not None
    if first in PREPOSITIONS or first in OPENS_WITH or first.endswith("ing"):
        return False
    if not sure and first not in PRONOUNS:
        return False
    for n in range(start + 1, min(start + REACH, len(sentence.words) - 1)):
        if sentence.words[n] in SUBORDINATORS or sentence.words[n] in (",", ";", "and", "or", "to"):
            return False
        if sentence.finite(n, loose=n == start + 1 and first in PRONOUNS):
            return True
    return False


def listed(sentence: Sentence, n: int) -> bool:
    """Whether the comma at `n` stands between verbs of one subject, or between clauses, the last of them after an "and"."""
    words = sentence.words
    joins = [m for m in range(n + 2, len(words) - 1) if words[m] in ("and", "but")]
    after = sentence.word(n + 1)
    past = after in PAST and sentence.is_verb(n + 1) and not wants_its_object(sentence, n + 1)
    if after in VERBS or after in AUXILIARIES or past:
        return any(sentence.is_verb(m + 1) for m in joins)
    if listed_alike(sentence, n):
        return True
    clauses = (m for m in joins if words[m - 1] == "," and has_subject(sentence, m + 1, sure=True))
    return any(clauses) and has_subject(sentence, n + 1, sure=True)


def in_list(sentence: Sentence, at: int, n: int) -> bool:
    """Whether what stands between the comma before token `n` and the one before that is no clause: then `n` joins a list."""
    commas = [m for m in range(at, n) if sentence.words[m] == ","]
    if len(commas) < 2 or commas[-1] != n - 1:
        return False
    return not sentence.has_verb(commas[-2] + 1, n)


def tied(sentence: Sentence, at: int, n: int) -> bool:
    """Whether what follows token `n` may hang on something between `at` and it: an "if", a "that", an "either"."""
    two = sentence.words[at] == "both" and sentence.word(at + 1).endswith("s") and sentence.has_verb(at + 2, n)
    for m in range(at + two, n):
        word = sentence.words[m]
        if word in _TIED_BY_VERB:
            if sentence.has_verb(m + 1, n):
                return True
        elif (
            word in SUBORDINATORS and word not in ("not", "without", "so", "even") and not (m == at and word == "that")
        ):
            return True
    return False


def after_colon(sentence: Sentence, at: int, n: int) -> int:
    """Where, in tokens `at` to `n`, what follows the last colon begins; `at` where there is none, or nothing behind it."""
    return next((m + 1 for m in range(n - 2, at, -1) if sentence.text[slice(*sentence.span(m))].endswith(":")), at)


def object_shared(sentence: Sentence, n: int, *, verb: int, start: int) -> bool:
    """Whether what stands after the second verb is the object of the first as well: "shot and killed him"."""
    last = n - 2 if sentence.words[n - 1] == "," else n - 1
    return sentence.word(start) not in AUXILIARIES and (last == verb or sentence.words[last] in PREPOSITIONS)
