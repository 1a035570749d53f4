"""One sentence as the statements that it joins: "A was founded in 1905 and moved to B" says two things of A.

A sentence is cut at "and", "but", a semicolon and the like where both sides have a finite verb, and a side without a subject takes that
of the side before. There is no parser behind this, so that it leaves alone whatever it cannot be sure of: what hangs on an "if",
"that" or "who", what stands in brackets or quotes, and lists of nouns. See docs/adr/0037.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sidecar.evaluate.text import chinese
from sidecar.evaluate.text.coordination import bought_in, clause_behind
from sidecar.evaluate.text.joints import REACH, after_colon, has_subject, in_list, listed, object_shared, tied
from sidecar.evaluate.text.marked import Marked
from sidecar.evaluate.text.sentence import BASES, CONTRACTED, ED, HAVE, Sentence, read_sentence
from sidecar.evaluate.text.verbs import (
    AUXILIARIES,
    BASE_FOLLOWS,
    BE,
    DETERMINERS,
    INSTRUCTIONS,
    INTRANSITIVE,
    OPENS_WITH,
    PREPOSITIONS,
    PRONOUNS,
    SAYING,
    SUBORDINATORS,
    VERBS,
)

_NEGATION = frozenset("not no never neither nor without hardly cannot".split())
_JOINS = frozenset("and but yet ; while whereas so".split())
_MAY_CUT = _JOINS | {",", "who"}
_NEED_COMMA = frozenset("yet while whereas so".split())
_PASSED = frozenset(
    "then also therefore thus however instead additionally furthermore and but , again later now still soon".split()
)
_OPENS_CLAUSE = OPENS_WITH | {"if", "when", "where", "otherwise"}
_BESIDE_VERB = frozenset("be been being also always usually".split())
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = rf"(?:on|in) (?:the )?(?:{_ORDINAL} (?:of )?)?(?:(?:{_MONTHS})\b,? ?(?:{_ORDINAL},? ?)?)?(?:\d{{4}})?"
_PLACED_AND_DATED = re.compile(
    rf"(?P<core>\S[^,;]{{0,80}} (?:is|was|are|were) [a-z]+(?:ed|en|rn|lt|un|ld|de)) "
    rf"(?P<place>(?:in|at) [A-Z][\w'’-]*(?: [A-Z][\w'’-]*){{0,3}}),? (?P<date>{_DATE})(?P<end>[.!]?)"
)
_BEGINS_OBJECT = frozenset("the a an your".split())
_BEFORE_ARTICLE = (
    PREPOSITIONS
    | DETERMINERS
    | SUBORDINATORS
    | frozenset("such what despite inside outside plus via behind and or but".split())
)
_MOST_TOKENS = 80
_MOST_DATED = 250
_MOST_READ = 1000
_MOST_SUBJECT = 10
_MOST_BETWEEN = 6


@dataclass(frozen=True, slots=True)
class Clause:
    """`text` as it can be read alone; `start` and `end` say where its own words stood."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Part:
    """Tokens `first` to `last` (exclusive) of a sentence, and what must stand before them to be read alone."""

    first: int
    last: int
    lead: str = ""


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where a part begins, what must stand before it, and the subject of it alone, where that is not its own."""

    start: int
    lead: str = ""
    subject: str = ""


def split_clauses(sentence: Marked, *, language: str = "en") -> list[Clause]:
    """The statements that a sentence joins, in order; the sentence itself where it joins none or cannot be cut safely."""
    if language == "zh":
        return _chinese(sentence)
    read = read_sentence(sentence.text)
    parts = list(_parts(read)) if 4 < len(read.words) <= _MOST_TOKENS else []
    if len(parts) < 2:
        return list(_placed_and_dated(Clause(sentence.text, *sentence.span), sentence))
    end = "." if sentence.text.rstrip("\"'”’)").endswith((".", "!")) else ""
    clauses: list[Clause] = []
    for part in parts:
        own = sentence.cut(read.span(part.first)[0], read.span(part.last - 1)[1])
        own = own.cut(0, len(own.text.rstrip(" -–—")))
        text = f"{part.lead} {own.text}" if part.lead else own.text
        made = Clause(text if text.rstrip("\"'”’)").endswith((".", "!")) else text + end, *own.span)
        clauses += _placed_and_dated(made, own) if not part.lead else [made]
    return clauses


def is_sentence(text: str, *, language: str = "en") -> bool:
    """Whether a text has a finite verb or is an instruction, so that it says something by itself."""
    if language == "zh":
        return chinese.is_sentence(text)
    read = read_sentence(text[:_MOST_READ])
    instructs = (
        read.word(0) in BASES | INSTRUCTIONS and len(read.words) > 1 and (read.follows_verb(0) or text[-1] in ".!")
    )
    # "Preheat the oven": what is no preposition and no word of quantity before an article is a verb.
    orders = read.word(1) in _BEGINS_OBJECT and read.word(0) not in _BEFORE_ARTICLE and not read.word(0).endswith("ing")
    return instructs or orders or any(read.finite(n, loose=n > 0) for n in range(len(read.words)))


def wants_object(text: str) -> bool:
    """Whether a text ends in a verb, so that what follows it is its object: "The plan includes"."""
    read = read_sentence(text[-_MOST_READ:])
    last = len(read.words) - 1
    if last > 0 and (read.words[last - 1] in DETERMINERS - PRONOUNS or read.words[0] in ("how", "where", "when")):
        return False
    return last > 0 and (read.finite(last, loose=True) or read.words[last] in VERBS | BE or read.words[last] in BASES)


def wants_verb(text: str) -> bool:
    """Whether a text ends in what a plain verb follows: "The patient should"."""
    read = read_sentence(text[-_MOST_READ:])
    return len(read.words) > 1 and read.words[-1] in BASE_FOLLOWS | {"to"} - {"do", "does", "did"}


def _chinese(sentence: Marked) -> list[Clause]:
    end = sentence.text[-1] if sentence.text[-1] in "。！" else ""
    clauses: list[Clause] = []
    at, lead = 0, ""
    for first, second, subject in [*chinese.joints(sentence.text), (len(sentence.text), len(sentence.text), "")]:
        own = sentence.cut(at, first)
        text = lead + own.text
        clauses.append(Clause(text if text.endswith(("。", "！")) else text + end, *own.span))
        at, lead = second, subject
    return clauses


def _placed_and_dated(clause: Clause, own: Marked) -> Iterator[Clause]:
    """ "She was born in Ulm on 14 March 1879" as what it says of the place and what of the date."""
    match = _PLACED_AND_DATED.fullmatch(clause.text) if len(clause.text) <= _MOST_DATED else None
    if not match or not any(c.isdigit() for c in match["date"]):
        yield clause
        return
    for name in ("place", "date"):
        start, end = own.cut(*match.span(name)).span if match.end(name) <= len(own.text) else own.span
        yield Clause(f"{match['core']} {match[name].rstrip(' ,')}{match['end']}", start, end)


def _parts(sentence: Sentence) -> Iterator[_Part]:
    """Tokens from one cut to the next."""
    at, lead, subject, n = 0, "", "", 1
    while n < len(sentence.words) - 1:
        cut = _cut(sentence, at, n, subject)
        if cut is None:
            n += 1
            continue
        yield _Part(at, n - 1 if sentence.words[n - 1] == "," else n, lead)
        at, lead, subject = cut.start, cut.lead, cut.subject
        n = at + 1
    yield _Part(at, len(sentence.words), lead)


def _cut(sentence: Sentence, at: int, n: int, subject: str) -> _Cut | None:
    """Where the part that begins at `at` ends, if it does before token `n`; `subject` is that of the part where it has none itself."""
    word, comma = sentence.words[n], sentence.words[n - 1] == ","
    if word not in _MAY_CUT or n - at < 2 or (word in _NEED_COMMA and not comma):
        return None
    if word == "who":
        return _relative(sentence, at, n, subject)
    if (that := sentence.told_as_well(at, n, reach=REACH)) is not None:
        return _Cut(n + 1, lead=sentence.text[sentence.span(at)[0] : sentence.span(that - 1)[1]])
    if (word == "," and not listed(sentence, n)) or sentence.enclosed[n] or (word != ";" and tied(sentence, at, n)):
        return None
    start = n + 1
    while sentence.word(start) in _PASSED:
        start += 1
    if len(sentence.words) - start < 2:
        return None
    if (colon := after_colon(sentence, at, n)) > at:
        at, subject = colon, ""
    return _told(sentence, at, n, start, subject) or _by_place(sentence, at, n, start, subject)


def _told(sentence: Sentence, at: int, n: int, start: int, subject: str) -> _Cut | None:
    """What is cut at token `n` where the verbs of both sides are known."""
    word, comma = sentence.words[n], sentence.words[n - 1] == ","
    verb = _verb(sentence, at, n)
    own_verb = verb is not None and (verb > at or bool(subject or CONTRACTED.fullmatch(sentence.words[verb])))
    sure = word == ";" or (comma and not in_list(sentence, at, n)) or word == ","
    if (own_verb or word == ";") and has_subject(sentence, start, sure=sure):
        return _Cut(start)
    if word == ";" and sentence.word(start) in _OPENS_CLAUSE and sentence.has_verb(start + 1, len(sentence.words)):
        return _Cut(start)
    if verb is None or not own_verb or object_shared(sentence, n, verb=verb, start=start):
        return None
    return _shared(sentence, at, n, verb=verb, start=start, subject=subject)


def _by_place(sentence: Sentence, at: int, n: int, start: int, subject: str) -> _Cut | None:
    """What is cut at token `n` where the place of a verb tells that it is one."""
    behind = clause_behind(sentence, at, n, start, subject=subject)
    if behind is None:
        return None
    verb, anew = behind
    if anew:
        return _Cut(start)
    own = subject or _subject(sentence, at, verb)
    return _Cut(start, own, own) if own and own.lower() not in ("there", "here") else None


def _verb(sentence: Sentence, at: int, n: int) -> int | None:
    """The first finite verb of tokens `at` to `n`; where none is sure, the first that may be one."""
    outside = [m for m in range(at, n) if not sentence.enclosed[m]]
    sure = next((m for m in outside if sentence.is_verb(m)), None)
    maybe = (m for m in outside if m > at and sentence.finite(m, loose=True))
    return next(maybe, None) if sure is None else sure


def _shared(sentence: Sentence, at: int, n: int, *, verb: int, start: int, subject: str) -> _Cut | None:
    """The part after token `n` begins with a verb: it takes the subject before `verb`, and its auxiliaries where it needs them."""
    contracted = CONTRACTED.fullmatch(sentence.words[verb])
    own = subject or (_raw(sentence, verb)[: contracted.end("subject")] if contracted else _subject(sentence, at, verb))
    said = sentence.words[verb] in SAYING and sentence.has_verb(verb + 1, n)
    if not own or said or own.lower() in ("there", "here") or (not subject and sentence.words[at] in BASES):
        return None
    second = start + sentence.word(start).endswith("ly")
    word = sentence.word(second)
    helpers = _auxiliaries(sentence, verb)
    denied = any(one in _NEGATION or one.endswith("n't") for one in sentence.words[at:n])
    passive = (
        bool(helpers)
        and helpers[-1] in BE | {"be", "been"}
        and word not in INTRANSITIVE
        and not sentence.object_follows(second)
    )
    perfect = bool(helpers) and helpers[-1] in HAVE
    if (passive or perfect) and ED.fullmatch(word) and sentence.follows_verb(second):
        return None if denied else _Cut(start, " ".join([own, *helpers]), own)
    if (helpers and helpers[-1] in BASE_FOLLOWS and word in BASES and sentence.object_follows(second)) or word in (
        "have",
        "do",
    ):
        plain = helpers and helpers[-1] in BASE_FOLLOWS and not denied and "to" not in sentence.words[verb:n]
        return _Cut(start, " ".join([own, *helpers]), own) if plain else None
    if (contracted and ED.fullmatch(word)) or bought_in(sentence, verb, second):
        return None
    plural = sentence.words[verb] in BASES and word in BASES and sentence.object_follows(second)
    return _Cut(start, own, own) if plural or sentence.is_verb(second) else None


def _raw(sentence: Sentence, n: int) -> str:
    return sentence.text[slice(*sentence.span(n))]


def _relative(sentence: Sentence, at: int, n: int, subject: str) -> _Cut | None:
    """ "She was a chemist who found X": of her, since "a chemist" is no one else."""
    verb = next((m for m in range(at, n) if sentence.is_verb(m)), None)
    if verb is None or sentence.words[verb] not in BE or sentence.word(verb + 1) not in ("a", "an"):
        return None
    own = subject or _subject(sentence, at, verb)
    between = sentence.words[verb + 2 : n]
    plain = len(between) <= _MOST_BETWEEN and not any(w in _NEGATION or w == "," or w.endswith("ing") for w in between)
    if not own or own.lower() == "here" or not plain or tied(sentence, at, n) or sentence.enclosed[n]:
        return None
    one = sentence.is_verb(n + 1) and sentence.word(n + 1) not in ("have", "are", "were", "do")
    return _Cut(n + 1, own, own) if one else None


def _subject(sentence: Sentence, at: int, verb: int) -> str:
    """What stands before the verb, where it can be a subject: what is said between two commas is left out of it."""
    words = sentence.words[at:verb]
    while words and (words[-1] in _PASSED - {","} or words[-1].endswith("ly")):
        words = words[:-1]
    if words.count(",") == 2 and words[-1] == ",":
        words = words[: words.index(",")]
    opens = bool(words) and words[0] in OPENS_WITH
    commas = words.count(",")
    if not words or len(words) > _MOST_SUBJECT or commas != int(opens) or words[-1] == ",":
        return ""
    return sentence.text[sentence.span(at)[0] : sentence.span(at + len(words) - 1)[1]]


def _auxiliaries(sentence: Sentence, verb: int) -> list[str]:
    """The auxiliary at `verb` and those that follow it; empty where it is a main verb."""
    found: list[str] = []
    for word in sentence.words[verb : verb + 4]:
        if word in AUXILIARIES or (found and word in _BESIDE_VERB):
            found.append(word)
        else:
            break
    return found
