"""The status page in a real browser: what stands there, by keyboard too, live, for screen readers, and with hostile texts."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from exporters.result import Verdict
from sidecar.labels.store import read_labels
from sidecar.observe.admin import Admin, AdminConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.page import Watch
from sidecar.page.reading import Reading
from sidecar.record.clock import SystemClock
from sidecar.record.texts import Texts
from tests.parts import paths
from tests.parts.browser import Browser, browsing
from tests.unit.page.answers import ANSWER, DOCUMENTS, QUESTION, feed, page_for, result, watch

pytestmark = pytest.mark.real
HOSTILE = (
    "<script>window.hit = 1</script><img src=x onerror='window.hit = 2'>{{7*7}}<a href='javascript:window.hit=3'>x</a>"
)


@dataclass
class Page:
    """A page that is served on a loop of its own, and a browser."""

    browser: Browser
    seen: Watch
    telemetry: Telemetry
    address: str
    loop: asyncio.AbstractEventLoop
    labels: Path

    def feed(self, *args: Any, **more: Any) -> None:
        """Show results to it, on its loop as the sidecar does."""

        async def give() -> None:
            feed(self.seen, *args, **more)

        _on(self.loop, give())

    def open(self, path: str) -> None:
        self.browser.go(self.address + path)

    def well(self) -> None:
        """Nothing was complained of, and nobody else was asked."""
        assert self.browser.console == []
        assert {urlsplit(one).netloc for one in self.browser.asked} == {urlsplit(self.address).netloc}


def _on(loop: asyncio.AbstractEventLoop, what: Coroutine[Any, Any, None]) -> None:
    asyncio.run_coroutine_threadsafe(what, loop).result(60)


@contextlib.contextmanager
def _looping() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="page")
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    seen = watch(SystemClock(), trace_url="https://jaeger.test/trace/{trace_id}", label_rate=1)
    telemetry, labels = Telemetry(), tmp_path / "labels.jsonl"
    made = page_for(seen, telemetry, labels)
    config = AdminConfig.model_validate({"host": "127.0.0.1", "port": 0})
    admin = Admin(config, telemetry.registry, alive=lambda: None, ready=lambda: None, page=made.made)
    with _looping() as loop:
        _on(loop, admin.start())
        try:
            with browsing() as browser:
                browser.wide(1400, 900)
                yield Page(browser, seen, telemetry, f"http://127.0.0.1:{admin.port}", loop, labels)
        finally:
            _on(loop, admin.stop())


def axe(browser: Browser) -> list[str]:
    """What axe-core finds wrong, WCAG 2.2 A and AA and good practice. It is put in by the debugger, past the page's own policy."""
    browser.run(paths.find_axe_script().read_text(encoding="utf-8") + "; true")
    found = browser.run(
        "axe.run().then((told) => told.violations.map((one) => one.id + ': ' + one.nodes.map((n) => n.html).join(' | ')))"
    )
    assert isinstance(found, list)
    return found


def test_an_answer_its_claims_and_their_evidence(page: Page) -> None:
    page.feed(
        *(
            result(n, Verdict.GROUNDED if n % 3 else Verdict.HALLUCINATED, score=0.9 if n % 3 else 0.1)
            for n in range(12)
        )
    )
    page.open("/?service=support-bot&list=worst")
    browser = page.browser
    browser.until("document.querySelectorAll('#list button').length === 12")
    assert browser.run("document.querySelector('#service h1').textContent") == "support-bot"
    assert "33.3" in browser.run("document.querySelector('.big').textContent")
    assert browser.run("document.querySelector('.lead .basis').textContent") == "Uncalibrated: trend only"
    assert browser.run("document.querySelectorAll('.histogram').length") == 3
    browser.run("document.querySelector('#list button').click()")
    browser.until("document.querySelectorAll('.answer-text .claim').length === 3")
    assert "answer=" in browser.run("location.search")
    said = browser.run("[...document.querySelectorAll('.answer-text .claim sup')].map((one) => one.textContent)")
    assert said == ["✓", "✗", "?"]
    told = browser.run(
        "[...document.querySelectorAll('.answer-text .claim .for-readers')].map((one) => one.textContent)"
    )
    assert told == [" (claim 1: supported)", " (claim 2: contradicted)", " (claim 3: not said)"]
    assert browser.run("document.querySelector('.ids a').href").startswith("https://jaeger.test/trace/")
    # By pointer, then by keyboard.
    evidence = "[...document.querySelectorAll('mark.on')].map((one) => one.lastChild.textContent)"
    browser.point_at(".answer-text .claim.contradicted")
    browser.until(f"{evidence}.length === 1")
    assert browser.run(evidence) == [DOCUMENTS[0][1][27:55]]
    browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
    browser.until(f"{evidence}.length === 0")
    browser.run("document.querySelector('#detail .ids a:last-of-type').focus()")
    browser.press("Tab")
    browser.until("document.activeElement.matches('.claim.supported')")
    assert browser.run(evidence) == [DOCUMENTS[0][1][:26]]
    browser.press("Enter")
    assert browser.run("document.activeElement.getAttribute('aria-pressed')") == "true"
    browser.press("Tab")
    browser.until("document.activeElement.matches('.claim.contradicted')")
    assert browser.run(evidence) == [DOCUMENTS[0][1][27:55]]
    page.well()


