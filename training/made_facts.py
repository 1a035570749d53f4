"""Facts written by templates, each with claims that it bears out and claims that it contradicts.

The labelled sets say little of who did what to whom, of order, of comparisons of two numbers, of counts, of conditions, exceptions and
duties, and single changes of a claim keep its grammar. Here the same words stand on both sides, and only their roles tell.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from training import made_words as words


@dataclass(frozen=True, slots=True)
class Made:
    """Evidence with what it bears out, what it contradicts, and what it says nothing of."""

    kind: str
    evidence: str
    said: tuple[str, ...]
    contrary: tuple[str, ...]
    unsaid: tuple[str, ...] = ()


def _cap(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(*parts: str) -> str:
    return _cap(" ".join(parts)) + "."


def _did(who: str, verb: str, what: str, rng: random.Random) -> str:
    """Who did what, in one of two voices."""
    if rng.random() < 0.5:
        return f"{who} {verb} {what}"
    passive = f"{what} was {verb}" if rng.random() < 0.8 else f"{what} had been {verb}"
    return f"{passive} by {who}"


def _roles(rng: random.Random) -> Made:
    """Two people, two deeds, one or two things."""
    one, other = rng.sample(words.PEOPLE, 2)
    did, too = rng.sample(words.DONE, 2)
    thing = rng.choice(words.THINGS)
    second = thing if rng.random() < 0.5 else rng.choice([a for a in words.THINGS if a != thing])
    joint = rng.choice((". ", "; ", ", and "))
    first, last = _did(one, did, thing, rng), _did(other, too, second, rng)
    evidence = _cap(first) + joint + (_cap(last) if joint == ". " else last) + "."
    return Made(
        "roles",
        evidence,
        (_sentence(_did(one, did, thing, rng)), _sentence(_did(other, too, second, rng))),
        (_sentence(_did(other, did, thing, rng)), _sentence(_did(one, too, second, rng))),
        () if second == thing else (_sentence(_did(rng.choice((one, other)), rng.choice((did, too)), rng.choice(words.THINGS) + " of the branch", rng)),),
    )  # fmt: skip


def _voices(rng: random.Random) -> Made:
    """One did something to the other."""
    one, other = rng.sample(words.PEOPLE, 2)
    verb = rng.choice(words.MET)
    behind = rng.choice(("", " in May", " after the meeting", " twice", " last year"))
    return Made(
        "voices",
        _sentence(_did(one, verb, other, rng) + behind),
        (_sentence(_did(one, verb, other, rng)), f"It was {one} who {verb} {other}."),
        (_sentence(_did(other, verb, one, rng)), f"It was {other} who {verb} {one}."),
    )


def _ways(rng: random.Random) -> Made:
    """From one place to another, and what happened where."""
    home, away, third = rng.sample(words.CITIES, 3)
    who = rng.choice(words.PEOPLE[:12])
    if rng.random() < 0.5:
        moved = rng.choice(("moved", "travelled", "was transferred", "sent the boxes", "drove", "shipped the parts"))
        return Made(
            "ways",
            f"{who} {moved} from {home} to {away}" + rng.choice((".", f" and later visited {third}.")),
            (f"{who} {moved} to {away}.", f"{who} {moved} from {home} to {away}."),
            (f"{who} {moved} to {home}.", f"{who} {moved} from {away} to {home}."),
        )
    return Made(
        "ways",
        f"{who} was born in {home}, studied in {away} and died in {third}.",
        (f"{who} was born in {home}.", f"{who} went to university in {away}.", f"{who} died in {third}."),
        (f"{who} was born in {away}.", f"{who} studied in {third}.", f"{who} died in {home}."),
    )


def _measured(rng: random.Random) -> Made:
    """Two things and a number of each."""
    one, other, third = rng.sample(words.ITEMS, 3)
    verb, unit, more, less = rng.choice(words.MEASURES)
    low, high = sorted(rng.sample(range(3, 180), 2))
    if rng.random() < 0.25:
        said = rng.choice((f"{one} {rng.choice(less)} {other}", f"{other} {rng.choice(more)} {one}"))
    else:
        facts = [f"{one} {verb} {unit.format(low)}", f"{other} {verb} {unit.format(high)}"]
        rng.shuffle(facts)
        said = rng.choice((", ", ", while ", " and ", "; ")).join(facts)
    same = (_sentence(f"{one} costs exactly as much as {other}"),) if verb == "costs" else ()
    return Made(
        "measured",
        _sentence(said),
        (_sentence(f"{other} {rng.choice(more)} {one}"), _sentence(f"{one} {rng.choice(less)} {other}")),
        (_sentence(f"{one} {rng.choice(more)} {other}"), _sentence(f"{other} {rng.choice(less)} {one}"), *same),
        (_sentence(f"{third} {rng.choice(more)} {one}"),),
    )


def _counted(rng: random.Random) -> Made:
    """So many of so many."""
    many = rng.randrange(20, 400)
    noun, rest = rng.choice(words.COUNTED).split(" ", 1)
    share = rng.choice((0.0, 0.08, 0.3, 0.8, 0.95, 1.0))
    some = many if share == 1 else 0 if share == 0 else max(1, min(many - 1, round(share * many)))
    said = {
        0.0: f"None of the {many} {noun} {rest}.",
        1.0: rng.choice((f"All {many} {noun} {rest}.", f"All of the {many} {noun} {rest}.")),
    }.get(share) or rng.choice(
        (f"{some} of {many} {noun} {rest}.", f"Of the {many} {noun}, {some} {rest.replace('had', 'reported having')}.")
    )
    none, every = (
        (f"None of the {noun} {rest}.", f"No {noun} {rest}."),
        (f"All {noun} {rest}.", f"Every one of the {noun} {rest}."),
    )
    few, most, few_or_more = (
        f"Only a minority of the {noun} {rest}.",
        f"Most of the {noun} {rest}.",
        f"Some of the {noun} {rest}.",
    )
    if some == 0:
        return Made("counted", said, none[1:], (*every, most, few_or_more))
    if some == many:
        return Made("counted", said, every, (*none, few, f"Not all {noun} {rest}."))
    right, wrong = (most, few) if 2 * some > many else (few, most)
    return Made("counted", said, (right, few_or_more, f"Not all {noun} {rest}."), (*none, *every, wrong))  # fmt: skip


def _ordered(rng: random.Random) -> Made:
    """Three steps, one behind the other."""
    one, two, three = rng.sample(words.STEPS, 3)
    said = rng.choice(
        (
            f"first {one}, then {two}, and finally {three}",
            f"{one} first; after that {two}; at the end {three}",
            f"after {one}, {two}. {_cap(three)} last",
            f"{one} before {two}, and {three} only then",
        )
    )
    return Made(
        "ordered",
        _sentence(said),
        (_sentence(f"{one} before {two}"), _sentence(f"{two} after {one}"), _sentence(f"{three} last"), _sentence(f"{two} before {three}")),
        (_sentence(f"{two} before {one}"), _sentence(f"{one} after {two}"), _sentence(f"{one} last"), _sentence(f"{three} before {two}"),
         f"First {three}, then {two}."),
    )  # fmt: skip


def _conditional(rng: random.Random) -> Made:
    """A rule with a condition, and its other case."""
    (cond, other), (then, otherwise) = rng.choice(words.IFS), rng.choice(words.THENS)
    said = rng.choice(
        (
            f"{then} if {cond}; otherwise {otherwise}",
            f"if {cond}, {then}. If {other}, {otherwise}",
            f"{otherwise}, unless {cond}",
            f"{then}, but only if {cond}",
        )
    )
    sure = rng.choice(("in every case", "always", "without any condition"))
    return Made(
        "conditional",
        _sentence(said),
        (_sentence(f"if {cond}, {then}"), _sentence(f"{otherwise} if {other}"), _sentence(f"{otherwise} unless {cond}")),
        (_sentence(f"{then} even if {other}"), _sentence(f"if {other}, {then}"), _sentence(f"{otherwise} if {cond}"), _sentence(f"{sure} {then}")),
    )  # fmt: skip


def _duties(rng: random.Random) -> Made:
    """Who must, may, must not and need not."""
    (who, whom), act = rng.sample(words.GROUPS, 2), rng.choice(words.ACTS)
    duty, other = rng.sample(sorted(words.DUTIES), 2)
    behind = "" if rng.random() < 0.6 else f" {_sentence(f'{whom} {rng.choice(words.DUTIES[other])} {act}')}"
    said: tuple[str, ...] = (_sentence(f"{who} {rng.choice(words.DUTIES[duty])} {act}"),)
    against = [_sentence(f"{who} {rng.choice(words.DUTIES[wrong])} {act}") for wrong in words.AGAINST[duty]]
    if behind:
        said += (_sentence(f"{whom} {rng.choice(words.DUTIES[other])} {act}"),)
        against += [_sentence(f"{whom} {rng.choice(words.DUTIES[wrong])} {act}") for wrong in words.AGAINST[other]]
    unsaid = () if duty != "may" else (_sentence(f"{who} {rng.choice(words.DUTIES['must'])} {act}"),)
    return Made(
        "duties", _sentence(f"{who} {rng.choice(words.DUTIES[duty])} {act}") + behind, said, tuple(against), unsaid
    )


def _excepted(rng: random.Random) -> Made:
    """Every day but one; all groups but one."""
    place = rng.choice(
        ("the museum", "the office", "the pool", "the shop", "the hotline", "the library", "the canteen")
    )
    closed, other = rng.sample(words.DAYS, 2)
    said = rng.choice(
        (f"{place} is open every day except {closed}", f"{place} is closed on {closed}s and open on all other days")
    )
    if rng.random() < 0.5:
        return Made(
            "excepted",
            _sentence(said),
            (_sentence(f"{place} is closed on {closed}s"), _sentence(f"{place} is open on {other}s"), _sentence(f"on {closed} {place} is not open")),
            (_sentence(f"{place} is open on {closed}s"), _sentence(f"{place} is closed on {other}s"), _sentence(f"{place} is open every day")),
        )  # fmt: skip
    (who, whom), act = rng.sample(words.GROUPS, 2), rng.choice(words.ACTS)
    said = rng.choice((f"only {who} may {act}", f"nobody but {who} may {act}", f"{who} may {act}, {whom} may not"))
    return Made(
        "excepted",
        _sentence(said),
        (_sentence(f"{who} may {act}"), _sentence(f"{whom} are not allowed to {act}")),
        (_sentence(f"{whom} may {act}"), _sentence(f"{who} may not {act}"), f"Everybody may {act}."),
    )


def _listed(rng: random.Random) -> Made:
    """Rows and columns, as a table, as lines, or as sentences."""
    rows = rng.sample(words.ITEMS, rng.choice((2, 3, 4)))
    columns = rng.sample(sorted(words.UNITS), 2)
    values = iter(rng.sample(range(2, 400), 2 * len(rows)))
    cells = {(row, column): words.UNITS[column].format(next(values)) for row in rows for column in columns}
    form = rng.random()
    if form < 0.5:
        lines = [f"| item | {' | '.join(columns)} |", "|---|---|---|"]
        evidence = "\n".join(
            lines + [f"| {row} | {' | '.join(cells[row, column] for column in columns)} |" for row in rows]
        )
    elif form < 0.75:
        evidence = "\n".join(
            f"- {row}: {', '.join(f'{column} {cells[row, column]}' for column in columns)}" for row in rows
        )
    else:
        evidence = " ".join(
            _sentence(
                f"{row} has a {columns[0]} of {cells[row, columns[0]]} and a {columns[1]} of {cells[row, columns[1]]}"
            )
            for row in rows
        )
    row, other = rng.sample(rows, 2)
    column, beside = rng.sample(columns, 2)

    def claim(of: str, what: str, value: str) -> str:
        return rng.choice(
            (
                f"The {what} of {of} is {value}.",
                _sentence(f"{of} has a {what} of {value}"),
                f"{_cap(what)} of {of}: {value}.",
            )
        )

    number = cells[row, beside].split(" ")[0]
    return Made(
        "listed",
        evidence,
        (claim(row, column, cells[row, column]), claim(other, beside, cells[other, beside])),
        (claim(row, column, cells[other, column]), claim(other, beside, cells[row, beside]), claim(row, column, words.UNITS[column].format(number))),
    )  # fmt: skip


def _included(rng: random.Random) -> Made:
    """What is part of which, and what it costs."""
    what = rng.choice(
        (
            "breakfast",
            "parking",
            "single sign-on",
            "roaming",
            "the audit log",
            "cleaning",
            "phone support",
            "Wi-Fi",
            "insurance",
        )
    )
    has, lacks = rng.sample(words.ITEMS, 2)
    if rng.random() < 0.4:
        price, unit = (
            rng.randrange(3, 60),
            rng.choice(("euros a night", "dollars a month", "pounds per person", "euros a day")),
        )
        return Made(
            "included",
            _sentence(rng.choice((f"{what} is available for {price} {unit}", f"{what} costs {price} {unit}", f"for {what} we charge {price} {unit}"))),
            (_sentence(f"{what} costs {price} {unit}"), _sentence(f"{what} is not free"), _sentence(f"there is a charge for {what}")),
            (_sentence(f"{what} is free"), _sentence(f"{what} is included in the price"), _sentence(f"there is no charge for {what}")),
        )  # fmt: skip
    said = rng.choice(
        (
            f"{what} is part of {has}. {_cap(lacks)} does not include it",
            f"{has} comes with {what}, {lacks} comes without",
            f"only {has} includes {what}",
        )
    )
    return Made(
        "included",
        _sentence(said),
        (_sentence(f"{has} includes {what}"), _sentence(f"{what} is not part of {lacks}"), _sentence(f"{what} comes with {has}")),
        (_sentence(f"{lacks} includes {what}"), _sentence(f"{has} does not include {what}"), _sentence(f"{what} comes with {lacks}")),
    )  # fmt: skip


FAMILIES: Sequence[Callable[[random.Random], Made]] = (
    _roles, _voices, _ways, _measured, _counted, _ordered, _conditional, _duties, _excepted, _listed, _included,
)  # fmt: skip


def made_facts(most: int, rng: random.Random) -> list[tuple[Made, str]]:
    """So many facts, the families in turn, each with evidence in which up to three others stand beside it."""
    facts = [FAMILIES[n % len(FAMILIES)](rng) for n in range(most)]
    found = []
    for n, fact in enumerate(facts):
        beside = [facts[(n + 1 + k) % most].evidence for k in range(rng.randrange(4))]
        beside.insert(rng.randrange(len(beside) + 1), fact.evidence)
        found.append((fact, ("\n\n" if any("\n" in text for text in beside) else " ").join(beside)))
    return found
