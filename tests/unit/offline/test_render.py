"""Reports for people and for machines: what they say, and that no text of a case becomes part of their form."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sidecar.offline.compare import compare
from sidecar.offline.gate import GateFile, Limit, check
from sidecar.offline.record import CaseRecord, Document, Report
from sidecar.offline.render.cases import case_of, every_case, worst
from sidecar.offline.render.forms import FORMS, form_of
from sidecar.offline.render.words import band, p_value, sessions
from sidecar.record.errors import ConfigError
from tests.unit.offline.records import record, said
from tests.unit.offline.test_gate import report as new_report

HOSTILE = '<script>alert(1)</script> | `x` "q" & \x00\x1b]0;t\x07 </details>\n# head'
ANSWER = "It is red. It is 5 m. It is old."
CLAIMS = (
    {"text": "It is red.", "support": 0.9, "supported": True, "label": "supported", "start": 0, "end": 10},
    {"text": "It is 5 m.", "support": 0.1, "supported": False, "label": "contradicted", "start": 11, "end": 21},
    {"text": "It is old.", "support": 0.1, "supported": False, "label": "not_said", "start": 22, "end": 32},
)


def bad(name: str, text: str = ANSWER) -> CaseRecord:
    return record(
        name, said("faithfulness", 1 / 3, claims=CLAIMS), said("g", 0.2), question=text, answer=text, reference=text,
        documents=(Document(id=text, text=text),), verdict="hallucinated", kind=text, origin=text,
    )  # fmt: skip


def whole(*records: CaseRecord) -> Report:
    made = new_report(
        *(records or (bad("a", HOSTILE), record("b", said("faithfulness", 1.0), said("g", None, "judge_x"))))
    )
    gate = check(made, GateFile(metrics={"faithfulness": Limit(limit=0.9)}))
    stored = [record("a", said("faithfulness", 0.5), said("g", 0.5)), record("b", said("faithfulness", 0.5))]
    return made.model_copy(update={"gate": gate, "regression": compare(stored, made.results)})


class Page(HTMLParser):
    """What a browser would see of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "rect", "line", "circle"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("rect", "line", "circle"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_well_formed_whatever_the_cases_hold_and_asks_for_nothing() -> None:
    html = FORMS[".html"](whole())
    page = Page(html)
    assert page.open == []
    assert "alert(1)" in page.text
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in page.tags}
    assert not re.search(r"https?://|url\(|@import", html)
    assert all(not name.startswith("on") and name not in ("src", "href") for _, attrs in page.tags for name in attrs)
    assert "default-src 'none'" in html


def test_claims_have_the_colour_of_what_the_documents_say_of_them_where_they_stand() -> None:
    html = case_of(bad("a"))
    marks = re.findall(r'<mark class="(\w+)" title="[^"]*">([^<]*)<sup>(.)</sup></mark>', html)
    assert marks == [
        ("supported", "It is red.", "✓"), ("contradicted", "It is 5 m.", "✗"), ("not_said", "It is old.", "?"),
    ]  # fmt: skip


def test_what_is_red_is_what_is_wrong_with_a_case() -> None:
    """A negative case that was declined has low scores and no fault; of an answer that is made up the metric that says so is marked."""
    low = (said("context_precision", 0.0), said("answer_relevancy", 0.0))
    declined = record("declined", *low, kind="negative", verdict="abstained", abstention="full")
    answered = record("answered", *low, kind="single", verdict="abstained")
    made_up, well = (
        record(verdict, said("groundedness", score, label=verdict, threshold=0.22), verdict=verdict, kind=kind)
        for verdict, score, kind in (("hallucinated", 0.009, "negative"), ("grounded", 0.4, None))
    )
    for form in (case_of, lambda one: every_case([one])):
        classes = {one.id: _of_scores(form(one)) for one in (declined, answered, made_up, well)}
        assert classes == {"declined": [""], "answered": ["poor"], "hallucinated": ["poor"], "grounded": ["good"]}
        assert 'title="threshold 0.22"' in form(made_up)
        assert 'title="threshold' not in form(answered)


def _of_scores(html: str) -> list[str]:
    """Which colours the numbers of some HTML have."""
    found = [attributes.get("class") or "" for tag, attributes in Page(html).tags if tag in ("b", "td")]
    bands = {one.removeprefix("number").strip() for one in found if "soft" not in one}
    return sorted(bands - {""}) or [""]


