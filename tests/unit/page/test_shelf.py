"""Which answers are kept: the worst, the latest and a random part of each service, within a number, a memory and a time."""

from __future__ import annotations

import tracemalloc

import pytest

from exporters.result import Verdict
from sidecar.labels.record import Draw
from sidecar.page import StatusPageConfig
from sidecar.record.clock import ManualClock
from sidecar.record.texts import Texts
from tests.unit.page.answers import ANSWER, TEXTS, feed, result, watch

GOOD = Verdict.GROUNDED


def test_the_worst_are_hallucinated_with_the_lowest_score_and_of_like_ones_the_later() -> None:
    clock = ManualClock()
    seen = watch(clock, keep_answers=3)
    for number, verdict, score in ((1, GOOD, 0.9), (2, Verdict.HALLUCINATED, 0.21), (3, GOOD, 0.02), (4, Verdict.HALLUCINATED, 0.01), (5, Verdict.HALLUCINATED, 0.02)):  # fmt: skip
        feed(seen, result(number, verdict, score=score))
        clock.advance(1)
    worst = [int(kept.result.id[-12:]) for kept in seen.shelf.of("support-bot", "worst")]
    assert worst == [5, 4, 2]


def test_the_latest_come_first_and_the_random_are_those_that_a_draw_takes_first() -> None:
    clock = ManualClock()
    seen = watch(clock, keep_answers=10, label_seed="x")
    for number in range(200):
        feed(seen, result(number, GOOD, score=0.9))
        clock.advance(1)
    latest = [int(kept.result.id[-12:]) for kept in seen.shelf.of("support-bot", "latest")]
    assert latest == list(range(199, 189, -1))
    draw = Draw(seed="x", rate=1.0)
    ids = sorted((result(number).id for number in range(200)), key=draw.number)
    assert [kept.result.id for kept in seen.shelf.of("support-bot", "random")] == ids[:10]


def test_an_answer_that_comes_again_is_kept_once_and_counted_once() -> None:
    seen = watch()
    feed(seen, result(1), result(1, GOOD, score=0.9))
    assert [kept.result.verdict for kept in seen.shelf] == [GOOD]
    assert len(seen.shelf.of("support-bot", "worst")) == len(seen.shelf.of(None, "latest")) == 1
    assert seen.services["support-bot"].total(3600, seen.now())["scored"] == 1


def test_a_service_with_as_long_a_name_as_is_read_is_shown() -> None:
    seen = watch()
    feed(seen, result(1, service="s" * 256))
    assert (list(seen.services), seen.left_out) == (["s" * 256], 0)


def test_memory_is_flat_however_much_comes() -> None:
    clock = ManualClock()
    seen = watch(clock, keep_answers=200, keep_megabytes=1, most_services=5)
    long = Texts("q" * 900, ANSWER + "a" * 5000, tuple((f"d{n}", "e" * 3000) for n in range(5)))

    def some(start: int) -> None:
        for number in range(start, start + 1500):
            feed(seen, result(number, score=(number % 100) / 100, service=f"s{number % 9}"), texts=long)
            clock.advance(0.5)

    some(0)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    some(1500)
    some(3000)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert seen.shelf.bytes <= 1_000_000
    assert seen.shelf.bytes == sum(kept.size for kept in seen.shelf)
    assert len(seen.services) == 5
    assert seen.left_out == sum(number % 9 >= 5 for number in range(4500))
    # What is kept is a megabyte; ids that were seen are remembered up to a number.
    assert grown < 3_000_000


def test_what_is_too_old_is_forgotten() -> None:
    clock = ManualClock()
    seen = watch(clock, keep_hours=1)
    feed(seen, result(1))
    clock.advance(1800)
    feed(seen, result(2))
    clock.advance(1801)
    feed(seen, result(3))
    assert {int(kept.result.id[-12:]) for kept in seen.shelf} == {2, 3}
    assert all(len(seen.shelf.of("support-bot", name)) == 2 for name in ("worst", "latest", "random"))
    clock.advance(4000)
    seen.sweep()
    assert len(seen.shelf) == seen.shelf.bytes == 0


def test_what_is_erased_is_gone_from_every_list_and_does_not_come_back() -> None:
    seen = watch()
    feed(seen, result(1), result(2), user="ada")
    feed(seen, result(3), user="bob")
    assert len(seen.erase(trace_id=result(3).trace_id)) == 1
    assert len(seen.erase(user="ada")) == 2
    assert seen.erase(user="ada") == []
    feed(seen, result(3), user="bob")
    feed(seen, result(4), user="ada")
    assert len(seen.shelf) == seen.shelf.bytes == 0
    feed(seen, result(5), user="bob")
    assert len(seen.shelf) == 1


