"""Claims changed in one fact, and claims said in other words: what a person tells apart and word overlap does not.

Every change knows its characters, so that a token-level head learns which words are wrong, and, where one piece of text was put in
place of another, the same can be done to the evidence: then the changed claim is supported and the unchanged one is not, and nothing
about a claim alone tells which it is.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from training.values import changed_value, same_value

Spans: TypeAlias = tuple[tuple[int, int], ...]

NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+){0,2}\b")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|will|has|have|had|does|did|could|should|would|must|may|do)\b(?! not\b|n't)"
)
_NEGATED = re.compile(
    r"\b(is|are|was|were|can|will|has|have|had|does|did|could|should|would|must|may|do) not\b|\bcannot\b"
)
_CONTRACTED = {
    "is not": "isn't", "are not": "aren't", "was not": "wasn't", "were not": "weren't", "does not": "doesn't", "do not": "don't",
    "did not": "didn't", "has not": "hasn't", "have not": "haven't", "will not": "won't", "cannot": "can't", "would not": "wouldn't",
    "should not": "shouldn't", "it is": "it's", "they are": "they're", "you will": "you'll", "you are": "you're",
}  # fmt: skip
_OPPOSITES = (
    "increase decrease, increased decreased, increases decreases, rise fall, rose fell, rises falls, more less, more fewer, higher "
    "lower, highest lowest, greater smaller, larger smaller, before after, until after, first last, won lost, earlier later, "
    "largest smallest, older younger, oldest youngest, north south, east west, male female, support oppose, supported opposed, "
    "accepted rejected, approved denied, always never, often rarely, usually rarely, many few, most few, best worst, early late, "
    "success failure, good bad, high low, public private, include exclude, includes excludes, included excluded, allowed forbidden, "
    "permitted prohibited, began ended, starts ends, start end, opens closes, arrived left, father mother, son daughter, brother "
    "sister, husband wife, positive negative, legal illegal, possible impossible, buy sell, bought sold, open closed, above below, "
    "over under, inside outside, indoor outdoor, alive dead, married divorced, western eastern, northern southern, morning evening, "
    "summer winter, minimum maximum, without with, required optional, mandatory optional, enabled disabled, enable disable, daily "
    "weekly, weekly monthly, monthly yearly, monthly annual, free paid, all some, every no, both neither, must may, must can, "
    "should may, will may, can cannot, shall may, least most, more than less than, at least at most, at least up to, only also, "
    "increase reduce, increases reduces, gain loss, profit loss, employer employee, buyer seller, tenant landlord, doctor patient, "
    "true false, safe dangerous, safe unsafe, effective ineffective, related unrelated, available unavailable, eligible "
    "ineligible, valid invalid, refundable non-refundable, taxable tax-free, shorter longer, faster slower, cheaper pricier, warm "
    "cold, hot cold, wet dry, strong weak, hard soft, heavy light, full empty, deep shallow, wide narrow, input output, import "
    "export, upload download, sender recipient, credit debit, asset liability, adults children, men women, boys girls, king queen, "
    "upper lower, front back, top bottom, internal external, domestic foreign, national local, urban rural, senior junior, winner "
    "loser, attack defence, victory defeat, agree disagree, agreed refused, like dislike, remember forget, remembered forgot, "
    "succeeded failed, passed failed, added removed, add remove, push pull, raise lower, raised "
    "lowered, improve worsen, improved worsened, expand shrink, expanded shrank, day week, days weeks, hours minutes, hours days, "
    "weeks months, months years, week month, month year, per month per year, per person per group, once twice, twice three times"
)
_SWAPS: dict[str, tuple[str, ...]] = {}
for _pair in _OPPOSITES.split(", "):
    _words = _pair.split()
    _one, _other = " ".join(_words[: len(_words) // 2]), " ".join(_words[len(_words) // 2 :])
    _SWAPS[_one] = (*_SWAPS.get(_one, ()), _other)
    _SWAPS[_other] = (*_SWAPS.get(_other, ()), _one)
_SWAP = re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, _SWAPS), key=len, reverse=True)) + r")\b")
_SYNONYMS = (
    "begin start, begins starts, began started, buy purchase, bought purchased, large big, must have to, allowed permitted, forbidden "
    "prohibited, forbidden not allowed, optional not required, required needed, required mandatory, free at no cost, ends finishes, "
    "approximately about, roughly about, around about, children kids, film movie, car vehicle, doctor physician, help assist, helps "
    "assists, show demonstrate, shows demonstrates, get receive, gets receives, about regarding, because since, however but, also in "
    "addition, many numerous, several multiple, nearly almost, quickly rapidly, whole entire, error mistake, staff employees, "
    "employees workers, customers clients, use utilise, uses utilises, choose select, ask request, reply answer, answered replied, "
    "annually every year, yearly each year, monthly each month, weekly every week, daily every day, per for each, cost price, fee "
    "charge, before prior to, after following, until up to, at least no less than, at most no more than, more than over, less than "
    "under, cannot is unable to, can is able to, may is allowed to, unlawful illegal, sick ill, autumn fall, holiday vacation, "
    "living alive, died passed away, born delivered, movie film, book volume, town city, company firm, obtain get, attempt try, "
    "attempts tries, attempted tried, close shut, closed shut, large sizeable, small little, important significant, shortest briefest"
)
_SAME: dict[str, tuple[str, ...]] = {}
for _pair in _SYNONYMS.split(", "):
    _word, *_rest = _pair.split()
    if _word in ("no", "more", "less", "at"):
        _cut = 2
        _word, _rest = " ".join(_pair.split()[:_cut]), _pair.split()[_cut:]
    _SAME[_word] = (*_SAME.get(_word, ()), " ".join(_rest))
_SAME_WORD = re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, _SAME), key=len, reverse=True)) + r")\b")
_OPENERS = (
    "Sure! ", "Yes, ", "According to the documents, ", "Great question! ", "Based on the provided context, ", "Certainly. ", "In short, ",
    "Good news: ", "Yes - ", "As stated in the document, ", "Hi there! ", "The text says that ", "Thanks for asking! ", "To answer your question: ",
    "Overall, ", "Of course! ", "It appears that ", "From what I can see, ", "No, ", "No. ", "Yes. ",
)  # fmt: skip
_ADDED = (
    "free of charge", "on weekdays only", "every year", "for members only", "with no exceptions", "in most countries", "at no extra cost",
    "since 2015", "on request", "by e-mail", "within 24 hours", "for the first time", "together with two partners", "under the new law",
    "for health reasons", "in the early 1990s", "despite heavy criticism", "after a long dispute", "twice a week", "at the main entrance",
)  # fmt: skip
_STATEMENT = re.compile(
    r"^((?:The|A|An|It|He|She|They|This|You|We|All|[A-Z][a-z]+)(?: [\w'-]+){0,5}?) (is|are|was|were|can|will|has|have|had|must|may|should)( not)? "
    r"([^;:?!]{6,120}?)\.?$"
)
_NUMBER = re.compile(r"(?<![\w.,-])\d[\d,.]*\d(?![\w-])|(?<![\w.,-])\d(?![\w.-])")
_THAN = re.compile(
    r"^((?:The |A |An )?[\w-]+(?: [\w-]+)?) ((?:is|are|was|were|has|have|had|costs?|takes?|lasts?|runs?) [^,;]{2,40}?) than ((?:the |a |an )?[\w-]+(?: [\w-]+)?)([.,].*|)$"
)
_LEAD = re.compile(r"^((?:In|On|At|By|Since|During|From|After|Before|Until) [^,]{3,40}), (.{12,}?)([.!])$")


@dataclass(frozen=True, slots=True)
class Change:
    """A changed claim: its text, the characters that are wrong in it, and what was put in place of what, where it was one piece."""

    kind: str
    text: str
    wrong: Spans
    swap: tuple[str, str] | None


def change(claim: str, evidence: str, rng: random.Random, *, names: Sequence[str] = ()) -> Change | None:
    """The claim with one fact changed, so that the evidence does not say it; None where nothing could be changed. `names` are taken
    where the evidence holds none of its own."""
    ways: list[Callable[[], Change | None]] = [lambda: _value(claim, rng)] * 3
    if _NUMBER.search(claim):
        ways += [lambda: _number_beside(claim, evidence, rng)] * 2
    if len(set(_NUMBER.findall(claim))) > 1:
        ways += [lambda: _exchanged(claim, _NUMBER, rng)] * 2
    if _THAN.match(claim):
        ways += [lambda: _than(claim)] * 3
    if found := [match.group() for match in NAME.finditer(claim)]:
        ways += [lambda: _other_name(claim, rng.choice(found), evidence, names, rng)] * 2
    if len(set(found)) > 1:
        ways += [lambda: _roles(claim, sorted(set(found)), rng)]
    if _SWAP.search(claim):
        ways += [lambda: _opposite(claim, rng)] * 3
    if _AUXILIARY.search(claim) or _NEGATED.search(claim):
        ways += [lambda: _negation(claim, rng)] * 2
    ways += [lambda: _added(claim, rng)]
    for way in rng.sample(ways, len(ways)):
        made = way()
        if made is not None and made.text != claim:
            return made
    return None


def reword(claim: str, rng: random.Random) -> str:
    """The claim in other words, its facts as they were: another format of a value, a synonym, a contraction, the lead moved."""
    text = claim
    if rng.random() < 0.6 and (made := same_value(text, rng)) is not None:
        text = made.text
    if rng.random() < 0.5 and (places := list(_SAME_WORD.finditer(text))):
        place = rng.choice(places)
        text = text[: place.start()] + rng.choice(_SAME[place.group()]) + text[place.end() :]
    if rng.random() < 0.3 and (lead := _LEAD.match(text)):
        text = f"{_upper(lead[2])} {lead[1][0].lower()}{lead[1][1:]}{lead[3]}"
    return contract(text, rng)


def as_question(claim: str) -> tuple[str, bool] | None:
    """A question that the claim answers with yes (True) or no (False): "It is not open." answers "Is it open?" with no."""
    found = _STATEMENT.match(claim)
    if found is None:
        return None
    subject, verb, negated, rest = found.groups()
    if subject.split(" ")[0] in _LOWERED:
        subject = subject[0].lower() + subject[1:]
    return f"{_upper(verb)} {subject} {rest}?", not negated


def contract(text: str, rng: random.Random) -> str:
    """`is not` as `isn't` and the like, half of the time."""
    for whole, short in _CONTRACTED.items():
        if rng.random() < 0.5:
            text = text.replace(f" {whole} ", f" {short} ")
    return text


def opened(claim: str, rng: random.Random) -> tuple[str, int]:
    """The claim behind a chat opener, and how many characters that put in front."""
    opener = rng.choice(_OPENERS)
    lower = opener.rstrip().endswith((",", "that", "-", ":")) and claim.split(" ")[0] in _LOWERED
    return opener + (claim[0].lower() + claim[1:] if lower else claim), len(opener)


_LOWERED = frozenset(
    "The A An It They He She This That These Those There You We In On At For If When All No Some Most Each Every".split()
)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def replaced(claim: str, start: int, end: int, put: str, kind: str) -> Change:
    """The claim with one piece put in place of another."""
    old = claim[start:end]
    if old[:1].isupper() and put[:1].islower() and start == 0:
        put = _upper(put)
    return Change(kind, claim[:start] + put + claim[end:], ((start, start + len(put)),), (old, put))


def _value(claim: str, rng: random.Random) -> Change | None:
    made = changed_value(claim, rng)
    if made is None:
        return None
    after = len(made.text) - made.end
    swap = (claim[made.start : len(claim) - after], made.text[made.start : made.end])
    return Change(f"value {made.kind}", made.text, ((made.start, made.end),), swap if all(swap) else None)


def _number_beside(claim: str, evidence: str, rng: random.Random) -> Change | None:
    """Another number of the evidence: what is said there, but of something else."""
    place = rng.choice(list(_NUMBER.finditer(claim)))
    others = {one for one in _NUMBER.findall(evidence) if abs(len(one) - len(place.group())) <= 1}
    others -= set(_NUMBER.findall(claim))
    return replaced(claim, place.start(), place.end(), rng.choice(sorted(others)), "number beside") if others else None


def _exchanged(claim: str, pattern: re.Pattern[str], rng: random.Random) -> Change | None:
    """Two different pieces of the claim, each in the other's place."""
    one, other = sorted(rng.sample(list(pattern.finditer(claim)), 2), key=lambda found: found.start())
    if one.group() == other.group():
        return None
    between = claim[one.end() : other.start()]
    text = claim[: one.start()] + other.group() + between + one.group() + claim[other.end() :]
    moved = len(other.group()) - len(one.group())
    wrong = ((one.start(), one.start() + len(other.group())), (other.start() + moved, other.end()))
    return Change("exchanged", text, wrong, None)


