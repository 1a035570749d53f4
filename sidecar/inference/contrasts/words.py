"""Groups of words of which one excludes the other where both are said of the same matter.

Poles of a group stand between bars, a hyphen is a word. A word may stand in several groups ("may" is neither "must" nor "may not"). Left out are words that mean
too many things ("on", "up", "close", "leave", "contract").
"""

from __future__ import annotations

from collections.abc import Iterator

NEGATIONS = frozenset("not no never none nobody nothing neither nor cannot without hardly barely".split())
NOTHING = frozenset("no none nobody nothing neither".split())
"""Those of them that deny what follows where a clause begins with them: "no deposit is required"."""

BEING = frozenset("is are was were be been".split())
"""Directly behind these stands what is so denied,"""

HELPING = BEING | frozenset("do does did can may will has have must should".split())
"""A clause that ends with one of these and a negation denies what the clause before it says."""

LIMITS = frozenset("more less fewer later longer earlier sooner".split())
"""unless one of these follows the negation: "no more than two guests are allowed"."""

MODALS = frozenset({"may", "can"})
"""Words of a group of opposites that a negation behind them turns."""

FRONTS = ("un",)  # "unpaid" is not "paid"

_GROUPS = {
    "time": "before, prior to, ahead of, earlier than, until, precedes, preceded, preceding"
    "| after, following, later than, follows, followed, afterwards, subsequently",
    "more": "more, higher, greater, larger, bigger, above, over, exceed, exceeds, exceeded, longer, taller"
    "| not exceed, not exceeding, less, fewer, lower, smaller, below, under, beneath, shorter",
    "times": "double, doubles, doubled, doubling, twofold, twice as, twice the, twice what | triple, triples, tripled, tripling, treble, trebled, threefold, three times as, "
    "three times the, three times what"
    "| quadruple, quadruples, quadrupled, fourfold, four times as, four times the, four times what | halve, halves, halved, halving, half as, half of what, half what",
    "faster": "faster | slower",
    "heavier": "heavier | lighter",
    "better": "better | worse",
    "stronger": "stronger | weaker",
    "richer": "richer | poorer",
    "most": "most, highest, greatest, largest, biggest, longest, fastest, best, tallest, strongest, top"
    "| least, lowest, smallest, fewest, shortest, slowest, worst, weakest, bottom",
    "age": "older, oldest, earlier, earliest | younger, youngest, newer, newest, later, latest",
    "rise": "higher, increase, increased, increases, increasing, rise, rises, rose, risen, rising, grow, grows, grew, grown, growing, gain, gained, "
    "climbed, raise, raised, raises, improve, improved, improves, expand, expanded, accelerate, accelerated, strengthen, strengthened, double, doubled"
    "| lower, decrease, decreased, decreases, decreasing, fell, fallen, falling, drop, dropped, drops, decline, declined, declines, shrink, "
    "shrank, shrunk, reduce, reduced, reduces, worsen, worsened, worsens, slowed, weaken, weakened, "
    "halve, halved, lowered",
    "bound": "at least, minimum, no less than, not less than, no fewer than, min, minimal"
    "| at most, maximum, no more than, not more than, up to, max, maximal, limited to, at the latest",
    "duty": "must, have to, has to, had to, required, mandatory, obligatory, compulsory, necessary, needs to, need to, obliged, requires, shall"
    "| may, optional, voluntary, need not, "
    "don't have to, doesn't have to, do not have to, does not have to, not required, not necessary, unnecessary, "
    "do not need, does not need, don't need, doesn't need, recommended",
    "when": "as needed, if needed, when needed, where needed, as required, if required, when required, where required, as necessary, if necessary, when necessary, "
    "most likely, most probably",
    "leave": "may, can, allowed, permitted, allow, allows, permit, permits, possible, authorized, authorised, legal, lawful, eligible, entitled"
    "| may not, must not, cannot, can't, not allowed, prohibited, forbidden, not permitted, banned, impossible, not possible, prohibits, forbids, illegal, "
    "unlawful, ineligible, excluded, never",
    "share": "all, every, each, everyone, everybody, always"
    "| not all, not every, not everyone, not everybody, not always, only some, sometimes, occasionally | none, no one, never, nobody, neither"
    "| most, mostly, usually",
    "course": "begin, begins, began, begun, start, starts, started | end, ends, ended, stop, stops, stopped, finish, finishes, finished, ceased, expires",
    "open": "open, opens, opened | closes, closed, shut",
    "price": "free, free of charge, at no cost, no charge, complimentary, no extra cost, without charge, cost nothing, costs nothing, costs you nothing, pay nothing"
    "| paid, cost, costs, charged, fee, fees, surcharge, payable, price, priced, for a fee, euros, dollars, €, $, £",
    "part": "include, includes, included, including, contain, contains | exclude, excludes, excluded, excluding, except, without, apart from, sold separately, "
    "bought separately, purchased separately, ordered separately, available separately, "
    "costs extra, cost extra, is extra, are extra, at extra cost, charged extra, charged separately",
    "same": "same, identical, equal, unchanged, constant | different, differs, differ, changed, varies",
    "north": "north, northern | south, southern",
    "east": "east, eastern | west, western",
    "win": "win, wins, won, beat, beats, victory, defeated, has beaten, have beaten, had beaten | lost, lose, loses, defeat, beaten",
    "trade": "buy, buys, bought, purchase, purchased, import, imported, borrow, borrowed, receive, receives, received"
    "| sell, sells, sold, export, exported, lend, lent, give, gives, gave, given, send, sends, sent",
    "answer": "accept, accepts, accepted, approve, approves, approved, agree, agreed, confirm, confirmed"
    "| reject, rejects, rejected, deny, denies, denied, refuse, refused, disagree, disagreed, oppose, opposes, opposed, failed, declined",
    "success": "succeed, succeeded, success, successful, successfully, effective | fail, failed, failure, unsuccessful, ineffective",
    "sign": "positive | negative",
    "heat": "hot, warm | cold, cool, chilled",
    "side": "inside, indoors, indoor | outside, outdoors, outdoor",
    "day": "daytime, morning | nighttime, evening",
    "sex": "male, man, men, boy, father, son, husband, brother, king | female, woman, women, girl, mother, daughter, wife, sister, queen",
    "switch": "enabled, enable, enables, activated, active, switched on, on by default | off, disabled, disable, disables, deactivated, inactive, switched off, off by default",
    "adding": "add, added, adds, append, install, installed | remove, removed, removes, delete, deleted, uninstall",
    "public": "public | private",
    "safe": "safe | dangerous, unsafe, harmful, hazardous",
    "ease": "easy, easier, simple | difficult, harder, complex",
    "travel": "arrive, arrives, arrived | depart, departs, departed, exit, exited",
    "life": "born, alive | died, dead, death",
    "known": "known | unknown, unclear, uncertain",
    "true": "true, correct | false, wrong, incorrect",
    "hand": "left | right",
    "floor": "upstairs | downstairs",
    "level": "upper | lower",
    "line": "horizontal, horizontally | vertical, vertically",
    "seldom": "often, frequently, frequent, common, commonly | rarely, rare, uncommon, seldom, hardly ever, infrequently, infrequent",
    "week": "weekday, weekdays | weekend, weekends",
    "often": "hourly, every hour, each hour | daily, every day, each day, nightly, every night, each night"
    "| weekly, every week, each week | monthly, every month, each month | quarterly, every quarter, each quarter"
    "| yearly, annually, every year, each year, once a year",
    "order": "ascending | descending",
    "manual": "manual, manually, by hand | automatic, automatically",
    "home": "domestic | international, abroad, foreign",
    "within": "internal | external",
    "full": "full | empty",
    "food": "with food, with a meal, with meals, after food, after a meal, after meals, after eating, on a full stomach | on an empty stomach, without food, before food, "
    "before a meal, before meals, before eating",
    "job": "full - time, full time | part - time, part time",
    "lasting": "temporary, temporarily | permanent, permanently",
    "wet": "wet, moist, damp | dry",
    "load": "upload, uploaded, uploads | download, downloaded, downloads",
    "colour": "red | green | blue | yellow | black | white",
    "alone": "alone, individually, separately | together, jointly",
    "paper": "online, digital, digitally, electronic, electronically, by e - mail, by email, emailed, e - mailed | in person, on paper, by post, by phone, in writing",
    "beside": "opposite, across from | behind | next to, adjacent to",
    "body": "oral, orally, by mouth | intravenous, intravenously, topical, injected",
    "meal": "breakfast | lunch | dinner, supper",
    "gross": "gross, before tax, excluding vat | net, after tax, including vat",
    "fixed": "fixed | variable, floating",
    "kept": "raised, increased, lifted, upgraded | lowered, reduced, downgraded, slashed | unchanged, maintained, reaffirmed, reiterated, flat",
    "wage": "full pay, full salary, fully paid, full wages | half pay, half salary, half wages | unpaid, no pay, without pay",
    "advance": "prior, beforehand, in advance, ahead of time | afterwards, after the fact, retrospectively, retroactively, in arrears",
    "still": "still, continue to, continues to | no longer, not any longer, not anymore",
    "class": "economy class, economy | business class | first class | second class",
    "end": "first | last, final",
    "whichever": "whichever comes first, whichever happens first, whichever occurs first, whichever is first, whichever is earlier, whichever is sooner, whichever comes earlier"
    "| whichever comes last, whichever happens last, whichever occurs last, whichever is last, whichever is later, whichever comes later",
    "of both": "whichever is lower, whichever is less, whichever is smaller, whichever is cheaper, whichever amount is lower, the lower of, the smaller of, the lesser of"
    "| whichever is higher, whichever is more, whichever is greater, whichever is larger, whichever amount is higher, the higher of, the greater of, the larger of",
    "days": "business day, business days, working day, working days, workdays | calendar day, calendar days",
    "partial": "partial, partially, partly, in part | complete, completely, entirely, in full, fully",
}  # fmt: skip

