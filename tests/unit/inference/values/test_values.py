"""Laws of the values: what is written is read back, any text is read without harm, and what is compared is what it says."""

from __future__ import annotations

import itertools
import random
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from sidecar.inference.embedding.text import content_stem
from sidecar.inference.values.arithmetic import follows
from sidecar.inference.values.compare import agree, equal
from sidecar.inference.values.dates import MONTHS
from sidecar.inference.values.match import Outcome, match
from sidecar.inference.values.read import read_values
from sidecar.inference.values.stated import Stated, stated
from sidecar.inference.values.units import UNITS, in_base
from sidecar.inference.values.value import Date, Hedge, Kind, Value
from tests.unit.inference.values.test_golden import pairs, readings
from training.value_words import in_words


def only(text: str) -> Value:
    [value] = read_values(text)
    return value


@settings(deadline=None)
@given(some.integers(2, 999_999))
def test_a_number_in_words_is_read_back(number: int) -> None:
    assert only(f"They counted {in_words(number)} of them.").amount == number


@settings(deadline=None)
@given(some.integers(2, 10**9), some.sampled_from(["{:d}", "{:,d}"]))
def test_a_number_in_figures_is_read_back_with_and_without_commas(number: int, form: str) -> None:
    value = only(f"They counted {form.format(number)} birds.")
    assert (value.kind, value.amount, value.step) == (Kind.NUMBER, number, 0.5)


@settings(deadline=None)
@given(some.integers(1, 99_999), some.integers(0, 99), some.sampled_from(["${}", "USD {}", "{} dollars", "{} USD"]))
def test_an_amount_of_money_is_read_back(dollars: int, cents: int, form: str) -> None:
    value = only(f"It costs {form.format(f'{dollars:,}.{cents:02}')}.")
    assert (value.kind, value.unit) == (Kind.MONEY, "USD")
    assert value.amount == pytest.approx(dollars + cents / 100)


@settings(deadline=None)
@given(
    some.dates(date(1500, 1, 1), date(2199, 12, 31)), some.sampled_from(["iso", "day first", "month first", "ordinal"])
)
def test_a_day_is_read_back_from_every_format(day: date, form: str) -> None:
    month = MONTHS[day.month - 1]
    texts = {
        "iso": day.isoformat(),
        "day first": f"{day.day} {month} {day.year}",
        "month first": f"{month} {day.day}, {day.year}",
        "ordinal": f"the {day.day}th of {month} {day.year}",
    }
    assert only(f"It opened on {texts[form]}.").dates == (Date(day.year, day.month, day.day),)


@settings(deadline=None)
@given(some.integers(2, 5000), some.sampled_from(sorted(set(UNITS) - {"business_day", "business_hour"})))
def test_a_measure_is_read_back_in_its_unit(amount: int, unit: str) -> None:
    value = only(f"It was {amount} {unit}.")
    assert (value.kind, value.amount, value.unit) == (Kind.QUANTITY, amount, unit)


@settings(deadline=None)
@given(some.text(max_size=300))
def test_any_text_is_read_and_its_values_stand_one_behind_the_other(text: str) -> None:
    values = read_values(text)
    places = [(value.start, value.end) for value in values]
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(places))


_PIECES = (
    "$", "€", "%", "12", "1,500", "3.5", "-", "to", " and ", "between ", "5 mg", "March", "2024", " ", "  ", ", ", ".", "(", "half", "two", "hundred",
    "at least ", "pm", "Q1", "万", "年", "三", "月", "第", "百分之", "/", "'", "10:30", "½", "°C", "no more than ", "°", "per ", "a", "dozen", "million", "k", "bn",
    "2024-03-05", "+49 ", "v2.", "\n", "１２", "％", "\ud800", "\x00", "٣", "²", "1e9", "9" * 40, "1,", "first", "the ", "minus ",
)  # fmt: skip


def test_texts_made_of_pieces_of_values_are_read_and_matched_without_an_error() -> None:
    rng = random.Random(11)
    for _ in range(3000):
        one, other = ("".join(rng.choice(_PIECES) for _ in range(rng.randrange(1, 14))) for _ in range(2))
        found = match(stated(one, content_stem), [stated(other, content_stem)], lambda _: 1.0)
        assert all(0 <= finding.strength <= 1 for finding in found), (one, other)


