"""What stands behind an "and" or "but", told to be a clause by its place where no list of verbs.py tells it.

"The store opens at 9 and closes at 17": "closes" may be a noun. It is a verb where the clause before has one in the same form and
what follows cannot follow a noun. What the second clause may share with the first, at its end, keeps both whole.
"""

from __future__ import annotations

import re

from sidecar.evaluate.text.forms import PLAIN, PLAIN_PAST, SURE_THIRD, TELLING, THIRD
from sidecar.evaluate.text.sentence import ED, Sentence
from sidecar.evaluate.text.verbs import (
    ARTICLES,
    AUXILIARIES,
    BASE_FOLLOWS,
    BE,
    DETERMINERS,
    INTRANSITIVE,
    OFTEN_NOUNS,
    ONLY_PAST,
    PAST,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
)

_JOINS = frozenset("and but or ; ,".split())
_SINGULAR = frozenset("is was has does isn't wasn't hasn't doesn't".split())
_PLURAL = frozenset("are were have do aren't weren't haven't don't".split())
_NO_SUBJECT = frozenset("rather hence thus then".split())
_DENIED = frozenset("not no never neither nor hardly cannot nothing nobody none few".split())
_NEEDS_OBJECT = frozenset("bought brought built caught found held kept made paid sold told".split())
_NUMBERS = frozenset("two three four five six seven eight nine ten several many half".split())
# What follows a verb, and no plural noun: "costs the firm"; "costs each year" may be of costs.
_OBJECT = frozenset("the a an its his her their our your no it them him us you me".split()) | _NUMBERS
_BEFORE_SUBJECT = frozenset("the a an its his her their our your".split())
_PEOPLE = frozenset("people men women children police staff".split())
_SUBJECTS = frozenset("it he she they we you".split())
_OF_MANY = frozenset("they we you".split())
_MAY_STAND_ALONE = frozenset("merged went became served taught spoke ran fought stood sat lay grew rose fell".split())
_DATING = frozenset("after before since until than".split())
_PASSED_TIMES = frozenset("later again now still soon".split())
_NO_OBJECT = frozenset("such like so too more less other else when even same".split())
_SCOPES = frozenset("on in at during for throughout every each within under with except among per".split())
_HANGING = frozenset(
    "if unless when whenever while because although though since until once where whether provided".split()
)
_TIME = re.compile(
    r"(?:jan|febr)uary|march|april|may|june|july|august|(?:sept|nov|dec)ember|october|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|weekdays?|weekends?|noon|midnight|spring|summer|autumn|winter|daily|weekly|monthly|yearly|annually|today|year|month|week|day|night|hour"
)
_FIGURE = re.compile(r"[$€£¥]?\d")
_PLURAL_NOUN = re.compile(r"[a-z]{2,30}[a-rt-z]s")
_NO_PLURAL = re.compile(r".*(?:us|is)|always|perhaps|besides|sometimes|its|this|has|was|does|as")
_OF_GRAMMAR = PREPOSITIONS | SUBORDINATORS | _JOINS | AUXILIARIES | DETERMINERS | {"to", "as", "(", '"'}
_BEFORE_NO_VERB = PREPOSITIONS | BASE_FOLLOWS | {"and", "or"}
_OPENS_UNSAID = THIRD | TELLING
_ALONE = INTRANSITIVE | _MAY_STAND_ALONE
_BEGIN_SUBJECT = _SUBJECTS | _BEFORE_SUBJECT
_BEGIN_NONE = _DENIED | _NO_SUBJECT
_LEADS_ON = PREPOSITIONS - {"of", "than"}
_MOST_SUBJECT = 4


