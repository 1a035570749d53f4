"""What askers say of themselves: "I bought it 20 days ago. Can I return it?" An answer that says it again, "Since you bought it 20 days ago", makes nothing up.

Only what can be so without any document counts: who says that something is allowed, or what somebody told them, may be wrong."""

from __future__ import annotations

import re

_MOST_CHARACTERS = 600
_MOST_WORDS = 40  # more is a task that is set, with what belongs to it
_OWN = re.compile(r"(?:i|i['’](?:m|ve|d|ll)|we|we['’](?:re|ve|d|ll)|my|our)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]{1,300}[.!?]?")
# "I ordered it on Monday, can I cancel it?" begins with what is so.
_ASKS = re.compile(
    r",\s{0,3}(?:and\s|so\s|but\s)?(?:can|could|may|do|does|did|is|are|am|will|would|should|must|have|has|how|what|when|which|where|who|why)\b",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"\b(?:sa(?:y|ys|id)|told|tells?|heard|read|think|thought|believe|understand|assume|guess|suppose|know|promised|entitled|allowed|gets?|can|could|may|might|"
    r"must|should|would|need|want|like|wonder(?:ing)?|hope|supposed)\b",
    re.IGNORECASE,
)
_TURNED = {
    "i": "you", "i'm": "you are", "i've": "you have", "i'd": "you had", "i'll": "you will", "am": "are", "me": "you", "my": "your", "mine": "yours",
    "myself": "yourself", "we": "you", "we're": "you are", "we've": "you have", "we'd": "you had", "we'll": "you will", "us": "you", "our": "your",
    "ours": "yours", "ourselves": "yourselves",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]{1,40}(?:['’](?:m|ve|d|ll|re)\b)?")
_YOU = re.compile(r"\byou(?:r|rs|['’](?:re|ve|d|ll))?\b", re.IGNORECASE)
_WAS = re.compile(r"\byou was\b")


def addresses(claim: str) -> bool:
    """Whether a claim speaks to the asker."""
    return _YOU.search(claim) is not None


def own_case(question: str) -> str:
    """What a question says of its asker, in the words of one who answers: "You bought it 20 days ago." An empty text where it says nothing."""
    told = []
    for found in _SENTENCE.finditer(question[:_MOST_CHARACTERS]):
        sentence = found.group().strip()
        if sentence.endswith("?"):
            asks = _ASKS.search(sentence)
            sentence = sentence[: asks.start()] if asks else ""
        if _OWN.match(sentence) and not _SUPPOSES.search(sentence):
            told.append(_turned(sentence.rstrip(".!")) + ".")
    text = " ".join(told)
    return text if len(text.split()) <= _MOST_WORDS else ""


def _turned(sentence: str) -> str:
    text = _WORD.sub(lambda found: _TURNED.get(found.group().lower().replace("’", "'"), found.group()), sentence)
    text = _WAS.sub("you were", text)
    return text[:1].upper() + text[1:]
