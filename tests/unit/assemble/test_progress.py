"""The time of a partition never runs ahead of what was read of it."""

from __future__ import annotations

from sidecar.assemble.progress import Progress

HERE = ("spans", 0)


def test_time_that_passed_while_nobody_looked_is_not_known_to_have_been_silent() -> None:
    """A host that slept, a process that got no CPU: what was written meanwhile is read after this, and may belong to what waits."""
    progress = Progress()
    progress.read(HERE, 100.0, 0.0)
    progress.tick({HERE: 0.0}, 0.0)
    progress.tick({HERE: 0.0}, 1.0)
    assert progress.at(HERE, 1.0) == 1.0
    progress.tick({HERE: 0.0}, 31.0)
    assert progress.at(HERE, 31.0) <= 3.0
    progress.tick({HERE: 0.0}, 32.0)
    assert progress.at(HERE, 32.0) <= 4.0


def test_in_a_backlog_sources_that_lag_behind_each_other_move_time_once() -> None:
    """Two collectors write to one partition, one of them twenty seconds late: eight seconds of records are eight seconds."""
    progress = Progress()
    for number in range(80):
        at, lag = 100.0 + number / 10, 20.0 if number // 20 % 2 else 0.0
        progress.read(HERE, at - lag, 0.0)
        progress.tick({}, number / 100)
    assert 0.0 < progress.at(HERE, 1.0) <= 8.0


def test_after_a_backlog_with_a_clock_that_was_ahead_time_goes_on() -> None:
    progress = Progress()
    for number in range(40):
        progress.read(HERE, 5000.0 if number < 20 else 100.0, 0.0)
        progress.tick({}, 0.0)
    progress.tick({HERE: 0.0}, 1.0)
    before = progress.at(HERE, 1.0)
    progress.tick({HERE: 0.0}, 2.0)
    assert progress.at(HERE, 2.0) == before + 1.0
    for number in range(40):
        progress.read(HERE, 110.0 + number, 2.0)
        progress.tick({}, 2.0)
    assert progress.at(HERE, 2.0) > before + 1.0


def test_a_record_at_the_end_of_a_long_batch_is_as_young_as_its_timestamp_says() -> None:
    """Nobody looks at the time while a batch is fed: what came last in it must not age by all that the batch spans."""
    progress = Progress()
    ages = []
    for batch in range(4):
        for number in range(400):
            progress.read(HERE, 100.0 + batch * 40 + number / 10, 0.0)
        seen = progress.at(HERE, 0.0)
        progress.tick({}, 0.0)
        ages.append(progress.at(HERE, 0.0) - seen)
    assert max(ages) <= 2.0
    assert 110.0 <= progress.at(HERE, 0.0) <= 160.0


def test_the_first_batch_after_a_pause_ages_nothing_in_it() -> None:
    progress = Progress()
    for number in range(40):
        progress.read(HERE, 100.0 + number, float(number))
        progress.tick({HERE: 0.0}, float(number))
    for number in range(40):
        progress.read(HERE, 140.0 + number, 80.0)
    seen = progress.at(HERE, 80.0)
    progress.tick({}, 80.0)
    assert progress.at(HERE, 80.0) - seen <= 2.0


def test_time_goes_on_where_every_other_poll_reads_to_the_end() -> None:
    """A hundred seconds of a record each, in polls of half a second."""
    progress = Progress()
    for number in range(200):
        now = number / 2
        progress.read(HERE, 100.0 + now, now)
        progress.tick({HERE: 0.0} if number % 2 else {}, now)
    assert 70.0 <= progress.at(HERE, 100.0) <= 100.0


OURS = ("by-trace", 0)


def test_what_is_behind_its_sources_has_come_through_to_where_these_were() -> None:
    progress = Progress()
    progress.read(OURS, 100.0, 0.0, behind=5.0)
    assert (progress.at(OURS, 0.0), progress.through(OURS, 0.0)) == (0.0, -5.0)
    for second in range(11):
        progress.tick({OURS: 3.0}, float(second))
    assert (progress.at(OURS, 10.0), progress.through(OURS, 10.0)) == (10.0, 7.0)
    # One source stands still: what has come through stands still as well, and does not step back.
    for second in range(11, 21):
        progress.tick({OURS: 3.0 + second - 10}, float(second))
    assert (progress.at(OURS, 20.0), progress.through(OURS, 20.0)) == (20.0, 7.0)


def test_a_backlog_has_come_through_to_where_the_sources_were_when_it_was_written() -> None:
    """A replica was dead from the fiftieth to the seventieth second, and what it held back was written then."""
    progress = Progress()
    through = []
    for second in range(100):
        behind = second - 50.0 + 2.0 if 50 <= second < 70 else 2.0
        for part in range(31):
            progress.read(OURS, 100.0 + second + part / 31, 0.0, behind=behind)
        progress.tick({}, 0.0)
        through.append(progress.through(OURS, 0.0))
    assert 45.0 <= through[49] <= through[69] <= 50.0
    assert 95.0 <= through[99] <= 98.0


def test_what_has_no_sources_has_come_through_to_now() -> None:
    progress = Progress()
    progress.read(HERE, 100.0, 0.0)
    for second in range(5):
        progress.tick({HERE: 0.0}, float(second))
        assert progress.through(HERE, second) == progress.at(HERE, second)
    assert progress.through(None, 7.0) == 7.0


def test_where_nothing_is_waited_for_time_goes_on() -> None:
    """`receive.repartition_wait_seconds` is 0."""
    progress = Progress()
    progress.read(OURS, 100.0, 0.0, behind=0.0)
    for second in range(5):
        progress.tick({OURS: 0.0}, float(second))
    assert progress.through(OURS, 4.0) == progress.at(OURS, 4.0) == 4.0