def _than(claim: str) -> Change | None:
    """ "A is larger than B" as "B is larger than A"."""
    found = _THAN.match(claim)
    if found is None or found[1].lower() == found[3].lower():
        return None
    first, last = (
        _upper(found[3]),
        found[1] if found[1].split()[0] not in _LOWERED else found[1][0].lower() + found[1][1:],
    )
    text = f"{first} {found[2]} than {last}{found[4]}"
    return Change(
        "exchanged", text, ((0, len(first)), (len(text) - len(found[4]) - len(last), len(text) - len(found[4]))), None
    )


def _other_name(claim: str, name: str, evidence: str, names: Sequence[str], rng: random.Random) -> Change | None:
    known = sorted({found.group() for found in NAME.finditer(evidence)})
    length = len(name.split())
    others = [one for one in known if one not in claim and name not in one and len(one.split()) == length]
    if not others or rng.random() < 0.3:
        others = [
            one for one in names if one not in evidence and one not in claim and len(one.split()) == length
        ] or others
    at = claim.find(name)
    return replaced(claim, at, at + len(name), rng.choice(others), "name") if others else None


def _roles(claim: str, names: Sequence[str], rng: random.Random) -> Change | None:
    one, other = rng.sample(list(names), 2)
    if one in other or other in one:
        return None
    text = claim.replace(one, "\0").replace(other, one).replace("\0", other)
    places = [(text.find(name), text.find(name) + len(name)) for name in (one, other)]
    return Change("roles", text, tuple(sorted(places)), None)


