"""Documents read out of prompts, in the ways in which frameworks and people write them."""

from __future__ import annotations

import html
import json

import pytest

from sidecar.assemble.contexts import choose_documents, documents_of_prompt
from sidecar.record.request import Document
from tests.unit.decode.spans import message, one, span

QUESTION = "Which port does the broker use?"
FIRST, LAST = "Kafka is a log.", "The broker listens on port 9093."
NUMBERED = f"Use the passages.\n\n[1] {FIRST}\n[2] {LAST}"


@pytest.mark.parametrize(
    "prompt",
    [
        NUMBERED,
        f"{NUMBERED}\n\n{QUESTION}",
        f"{NUMBERED}\n{QUESTION}\n",
        f"{NUMBERED}\n\nQuestion: {QUESTION}\nAnswer:",
        f"{NUMBERED}\n\nUser: {QUESTION}",
        f"{NUMBERED}\n\nAnswer in one sentence.\n\n{QUESTION}",
        f"{NUMBERED}\n\n{QUESTION}\n\nIf you do not know the answer, say so.\nPlease answer in English.",
        f"{NUMBERED}\n\nQuestion: something else?\n\nAnswer:",
        f"Context:\n{FIRST}\n\n{LAST}\n\n{QUESTION}",
        f"Context:\n{FIRST}\n\n{LAST}\nQuestion: {QUESTION}",
        f"Documents: \n[1] {FIRST}\n\n[2] {LAST}\n\nInstructions: be brief.\n{QUESTION}",
        f"--------------------\n{FIRST}\n\n{LAST}\n--------------------\nGiven the context, answer.\n{QUESTION}",
        f"<document>{FIRST}</document>\n<Document id=2>\n{LAST}\n</Document>\n{QUESTION}",
        f"<context>never closed <doc>{FIRST}</doc><doc>{LAST}</doc>",
    ],
)
def test_the_question_and_instructions_are_no_part_of_the_last_document(prompt: str) -> None:
    assert documents_of_prompt(None, prompt, QUESTION) == [FIRST, LAST]


def test_a_question_within_a_document_stays() -> None:
    prompt = f"[1] FAQ\n\n{QUESTION}\n\nPort 9093.\n[2] {LAST}\n\n{QUESTION}"
    assert documents_of_prompt(None, prompt, QUESTION) == [f"FAQ\n\n{QUESTION}\n\nPort 9093.", LAST]


def test_a_last_document_of_several_paragraphs_stays_whole() -> None:
    assert documents_of_prompt(None, f"{NUMBERED}\n\nIt was 9092 before.\n\n{QUESTION}", QUESTION) == [
        FIRST,
        f"{LAST}\n\nIt was 9092 before.",
    ]


@pytest.mark.parametrize("prompt", [QUESTION, "Answer in one word.", "", "Hello!\n\nWhat is it?"])
def test_a_prompt_without_documents_has_none(prompt: str) -> None:
    assert documents_of_prompt(None, prompt, QUESTION) == []


def test_dashes_that_hold_nothing_are_not_a_block() -> None:
    assert documents_of_prompt(None, f"a ---------- b\n[1] {FIRST}") == [FIRST]
    assert documents_of_prompt(None, f"-----------\n{FIRST} ---------- and\n-----------") == [f"{FIRST} ---------- and"]


def test_what_the_user_asked_is_known_from_the_root() -> None:
    kind = "openinference.span.kind"
    sent = {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": f"{NUMBERED}\n\n{QUESTION}",
    }
    request = one(
        message(
            span("chain", {kind: "CHAIN", "input.value": QUESTION, "output.value": "9093."}, number=1),
            span("search", {kind: "RETRIEVER"}, number=2, parent=1, lasts=0.1),
            span(
                "llm",
                {kind: "LLM", **sent, "llm.output_messages.0.message.content": "9093."},
                number=3,
                parent=1,
                at=0.2,
            ),
        )
    )
    assert [document.text for document in request.documents] == [FIRST, LAST]
    assert request.context_source == "prompt"


def test_the_candidate_with_most_documents_in_the_prompt_is_chosen() -> None:
    shown, hidden = Document(1, "Shown \n here."), Document(2, "Hidden.")
    chosen = choose_documents([("spans", (hidden,)), ("tool", (shown, hidden))], "see: shown. Shown here.")
    assert chosen == ((shown,), "tool", True)


ODD = [
    "Die Garantie beträgt zwei Jahre.",
    "Versand: 5 Tage.",
    'Zeile 1.\nZeile "2", 50\xa0% \U0001f600',
    r"C:\new\table \u00e9",
]


@pytest.mark.parametrize(
    "written",
    [
        json.dumps(ODD),
        json.dumps(ODD, ensure_ascii=False),
        json.dumps(json.dumps({"results": ODD})),
        str(ODD),
        html.escape(" ".join(ODD)),
        "\n\n".join(ODD),
    ],
    ids=["JSON", "JSON in UTF-8", "JSON in JSON", "Python", "HTML", "plain"],
)
def test_documents_are_found_in_a_prompt_however_they_are_escaped(written: str) -> None:
    shown = tuple(Document(rank, text) for rank, text in enumerate(ODD, 1))
    hidden = Document(9, "Versand: 6 Tage.")
    assert choose_documents([("tool", shown)], f"Results: {written}") == (shown, "tool", False)
    assert choose_documents([("tool", (*shown, hidden))], f"Results: {written}") == (shown, "tool", True)


def test_a_number_of_thousands_of_digits_is_no_character_of_a_prompt() -> None:
    shown = (Document(1, FIRST),)
    assert choose_documents([("tool", shown)], f"{FIRST} &#{'9' * 4400}") == (shown, "tool", False)
