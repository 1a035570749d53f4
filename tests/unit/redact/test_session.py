"""Pseudonyms within a request: consistent, reversible in their places, and nothing else is touched."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.redact.redactor import Redactor
from sidecar.redact.session import Redacted, Session
from sidecar.redact.settings import RedactConfig
from tests.unit.redact.test_builtin import CANARIES, SAID

REDACTOR = Redactor(
    RedactConfig.model_validate({"patterns": [{"name": "number", "pattern": r"\d{3}"}], "terms": ["Zaphod"]})
)
BUILTIN = Redactor(RedactConfig())
_VALUES = [value for several in CANARIES.values() for value in several] + [
    text for several in SAID.values() for text, _ in several
]
_PIECES = st.one_of(
    st.sampled_from(_VALUES),
    st.sampled_from(
        ["<phone-1>", "<x-9>", "Zaphod", " ", "\n", ". ", "-", "+", "password=", "tel: ", "1", "0049 ", "@", "://a:"]
    ),
    st.text(max_size=8),
)
_TEXTS = st.lists(_PIECES, max_size=12).map("".join)
PSEUDONYM = re.compile(r"<([a-z][a-z0-9_]*)-(\d+)>")


def session(*texts: str) -> Session:
    return BUILTIN.session(texts)


def test_the_same_value_is_the_same_pseudonym_however_it_is_written_and_another_is_another() -> None:
    answer, document = (
        "Call +49 30 1234567 or 0171/1234567.",
        "Call +49 (0)30 123-4567, not +49 30 1234568; A@x.org, a@X.org.",
    )
    made = session(document, answer)
    assert made.redact(answer).text == "Call <phone-1> or <phone-3>."
    assert made.redact(document).text == "Call <phone-1>, not <phone-2>; <email-1>, <email-1>."
    assert made.counts == {"phone": 3, "email": 1}


def test_the_same_request_has_the_same_pseudonyms_wherever_it_is_read() -> None:
    texts = ("Who is a@x.org?", "b@x.org and a@x.org")
    assert [session(*texts).redact(text) for text in texts] == [session(*texts).redact(text) for text in texts]


def test_what_was_told_by_the_words_before_it_is_known_without_them() -> None:
    made = session("The password: hunter2-x", "hunter2-x does it, hunter2-xy does not")
    assert made.redact("hunter2-x does it, hunter2-xy does not").text == "<secret-1> does it, hunter2-xy does not"
    assert made.redact("Try hunter2-x.").text == "Try <secret-1>."


def test_pseudonyms_that_a_text_has_already_are_not_given_again() -> None:
    made = session("<email-4> wrote to a@x.org")
    assert made.redact("<email-4> wrote to a@x.org").text == "<email-4> wrote to <email-5>"


def test_ids_of_documents_lose_addresses_and_secrets_and_keep_their_digits() -> None:
    made = session()
    assert (
        made.redact_id("mail/a@x.org/4111111111111111-+49301234567") == "mail/<email-1>/4111111111111111-+49301234567"
    )


@pytest.mark.parametrize(
    ("part", "moved"),
    [("Write to", "Write to"), ("a@x.org", "<email-1>"), ("to a@x.org", "to <email-1>"), ("x.o", "<email-1>"), ("or +49 30 1", "or <phone-1>"),
     ("7 now", "<phone-1> now"), (" now", " now"), (" or ", " or ")],
)  # fmt: skip
def test_a_span_of_the_original_is_found_again(part: str, moved: str) -> None:
    text = "Write to a@x.org or +49 30 1234567 now"
    start = text.index(part)
    made = session(text).redact(text)
    begin, end = made.span(start, start + len(part))
    assert made.text[begin:end] == moved


def untouched(original: str, made: Redacted) -> bool:
    """Whether everything outside the places stands where it should, and every place holds a pseudonym."""
    at = new = 0
    for start, end, new_start, new_end in (
        *made.places,
        (len(original), len(original), len(made.text), len(made.text)),
    ):
        if original[at:start] != made.text[new:new_start]:
            return False
        if start < end and not PSEUDONYM.fullmatch(made.text[new_start:new_end]):
            return False
        at, new = end, new_end
    return True


@pytest.mark.parametrize("redactor", [BUILTIN, REDACTOR], ids=["built in", "with own patterns"])
@given(texts=st.lists(_TEXTS, min_size=1, max_size=3))
@settings(max_examples=150, deadline=None)
def test_redaction_replaces_and_touches_nothing_else_and_twice_is_once(redactor: Redactor, texts: list[str]) -> None:
    made = redactor.session(texts)
    done = [made.redact(text) for text in texts]
    assert all(untouched(text, one) for text, one in zip(texts, done, strict=True))
    assert [made.redact(one.text).text for one in done] == [one.text for one in done]
    again = redactor.session([one.text for one in done])
    assert [again.redact(one.text).text for one in done] == [one.text for one in done]


@given(text=_TEXTS, data=st.data())
@settings(max_examples=150, deadline=None)
def test_offsets_keep_their_order_and_what_lies_between_them(text: str, data: st.DataObject) -> None:
    made = session(text).redact(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    begin, stop = made.span(start, end)
    assert 0 <= begin <= stop <= len(made.text)
    if not any(one[0] < end and start < one[1] for one in made.places):
        assert made.text[begin:stop] == text[start:end]


@given(names=st.lists(st.from_regex(r"[a-z]{3,8}", fullmatch=True), min_size=1, max_size=6))
def test_as_many_pseudonyms_as_there_are_values(names: list[str]) -> None:
    text = ", ".join(f"{name}@example.com" for name in names)
    found = PSEUDONYM.findall(session(text).redact(text).text)
    assert len(found) == len(names)
    assert len(set(found)) == len(set(names))
    assert [found.index(one) for one in found] == [names.index(one) for one in names]
