"""Drafts are checked by the real local models, and made again where they fail."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import numpy as np
import pytest
import pytest_asyncio

from sidecar import config
from sidecar.inference.base import FloatArray, ModelSource
from sidecar.offline.run import Wanted, running
from sidecar.offline.testset.checks import Checked, is_near
from sidecar.offline.testset.documents import Text, windows
from sidecar.offline.testset.draft import Draft, RejectedError, StoppedError, Task
from sidecar.offline.testset.make import ATTEMPTS, Made, Maker, Plan

TEXTS = [
    "Backups are kept for 14 days and stored in a second data centre in Rotterdam.",
    "The library lends books for four weeks. A library card costs 20 euros a year.",
    "The museum is closed on Mondays. A day ticket to the museum costs 14 euros.",
    "The annual library pass also opens the museum on Thursdays until 21:00.",
]
OWN = windows([Text(f"doc{n}", text) for n, text in enumerate(TEXTS)], 2000)
GOOD = {
    "doc0": ("How long are backups kept?", "Backups are kept for 14 days."),
    "doc1": ("What does a library card cost?", "A library card costs 20 euros a year."),
    "doc2": ("When is the museum closed?", "The museum is closed on Mondays."),
    "doc3": ("What does the annual library pass open?", "The annual library pass also opens the museum on Thursdays."),
}


class Scripted:
    """A writer that says what a test tells it to."""

    origin = "synthetic"
    kinds = frozenset({"simple", "multi_hop", "negative"})

    def __init__(self, write: Callable[[Task], Draft], answered: bool = False) -> None:
        self._write = write
        self._answered = answered
        self.tasks: list[Task] = []
        self.found: list[tuple[str, ...]] = []

    async def write(self, task: Task) -> Draft:
        self.tasks.append(task)
        return self._write(task)

    async def answered(self, question: str, found: tuple[str, ...]) -> bool:
        self.found.append(found)
        return self._answered


def good(task: Task) -> Draft:
    return Draft(*GOOD[task.windows[0].document])


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def models() -> AsyncIterator[ModelSource]:
    async with running(config.load(None, kafka=False), Wanted()) as runner:
        yield runner.runtime.router


async def make(models: ModelSource, writer: Scripted, seed: int = 0, **sizes: int) -> Made:
    told: list[int] = []
    made = await Maker(Plan(sizes, OWN, seed), writer, models).make(told.append)
    assert told == sorted(told)
    return made


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_case_has_ids_and_spans_of_what_it_was_made_from(models: ModelSource) -> None:
    made = await make(models, Scripted(good), simple=4)
    assert made.rejected == {}
    case = next(one for one in made.cases if one["question"] == GOOD["doc0"][0])
    support = case["generation_params"].pop("support")
    assert support > 0.5
    assert case == {
        "id": case["id"], "question": "How long are backups kept?", "reference": "Backups are kept for 14 days.", "kind": "simple",
        "origin": "synthetic", "reference_contexts": [TEXTS[0]], "reference_context_ids": ["doc0"],
        "source_units": [{"document": "doc0", "start": 0, "end": len(TEXTS[0])}], "generation_params": {"seed": 0, "attempt": 1},
    }  # fmt: skip


async def test_a_reference_that_its_window_does_not_say_is_turned_away_and_made_again(models: ModelSource) -> None:
    def says(task: Task) -> Draft:
        question, _ = GOOD[task.windows[0].document]
        return Draft(question, "Seven dogs built it in Paris.") if not task.attempt else good(task)

    made = await make(models, Scripted(says), simple=1)
    assert made.rejected == {("simple", "not_supported"): 1}
    assert [one["generation_params"]["attempt"] for one in made.cases] == [2]


async def test_attempts_are_bounded_and_what_is_not_made_is_counted(models: ModelSource) -> None:
    writer = Scripted(lambda _: Draft("Who painted it all?", "Seven dogs built it in Paris."))
    made = await make(models, writer, simple=1)
    assert made.cases == []
    assert sum(made.rejected.values()) == ATTEMPTS == len(writer.tasks)


@pytest.mark.parametrize(
    ("question", "reason"),
    [("What does the text say about backups?", "refers_to_text"), ("When does it begin?", "names_nothing")],
)
async def test_a_question_that_cannot_be_understood_alone_is_turned_away(
    models: ModelSource, question: str, reason: str
) -> None:
    made = await make(models, Scripted(lambda task: Draft(question, GOOD[task.windows[0].document][1])), simple=1)
    assert made.rejected == {("simple", reason): ATTEMPTS}


async def test_a_question_that_there_is_already_is_turned_away_and_the_writer_is_told(models: ModelSource) -> None:
    def says(task: Task) -> Draft:
        again = f"How long are {'the ' if task.attempt else ''}backups kept?"
        return Draft(again, "Backups are kept for 14 days.") if task.windows[0].document == "doc0" else good(task)

    writer = Scripted(says)
    made = await make(models, writer, simple=5)
    assert len(made.cases) == 4
    assert made.rejected == {("simple", "duplicate"): ATTEMPTS}
    assert writer.tasks[-1].asked


async def test_two_texts_are_of_two_documents_and_neither_may_be_enough(models: ModelSource) -> None:
    writer = Scripted(lambda task: Draft("What do library and museum cost?", GOOD[task.windows[0].document][1]))
    made = await make(models, writer, multi_hop=1)
    assert all(task.windows[0].document != task.windows[1].document for task in writer.tasks)
    assert ("multi_hop", "one_text_is_enough") in made.rejected
    both = "A library card costs 20 euros a year. A day ticket to the museum costs 14 euros."
    writer = Scripted(lambda _: Draft("What do a library card and a museum ticket cost?", both))
    made = await make(models, writer, seed=1, multi_hop=1)
    assert [set(one["reference_context_ids"]) for one in made.cases] == [{"doc1", "doc2"}]


async def test_a_negative_question_that_the_documents_answer_is_turned_away(models: ModelSource) -> None:
    made = await make(models, Scripted(lambda _: Draft("How long are backups kept?", "Not said.")), negative=1)
    assert made.rejected == {("negative", "answered"): ATTEMPTS}
    writer = Scripted(lambda _: Draft("Who won the museum's chess tournament?", "Not said."))
    [case] = (await make(models, writer, negative=1)).cases
    assert "reference_contexts" not in case
    assert any("museum" in text for text in writer.found[0])


async def test_a_negative_question_that_the_writer_finds_answered_is_turned_away(models: ModelSource) -> None:
    writer = Scripted(lambda _: Draft("Who won the museum's chess tournament?", "Not said."), answered=True)
    assert (await make(models, writer, negative=1)).rejected == {("negative", "answered"): ATTEMPTS}


async def test_a_statement_of_another_name_is_held_against_what_a_search_finds(models: ModelSource) -> None:
    def says(task: Task) -> Draft:
        return Draft("What belongs in the gap?", "Not said.", statement="A day ticket to the museum costs 14 euros.")

    assert (await make(models, Scripted(says), negative=1)).rejected == {("negative", "answered"): ATTEMPTS}


async def test_a_language_that_no_model_reads_is_said_to_be_unchecked(models: ModelSource) -> None:
    polish = "Biblioteka wypożycza książki na cztery tygodnie, a karta kosztuje dwadzieścia złotych na rok."
    own = windows([Text("pl", polish)], 2000)
    writer = Scripted(lambda _: Draft("Ile kosztuje karta do biblioteki?", polish))
    made = await Maker(Plan({"simple": 1}, own, 0), writer, models).make(lambda _: None)
    assert made.unchecked == {("simple", "language"): 1}
    assert made.cases[0]["generation_params"]["unchecked"] == "language"


async def test_the_same_seed_gives_the_same_set_and_another_seed_another(models: ModelSource) -> None:
    one, same, other = [(await make(models, Scripted(good), seed, simple=2)).cases for seed in (0, 0, 3)]
    assert one == same
    assert [case["question"] for case in one] != [case["question"] for case in other]


async def test_where_the_money_is_spent_nothing_more_is_asked(models: ModelSource) -> None:
    def says(task: Task) -> Draft:
        raise StoppedError("judge_budget")

    writer = Scripted(says)
    made = await make(models, writer, simple=2)
    assert (made.cases, made.stopped, len(writer.tasks)) == ([], "judge_budget", 2)


async def test_a_writer_that_fails_is_counted_by_its_reason(models: ModelSource) -> None:
    def says(task: Task) -> Draft:
        if task.attempt < 2:
            raise RejectedError("judge_invalid")
        return good(task)

    made = await make(models, Scripted(says), simple=1)
    assert made.rejected == {("simple", "judge_invalid"): 2}
    assert len(made.cases) == 1


async def test_questions_that_differ_in_a_number_are_two(models: ModelSource) -> None:
    vectors = np.asarray(await embedded(models, ["How much is the fee in 2023?", "How much is the fee in 2024?"]))
    assert float(vectors[0] @ vectors[1]) > 0.9, "by their embeddings they are nearly one"
    one, other = (
        Checked(Draft(f"How much is the fee in {year}?", "R."), vector)
        for year, vector in zip((2023, 2024), vectors, strict=True)
    )
    assert not is_near(one, other)
    assert is_near(one, Checked(Draft("What is the fee in 2023?", "R."), one.vector))


async def embedded(models: ModelSource, texts: list[str]) -> FloatArray:
    async with models.route(service="", languages=lambda: frozenset({"en"})) as given:
        return await given.embedder.embed(texts)