def test_it_is_live_and_what_is_open_stays_open(page: Page) -> None:
    page.feed(result(1))
    page.open(f"/?answer={result(1).id}")
    browser = page.browser
    browser.until("document.querySelector('#detail .answer-text')")
    browser.run("window.before = document.querySelector('#detail .answer-text')")
    page.feed(result(2, score=0.0), result(3, service="other", score=0.0))
    browser.until("document.querySelectorAll('#list button').length === 2")
    browser.until("document.querySelectorAll('#services button').length === 2")
    assert browser.run("window.before === document.querySelector('#detail .answer-text')")
    browser.run(
        "(() => { const q = document.querySelector('[name=q]'); q.value = 'nothing of the kind'; q.dispatchEvent(new Event('input')) })()"
    )
    browser.until("document.querySelectorAll('#list button').length === 0")
    assert "q=nothing" in browser.run("location.search")
    page.well()


def test_hostile_texts_are_shown_and_nothing_of_them_is_run(page: Page) -> None:
    bad = replace(result(1), service=HOSTILE[:120], trace_id=HOSTILE, model=HOSTILE, variant=HOSTILE, span_id=HOSTILE)
    texts = Texts(HOSTILE + QUESTION, ANSWER + HOSTILE, ((HOSTILE, DOCUMENTS[0][1] + HOSTILE), DOCUMENTS[1]))
    page.feed(bad, texts=texts)
    browser = page.browser
    for path in (f"/?answer={bad.id}&service={HOSTILE}&q={HOSTILE}", "/label"):
        page.open(path)
        browser.until("document.querySelector('.answer-text')")
        assert HOSTILE in browser.run("document.body.innerText")
        assert browser.run("window.hit === undefined")
        assert (
            browser.run("document.querySelectorAll('script:not([src]), img[src=x], a[href^=javascript]').length") == 0
        )
    page.well()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390], ids=["wide", "phone"])
def test_people_can_use_it_whatever_they_read_it_with(page: Page, width: int, dark: bool) -> None:
    page.feed(*(result(n) for n in range(8)))
    browser = page.browser
    browser.wide(width, 850, dark=dark)
    page.open(f"/?answer={result(3).id}")
    browser.until(
        "document.querySelector('#detail .answer-text') && document.querySelectorAll('#list button').length === 8"
    )
    assert axe(browser) == []
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    page.open("/label")
    browser.until("document.querySelector('.answer-text')")
    assert axe(browser) == []
    page.well()


def test_labels_from_the_page_are_kept_one_after_the_other(page: Page) -> None:
    page.feed(result(1), result(2))
    browser = page.browser
    page.open("/label")
    browser.until("document.querySelector('.say.grounded')")
    assert "supported" not in browser.run("document.querySelector('#answer').innerText")
    browser.press("g")
    browser.until("document.querySelector('#progress').textContent.startsWith('1 to ask')")
    browser.run("document.querySelector('.marks input[value=\"2\"]').click()")
    browser.run("document.querySelector('.say.hallucinated').click()")
    browser.until("document.querySelector('#progress').textContent.startsWith('0 to ask')")
    labels = read_labels(page.labels, "labels")
    assert [(one.verdict, one.wrong_claims, one.probability) for one in labels] == [
        ("grounded", (), 1.0),
        ("hallucinated", (2,), 1.0),
    ]
    page.well()


