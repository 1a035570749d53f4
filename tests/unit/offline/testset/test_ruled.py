"""Questions by rule."""

from __future__ import annotations

import pytest

from sidecar.offline.testset.documents import Text, Window, windows
from sidecar.offline.testset.draft import Draft, RejectedError, Task
from sidecar.offline.testset.ruled import RuleWriter


def window(text: str) -> Window:
    [found] = windows([Text("one", text)], 5000)
    return found


async def drafts(text: str, kind: str = "simple", collection: str = "") -> list[Draft]:
    writer = RuleWriter([text, collection])
    found: list[Draft] = []
    while (draft := await one(writer, Task(kind, (window(text),), tuple(past.question for past in found)))) is not None:
        found.append(draft)
    return found


async def one(writer: RuleWriter, task: Task) -> Draft | None:
    try:
        return await writer.write(task)
    except RejectedError as error:
        return None if error.reason == "nothing_to_ask" else pytest.fail(error.reason)


async def test_a_sentence_with_a_value_has_a_gap_and_is_its_own_reference() -> None:
    [draft] = await drafts("Backups are kept for 14 days and stored in Rotterdam.")
    assert draft.question == "What belongs in the gap: “Backups are kept for ____ and stored in Rotterdam.”"
    assert draft.reference == "Backups are kept for 14 days and stored in Rotterdam."
    assert draft.params == {"by": "rule", "rule": "cloze", "gap": "14 days"}


async def test_a_question_of_the_document_is_asked_with_what_stands_under_it() -> None:
    drafted = await drafts("## How do I renew a book?\n\nRenew it at the desk. Bring your card. Do it early.\n")
    assert (drafted[0].question, drafted[0].reference) == (
        "How do I renew a book?",
        "Renew it at the desk. Bring your card.",
    )
    assert drafted[0].params["rule"] == "question_of_the_document"


async def test_chinese_is_asked_in_chinese() -> None:
    [draft] = await drafts("普通读者的借书期限为30天。")
    assert draft.question == "这句话中空缺的是什么：“普通读者的借书期限为____。”"
    negative, *_ = await drafts("普通读者的借书期限为30天。", "negative")
    assert negative.reference == "文档中没有相关信息。"


@pytest.mark.parametrize(
    "text",
    [
        "It is kept for 14 days and then deleted.",
        "During it the notice period is two weeks for both sides.",
        "Backups are kept and stored in Rotterdam.",
        "| plan | 20 euros a month |",
        "see https://example.org/prices for 20 euros.",
        "14 days",
    ],
    ids=["a pronoun", "a pronoun behind a word", "no value", "a table", "an address", "no sentence"],
)
async def test_what_cannot_be_read_alone_is_no_question(text: str) -> None:
    assert await drafts(text) == []


async def test_a_negative_one_asks_of_a_name_what_the_documents_say_of_another() -> None:
    first, *others = await drafts("Guided tours in English last 75 minutes on weekdays.", "negative")
    assert first.question == "What belongs in the gap: “Guided tours in Vorrenholt last ____ on weekdays.”"
    assert first.statement == "Guided tours in Vorrenholt last 75 minutes on weekdays."
    assert first.reference == "The documents do not say."
    assert len({one.question for one in others}) == 24


async def test_a_name_that_the_collection_has_is_not_made_up() -> None:
    found = await drafts("Guided tours in English last 75 minutes.", "negative", collection="The Vorrenholt is a hall.")
    assert all("Vorrenholt" not in one.question for one in found)
    assert found[0].statement == "Guided tours in Quellmarch last 75 minutes."