TURNED = frozenset(
    "leave price part duty open answer success same switch rise known true safe ease win most week order home within job lasting manual fixed".split()
)
"""Groups whose two poles a negation exchanges: "not allowed" is forbidden. "Not more" is no less."""

CONVERSE = frozenset("time more faster heavier better stronger richer age trade win".split())
"""Groups that say the same with the other word where their two sides change places: A before B is B after A."""

SCALES = frozenset("faster heavier better stronger richer age".split())
"""Those of them that compare two things, though one of these may be left out: "but is heavier"."""

TRADED = frozenset({"trade"})
"""Those of them whose words are followed by a thing beside the other side: "sold the bakery to Aylin"."""

BEATS = frozenset("beat beats beaten defeated defeats".split())
"""Words of another one of them that have both sides, so that one may be left out beside them: "Ashford lost the final"."""

DENIED = frozenset({"time"})
"""Groups of which nothing follows where one side is denied: "until May" and "after May no longer" are the same."""

PARTLY = frozenset({"only", "necessarily"})
"""In the clause of a negation it is of a part alone,"""

FAILING = frozenset("fail fails failed failing refuse refuses refused decline declines declined".split())
"""Whoever does so to do a thing does not do it."""

WHOLES = frozenset("all every everyone everybody always both".split())
"""and so is one right before these: "not all"."""

