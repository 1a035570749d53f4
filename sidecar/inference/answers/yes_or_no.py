"""Questions that ask for yes or no: what they ask for, and what answers them."""

from __future__ import annotations

import re

from sidecar.inference.answers.reading import NEGATED, told_apart

REPLY = re.compile(
    r"\A(?:(?P<yes>yes|yeah|yep|sure|of course|certainly)|(?P<no>no|nope|not yet|unfortunately not|sorry, no|i'm afraid not))(?![\w-])[,.!:;]?",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"\A(?:and |so |but )?(?:can|could|may|is|are|am|do|does|will|would|must|should|has|have)\b", re.IGNORECASE
)
SENTENCES = re.compile(r"(?<=[.!?])\s+")
BURDEN = re.compile(
    r"\b(?:must|have to|has to|need|needs|needed|required?|requires|necessary|mandatory|obliged|compulsory|pays?|paying|charged?|charges|costs?|fees?|surcharge)\b",
    re.IGNORECASE,
)
RELIEF = re.compile(r"\b(?:free|exempt|waived|no charge|no cost|free of charge|optional|voluntary)\b", re.IGNORECASE)
# What is asked is the contrary of being allowed.
CONTRARY = re.compile(
    r"\b(?:reject|refus|declin|den(?:y|ied)|problem|issue|expire|penal|fined|late\b|ban|block|exclu|cancel(?:led)? automatically|los[et]|risk|trouble|violat|breach|"
    r"against|overdue|replac|new one|stop|fail|delet|remov|over the)",
    re.IGNORECASE,
)
_NOT_READ = re.compile(
    r"\b(?:or|only|if|unless|except|another|each|every|per|total|average|about|approximately|around|usually|how|why|what|which|who|when|where)\b",
    re.IGNORECASE,
)
GOES_ON = re.compile(
    r"\A(?:however|but|except|exceptions?|unless|only|in (?:some|special|certain) cases|for|if|with|on the|members?|also)\b",
    re.IGNORECASE,
)
BEYOND = re.compile(
    r"\A(?:after that|otherwise|older|younger|larger|heavier|bigger|smaller|longer|others?|late|before that|over|above|under|later|earlier|anything|everything)\b",
    re.IGNORECASE,
)
"""A sentence that begins so tells of what lies beyond the bound of the one before."""
_MUST_NOT = re.compile(r"\b(?:must not|mustn['’]t)\b", re.IGNORECASE)  # what may not be
_ROOT = 4  # letters
_SAYS_LITTLE = frozenset(
    "get use take bring come go make want still today please way possibl allow okay fine old year day month week hour eur euro dollar".split()
)
_OF_STATES = told_apart(
    "open closed shut available valid still left join buy book order reserve visit see attend eat drink run send use work working punctual time stock free table tables seat seats "
    "place places ticket tickets sign redeem redeemable catch park swim access reach leave"
)


def asks_yes_or_no(question: str) -> bool:
    """Whether the last sentence of a question asks plainly for yes or no."""
    asks = SENTENCES.split(question)[-1]
    plain = asks.endswith("?") and not NEGATED.search(question) and not _NOT_READ.search(asks)
    return plain and _YES_OR_NO.match(asks) is not None


def without_little(stems: frozenset[str]) -> frozenset[str]:
    """Stems but for those that say little of what is asked."""
    return stems - _SAYS_LITTLE


def speaks_of(sentence: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether a sentence has all that is asked about, but for what states and deeds are called; "applications" is of "apply"."""
    about = without_little(asked) - _OF_STATES
    begins = {one[:_ROOT] for one in sentence}
    return all(one in sentence or (len(one) > _ROOT and one[:_ROOT] in begins) for one in about)


def telling(text: str) -> int:
    """1 of what must be done or paid, -1 of what need not, 0 of what may."""
    if RELIEF.search(text):
        return -1
    return 1 if BURDEN.search(_MUST_NOT.sub("", text)) else 0