def clause_behind(sentence: Sentence, at: int, n: int, start: int, *, subject: str) -> tuple[int, bool] | None:
    """The verb of tokens `at` to `n`, and whether a clause with a subject of its own begins at `start`, or one that takes that of the
    first; `None` where that is not sure. `subject` is what the first has taken where it has none itself."""
    if (
        sentence.words[at] == "i"
        or not _HANGING.isdisjoint(sentence.words[start:])
        or not {"case", "while"}.isdisjoint(sentence.words[at:n])
    ):
        return None  # "I read the minutes twice and the name isn't there": one thing said, not two
    end = _end(sentence, start, listed=sentence.words[n] == ",")
    comma = sentence.words[n - 1] == ","
    last = n - 1 if comma else n
    first = _first(sentence, at, last, taken=bool(subject))
    if first is None or first + 1 >= last or (not comma and sentence.words[last - 1] in PREPOSITIONS):
        return None
    verb = _begins(sentence, first, last, start, comma=comma)
    if verb is not None:
        return None if not comma and _shares_end(sentence, first, last, verb, end) else (first, True)
    second = start + sentence.word(start).endswith("ly")
    goes_on = _goes_on(sentence, first, last, second, end)
    denied = not _DENIED.isdisjoint(
        sentence.words[at : first + 2 if sentence.words[first] in AUXILIARIES else first + 1]
    )
    if not goes_on or denied or _shares_end(sentence, first, last, second, end):
        return None
    return first, False


def listed_alike(sentence: Sentence, n: int) -> bool:
    """Whether a verb stands behind the comma at `n`, and one in the same form behind the "and" that ends the list."""
    joins = [m for m in range(n + 2, len(sentence.words) - 1) if sentence.words[m] in ("and", "but")]
    commas = [m for m in range(1, n) if sentence.words[m] == ","]
    start = commas[0] + 1 if commas and sentence.word(commas[0] + 1) in THIRD else 0
    first = _first(sentence, start, n, taken=start > 0)
    if first is None or not joins or first + 1 >= n:
        return False
    last = joins[0] - (sentence.words[joins[0] - 1] == ",")
    if not _goes_on(sentence, first, n, n + 1, last) or sentence.word(n + 2) in _JOINS:
        return False
    return _goes_on(sentence, n + 1, last, joins[0] + 1, _end(sentence, joins[0] + 1))


def bought_in(sentence: Sentence, first: int, second: int) -> bool:
    """Whether the token at `second` only looks like a verb behind the one at `first`: "goods bought in May and sold in June" behind "applies
    to", and "costs each year"."""
    one, word = sentence.words[first], sentence.word(second)
    if word in OFTEN_NOUNS:
        return sentence.word(second + 1) in ("each", "every", "this", "that", "any")
    aside = any(sentence.words[m - 1] == "," and wants_its_object(sentence, m) for m in range(first + 1, second))
    return (one in THIRD or aside) and word in PAST and wants_its_object(sentence, second)


def wants_its_object(sentence: Sentence, m: int) -> bool:
    """Whether token `m` is no verb for want of an object: "built in 1905"."""
    return sentence.words[m] in _NEEDS_OBJECT and not sentence.object_follows(m)


def _end(sentence: Sentence, start: int, *, listed: bool = False) -> int:
    """Where the clause that begins at `start` ends at the latest."""
    ends = (";", ",", "and", "but") if listed else (";", ",")
    return next((m for m in range(start, len(sentence.words)) if sentence.words[m] in ends), len(sentence.words))


def _first(sentence: Sentence, at: int, last: int, *, taken: bool) -> int | None:
    """The one finite verb of tokens `at` to `last`."""
    opened = (
        sentence.words.index(",", at) + 1
        if sentence.words[at] in PREPOSITIONS and "," in sentence.words[at:last]
        else at
    )
    if not taken and sentence.words[opened] in _OPENS_UNSAID:
        return None  # "Returns a list and closes the file": of whom is not said
    found = [m for m in range(at if taken else at + 1, last) if _may_be_verb(sentence, m, begins=m == at)]
    if not found or (len(found) > 1 and any(_sure(sentence, m) for m in found[1:])):
        return None
    if sentence.words[found[0]] in TELLING and any(sentence.words[m] in AUXILIARIES for m in range(found[0], last)):
        return None
    return found[0]