def _opposite(claim: str, rng: random.Random) -> Change:
    place = rng.choice(list(_SWAP.finditer(claim)))
    return replaced(claim, place.start(), place.end(), rng.choice(_SWAPS[place.group()]), "opposite")


def _negation(claim: str, rng: random.Random) -> Change:
    negated = list(_NEGATED.finditer(claim))
    if negated and (rng.random() < 0.7 or not _AUXILIARY.search(claim)):
        place = rng.choice(negated)
        return replaced(claim, place.start(), place.end(), place.group(1) or "can", "negation")
    place = rng.choice(list(_AUXILIARY.finditer(claim)))
    return replaced(claim, place.start(), place.end(), f"{place.group(1)} not", "negation")


def _added(claim: str, rng: random.Random) -> Change | None:
    body = claim.rstrip()
    if not body.endswith(".") or len(body.split()) < 5:
        return None
    put = rng.choice(_ADDED)
    return Change("added", f"{body[:-1]} {put}.", ((len(body), len(body) + len(put)),), None)


def in_evidence(made: Change, claim: str, evidence: str, sentences: Sequence[str]) -> str | None:
    """The evidence with the same piece changed where the claim's fact stands: everywhere for names and values, for other words only
    in the sentence that shares most words with the claim. None where that is not told."""
    if made.swap is None:
        return None
    old, new = made.swap
    pattern = re.compile(rf"(?<![\w.,]){re.escape(old)}(?![\w]|[.,]\d)")
    words = set(_WORD.findall(claim.lower()))
    with_it = [one for one in sentences if pattern.search(one)]
    if not with_it:
        return None
    best = max(with_it, key=lambda one: len(words & set(_WORD.findall(one.lower()))))
    if len(words & set(_WORD.findall(best.lower()))) < 0.45 * len(words):
        return None
    if made.kind in ("name", "number beside") or made.kind.startswith("value"):
        return pattern.sub(lambda _: new, evidence)
    return evidence.replace(best, pattern.sub(lambda _: new, best, count=1), 1)