def test_however_many_traces_are_erased_what_was_asked_for_by_user_and_session_stays_away() -> None:
    seen = watch()
    seen.erase(user="ada")
    seen.erase(session="s-1")
    for number in range(100, 20_100):
        seen.erase(trace_id=f"{number:032x}")
    feed(seen, result(1), user="ada")
    feed(seen, result(2, session="s-1"), result(100), result(20_099), user="bob")
    assert len(seen.shelf) == 0


def test_marks_of_traces_are_bounded_in_number_and_memory() -> None:
    seen = watch()
    seen.erase(trace_id="first")
    tracemalloc.start()
    for number in range(150_000):
        seen.erase(trace_id=f"{number:032x}")
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert grown < 40_000_000
    feed(seen, result(1, trace_id="first"), result(2, trace_id=f"{149_999:032x}"))
    assert [kept.result.id for kept in seen.shelf] == [result(1).id]


def test_all_answers_of_a_trace_go_with_it_and_of_none_else() -> None:
    clock = ManualClock()
    seen = watch(clock, keep_answers=4)
    for number in range(30):
        feed(seen, result(number, trace_id=f"t-{number % 3}"))
        clock.advance(1)
    feed(seen, result(29, trace_id="t-0"))
    seen.take_read(result(90, trace_id="t-0"), at=seen.now(), replica="pod-b")
    kept = [one for shelf in (seen.shelf, seen.others) for one in shelf]
    own = {one.result.id for one in kept if one.result.trace_id == "t-0"}
    assert {one.result.id for one in seen.erase(trace_id="t-0")} == own >= {result(29).id, result(90).id}
    assert [one for shelf in (seen.shelf, seen.others) for one in shelf] == [
        one for one in kept if one.result.id not in own
    ]


def test_without_show_text_no_text_is_kept() -> None:
    seen = watch(show_text=False)
    feed(seen, result(1), texts=TEXTS)
    assert [kept.texts for kept in seen.shelf] == [None]


def test_texts_are_cut_where_nobody_would_read_on() -> None:
    seen = watch()
    feed(seen, result(1), texts=Texts("q" * 50_000, "a\ud800", tuple((None, "x") for _ in range(80))))
    (kept,) = seen.shelf
    assert kept.texts is not None
    assert kept.texts.question is not None
    assert len(kept.texts.question) == 20_000
    assert kept.texts.answer == "a\N{REPLACEMENT CHARACTER}"
    assert len(kept.texts.documents) == 50


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("jaeger/{trace_id}", "must be an address"),
        ("javascript:alert('{trace_id}')", "must be an address"),
        ("https://jaeger/trace", "must hold"),
        ("https://jaeger/{trace_id}/{user}", "no template"),
        ("https://{service}.example.org/{trace_id}", "host may not"),
        ("https://jaeger/{trace_id.__class__}", "no template|must hold"),
    ],
)
def test_an_address_of_traces_that_is_none_is_refused(url: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        StatusPageConfig(trace_url=url)


def test_an_answer_better_than_all_the_worst_is_still_among_the_latest() -> None:
    clock = ManualClock()
    seen = watch(clock, keep_answers=1)
    feed(seen, result(1, Verdict.HALLUCINATED, score=0.1))
    clock.advance(1)
    feed(seen, result(2, GOOD, score=0.9))
    assert [[kept.result.id[-1] for kept in seen.shelf.of("support-bot", name)] for name in ("worst", "latest")] == [
        ["1"],
        ["2"],
    ]
    for number in range(3, 60):
        feed(seen, result(number, GOOD, score=0.9 + number / 1000))
    assert all(len(seen.shelf.of("support-bot", name)) == 1 for name in ("worst", "latest", "random"))
    assert len(seen.shelf) <= 3


def test_below_one_number_the_random_part_of_every_service_is_whole() -> None:
    clock = ManualClock()
    seen = watch(clock, keep_answers=20, label_seed="x")
    draw = Draw(seed="x", rate=1.0)
    for number in range(400):
        feed(seen, result(number, GOOD, score=0.9, service="busy" if number % 8 else "quiet"))
        clock.advance(1)
    limit = seen.shelf.whole_below
    of_all = {result(number).id for number in range(400) if draw.number(result(number).id) < limit}
    kept = {one.result.id for service in ("busy", "quiet") for one in seen.shelf.of(service, "random")}
    assert 0 < limit < 1
    assert of_all <= kept
    assert of_all


def test_without_texts_nothing_that_quotes_the_answer_is_kept() -> None:
    seen = watch(ManualClock(), show_text=False)
    feed(seen, result(1, Verdict.HALLUCINATED, score=0.1))
    [kept] = seen.shelf
    assert kept.texts is None
    assert {claim.text for one in kept.result.evaluations for claim in one.claims} <= {""}
    assert {one.explanation for one in kept.result.evaluations} == {None}
