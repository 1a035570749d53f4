"""Which language is a text in? Long texts by py3langid, short ones by their script."""

from __future__ import annotations

import functools
import re
import unicodedata

from py3langid.langid import MODEL_FILE, LanguageIdentifier

_LANGUAGES = [
    "en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "cs", "ro", "hu", "tr", "id", "vi", "ru", "uk", "bg", "el",
    "ar", "he", "fa", "hi", "bn", "th", "zh", "ja", "ko",
]  # fmt: skip
_SCRIPTS = (
    ("HIRAGANA", "ja"), ("KATAKANA", "ja"), ("HANGUL", "ko"), ("CJK", "zh"), ("CYRILLIC", "ru"), ("ARABIC", "ar"), ("HEBREW", "he"),
    ("GREEK", "el"), ("DEVANAGARI", "hi"), ("BENGALI", "bn"), ("THAI", "th"), ("TAMIL", "ta"), ("TELUGU", "te"), ("GEORGIAN", "ka"),
    ("ARMENIAN", "hy"), ("LATIN", "en"),
)  # fmt: skip
_ENGLISH = frozenset(
    "the and of to is in that for it with was on are be this by not you from or at which have an they has but were can will its "
    "your their what we our all more one if also may should".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_READ = 2000
_SHORT_LETTERS = 60
_OTHER_SCRIPT_SHARE = 0.3


def language_of(text: str) -> str | None:
    """ISO 639-1 code, or None where there are no letters to tell by. Short Latin text counts as English unless its words
    say clearly otherwise: names and terms look like any language."""
    sample = text[:_READ]
    letters = [c for c in sample if c.isalpha()]
    if not letters:
        return None
    script = "en" if sample.isascii() else _script(letters)
    if script != "en":
        return script
    if len(letters) < _SHORT_LETTERS:
        return "en"
    words = [word.lower() for word in _WORD.findall(sample)]
    english = sum(word in _ENGLISH for word in words) / max(1, len(words))
    if english >= 0.2:
        return "en"
    guess, confidence = _classify(sample)
    if guess != "en" and (english >= 0.08 or confidence < 0.9):
        return "en"
    return guess


def _script(letters: list[str]) -> str:
    """The language that the script stands for; a script other than Latin wins from a share of 0.3 on."""
    counts: dict[str, int] = {}
    for letter in letters[:600]:
        name = unicodedata.name(letter, "")
        language = next((code for start, code in _SCRIPTS if name.startswith(start)), "en")
        counts[language] = counts.get(language, 0) + 1
    total = sum(counts.values())
    other = {code: count for code, count in counts.items() if code != "en"}
    if not other or sum(other.values()) / total < _OTHER_SCRIPT_SHARE:
        return "en"
    return "ja" if other.get("ja", 0) > 0.1 * total else max(other, key=lambda code: other[code])


@functools.cache
def _identifier() -> LanguageIdentifier:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_LANGUAGES)
    return identifier


def _classify(text: str) -> tuple[str, float]:
    guess, confidence = _identifier().classify(text)
    return str(guess), float(confidence)
