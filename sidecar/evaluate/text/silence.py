"""Sentences that decline in words that no list of phrases holds: "searched the handbook; zero hits", "the minutes keep that to themselves". English.

A sentence is read as a row of word classes (who speaks, a document, a search, a denial, what a writer does); all other words are one class, so
that no topic is learned. A logistic regression over pairs and triples of these classes, fit on answers written by hand (training/silence.py,
silence.json), says how likely it declines.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sidecar.evaluate.text.clauses import is_sentence

_MOST_CHARACTERS = 600
_MOST_TOKENS = 60
_APART = 7  # tokens
_LENGTH = 6  # tokens
_SHORT_FORMS = (
    ("’", "'"), ("can't", "can not"), ("cannot", "can not"), ("won't", "will not"), ("n't", " not"), ("'m", " am"), ("'re", " are"),
    ("'ve", " have"), ("'ll", " will"), ("'d", " would"), ("'s", " is"),
)  # fmt: skip
_TOKEN = re.compile(r"[a-z]+(?:-[a-z]+)*|\d[\d.,]*|[?:;,—–-]")
_OF_THE_HOUSE = re.compile(
    r"(?:(?:no|sorry|unfortunately|i[’']m afraid)[,;:]? (?:but )?)?we (?:do not|don[’']t|does not|doesn[’']t|never|cannot|can[’']t) "
    r"(?:currently |yet |actually )?(?:offer|sell|ship|deliver|accept|take(?! a look)|serve|rent|repair|charge|support|stock|carry|"
    r"give (?:refunds|discounts|credit)|make (?:exceptions|deliveries))\b"
    r"(?! (?:[\w-]{1,30} ){0,3}(?:information|details?|answers?|advice|questions?|requests?|guidance))",
    re.IGNORECASE,
)
_LINKS = frozenset(("x", "the", "in", "about", ",", "^", "$"))
_OWN = frozenset("up down here there enough far as than even once single anywhere yet empty-handed".split())
_WORDS: Mapping[str, str] = {
    "i": "i me my myself mine we us our ours ourselves",
    "you": "you your yours yourself",
    "not": "not no never none neither nor without hardly nobody cannot zero nothing",
    "nowhere": "nowhere",
    "absent": (
        "absent missing silent silence blank empty mute mum elusive unmentioned unstated unspecified unanswered undisclosed unaddressed unlisted "
        "unrecorded undocumented unclear unknown unavailable unresolved untouched gap gaps omitted omission omits omit lack lacks lacking lacked skip "
        "skips skipped overlooks excludes redacted illegible cropped unreadable unaccounted"
    ),
    "leaves": (
        "leave leaves leaving left keeps keep kept passes glosses steers stays remains remain remained goes stops stop ends end breaks break cuts cut "
        "starts start begins falls fall came comes come coming draws drew draw"
    ),
    "out": "out off over short aside blind dry",
    "beyond": "beyond outside past other elsewhere different another unrelated",
    "source": (
        "document documents documentation doc docs context contexts passage passages source sources text texts article articles excerpt excerpts "
        "extract extracts snippet snippets material materials content contents base database knowledge corpus library archive archives manual manuals "
        "page pages chunk chunks handbook guide guides faq faqs website brochure leaflet leaflets report reports email mail mails thread notes note "
        "minutes transcript transcripts memo datasheet sheet sheets instructions newsletter wiki listing catalogue catalog chapter section sections "
        "paragraph paragraphs policy terms contract agreement log logs spreadsheet spreadsheets table tables list file files record records history "
        "agenda survey programme advisory schematic schematics letter letters correspondence index dataset data "
        "summary summaries abstract pdf attachment attachments slide slides deck specification spec specs readme changelog bulletin gazette newspaper "
        "book booklet statement statements appendix annex footnote footnotes brief briefing dossier paperwork literature collection "
        "repository entry entries timetable prospectus filing filings study paper papers "
        "bundle upload uploads"
    ),
    "given": (
        "given provided supplied furnished uploaded attached shared retrieved available accessible handed fetched indexed pulled loaded received pasted "
        "sent returned surfaced hand front disposal sight reach possession"
    ),
    "find": (
        "find found locate located see spot spotted dig dug trace traced look looked looking search searched searching check checked checking combed "
        "comb scanned scan read went sifted scoured reviewed review turned turn turns retrieve pull unearth"
    ),
    "say": (
        "mention mentions mentioned mentioning say says said saying state states stated specify specifies specified give gives giving list lists listed "
        "cover covers covered covering contain contains contained include includes included discuss discusses discussed address addresses addressed "
        "describe describes described detail detailed explain explains explained indicate indicates indicated name names named naming show shows shown "
        "spell spells spelled touch touches refer refers referred reveal reveals revealed disclose discloses disclosed tell tells told answer answers "
        "answered speak speaks talk talks dwell deal deals concern concerns depict depicts depicted documented recorded record noted print printed "
        "reported quote quoted published hold holds carry carries offer offers provide provides identify identifies appear appears appeared feature "
        "features featured set"
    ),
    "know": (
        "know sure certain determine determined confirm confirmed verify verified judge guess guessing speculate speculating speculation deduce deduced "
        "infer inferred conclude concluded derive derived work predict comment idea clue clueless aware establish established pin pinpoint ascertain "
        "recall remember guesswork estimate"
    ),
    "able": "able can could may might unable would will must position allowed permitted authorised authorized qualified comfortable willing going",
    "help": (
        "help assist advise advice support share comply draft write produce walk engage fulfil fulfill recommend guidance opinion request decline refuse "
        "discuss assistance participate"
    ),
    "sorry": "sorry afraid apologies apologise apologize regret regrettably unfortunately alas hmm oops sadly pity luck",
    "information": (
        "information info detail details figure figures word words mention reference references hit hits match matches result results hint hints "
        "indication line lines evidence anything something"
    ),
    "asked": "question questions topic subject matter point issue query that this it",
    "only": "only just exclusively solely merely simply purely",
    "have": "have has had having",
    "be": "is are was were be been being am",
    "do": "do does did done",
    "about": "about on regarding concerning for to",
    "in": "in within from by of at with among amongst inside throughout across",
    "the": "the a an any these those",
    "which": "if whether what which who whom whose when where why how",
    "but": "but however though although while yet whereas",
    "so": "so therefore hence thus because since until unless",
    "ai": "ai assistant bot model",
}
_SUBJECT_WORDS = 6
_REPLY = re.compile(r"\W{0,3}(?:yes|no)\b[,.;:!]", re.IGNORECASE)  # "No, we can't" answers
_ITEM = re.compile(
    r"\A[^:\n]{1,80}:\W{0,4}not (?:covered|included|offered|carried)\b\W{0,3}$", re.IGNORECASE
)  # "Rust: not covered" is said of rust
_DENIALS = frozenset(("not", "nowhere", "absent", "beyond", "leaves", "only", "sorry"))
_KNOWERS = frozenset(("i", "source", "given", "find", "know", "information", "say", "asked"))
_LOOKS = re.compile(
    r"(?:i|we)(?:[’']ve| have)?(?: \w+ly| just| also)? (?:searched|looked|combed|scanned|sifted|dug|went|gone|hunted|read|checked|reviewed|skimmed) "
    r"[^.?!,;:]{2,90}\W{0,2}",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\b(?:(?P<verb>talks? about|deals? with|(?:is|are) (?:only )?(?:about|for)|concerns?|covers?|focus(?:es)? on|"
    r"(?:run|range|start|begin|stop|end)s? (?:from|with|in|at))\b|(?P<only>exclusively|only)\W{0,3}$)",
    re.IGNORECASE,
)
_CLASS_OF = {word: name for name, words in reversed(list(_WORDS.items())) for word in words.split()}


@functools.cache
def _fitted() -> tuple[float, Mapping[str, float]]:
    read = json.loads(Path(__file__).with_name("silence.json").read_text(encoding="utf-8"))
    return read["bias"] - read["threshold"], read["weights"]


def is_of_the_house(sentence: str) -> bool:
    """Whether a sentence says what a house does not do: "we do not accept cheques" answers."""
    return _OF_THE_HOUSE.match(sentence) is not None


def is_silent(sentence: str) -> bool:
    """Whether a sentence says that what was asked stands nowhere, is not known or will not be told; of two whole clauses with a semicolon between one does."""
    if not _is_silent(sentence):
        return False
    clauses = sentence[:_MOST_CHARACTERS].split("; ", 1)
    return len(clauses) == 1 or not all(map(is_sentence, clauses)) or any(map(_is_silent, clauses))


def _is_silent(sentence: str) -> bool:
    if _REPLY.match(sentence) or _ITEM.match(sentence) or is_of_the_house(sentence):
        return False
    row = list(_classes(sentence))
    if not may_decline({*row}):
        return False
    bias, weights = _fitted()
    return bias + sum(weights.get(one, 0.0) for one in _features(row)) > 0


def may_decline(found: set[str]) -> bool:
    """Whether the classes of a sentence hold a denial, and somebody or something that could know."""
    return not (_DENIALS.isdisjoint(found) or _KNOWERS.isdisjoint(found))


def features(sentence: str) -> set[str]:
    """What the regression sees of a sentence: its word classes, those that stand beside each other with and without what links them, and
    which come before which."""
    return _features(list(_classes(sentence)))


def _features(row: Sequence[str]) -> set[str]:
    bare = [one for one in row if one not in _LINKS]
    found = {*row, f"length {min(6, len(row) // _LENGTH)}"}
    for size in (2, 3):
        found.update(" ".join(row[at : at + size]) for at in range(len(row) - size + 1))
        found.update("- " + " ".join(bare[at : at + size]) for at in range(len(bare) - size + 1))
    found.update(f"{one} > {other}" for at, one in enumerate(bare) for other in bare[at + 1 : at + 1 + _APART])
    return found


def _classes(sentence: str) -> Iterator[str]:
    low = sentence[:_MOST_CHARACTERS].lower()
    for short, long in _SHORT_FORMS:
        low = low.replace(short, long)
    yield "^"
    before = ""
    for token in _TOKEN.findall(low)[:_MOST_TOKENS]:
        if token[0].isdigit():
            before = "9"
        elif not token[0].isalpha():
            before = ","
        else:
            of = _CLASS_OF.get(token) or (token if token in _OWN else "x")
            if of == before == "x":
                continue
            before = of
        yield before
    yield "$"


def is_of_sources(sentence: str) -> bool:
    """Whether a sentence says where one looked, or what the sources are about instead: no answer, beside one that declines."""
    if _LOOKS.fullmatch(sentence):
        return True
    found = _TOPIC.search(sentence[:_MOST_CHARACTERS])
    if not found:
        return False
    subject = sentence[: found.start("verb")] if found["verb"] else sentence[: found.start("only")]
    return any(_CLASS_OF.get(word) == "source" for word in subject.lower().split()[:_SUBJECT_WORDS])