def test_where_labels_cannot_be_read_that_alone_is_said(page: Page) -> None:
    page.feed(result(1))
    page.labels.write_text("no label\n", encoding="utf-8")
    page.open("/label")
    page.browser.until("document.querySelector('#notice').textContent.startsWith('labels cannot be read')")
    assert page.browser.run("document.querySelector('#answer').innerText") == ""


def test_a_box_that_was_ticked_does_not_swallow_the_key_that_says_made_up(page: Page) -> None:
    page.feed(result(1), result(2))
    browser = page.browser
    page.open("/label")
    browser.until("document.querySelector('.say.grounded')")
    browser.run("document.querySelector('#answer details').open = true")
    browser.click(".marks input[value='2']")
    assert browser.run("document.activeElement.checked && document.activeElement.type === 'checkbox'")
    browser.press("x")
    browser.until("document.querySelector('#progress').textContent.startsWith('1 to ask')")
    assert [(one.verdict, one.wrong_claims) for one in read_labels(page.labels, "labels")] == [("hallucinated", (2,))]
    # A letter of a name says nothing of an answer.
    browser.click("#who")
    browser.press("g")
    browser.until("document.querySelector('#who').value === 'g'")
    browser.hear(0.5)
    assert len(read_labels(page.labels, "labels")) == 1
    page.well()


def test_nothing_is_kept_under_a_name_that_is_refused_nor_under_the_one_before(page: Page) -> None:
    page.feed(result(1), result(2), result(3))
    browser = page.browser
    page.open("/label")
    browser.until("document.querySelector('.say.grounded')")

    def type_name(name: str) -> None:
        browser.run("document.querySelector('#who').select()")
        browser.send("Input.insertText", text=name)
        browser.run("document.activeElement.blur()")

    type_name("alice")
    browser.press("g")
    browser.until("document.querySelector('#progress').textContent.startsWith('2 to ask')")
    type_name("bob (QA)")
    told = browser.run("document.querySelector('#no-name').innerText")
    assert told == "A pseudonym holds letters, digits, spaces and . _ @ + - alone. Until yours does, no label is kept."
    assert axe(browser) == []
    browser.press("g")
    browser.until("document.querySelector('.marks [role=status]').textContent.startsWith('Not kept: A pseudonym')")
    browser.click(".say.abstained")
    browser.hear(0.5)
    assert [one.who for one in read_labels(page.labels, "labels")] == ["alice"]
    type_name("bob")
    assert browser.run("document.querySelector('#no-name').hidden")
    browser.press("g")
    browser.until("document.querySelector('#progress').textContent.startsWith('1 to ask')")
    type_name("")
    browser.press("g")
    browser.until("document.querySelector('#progress').textContent.startsWith('0 to ask')")
    assert [one.who for one in read_labels(page.labels, "labels")] == ["alice", "bob", None]
    page.well()


def test_who_comes_from_an_alert_sees_the_worst_of_the_service_or_why_there_is_nothing(page: Page) -> None:
    page.feed(result(1), *(result(n, service="other", score=0.0) for n in range(2, 14)))
    browser = page.browser
    page.open("/?service=other&list=worst&range=6h")
    browser.until("document.querySelectorAll('#list button').length === 12")
    browser.until("document.querySelector('#answers').getBoundingClientRect().top < innerHeight / 2")
    assert browser.run("document.querySelector('#services [aria-current] .name').textContent") == "other"
    assert "when this replica started" in browser.run("document.querySelector('.interval').textContent")
    assert browser.run("document.querySelector('#count').textContent").startswith("12 of the last 6 hours kept")
    browser.run("document.querySelector('#count button').click()")
    browser.until("document.querySelector('#count').textContent === '12 kept. ' && !location.search.includes('range')")
    page.open("/?service=not-here&list=worst")
    browser.until("!document.querySelector('#notice').hidden")
    told = browser.run("document.querySelector('#notice').textContent")
    assert told.startswith("No answer of not-here is known here; this page knows what was scored since ")
    assert told.endswith("The numbers below are those of other.")
    assert browser.run("document.querySelector('#count').textContent") == "No answer is kept that fits. "
    page.well()