@pytest.mark.parametrize("text", [text for text, values in readings() if values])
def test_a_value_is_equal_to_itself_and_agrees_with_itself(text: str) -> None:
    for value in read_values(text):
        assert equal(value, value)
        assert agree(value, value)


@pytest.mark.parametrize(("heading", "claim", "document"), [one for one in pairs() if one[0] == "agrees"])
def test_a_document_agrees_with_itself(heading: str, claim: str, document: str) -> None:
    own = stated(document, content_stem)
    assert {one.outcome for one in match(own, [own], lambda _: 5.0)} == {Outcome.AGREES}


def test_a_unit_is_as_large_as_its_table_says() -> None:
    assert in_base(2, "week") == 14 * 86400
    assert in_base(212, "°F") == pytest.approx(100.0)
    assert in_base(1, "mi") == pytest.approx(1609.344)


def test_rounding_is_the_claims_own() -> None:
    exact, rounded = only("It was $4,213 million."), only("It was $4.2bn.")
    assert equal(rounded, exact)
    assert not equal(exact, rounded)


def test_a_bound_may_be_near_what_it_bounds_but_not_far() -> None:
    over = only("It was over $4bn.")
    assert over.hedge is Hedge.LEAST
    assert agree(over, only("It was $4.2bn."))
    assert not agree(over, only("It was $42bn."))
    assert not agree(over, only("It was $3.9bn."))


@pytest.mark.parametrize("word", ["larger", "bigger", "heavier", "taller", "smaller", "lighter"])
def test_a_thing_that_is_more_than_a_value_is_bounded_by_it(word: str) -> None:
    least = word not in ("smaller", "lighter")
    [bound] = read_values(f"It is {word} than 5 kg.")
    [denied] = read_values(f"It is not {word} than 5 kg.")
    assert [bound.hedge, denied.hedge] == ([Hedge.LEAST, Hedge.MOST] if least else [Hedge.MOST, Hedge.LEAST])


def test_no_longer_denies_a_deed_and_turns_no_bound_but_its_own() -> None:
    assert only("Exports no longer time out above 10,000 rows.").hedge is Hedge.LEAST
    assert only("It takes no longer than 10 minutes.").hedge is Hedge.MOST
    assert only("No rooms above 10,000 rows.").hedge is Hedge.MOST


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("The longer of the two is the first walk.", []),
        ("It is one of the two.", []),
        ("Choose between the two.", []),
        ("It is held in both of the two rooms.", [2]),
        ("The two are alike.", [2]),
    ],
)
def test_a_number_word_for_things_that_were_named_counts_none(text: str, counts: list[int]) -> None:
    assert [one.amount for one in read_values(text) if one.kind is Kind.NUMBER] == counts


@pytest.mark.parametrize(
    ("claim", "there", "agrees"),
    [
        ("about 2,900", "3,218", False),
        ("about 2,900", "2,950", True),
        ("about 3,000", "3,218", True),
        ("about 25", "27", True),
        ("about 12.4", "13.6", False),
        ("about two thirds", "62 %", True),
    ],
)
def test_about_is_as_far_as_a_number_is_round(claim: str, there: str, agrees: bool) -> None:
    assert agree(only(f"It was {claim}."), only(f"It was {there}.")) is agrees


def test_words_go_to_the_value_that_they_are_about() -> None:
    [thirty, twenty] = stated("The fee is $30 for students, $20 for members.", content_stem)
    own = [one.words for one in (thirty, twenty)]
    assert own[0]["student"] > 0.9 > 0.2 > own[0]["member"]
    assert own[1]["member"] > 0.9 > 0.2 > own[1]["student"]
    assert own[1]["fee"] > 0.5


def test_a_verb_behind_and_has_the_subject_before_it() -> None:
    [starts, ends] = [one.words for one in stated("Choir starts at 18:30 and ends at 20:00.", content_stem)]
    assert (starts["choir"], starts["end"]) == (1.0, 0.1)
    assert ends["choir"] > 0.8
    assert ends["end"] == 1.0


