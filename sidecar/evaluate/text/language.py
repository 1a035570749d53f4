"""Which language is a text in, and which are those of a whole request?

By script; Latin text by function words and everyday words, and by py3langid where there is enough of it. Names, numbers, code and
addresses say nothing: what is made of these alone is in no language that can be told.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from sidecar.evaluate.text.words import ARTICLES, BORROWED, CORE, ENGLISH, LANGUAGES, NEUTRAL, SAID_ALONE, TELLING
from sidecar.inference.languages import UNKNOWN

_LANGUAGES = [
    "en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "cs", "ro", "hu", "tr", "id", "vi", "ru", "uk", "bg", "el",
    "ar", "he", "fa", "hi", "bn", "th", "zh", "ja", "ko",
]  # fmt: skip
_SCRIPTS = (
    ("HIRAGANA", "ja"), ("KATAKANA", "ja"), ("HANGUL", "ko"), ("CJK", "zh"), ("CYRILLIC", "ru"), ("ARABIC", "ar"), ("HEBREW", "he"),
    ("GREEK", "el"), ("DEVANAGARI", "hi"), ("BENGALI", "bn"), ("THAI", "th"), ("TAMIL", "ta"), ("TELUGU", "te"), ("GEORGIAN", "ka"),
    ("ARMENIAN", "hy"),
)  # fmt: skip
_TOKEN = re.compile(r"[^\s,;:!?¿¡()\[\]{}\"“”„«»|]+")
_WORD = re.compile(r"[^\W\d_]+")
_ENDS = re.compile(r"[.!?:;\n¿¡\"“„«(|*•\-]")
_CAPITAL = re.compile(r"(?:[^\W\d_]{1,2}['’])?(?P<letter>[^\W\d_])")
_COMMON = (TELLING.keys() | ENGLISH) - ARTICLES
_UKRAINIAN = re.compile("[іїєґ]", re.IGNORECASE)
_JOINTS = frozenset("'’")
_OF_CODE = frozenset("_/\\.@=<>#$`+~^")
_READ = 1000
_OTHER_SCRIPT_SHARE = 0.3
_SURE = 0.97
_LIKELY = 0.6
_FEW_WORDS = 3
_LONGEST_NAME = 60  # characters
_ENGLISH_SHARE = 0.12
_SAYS_ENGLISH = 0.5


def languages_together(texts: Iterable[str]) -> frozenset[str]:
    """The languages of a request, of which `texts` are the parts: ISO 639-1 codes.

    A part that cannot be told by itself ("Paris", "42 mg", a file name) takes the language of those that can: it adds none, nor do a few
    words that are names or stand in the others ("Ben.", which is "I" in Turkish). Where no part can be told, all are read as one text; where that
    says nothing either the answer is {"und"}: unknown is not English.
    """
    parts = [text for text in texts if text]
    told = {text: code for text in parts if (code := language_of(text))}
    found = {code for text, code in told.items() if not _is_named(text, told)} or set(told.values())
    if not found and parts:
        found = {language_of("\n".join(parts)) or UNKNOWN}
    return frozenset(found)


def language_of(text: str) -> str | None:
    """ISO 639-1 code, or None where there is nothing to tell by."""
    sample = text[:_READ]
    letters = [c for c in sample if c.isalpha()]
    if not letters:
        return None
    return (None if sample.isascii() else _other_script(letters)) or _latin(sample)


def _is_named(text: str, told: Mapping[str, str]) -> bool:
    """Whether a text is a few words that are names, or stand in the texts of another language."""
    words = [word.lower() for word in _WORD.findall(text[:_LONGEST_NAME])]
    others = [other for other, code in told.items() if code != told[text]]
    few = len(text) < _LONGEST_NAME and len(words) <= _FEW_WORDS and not any(map(str.isdigit, text))
    return few and bool(others) and SAID_ALONE.isdisjoint(words) and text.isascii() and goes_with(text, others)


def goes_with(text: str, others: Iterable[str]) -> bool:
    """Whether a text that cannot be told by itself may take the language of `others`: it is one word beside numbers ("14 euros", "Paris"), or each of its
    words stands in them or is a name ("Lee Harper"), which is one by its capital. "14 Euro am Tag" does not go with English.

    A capital at the start makes no name, unless all the words have one; letters of a name are ASCII, for others are a sign of another language.
    """
    words = [word for token in _TOKEN.findall(text[:_READ]) if (word := token.strip(".'’`*-–—")) and _is_written(word)]
    if len(words) < 2:
        return True
    there = {word.casefold() for other in others for word in _WORD.findall(other)}
    names = [word.isascii() and _is_capital(word) for word in words]
    names[0] = all(names)
    return all(
        name or all(part.casefold() in there for part in _WORD.findall(word))
        for name, word in zip(names, words, strict=True)
    )


def _is_written(word: str) -> bool:
    """Whether a word is made of letters: numbers ("11:30", "4th", "€") are none."""
    return any(c.isalpha() for c in word) and not any(c.isdigit() for c in word)


def _other_script(letters: list[str]) -> str | None:
    """The language that a script stands for, where a share of 0.3 of the letters is not Latin."""
    counts: Counter[str] = Counter()
    for letter in letters[:600]:
        name = unicodedata.name(letter, "")
        counts[next((code for start, code in _SCRIPTS if name.startswith(start)), "")] += 1
    total = counts.total()
    latin = counts.pop("", 0)
    if not counts or (total - latin) / total < _OTHER_SCRIPT_SHARE:
        return None
    if counts["ja"] > 0.1 * total:
        return "ja"
    most = max(counts, key=lambda code: counts[code])
    return "uk" if most == "ru" and _UKRAINIAN.search("".join(letters)) else most


def _latin(sample: str) -> str | None:
    words = _words(sample)
    english = sum(map(_weight_of_english, words))
    telling = LANGUAGES if len(words) == 1 and words[0] in SAID_ALONE else TELLING
    foreign = Counter(code for word in words for code in telling.get(word, ()))
    most = max(foreign.values(), default=0)
    if english >= _ENGLISH_SHARE * len(words) and english > 2 * most:
        return "en" if english >= _SAYS_ENGLISH else None
    guess, confidence = _classify(" ".join(words))
    marked = any(not word.isascii() and word not in BORROWED for word in words)
    seen = most > 0 or marked
    if guess != "en" and seen and english < _ENGLISH_SHARE * len(words) and confidence >= _SURE and len(words) > 2:
        return guess
    if most > english and (most > 1 or len(words) <= _FEW_WORDS or (guess != "en" and confidence >= _LIKELY)):
        return guess if foreign[guess] >= 0.6 * most and confidence >= _LIKELY else _closest(words, foreign)
    if english >= _SAYS_ENGLISH:
        return "en"
    if confidence < _LIKELY or not (marked if guess != "en" else len(words) > 2):
        return None
    return guess


def _weight_of_english(word: str) -> float:
    if word in CORE:
        return 0.5 if word in NEUTRAL else 1.0
    return 0.2 if word in NEUTRAL else 0.5 if word in ENGLISH else 0.0


def _closest(words: list[str], foreign: Counter[str]) -> str:
    """The language with most of the words, those too that English has."""
    every = Counter(code for word in words for code in LANGUAGES.get(word, ()))
    return max(sorted(foreign), key=lambda code: (foreign[code], every[code]))


def _words(sample: str) -> list[str]:
    """The words, in lower case, that may tell a language: names, code, addresses and what has digits in it are left out."""
    tokens = [match for match in _TOKEN.finditer(sample) if _is_prose(match[0])]
    shouted = sample.isupper()
    kept: list[str] = []
    telling, named = shouted, False
    for place, token in enumerate(tokens):
        parts = [part.lower() for part in _WORD.findall(token[0])]
        capital = _is_capital(token[0]) and not shouted
        starts = capital and (
            token.start() == 0 or bool(_ENDS.search(sample[max(0, token.start() - 2) : token.start()]))
        )
        if not parts:
            continue
        if parts[0] in ARTICLES and (named or (capital and starts)) and _name_follows(tokens, place):
            named = True
            continue
        named = capital
        acronym = token[0].isupper() and len(token[0]) > 1 and not shouted
        if acronym or (capital and not starts and "de" not in TELLING.get(parts[0], ())):
            continue
        telling = telling or not capital or any(part in SAID_ALONE or part in _COMMON for part in parts)
        kept += parts
    return kept if telling else []


def _name_follows(tokens: list[re.Match[str]], place: int) -> bool:
    """Whether the next word that is no article begins with a capital."""
    after = (token[0] for token in tokens[place + 1 : place + 4])
    return next((_is_capital(word) for word in after if word.lower() not in ARTICLES), False)


def _is_capital(token: str) -> bool:
    """Whether a token begins as a name does: Ivoire, d'Ivoire, "Ivoire"."""
    if token.isalpha():
        return token[0].isupper()
    found = _CAPITAL.search(token)
    return found is not None and found["letter"].isupper()


def _is_prose(token: str) -> bool:
    """Whether a token is a word of a sentence, and no code, address or name like iPhone."""
    if token.isalpha() and token.islower():
        return True
    inner = token.strip(".'’`*-–—")
    joined = not _JOINTS.isdisjoint(inner)
    if not joined and any(c.isupper() for c in inner[1:]) and any(c.islower() for c in inner):
        return False
    return bool(inner) and "-" not in inner and not any(c.isdigit() or c in _OF_CODE for c in inner)


@functools.cache
def _identifier() -> LanguageIdentifier:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_LANGUAGES)
    return identifier


def _classify(text: str) -> tuple[str, float]:
    guess, confidence = _identifier().classify(text)
    return str(guess), float(confidence)
