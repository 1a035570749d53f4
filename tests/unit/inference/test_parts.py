"""Batcher, CPU limit, texts, features and verified files, without the real models."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidecar.inference.batcher import Batcher
from sidecar.inference.calibrated import Logistic, expand
from sidecar.inference.cpu import cpu_limit, shared
from sidecar.inference.embedding.text import SENTENCE_WORDS, read_words, sentences
from sidecar.inference.onnx import read_verified, verify
from sidecar.inference.turn import Slots, in_turn
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import ConfigError, PermanentInferenceError, RetryableInferenceError


class Counting:
    """Doubles numbers and remembers its batches."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def __call__(self, items: Sequence[int]) -> list[int]:
        self.batches.append(list(items))
        if 13 in items:
            raise ValueError("unlucky")
        return [2 * item for item in items]


def batcher(compute: Counting, telemetry: Telemetry | None = None) -> Batcher[int, int]:
    return Batcher("m", compute, telemetry=telemetry or Telemetry(), tokens=lambda item: item, most_tokens=100)


async def test_items_of_many_callers_share_batches_and_come_back_in_order() -> None:
    compute = Counting()
    one = batcher(compute)
    await one.start()
    results = await asyncio.gather(*(one.predict([n, n + 1]) for n in range(21, 40, 2)))
    await one.stop()
    assert results == [[2 * n, 2 * n + 2] for n in range(21, 40, 2)]
    assert len(compute.batches) < 10


async def test_no_batch_is_padded_over_the_budget() -> None:
    compute = Counting()
    one = batcher(compute)
    await one.start()
    await one.predict([30, 30, 30, 30, 90, 5, 500])
    await one.stop()
    assert all(len(batch) == 1 or max(batch) * len(batch) <= 100 for batch in compute.batches)


async def test_as_many_batches_run_at_once_as_are_allowed() -> None:
    side_by_side = threading.Barrier(2, timeout=10)
    compute = Counting()

    def meet(items: Sequence[int]) -> list[int]:
        side_by_side.wait()
        return compute(items)

    one = Batcher("m", meet, telemetry=Telemetry(), tokens=lambda item: item, most_tokens=100, at_once=2)
    await one.start()
    assert await one.predict([60, 70, 80, 90]) == [120, 140, 160, 180]
    waiting = asyncio.create_task(one.predict([50, 60]))
    await asyncio.sleep(0)
    await one.stop()
    with pytest.raises(RetryableInferenceError):
        await waiting


@pytest.mark.parametrize(("threads", "expected"), [(1, (1, 1)), (2, (2, 1)), (3, (2, 1)), (4, (2, 2)), (9, (2, 4))])
def test_batches_side_by_side_share_the_threads(threads: int, expected: tuple[int, int]) -> None:
    assert shared(threads) == expected


async def test_what_a_request_asks_late_comes_before_what_was_begun_after_it() -> None:
    compute, loop = Counting(), asyncio.get_running_loop()

    async def all_have_asked() -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    def slowly(items: Sequence[int]) -> list[int]:
        asyncio.run_coroutine_threadsafe(all_have_asked(), loop).result(10)
        return compute(items)

    one = Batcher("m", slowly, telemetry=Telemetry(), tokens=lambda item: item, most_tokens=100)
    await one.start()

    async def ask_twice(first: int, second: int) -> None:
        with in_turn():
            await one.predict([first])
            await asyncio.gather(one.predict([second]), one.predict([second]))

    await asyncio.gather(*(ask_twice(60 + n, 80 + n) for n in range(4)))
    await one.stop()
    read = [item for batch in compute.batches for item in batch]
    # The next batch is taken while a request is told of its last one: one that was begun later passes it there, and no more.
    assert read == [60, 61, 80, 80, 81, 81, 62, 63, 82, 82, 83, 83]


async def test_models_share_places_and_the_earliest_turn_has_the_next() -> None:
    slots, order = Slots(1), list[str]()

    async def compute(name: str, turn: int) -> None:
        async with slots.one(lambda: turn):
            await asyncio.sleep(0)
            order.append(name)

    tasks = [
        asyncio.create_task(compute(*one)) for one in (("first there", 9), ("late", 5), ("called off", 1), ("early", 2))
    ]
    await asyncio.sleep(0)
    tasks[2].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == ["first there", "early", "late"]
    async with asyncio.timeout(1), slots.one(lambda: 0):
        pass


@pytest.mark.parametrize("places", [1, 2])
async def test_of_two_models_the_one_that_reads_for_the_earlier_request_goes_on(places: int) -> None:
    order: list[str] = []
    slots = Slots(places)

    def model(name: str) -> Batcher[int, int]:
        def compute(items: Sequence[int]) -> list[int]:
            order.append(name)
            return list(items)

        return Batcher(
            name, compute, telemetry=Telemetry(), tokens=lambda _: 60, most_tokens=100, at_once=places, slots=slots
        )

    models = [model("earlier"), model("later")]
    for one in models:
        await one.start()

    async def ask(one: Batcher[int, int]) -> None:
        with in_turn():
            await one.predict(range(12))

    await asyncio.gather(*map(ask, models))
    for one in models:
        await one.stop()
    # The later model may have begun in a place that was free before the earlier one asked for it.
    assert order[-12 + places :] == ["later"] * (12 - places)


