"""Traces in which something holds an answer and no model was called: `inspect` says why it is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.commands.called import called
from tests.unit.decode.spans import TRACE, message, span

ASKED = {"input.value": "How long?"}
CHAIN = {"openinference.span.kind": "CHAIN", **ASKED, "output.value": "Two years."}
RETRIEVER = {"openinference.span.kind": "RETRIEVER", **ASKED, "retrieval.documents.0.document.content": "Two years."}
MODEL = {"openinference.span.kind": "LLM", **ASKED, "output.value": "Two years."}
MEND = "that it could be of: instrument the client of the model, too (docs/troubleshooting.md)"


def inspected(folder: Path, *spans: dict[str, object]) -> tuple[str, list[dict[str, object]], str]:
    """What is printed, the requests as JSON, and what is said beside them."""
    (path := folder / "spans.json").write_bytes(message(*spans))
    run = called("inspect", "--json", path)
    return called("inspect", path).stdout, [json.loads(line) for line in run.stdout.splitlines()], run.stderr


def test_an_answer_of_a_chain_without_a_model_call_is_told(tmp_path: Path) -> None:
    found = inspected(tmp_path, span("c", CHAIN, number=1), span("r", RETRIEVER, number=2, parent=1))
    why = f"a span of chain holds one, but no span of a model call was seen {MEND}"
    assert f"missing answer: {why}" in " ".join(found[0].split())
    [request] = found[1]
    assert (request["kind"], request["answer"]) == ("retrieval_only", None)
    assert {"field": "answer", "why": why} in list(request["missing"])  # type: ignore[call-overload]


def test_chains_and_agents_without_any_part_of_a_request_are_told(tmp_path: Path) -> None:
    agent = {**CHAIN, "openinference.span.kind": "AGENT"}
    printed, requests, beside = inspected(tmp_path, span("c", CHAIN, number=1), span("a", agent, number=2, parent=1))
    why = f"missing answer: a span of agent and of chain hold one, but no span of a model call or a retrieval was seen {MEND}"
    assert f"  no request of its own: not_rag\n    {why}\n" in printed
    assert (requests, beside) == ([], f"trace {TRACE}: no request of its own: not_rag; {why}\n")


@pytest.mark.parametrize("others", [(MODEL,), (RETRIEVER, MODEL)])
def test_where_a_model_was_called_nothing_is_missing(tmp_path: Path, others: tuple[dict[str, object], ...]) -> None:
    parts = [span("p", one, number=number, parent=1) for number, one in enumerate(others, 2)]
    printed, [request], beside = inspected(tmp_path, span("c", CHAIN, number=1), *parts)
    assert (request["answer"], beside) == ("Two years.", "")
    assert "missing answer" not in printed


def test_retrieval_alone_lacks_no_answer(tmp_path: Path) -> None:
    chain = {name: value for name, value in CHAIN.items() if name != "output.value"}
    printed, _, beside = inspected(tmp_path, span("c", chain, number=1), span("r", RETRIEVER, number=2, parent=1))
    assert "missing answer" not in printed
    assert beside == ""
