"""Does an answer decline to answer, and how far?

Rules over its sentences: one that says "I don't know" or refuses declines; where nothing but chatter, referrals elsewhere and remarks
about the sources is left the answer abstains (`full`), or asks back (`clarification`); where something is left that is
`partial`, and only that is judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from exporters.result import Abstention, ModelIdentity
from sidecar.evaluate.text import declining, refusing
from sidecar.evaluate.text.claims import MOST_CLAIMS, Answer, Statement, claims_of, read_answer
from sidecar.evaluate.text.clauses import is_sentence
from sidecar.inference.base import Claim
from sidecar.record.errors import Unscorable

# An answer of these kinds answers nothing.
DECLINES = (Abstention.FULL, Abstention.CLARIFICATION)
_ENDS = (".", "!", "?", "。")
_KEY = re.compile(r"[a-z][^:;\n]{0,60}: ")  # of JSON, as claims have it
_SHORT_TAIL_WORDS = 12
_APOLOGY_TAIL = 1.5
_TAUGHT = 0.5
_PLAIN = re.compile(r"[\W_]+")
_POINTS_BACK = re.compile(r"\A(?:it|this|they|he|she)\s", re.IGNORECASE)
_SPEAKS = re.compile(r"\A(?:i|we|sorry|unfortunately)\b", re.IGNORECASE)
_LONGEST_QUOTED, _FEWEST_QUOTED = 200, 3
_SAY_SOMETHING = frozenset({"none", "unknown", "not found", "not known", "null"})
_READ = 4000
_CHARACTERS_A_WORD = 2
_LONGEST_TURNED = 600
_TURN = re.compile(
    r"(?:[,;] (?:but|however|although|though|while|yet)|;),? (?=(?:it|the|this|there|how|what|whether|when|where|which|who|why|i|we)\b)",
    re.IGNORECASE,
)
# The same of clauses that only stand one behind the other.
_JOINED = re.compile(
    r", (?=(?:the|its|it|there|this)\b)|,? and (?=[a-z])(?!(?:do|does|did|is|are|was|were|has|have|can|could|will|would|neither|nor|not|so|i|we)\b)| \((?=[a-z])",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|free)\b", re.IGNORECASE
)
_UNKNOWN = re.compile(
    r"[^.:;]{1,60}: (?:unspecified|not (?:stated|specified|mentioned|given|provided|disclosed))\b[^\w.]{0,2}(?: in the [a-z]{1,20})?\W{0,2}",
    re.IGNORECASE,
)
_OF_US = re.compile(
    r"(?:i|we|you|this|that|these|those|it|they|there|sorry|thanks|thank|great|good|unfortunately)\b|the (?:question|answer)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Stance:
    """An answer, and how far it declines. `left` are the statements that answer something, `whole` says whether they are all of them, `silent` are texts
    of claims in them that decline where a model said so; without any the rules say which. `asks` says whether the answer asks something too. `by` is the model that
    decided how far it declines, None where the rules did."""

    kind: Abstention
    left: tuple[Statement, ...]
    whole: bool = True
    silent: frozenset[str] = frozenset()
    asks: bool = False
    by: ModelIdentity | None = None

    @cached_property
    def claims(self) -> list[Claim]:
        """The claims to be judged. Raises Unscorable(too_long) where there are more than MOST_CLAIMS: a score of some of them would be none of the answer."""
        found = claims_of(self.left)
        if len(found) > MOST_CLAIMS or not self.whole:
            raise Unscorable("too_long")
        if self.kind is not Abstention.PARTIAL:
            return found
        if self.silent:
            return [claim for claim in found if claim.text not in self.silent]
        return [claim for claim in found if not _declines(claim.text, _language(self.left))]

    @cached_property
    def stated(self) -> str:
        """What the answer states, without what is said around it."""
        if self.kind is Abstention.PARTIAL:
            return _joined([claim.text for claim in self.claims])
        return _joined([one.said for one in self.left])


def quoted_from(answer: str, texts: Iterable[str]) -> Stance | None:
    """What an answer states that sounds as if it declined, but stands so in a text: "A file was missing.", "Not found." of what a code means, "None" of
    what a function returns. None where it does not; a few words that decline everywhere else have to be there as they are."""
    words = _PLAIN.sub(" ", answer[:_LONGEST_QUOTED]).strip()
    if len(answer) >= _LONGEST_QUOTED or not words or _SPEAKS.match(words):
        return None
    bare = _POINTS_BACK.sub("", words, count=1)
    if len(bare.split()) < _FEWEST_QUOTED and bare.lower() not in _SAY_SOMETHING:
        return None
    if not any(_has_words(text.lower(), bare.lower()) for text in texts):
        return None
    read = read_answer(answer)
    return Stance(Abstention.NONE, tuple(read.statements), read.whole) if read.statements else None


def _has_words(text: str, words: str) -> bool:
    """Whether words stand in a text one behind the other, whatever is between them; most texts lack one of them, which is seen at once."""
    there = all(word in text for word in words.split())
    return there and f" {words} " in f" {_PLAIN.sub(' ', text)} "


def _joined(parts: Sequence[str]) -> str:
    """Sentences as they are, and what JSON says, which has no end, apart: "basic price: €5; pro price: €9"."""
    apart = [f"{part};" if _KEY.match(part) and not part.endswith(_ENDS) else part for part in parts[:-1]]
    return " ".join([*apart, *parts[-1:]])


def stance_of(answer: str) -> Stance:
    """How far an answer declines, and what it says where it does not."""
    read = read_answer(answer)
    said = [one.without(declining.hedge(one.text.text)) for one in map(_answer_of, read.statements)]
    if _abstains(answer, said):
        asks = read.questions or any(declining.needs_more(one.whole) for one in said)
        found = any(
            declining.says_not_found(one.whole, language=one.language) and not declining.needs_more(one.whole)
            for one in said
        )
        return Stance(Abstention.CLARIFICATION if asks and not found else Abstention.FULL, ())
    if _asks_back(read, said):
        return Stance(Abstention.CLARIFICATION, ())
    in_part = [_declines(one.said, one.language) for one in said]
    left = [one for one, part in zip(said, in_part, strict=True) if not (part and _only_declines(one))]
    if said and not left:
        plain = declining.answers(said[0].whole)
        return Stance(Abstention.NONE, tuple(said), read.whole) if plain else Stance(Abstention.FULL, ())
    hedged = any(now is not before for now, before in zip(said, read.statements, strict=True))
    kind = Abstention.PARTIAL if hedged or any(in_part) else Abstention.NONE
    return Stance(kind, tuple(left), read.whole, asks=bool(read.questions))


def _answer_of(one: Statement) -> Statement:
    """A statement without its end, where it answers and then declines: "It lasts 16 hours, but it is not stated how heavy it is"; or without its beginning, where it
    declines and then states a figure. Only its last turn is looked at, and none of a long statement: one that turns all the time would be read once for each."""
    text, language = one.text.text, one.language
    if len(text) > _LONGEST_TURNED:
        return one
    if turns := list(_TURN.finditer(text)):
        head, tail = one.text.cut(0, turns[-1].start()), one.text.cut(turns[-1].end())
        silent = _declines(tail.text, language) or declining.declines(tail.text, language=language)
        if silent and _answers(head.text, language):
            return replace(one, text=head, whole=head.text)
    if turns := list(_JOINED.finditer(text)):
        head, tail = one.text.cut(0, turns[-1].start()), one.text.cut(turns[-1].end())
        for part, other in ((head, tail), (tail, head)):
            told = _FIGURE.search(part.text) is not None and _answers(part.text, language)
            if told and (
                declining.says_not_found(other.text, language=language)
                or declining.declines(other.text, language=language)
            ):
                return replace(one, text=part, whole=part.text)
    return one


def _answers(text: str, language: str) -> bool:
    """Whether a clause states something, of the matter and not of the documents or of who speaks."""
    nothing = _OF_US.match(text) or declining.says_nothing(text, language=language)
    return is_sentence(text, language=language) and not (nothing or declining.declines(text, language=language))


def abstains(answer: str) -> bool:
    """True where the answer as a whole declines: it says that it does not know, or asks back, and what remains answers nothing."""
    return stance_of(answer).kind in DECLINES


def _only_declines(one: Statement) -> bool:
    """Whether no claim of a statement that declines in part says anything but that something is not said."""
    return all(_declines(claim.text, one.language) for claim in one.claims)


def _declines(text: str, language: str) -> bool:
    return (
        declining.says_not_found(text, language=language)
        or refusing.i_refuse(text)
        or _UNKNOWN.fullmatch(text) is not None
    )


def _declines_by_clauses(one: Statement) -> bool:
    """Whether a statement declines in one clause and answers in none: "The text is about X and does not say Y"."""
    claims = [claim.text for claim in one.claims]
    silent = len(claims) > 1 and any(_declines(claim, one.language) for claim in claims)
    return silent and all(declining.says_nothing(claim, language=one.language) for claim in claims)


def _asks_back(read: Answer, said: Sequence[Statement]) -> bool:
    """Whether all that an answer does is ask."""
    rest = [one for one in said if not declining.needs_more(one.whole)]
    short = sum(_size(one.whole, one.language) for one in rest) <= _SHORT_TAIL_WORDS
    if not read.questions:
        return bool(said) and not rest
    asks = any(map(declining.asks_user, (*read.questions, *(one.whole for one in rest))))
    return not rest or (short and asks and all(declining.names_choices(one.whole) for one in rest))


def _abstains(answer: str, said: Sequence[Statement]) -> bool:
    text = " ".join(answer[:_READ].split())
    language = _language(said)
    sentences = [one.whole for one in said]
    decline = [
        one.whole for one in said if declining.declines(one.whole, language=language) or _declines_by_clauses(one)
    ]
    if not (decline or declining.declines(text, language=language, idioms=False)) or declining.answers(text):
        return False
    sentences = sentences or [text]
    rest = [one for one in sentences if not declining.says_nothing(one, language=language)]
    if not decline:
        return not rest
    if any(map(declining.answers_after_all, decline)) or any(_answers_in_part(one) for one in said):
        return False
    return _nothing_left(text, sentences, rest, said=sum(_size(one, language) for one in decline), language=language)


def _nothing_left(text: str, sentences: Sequence[str], rest: Sequence[str], *, said: int, language: str) -> bool:
    """Whether what remains beside sentences that decline, of the size `said`, is no answer."""
    left = sum(_size(one, language) for one in rest)
    first = declining.declines(sentences[0], language=language)
    refused = first and refusing.refuses(sentences[0])
    if any(declining.turns(one) and not (refused and refusing.turns_to_lecture(one)) for one in rest):
        return False
    told = [one for one in rest if not refusing.lectures(one)]
    tells = any(_tells(one, language) for one in told)
    if refusing.apologises(sentences[0]) and left <= _APOLOGY_TAIL * said and not tells:
        return True
    if refused:
        taught = sum(_size(one, language) for one in told)
        return taught <= _TAUGHT * left or (taught <= _SHORT_TAIL_WORDS and not tells)
    if first:
        return left <= _SHORT_TAIL_WORDS and not any(_tells(one, language) for one in rest)
    return left == 0 or (said > 3 * left and not any(_tells(one, language) for one in rest))


def _tells(sentence: str, language: str) -> bool:
    return is_sentence(sentence, language=language) or any(c.isdigit() for c in sentence)


def _answers_in_part(one: Statement) -> bool:
    """Whether a statement declines in one clause and answers in another."""
    if not declining.says_not_found(one.whole, language=one.language) or refusing.refuses(one.whole):
        return False
    claims = [claim.text for claim in one.claims]
    return len(claims) > 1 and not all(declining.says_nothing(claim, language=one.language) for claim in claims)


def _size(sentence: str, language: str) -> int:
    """Words, or about as many characters of Chinese as make one."""
    return len(sentence) // _CHARACTERS_A_WORD if language == "zh" else len(sentence.split())


def _language(said: Sequence[Statement]) -> str:
    return said[0].language if said else "en"