async def test_a_model_whose_thread_cannot_start_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    one = batcher(Counting())
    await one.start()
    assert one._executor is not None
    with monkeypatch.context() as patched:

        def refuse(*_: object) -> None:
            raise RuntimeError("can't start new thread")

        patched.setattr(one._executor, "submit", refuse)
        with pytest.raises(PermanentInferenceError):
            await one.predict([4])
    assert await one.predict([4]) == [8]
    await one.stop()


async def test_a_place_that_is_granted_and_called_off_at_once_is_free_again() -> None:
    slots = Slots(1)

    async def wait() -> None:
        async with slots.one(lambda: 0):
            await asyncio.sleep(0)

    async with slots.one(lambda: 0):
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    async with asyncio.timeout(1), slots.one(lambda: 0):
        pass


async def test_a_batch_that_fails_fails_its_items_alone() -> None:
    telemetry = Telemetry()
    one = batcher(Counting(), telemetry)
    await one.start()
    with pytest.raises(PermanentInferenceError):
        await one.predict([13])
    assert await one.predict([4]) == [8]
    await one.stop()
    assert telemetry.value("rag_sidecar_inference_failures_total", model="m") == 1


async def test_a_cancelled_caller_leaves_nothing_behind() -> None:
    one = batcher(Counting())
    await one.start()
    task = asyncio.create_task(one.predict(list(range(20, 40))))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await one.predict([1]) == [2]
    await one.stop()


async def test_a_batcher_that_is_stopped_says_so() -> None:
    one = batcher(Counting())
    with pytest.raises(RetryableInferenceError):
        await one.predict([1])


@pytest.mark.parametrize(
    ("quota", "cpus"), [("50000 100000", 1), ("150000 100000", 1), ("max 100000", None), ("junk", None)]
)
def test_threads_come_from_the_cgroup_quota(tmp_path: Path, quota: str, cpus: int | None) -> None:
    (tmp_path / "cpu.max").write_text(quota)
    unlimited = cpu_limit(tmp_path / "nothing")
    assert cpu_limit(tmp_path) == min(unlimited, cpus or unlimited)


@given(st.text(max_size=400))
@example(".) 0")
def test_every_word_of_a_text_is_in_one_of_its_sentences(text: str) -> None:
    spans = sentences(text)
    assert "".join(text[s.start : s.end] for s in spans).split() == [] if not text.split() else True
    joined = "".join("".join(text[s.start : s.end].split()) for s in spans)
    assert joined == "".join(text.split())
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))


def test_sentences_are_cut_at_their_ends_and_not_at_abbreviations() -> None:
    text = "Dr. Lee came at 3.5 p.m. on Monday. He left. It rained"
    assert [text[s.start : s.end] for s in sentences(text)] == [
        "Dr. Lee came at 3.5 p.m. on Monday.",
        "He left.",
        "It rained",
    ]


def test_an_abbreviation_before_figures_ends_no_sentence_and_a_unit_does() -> None:
    text = "Tours (max. 25 people) last an hour. Bake it for 20 min. 2 eggs are enough."
    assert [text[one.start : one.end] for one in sentences(text)] == [
        "Tours (max. 25 people) last an hour.",
        "Bake it for 20 min.",
        "2 eggs are enough.",
    ]


def test_a_sentence_without_end_is_windowed_not_cut() -> None:
    spans = sentences("word " * 1000)
    assert len(spans) == -(-1000 // SENTENCE_WORDS)


def test_numbers_names_and_negations_are_seen() -> None:
    words = read_words("The Eiffel Tower isn't 1,024 metres tall; two lifts go up.")
    assert words.numbers == {"1024", "2"}
    assert {"eiffel", "tower"} <= words.names
    assert words.negations == 1


def test_a_logistic_gives_probabilities_that_are_never_certain() -> None:
    model = Logistic(np.zeros(2), np.ones(2), np.array([50.0, 0.0]), 0.0)
    assert model.probability(np.array([[9.0, 0.0], [-9.0, 0.0]])) == pytest.approx([0.999, 0.001])
    assert expand(np.array([[2.0, 3.0]])).tolist() == [[2, 3, 4, 6, 9]]


def test_a_damaged_model_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"good")
    good = hashlib.sha256(b"good").hexdigest()
    assert read_verified(path, good) == b"good"
    verify(path, good)
    path.write_bytes(b"bad")
    for check in (read_verified, verify):
        with pytest.raises(ConfigError, match=r"model\.onnx: sha256 is .* install it again"):
            check(path, good)
        with pytest.raises(ConfigError, match="No such file"):
            check(tmp_path / "gone", "00")