def test_what_an_address_says_wrong_is_said_and_left_out(page: Page) -> None:
    page.feed(result(1))
    browser = page.browser
    page.open("/?range=7d&service=support-bot")
    browser.until("document.querySelectorAll('#list button').length === 1")
    assert "range: must be one of 15m, 6h, 3d" in browser.run("document.querySelector('#notice').textContent")
    assert browser.run("location.search") == "?service=support-bot"
    page.open("/?verdict=halucinated&service=support-bot")
    browser.until("document.querySelectorAll('#list button').length === 1")
    assert "verdict: must be one of grounded, halluc" in browser.run("document.querySelector('#notice').textContent")
    assert browser.run("location.search") == "?service=support-bot"
    browser.run("document.querySelector('#ranges button[data-value=\"6h\"]').click()")
    browser.until("document.querySelector('#notice').hidden && location.search.includes('range=6h')")
    browser.console[:] = [one for one in browser.console if "400 (Bad Request)" not in one]
    page.well()


def test_a_session_is_a_view_of_its_own_with_its_worst_turn(page: Page) -> None:
    made = [result(n, score=score, session="chat-7", timestamp=1e9 + n) for n, score in ((1, 0.4), (2, 0.0), (3, 0.3))]
    page.feed(*made, result(9))
    browser = page.browser
    page.open(f"/?answer={result(3).id}")
    browser.until("document.querySelector('#detail .answer-text')")
    browser.run("[...document.querySelectorAll('#detail .ids a')].find((one) => one.textContent === 'chat-7').click()")
    browser.until("document.querySelectorAll('#list button').length === 3")
    assert "chat-7 3 turns are kept" in browser.run("document.querySelector('#session').innerText")
    worst = browser.run("[...document.querySelectorAll('#list li')].map((one) => one.innerText.includes('worst turn'))")
    assert worst == [False, True, False]
    assert axe(browser) == []
    browser.run("document.querySelector('#session button').click()")
    browser.until("document.querySelectorAll('#list button').length === 4")
    assert browser.run("document.querySelector('#session').hidden")
    page.well()


def test_other_replicas_are_named_and_so_is_what_is_wrong_with_reading_them(page: Page) -> None:
    seen, state = page.seen, Reading("rag_results", "pod-a/1")
    page.feed(result(1))

    async def read() -> None:
        seen.reading = state
        state.count("pod-b", seen.now())
        seen.take_read(result(2, score=0.0), at=seen.now(), replica="pod-b")

    _on(page.loop, read())
    browser = page.browser
    page.open("/?list=worst")
    browser.until("document.querySelectorAll('#list button').length === 2")
    assert "with 1 other" in browser.run("document.querySelector('#replica').textContent")
    assert "Still reading back" in browser.run("document.querySelector('#notice').textContent")
    assert "replica pod-b" in browser.run("document.querySelector('#list li').innerText")
    assert "1 of this replica" in browser.run("document.querySelector('#service').innerText")
    browser.run("document.querySelector('#list button').click()")
    browser.until("document.querySelector('#detail').innerText.includes('Scored by replica pod-b')")
    assert axe(browser) == []
    state.caught_up = True
    state.failed("authorize: not allowed to read rag_results (grant READ on it)", seen.now())
    browser.until("document.querySelector('#notice').textContent.includes('grant READ')")
    state.well()
    browser.until("document.querySelector('#notice').hidden")
    browser.run(
        "(() => { const s = document.querySelector('[name=replica]'); s.value = ''; s.dispatchEvent(new Event('change')) })()"
    )
    browser.until("document.querySelectorAll('#list button').length === 1 && location.search.includes('replica=')")
    page.well()


def test_what_is_cut_is_said_where_it_is_cut(page: Page) -> None:
    texts = Texts("q" * 20_001, ANSWER + "a" * 20_000, tuple(("d", "x" * 20_003) for _ in range(52)))
    page.feed(result(1), texts=texts)
    page.open(f"/?answer={result(1).id}")
    browser = page.browser
    browser.until("document.querySelector('#detail .answer-text')")
    told = browser.run("[...document.querySelectorAll('#detail .rest')].map((one) => one.textContent.trim())")
    assert told[0] == "… 1 more character not kept on this page"
    assert told[1] == f"… {len(ANSWER)} more characters not kept on this page"
    assert told[-1] == "… 2 more documents not kept on this page"
    assert len(told) == 2 + 50 + 1
    page.well()