def _may_be_verb(sentence: Sentence, m: int, *, begins: bool) -> bool:
    """Whether token `m` is a finite verb, or stands as one does."""
    word, before = sentence.words[m], "" if begins else sentence.words[m - 1]
    if (
        sentence.enclosed[m]
        or _capital(sentence, m)
        or before in _BEFORE_NO_VERB
        or (before in ARTICLES and word not in AUXILIARIES)
        or (_FIGURE.match(before) and word not in AUXILIARIES)
    ):
        return False
    if _sure(sentence, m):
        return True
    if word in THIRD:
        return not _plural(before) and (
            word in SURE_THIRD or _complement(sentence, m) or sentence.follows_verb(m) or _object_named(sentence, m)
        )
    if word in PLAIN and _plural(before):
        return _complement(sentence, m)
    return (word in PLAIN_PAST or bool(ED.fullmatch(word))) and before not in AUXILIARIES and before != ","


def _sure(sentence: Sentence, m: int) -> bool:
    return sentence.is_verb(m) or (sentence.words[m] in SURE_THIRD and not _capital(sentence, m))


def _goes_on(sentence: Sentence, first: int, last: int, second: int, end: int) -> bool:
    """Whether the token at `second` is a verb in the form of the one at `first`."""
    one, word = sentence.words[first], sentence.word(second)
    if not word or _capital(sentence, second) or _leaves_verb_out(sentence, first, last, second):
        return False
    if word in THIRD and (one in THIRD or (one in ("is", "has") and word in SURE_THIRD)):
        if one in THIRD and any(sentence.is_verb(m) for m in range(second + 1, end)):
            return False
        if word in SURE_THIRD or _complement(sentence, second):
            return True
        goes_on = _adverb_follows(sentence, second) or _object_named(sentence, second)
        return goes_on and _closed(sentence, last)
    if not (one in PAST or one in ONLY_PAST or ED.fullmatch(one)):
        return False
    if word in _ALONE and sentence.follows_verb(second):
        return True
    told = word in PLAIN_PAST
    return ((told or bool(ED.fullmatch(word))) and sentence.object_follows(second)) or (
        told and _bare_noun(sentence, second)
    )


def _leaves_verb_out(sentence: Sentence, first: int, last: int, second: int) -> bool:
    """Whether a noun stands behind "and" as another one does behind the verb, with the same preposition: "limits visits to 10 and calls to 5"."""
    behind = sentence.word(second + 1)
    return (
        behind in PREPOSITIONS
        and sentence.word(first + 1) not in PREPOSITIONS
        and behind in sentence.words[first + 2 : last]
    )


def _begins(sentence: Sentence, first: int, last: int, start: int, *, comma: bool) -> int | None:
    """The verb of the clause with a subject of its own that begins at `start`."""
    word = sentence.word(start)
    if sentence.words[first] in TELLING and not comma:
        return None
    if not comma and _opened(sentence, first, last, plain=word not in _BEGIN_SUBJECT and not _plural(word)):
        return None
    if sentence.words[start - 1] in _PASSED_TIMES and word not in _BEFORE_SUBJECT:
        return None  # "and later ones are logged"
    if word in _SUBJECTS:
        verb = start + 1 + sentence.word(start + 1).endswith("ly")
        told = sentence.word(verb) in (PLAIN if word in _OF_MANY else THIRD) or sentence.is_verb(verb)
        return verb if told else None
    for verb in range(start + 1, min(start + 1 + _MOST_SUBJECT, len(sentence.words))):
        if _predicates(sentence, last, start, verb, comma=comma):
            return verb
        if not _names(sentence, verb):
            return None
    return None


def _opened(sentence: Sentence, first: int, last: int, *, plain: bool) -> bool:
    """Whether something behind the verb at `first` goes on until behind token `last`: "after tea and coffee are served". A `plain` noun,
    without an article, may stand in a list."""
    joins = (",", "but", ";", "and") if plain else (",", "but", ";")
    dated = not _DATING.isdisjoint(sentence.words[max(first, last - 3) : last - 1])
    dated = dated and (_capital(sentence, last - 1) or not _closed(sentence, last))
    return dated or any(w in joins for w in sentence.words[first:last])


def _names(sentence: Sentence, m: int) -> bool:
    """Whether token `m` may be a word of a plain subject."""
    word = sentence.words[m]
    return word not in _OF_GRAMMAR


