"""No text that users can send takes more than a second of a pattern, or of a function that reads it.

Patterns are found by walking the modules, so that a new one is held to this without being named here.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import pkgutil
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import exporters
import sidecar
from sidecar.assemble.contexts import choose_documents, documents_of_prompt
from sidecar.decode.config import DecodeConfig
from sidecar.decode.cut import limit_of, salvage
from sidecar.decode.errors import classify
from sidecar.decode.native.reader import read_native
from sidecar.decode.values import documents, messages, scalars
from sidecar.decode.weight import adjusted_count
from sidecar.evaluate.text.abstain import abstains, stance_of
from sidecar.evaluate.text.claims import split_claims
from sidecar.evaluate.text.language import language_of
from sidecar.inference.embedding.text import content_stem, read_words, sentences
from sidecar.inference.values.read import read_values
from sidecar.inference.values.stated import stated
from sidecar.price import PriceConfig, Pricer
from sidecar.record.errors import Unscorable
from sidecar.record.request import Document, ModelCall, Tokens
from sidecar.redact.redactor import Redactor
from sidecar.redact.settings import RedactConfig
from tests.cpu import within_cpu
from tests.unit.decode.spans import message, one, span

MEGABYTE = 1_000_000
RUNS = ("\n", " ", "\n ", "[", "-", "0", "a b ", "<document>", '"', "\\", '\\"', ",")
MORE_RUNS = (
    "\t", "\r\n", "\n\n", "]", "(", "*", "_", "#", "|", ":", ".", "<", "a", "A", "。", "'", "`", "a\n", "1,", "A-", "@", "+", "a@", "a.", "1.", "1-",
    "0 ", "00", ":a", "token=", "token:$", "eyJ", "-----BEGIN PRIVATE KEY-----",
    "[1]", "[1]\n", "![",
    "[a](", "<b ", "<doc ", "</context>", "context:\n", "a: b\n", "```", "**a", "- a\n", "|a|\n", "provided ", "is not ", "i am really ",
    "there is no ", "i searched the report ", "however ", "; the rest is blue", "status ", '["', '{"a":', "\\ud800",
)  # fmt: skip

# The callers read no more than so many characters of a text (another test holds them to it).
BOUNDED: Mapping[str, int] = {
    "sidecar.evaluate.text.declining._ABSTAINS": 50_000,
    "sidecar.evaluate.text.refusing._LECTURE": 50_000,
    "sidecar.evaluate.text.refusing._REFUSES": 50_000,
    "sidecar.evaluate.text.claims._LABEL": 50_000,
    "sidecar.evaluate.text.clauses._PLACED_AND_DATED": 250,
    "sidecar.evaluate.text.declining._NOT_SAID": 50_000,
    "sidecar.evaluate.text.declining._NEEDS": 50_000,
    "sidecar.evaluate.text.silence_zh._NOT_SAID": 2000,
    "sidecar.evaluate.text.spoken._GREETING": 400,
    "sidecar.evaluate.text.spoken._CLOSING": 400,
    "sidecar.evaluate.text.spoken._REMARK": 400,
    "sidecar.evaluate.text.spoken._CHINESE": 400,
    "sidecar.evaluate.text.spoken._LEAD": 50_000,
    "sidecar.redact.secrets._PEM_LINES": 20_000,
    "sidecar.inference.values.stated._MAYBE": 6000,
    "sidecar.inference.grounding.worded._NAMES": 2000,
    # These of the answers' read whole texts, all others of them questions, answers and sentences.
    **dict.fromkeys(
        (f"sidecar.inference.answers.{one}" for one in ("reading._WORD", "han_reading._RUN", "han_reading._SENTENCE")),
        MEGABYTE,
    ),
    "sidecar.inference.answers.": 3000,
}


def _patterns() -> dict[str, re.Pattern[str]]:
    found: dict[str, re.Pattern[str]] = {}

    def collect(name: str, value: object) -> None:
        if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            if value not in found.values():
                found[name] = value
        elif isinstance(value, tuple | list):
            for number, one in enumerate(value):
                collect(f"{name}[{number}]", one)
        elif isinstance(value, dict):
            for key, one in value.items():
                collect(f"{name}[{key}]", one)

    for package in (sidecar, exporters):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                for name, value in vars(importlib.import_module(module.name)).items():
                    collect(f"{module.name}.{name}", value)
    return found


PATTERNS = _patterns()
REDACTOR = Redactor(RedactConfig())


def _text(run: str, size: int) -> str:
    return "hello" + run * (size // len(run)) + "what is it?"


def _texts(size: int) -> Iterator[tuple[str, str, float]]:
    """Run, text and CPU seconds: a few runs of full size, more of a twentieth, where a square is seen as well."""
    yield from ((run, _text(run, size), 1.0) for run in RUNS)
    yield from ((run, _text(run, size // 20), 0.5) for run in MORE_RUNS)


def test_the_walk_finds_the_patterns() -> None:
    assert len(PATTERNS) > 50
    assert {"sidecar.assemble.contexts._NUMBERED", "sidecar.evaluate.text.claims._MARKUP[0][0]"} <= PATTERNS.keys()
    packages = {one for one in BOUNDED if one.endswith(".")}
    assert PATTERNS.keys() >= BOUNDED.keys() - packages
    assert all(any(name.startswith(one) for name in PATTERNS) for one in packages)


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_reads_a_megabyte_of_anything_within_a_second(name: str) -> None:
    pattern = PATTERNS[name]
    for run, text, limit in _texts(_most_read(name)):
        for use in ("finditer", "match", "fullmatch"):  # The first does what search, findall, sub and split do.
            within_cpu(limit, f"{use} of {name} on a run of {run!r}", partial(_use, getattr(pattern, use), text))


def _most_read(name: str) -> int:
    """How many characters of a text a pattern is given, by its name or that of its package."""
    return next(
        (most for one, most in BOUNDED.items() if name == one or (one.endswith(".") and name.startswith(one))), MEGABYTE
    )


def _use(method: Callable[[str], object], text: str) -> None:
    found = method(text)
    if isinstance(found, Iterator):
        deque(found, maxlen=0)


def test_every_pattern_of_ours_is_a_constant_of_its_module() -> None:
    """One within a function would escape the walk. Patterns that an operator configures are no constants."""
    inside = [
        f"{path}:{call.lineno}"
        for package in ("sidecar", "exporters")
        for path in sorted(Path(package).rglob("*.py"))
        for call in _calls_in_functions(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call.args[0], ast.Constant | ast.JoinedStr)
    ]
    assert inside == []


def _calls_in_functions(tree: ast.Module) -> Iterator[ast.Call]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and call.args and ast.unparse(call.func).startswith("re."):
                    yield call


def _decode(value: Mapping[str, Any] | str) -> object:
    return read_native({"question": "q", "answer": value}, DecodeConfig(), fallback_timestamp=0.0)


def _claims(text: str) -> object:
    with contextlib.suppress(Unscorable):  # too_long
        return stance_of(text).claims
    return None


def _redact(text: str) -> object:
    return REDACTOR.session([text]).redact(text)


def _documents(text: str) -> object:
    third = len(text) // 3
    halves = (Document(1, text[:third]), Document(2, text[third:]))
    return choose_documents([("spans", halves), ("tool", halves[::-1])], text)


# name: (what reads the text, characters). Less than a megabyte only where the reader itself is given no more, or not on the event loop.
READERS: Mapping[str, tuple[Callable[[str], object], int]] = {
    "documents_of_prompt": (lambda text: documents_of_prompt(None, text), MEGABYTE),
    "documents of a prompt's variable": (lambda text: documents_of_prompt(text, None), MEGABYTE),
    "choose_documents": (_documents, MEGABYTE),
    "abstains": (abstains, MEGABYTE),
    "claims of what an answer does not decline": (_claims, MEGABYTE),
    "split_claims": (split_claims, MEGABYTE),
    "language_of": (language_of, MEGABYTE),
    "salvage of a list": (lambda text: salvage("[" + text), 199_000),  # decode.cut leaves longer ones alone
    "salvage of an object": (lambda text: salvage('{"a": "' + text), 199_000),
    "limit_of": (lambda text: limit_of({"a": "[" + text, "b": '{"' + text}), MEGABYTE),
    "text_of": (scalars.text_of, MEGABYTE),
    "unwrap_input": (lambda text: messages.unwrap_input("[" + text), MEGABYTE),
    "unwrap_output": (lambda text: messages.unwrap_output("{" + text), MEGABYTE),
    "documents_in": (lambda text: documents.documents_in("[" + text), MEGABYTE),
    "messages": (lambda text: messages.all_text([{"role": "user", "content": text}]), MEGABYTE),
    "number": (scalars.number, MEGABYTE),
    "classify": (classify, MEGABYTE),
    "adjusted_count": (lambda text: adjusted_count("ot=" + text + "th:c"), MEGABYTE),
    "a native record": (_decode, MEGABYTE),
    "sentences": (sentences, 100_000),  # of a document, on a thread: one step for each break
    "read_words": (read_words, MEGABYTE),
    "values": (read_values, MEGABYTE),
    "values with their words": (lambda text: stated(text[:20_000], content_stem), 20_000),  # of a sentence or an answer
    "redact": (_redact, MEGABYTE // 2),  # in a thread
    "price": (lambda text: Pricer(PriceConfig()).price([ModelCall(None, text, Tokens(1, 1))]), MEGABYTE),
}


@pytest.mark.parametrize("name", READERS)
def test_what_reads_user_text_reads_a_run_of_anything_within_a_second(name: str) -> None:
    read, size = READERS[name]
    read("What models and tables need is loaded with the first text.")
    read(_text("\n", 2000))  # that of languages with one that can hardly be told
    for run, text, limit in _texts(size):
        within_cpu(limit, f"{name} of a run of {run!r}", partial(read, text))


@pytest.mark.parametrize("run", RUNS)
def test_a_prompt_with_a_megabyte_of_anything_is_a_request_within_a_second(run: str) -> None:
    prompt = _text(run, MEGABYTE)
    attributes = {"openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "user"}
    spans = [span("chat", {**attributes, "llm.input_messages.0.message.content": prompt}, number=1)]
    request = within_cpu(1.0, f"a prompt of a run of {run!r}", lambda: one(message(*spans)))
    assert request.question is not None


def test_thousands_of_documents_are_not_looked_up_in_a_prompt_of_megabytes() -> None:
    documents = tuple(Document(rank, "a" * 90 + str(rank)) for rank in range(1, 10_001))
    choose = partial(choose_documents, [("spans", documents)], "a" * MEGABYTE)
    chosen, _, filtered = within_cpu(1.0, "ten thousand documents in a prompt of a megabyte", choose)
    assert (len(chosen), filtered) == (10_000, False)