def test_a_time_before_a_colon_is_one() -> None:
    nine, half_past = read_values("9:00–11:30: toddlers")
    assert (nine.kind, nine.amount, half_past.kind, half_past.amount) == (Kind.TIME, 9.0, Kind.TIME, 11.5)
    assert [one.amount for one in read_values("at 11:30:15")] == [11.5]
    assert not any(one.kind is Kind.TIME for one in read_values("the address aa:11:22:3b"))


def test_weekdays_are_monday_to_friday_both_ways() -> None:
    [weekdays], days = read_values("on weekdays"), read_values("Monday to Friday")
    assert all(equal(one, weekdays) and equal(weekdays, one) for one in days)
    assert not any(equal(one, weekdays) for one in read_values("Monday to Saturday")[1:])


def test_a_number_without_a_unit_goes_on_in_that_of_its_like() -> None:
    values = [one.value for one in stated("45 minutes in all: 15 at 240 °C and 30 at 200 °C.", content_stem)]
    assert [(one.amount, one.unit) for one in values] == [
        (45, "min"),
        (15, "min"),
        (240, "°C"),
        (30, "min"),
        (200, "°C"),
    ]
    counted = [one.value for one in stated("Corkage is €15 a bottle, i.e. €60 for four.", content_stem)]
    assert [one.unit for one in counted] == ["EUR", "EUR", ""]


def test_a_rate_may_be_multiplied_by_a_value_of_the_claim() -> None:
    rate = [stated("The pump moves 40 litres per hour.", content_stem)]
    for litres, outcome in ((120, Outcome.FOLLOWS), (150, Outcome.DISAGREES)):
        _, moved = match(stated(f"In three hours the pump moves {litres} litres.", content_stem), rate, lambda _: 5.0)
        assert moved.outcome is outcome


def test_a_finding_names_both_values() -> None:
    claim, document = "Returns are accepted for 30 days.", "Returns are accepted for 14 days."
    [finding] = match(stated(claim, content_stem), [(), stated(document, content_stem)], lambda _: 5.0)
    assert finding.outcome is Outcome.DISAGREES
    assert finding.other is not None
    assert (finding.piece, document[finding.other.start : finding.other.end]) == (1, "14 days")
    assert claim[finding.value.start : finding.value.end] == "30 days"


def test_a_text_without_a_figure_or_a_word_for_one_is_not_read() -> None:
    nothing: tuple[Stated, ...] = ()
    assert stated("The kettle is red and made of steel.", content_stem) == nothing


def test_a_day_that_stands_for_always_is_not_counted_from() -> None:
    [own] = read_values("2024-01-05")
    [always], [lasting] = read_values("9999-12-31"), read_values("30 days")
    assert not follows(own, [always, lasting])
    assert follows(own, [*read_values("2023-12-06"), lasting])


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        (">10^5 CFU", [1e5]),
        ("6.4 x10^9/L", [6.4e9]),
        ("4.0 × 10^9 cells", [4e9]),
        ("10 x 20 bricks", [10, 20]),
        ("10^99 of them", [10, 99]),
    ],
)
def test_powers_of_ten_are_read(text: str, amounts: list[float]) -> None:
    assert [one.amount for one in read_values(text)] == pytest.approx(amounts)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("4.0 retries calls twice.", True),
        ("In 4.0 it is given in seconds.", True),
        ("It scored 4.0 out of 5.", False),
        ("It holds 4.0 litres.", False),
        ("It costs $4.0 million.", False),
        ("It costs 33.0 ct/kWh.", False),
        ("The pH is 7.0.", False),
    ],
)
def test_releases_are_names(text: str, name: bool) -> None:
    assert (read_values(text)[0].kind is Kind.NAME) is name


@pytest.mark.parametrize(
    ("text", "hedge"),
    [
        ("50 at most", Hedge.MOST),
        ("14 days at least", Hedge.LEAST),
        ("50 at least 20", Hedge.NONE),
    ],
)
def test_bounds_may_stand_behind_a_value(text: str, hedge: Hedge) -> None:
    assert read_values(text)[0].hedge is hedge


def test_what_each_costs_is_no_rate_of_the_word_behind() -> None:
    assert [one.per for one in read_values("Breakfast is €16 each and parking €12 a day.")] == ["", "day"]