@pytest.mark.parametrize("redacted", [True, False], ids=["redacted", "not redacted"])
def test_a_token_is_asked_for_once_and_a_wrong_one_is_said_and_the_foot_says_whether_texts_are_redacted(
    redacted: bool, tmp_path: Path
) -> None:
    seen, telemetry = watch(SystemClock()), Telemetry()
    feed(seen, result(1))
    made = page_for(seen, telemetry, redacted=redacted)
    config = AdminConfig.model_validate({"host": "127.0.0.1", "port": 0, "bearer_token": "right"})
    admin = Admin(config, telemetry.registry, alive=lambda: None, ready=lambda: None, page=made.made)
    give = "(() => {{ const form = document.querySelector('dialog form'); form.querySelector('input').value = '{}'; form.requestSubmit() }})()"
    with _looping() as loop:
        _on(loop, admin.start())
        try:
            with browsing() as browser:
                browser.wide(1200, 800)
                browser.go(f"http://127.0.0.1:{admin.port}/")
                browser.until("document.querySelector('dialog[open]')")
                browser.hear(7)  # The page asks every three seconds, and not while it waits.
                assert browser.run("document.querySelectorAll('dialog').length") == 1
                assert sum("/api/status" in one for one in browser.asked) == 1
                assert axe(browser) == []
                browser.run(give.format("wrong"))
                browser.until("document.querySelector('dialog [role=alert]')")
                browser.run(give.format("right"))
                browser.until("document.querySelectorAll('#list button').length === 1")
                assert browser.run("document.querySelector('dialog') === null")
                foot = browser.run("document.querySelector('#foot').textContent")
        finally:
            _on(loop, admin.stop())
    assert foot.endswith("Texts are redacted." if redacted else "Texts are not redacted: redact.enabled is off.")


def test_the_page_works_with_a_login_in_its_address(page: Page) -> None:
    page.feed(result(1))
    page.browser.go(page.address.replace("//", "//ops:secret@") + "/?service=support-bot")
    page.browser.until("document.querySelectorAll('#list button').length === 1")
    assert page.browser.run("document.getElementById('live').textContent") == "live"


def test_what_is_left_out_is_a_note_of_its_own_and_words_are_whole(page: Page) -> None:
    models = {"abstention": "embedded", "embedding": "a-model-of-our-own-with-a-name-of-some-length"}
    for role, name in models.items():
        page.telemetry.set("rag_sidecar_model_info", 1, role=role, name=name, version="3d9f27b1c88e4f0aa12e", sha256="")
    page.feed(*(result(n, service=f"s{n}") for n in range(page.seen.config.most_services + 1)))
    # How many lines each text has, and the size of what stands among the services.
    lines = (
        "[...document.querySelectorAll('.roles tbody th')].map((one) => { const range = document.createRange();"
        "range.selectNodeContents(one); return range.getClientRects().length })"
    )
    sizes = (
        "[...document.querySelectorAll('#services > *')].map((one) => one.getBoundingClientRect())"
        ".map((box) => [box.width >= 200, box.height < 160])"
    )
    for width in (390, 1280, 1440):
        page.browser.wide(width, 900)
        page.open("/")
        page.browser.until("document.querySelector('.roles') && document.querySelector('#services p')")
        assert page.browser.run(lines) == [1, 1]
        assert {tuple(one) for one in page.browser.run(sizes)} == {(True, True)}
        assert page.browser.run("document.documentElement.scrollWidth <= innerWidth")
    said = page.browser.run("document.querySelector('#services p').textContent")
    assert said == "1 result of another service is not shown: status_page.most_services"
    page.well()


def test_no_card_has_a_row_for_itself_beside_wider_ones(page: Page) -> None:
    page.feed(result(1))
    page.open("/")
    page.browser.until("document.querySelector('.cards caption')")
    tops = "[...document.querySelectorAll('.cards > .card:not(.wide)')].map((one) => Math.round(one.getBoundingClientRect().top))"
    for width, in_a_row in ((390, 1), (780, 1), (820, 2), (1024, 2), (1280, 2), (1400, 4), (1920, 4)):
        page.browser.wide(width, 900)
        found = Counter(page.browser.run(tops))
        assert list(found.values()) == [in_a_row] * (4 // in_a_row)
        assert page.browser.run("document.documentElement.scrollWidth <= innerWidth")
    page.well()


def test_cost_and_models_say_which_time_they_are_of(page: Page) -> None:
    page.feed(result(1))
    page.open("/")
    page.browser.until("document.querySelector('.cards caption')")
    told = page.browser.run("document.querySelector('.cards caption').closest('.card').querySelector('h2').textContent")
    assert told.startswith("Cost and models of the range")
    assert page.browser.run("document.querySelector('.cards caption').textContent") == "Requests since the start"