def test_claims_that_stand_nowhere_are_listed_below_the_answer() -> None:
    claim = {"text": "A judge's claim.", "support": 0.0, "supported": False}
    html = case_of(record("a", said("faithfulness_judge", 0.0, claims=(claim,)), answer="The answer."))
    assert re.search(r'The answer\..*<mark class="not_said"[^>]*>A judge&#x27;s claim\.', html)


def test_claims_of_the_reference_are_no_claims_of_the_answer() -> None:
    html = case_of(record("a", said("context_recall", 0.0, claims=CLAIMS), answer=ANSWER))
    assert "<mark" not in html


def test_claims_that_overlap_or_end_beyond_the_answer_mark_each_character_once() -> None:
    claims = [{**CLAIMS[0], "start": 0, "end": 15}, {**CLAIMS[1], "start": 11, "end": 99}]
    html = case_of(record("a", said("faithfulness", 0.0, claims=claims), answer=ANSWER))
    assert "".join(re.findall(r">([^<]*)<sup>", html)) == ANSWER


def test_sessions_are_in_every_form_with_their_worst_turn() -> None:
    turns = [record(str(n), said("groundedness", n / 4), session="s-7", service="x") for n in range(2)]
    report = new_report(*turns)
    assert sessions(report) == "1 session of 2 turns; worst: s-7, turn 1 of 2 (case 0), groundedness 0.000"
    for ending in (".html", ".md"):
        form = form_of(Path(f"r{ending}"), FORMS)
        assert "By session" in form(report)
        assert "0.125" in form(report)


def test_the_worst_are_answered_negatives_then_hallucinated_then_low() -> None:
    records = [
        record("good", said("f", 1.0), verdict="grounded"),
        record("low", said("f", 0.3), verdict="grounded"),
        record("made up", said("f", 0.8), verdict="hallucinated"),
        record("declined", said("f", None, "abstained"), kind="negative", abstention="full"),
        record("answered", said("f", 0.9), kind="negative", abstention="none"),
    ]
    assert [one.id for one in worst(records, 9)] == ["answered", "made up", "low"]
    assert [one.id for one in worst(records, 1)] == ["answered"]


def test_junit_has_a_test_for_each_metric_question_and_comparison() -> None:
    root = ElementTree.fromstring(FORMS[".xml"](whole()))
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["metrics", "gate", "regression"]
    failed = {name: [t.get("name") for t in suite if t.find("failure") is not None] for name, suite in suites.items()}
    assert failed == {"metrics": ["g"], "gate": ["faithfulness >= 0.9"], "regression": []}
    skipped = [t.get("name") for t in suites["gate"] if t.find("skipped") is not None]
    assert skipped == ["answer_relevancy >= 0.8", "context_precision >= 0.75", "context_recall >= 0.8"]
    for suite in root:
        assert suite.get("tests") == str(len(suite))
    assert root.get("failures") == "2"


def test_markdown_keeps_its_tables_and_holds_no_text_of_a_case() -> None:
    text = FORMS[".md"](whole())
    assert "alert" not in text.replace("&lt;script>alert(1)&lt;/script>", "")  # as the name of a kind alone
    tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert len(tables) == 5
    for lines in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1


def test_json_is_read_again_as_it_was() -> None:
    assert Report.model_validate_json(FORMS[".json"](whole())) == whole()


@pytest.mark.parametrize(("value", "word"), [(0.49, "poor"), (0.5, "fair"), (0.7, "good"), (0.85, "excellent")])
def test_a_border_is_in_the_better_band(value: float, word: str) -> None:
    assert band("faithfulness", value) == band("faithfulness_judge", value) == word


def test_bands_of_retrieval_begin_lower() -> None:
    assert (band("context_precision", 0.3), band("context_recall", 0.64)) == ("fair", "fair")
    assert band("bleu", 0.3) == ""


def test_an_ending_that_is_no_form_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"report\.pdf"):
        form_of(Path("report.pdf"), FORMS)
    assert form_of(Path("-"), FORMS) is FORMS[".json"]


@pytest.mark.parametrize(
    ("value", "said"), [(None, "-"), (0.0, "<0.001"), (0.0004, "<0.001"), (0.0005, "0.001"), (1.0, "1.000")]
)
def test_a_small_p_is_not_said_to_be_0(value: float | None, said: str) -> None:
    assert p_value(value) == said