def _predicates(sentence: Sentence, last: int, start: int, verb: int, *, comma: bool) -> bool:
    """Whether the token at `verb` is one of what stands between `start` and it."""
    first, word, head = sentence.word(start), sentence.words[verb], sentence.words[verb - 1]
    determined = first in _BEFORE_SUBJECT
    if (determined and verb == start + 1) or not (determined or _names(sentence, start)) or first in _BEGIN_NONE:
        return False
    if (first in THIRD and not comma and verb > start + 1) or first.endswith("ing") or _capital(sentence, verb):
        return False
    many = _plural(head) or head in _PEOPLE
    if many and not determined and not comma and sentence.words[last - 1].endswith("s"):
        return False  # "on Sundays and holidays"
    if word in AUXILIARIES:
        return not (word in _SINGULAR and many) and not (word in _PLURAL and not many)
    if word in THIRD:
        named = determined or _capital(sentence, start)
        return (
            named
            and not many
            and (
                word in SURE_THIRD
                or _complement(sentence, verb)
                or (_closed(sentence, last) and _adverb_follows(sentence, verb))
            )
        )
    if word in PLAIN and many:
        only = verb + (sentence.word(verb + 1) in ("only", "just"))
        return sentence.object_follows(only) or (comma and _bare_noun(sentence, verb))
    if not (determined or _capital(sentence, start)):
        return False
    if word in ONLY_PAST:
        return True
    return (word in PAST or bool(ED.fullmatch(word))) and (_closed(sentence, last) and sentence.follows_verb(verb))


def _complement(sentence: Sentence, m: int) -> bool:
    """Whether what stands after token `m` follows a verb and no plural noun: a figure, an article, a name, another plural noun."""
    after = sentence.word(m + 1)
    if after in _OBJECT or _FIGURE.match(after):
        return True
    if after in DETERMINERS or not after:
        return False
    return _capital(sentence, m + 1) or (_bare_noun(sentence, m) and _plural(after) and not _runs_on(sentence, m + 2))


def _object_named(sentence: Sentence, m: int) -> bool:
    """Whether a bare noun stands after token `m`, and no verb in its place."""
    return _bare_noun(sentence, m) and not _runs_on(sentence, m + 1) and not _runs_on(sentence, m + 2)


def _runs_on(sentence: Sentence, m: int) -> bool:
    word = sentence.word(m)
    return word in AUXILIARIES or word in PLAIN or sentence.is_verb(m)


def _adverb_follows(sentence: Sentence, m: int) -> bool:
    after = sentence.word(m + 1)
    return (after in _LEADS_ON) or after.endswith("ly")


def _bare_noun(sentence: Sentence, m: int) -> bool:
    """Whether a word without an article stands after token `m`, that is none of grammar."""
    after = sentence.word(m + 1)
    if after in _NO_OBJECT or after.endswith(("ed", "ing")):
        return False
    return (
        after.replace("-", "").isalpha()
        and _names(sentence, m + 1)
        and not after.endswith("ly")
        and after not in PRONOUNS | BE
    )


def _closed(sentence: Sentence, last: int) -> bool:
    """Whether the clause that ends before token `last` ends in a figure or a time, beside which no noun can be set with an "and"."""
    word, before = sentence.words[last - 1], sentence.words[last - 2] if last > 1 else ""
    if _FIGURE.match(word) or word in ("%", "percent") or _TIME.fullmatch(word) or word.endswith("ly"):
        return True
    placed = before in PREPOSITIONS or (before == "the" and last > 2 and sentence.words[last - 3] in PREPOSITIONS)
    return bool(_FIGURE.match(before)) or before in _NUMBERS or (placed and _capital(sentence, last - 1))


def _shares_end(sentence: Sentence, first: int, last: int, second: int, end: int) -> bool:
    """Whether what stands at the end of the second clause may be said of the first as well: "opens at 9 and closes at 17 on weekdays"."""
    behind = range(second + 2, end)
    scopes = {w for m in behind if (w := sentence.words[m]) in _SCOPES and sentence.words[m - 1] not in PREPOSITIONS}
    return not scopes <= set(sentence.words[first:last])


def _capital(sentence: Sentence, m: int) -> bool:
    return m > 0 and sentence.text[slice(*sentence.span(m))][:1].isupper()


def _plural(word: str) -> bool:
    return _PLURAL_NOUN.fullmatch(word) is not None and _NO_PLURAL.fullmatch(word) is None