OF_PARTS = frozenset({"share"})
"""Groups that are about just that."""

DENIERS = frozenset(
    "prohibited forbidden banned prohibits forbids prohibit forbid excluded excludes exclude waived refuse refused refuses exempt exempts exempted "
    "ended discontinued ceased ceases dropped withdrawn lapsed stopped abolished removed lacks lacked lacking missing failed fails".split()
)
"""What stands with one of these is not so, though nothing is negated."""

OF_DEEDS = frozenset({"duty"})
"""Groups of which one thing must and another may be done: what may be returned if it is unused must be unused."""

MODAL_ENDS = frozenset("must may can shall to not cannot can't".split())
"""A verb follows what ends with these."""

COURSES = {"up": 0, "down": 1}
"""The poles of "rise" that these are of before a share: "up 12 %"."""

AMOUNTS = frozenset({"euros", "dollars", "€", "$", "£"})
"""No price in a sentence that says what is free: from so many on."""

EXCEPTIONS = frozenset({"unless", "except", "otherwise"})
"""and of all but a part where the text says one of these."""


def _entries() -> Iterator[tuple[str, str, int]]:
    for group, poles in _GROUPS.items():
        for number, words in enumerate(poles.split("|")):
            for word in words.split(","):
                yield word.strip(), group, number


POLES: dict[str, list[tuple[str, int]]] = {}
"""Of each word, or words, its places: (group, number of the pole)."""
for _word, _group, _number in _entries():
    POLES.setdefault(_word, []).append((_group, _number))

LONGEST: dict[str, int] = {}
"""Of each word that an entry of POLES begins with, how many words the longest such entry has."""
for _word in POLES:
    _first, *_rest = _word.split(" ")
    LONGEST[_first] = max(LONGEST.get(_first, 0), 1 + len(_rest))
