"""The page and its API over a real socket: who is let in, what is sent, and what may change something."""

from __future__ import annotations

import base64
import contextlib
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from exporters.result import Verdict
from sidecar import config
from sidecar.labels.record import Draw, latest
from sidecar.labels.store import read_labels
from sidecar.observe.admin import Admin, AdminConfig, serving
from sidecar.observe.telemetry import Telemetry
from sidecar.page import Watch
from sidecar.record.errors import ConfigError
from sidecar.record.texts import Texts
from tests.unit.page.answers import ANSWER, CLAIMS, QUESTION, feed, page_for, result, watch

OWN = {"x-rag-sidecar": "1"}


@contextlib.asynccontextmanager
async def client(seen: Watch, labels: Path | None = None, **admin: Any) -> AsyncIterator[httpx.AsyncClient]:
    telemetry = Telemetry()
    page = page_for(seen, telemetry, labels)
    settings = AdminConfig.model_validate({"host": "127.0.0.1", "port": 0, **admin})
    made = Admin(settings, telemetry.registry, alive=lambda: None, ready=lambda: None, page=page.made)
    async with serving(made), httpx.AsyncClient(base_url=f"http://127.0.0.1:{made.port}", timeout=60) as asked:
        yield asked


async def test_an_answer_comes_whole_with_its_claims_evidence_and_a_link_to_its_trace() -> None:
    seen = watch(trace_url="https://jaeger.test/trace/{trace_id}?span={span_id}")
    feed(seen, result(1), result(2, Verdict.GROUNDED, score=0.9))
    async with client(seen) as asked:
        listed = (await asked.get("/api/answers?service=support-bot&list=worst")).json()
        assert [one["verdict"] for one in listed["answers"]] == ["hallucinated", "grounded"]
        found = (await asked.get(f"/api/answers/{listed['answers'][0]['id']}")).json()
    assert (found["question"], found["answer"]) == (QUESTION, ANSWER)
    assert [one["said"] for one in found["claims"]] == ["supported", "contradicted", "not_said"]
    evidence = found["claims"][1]["evidence"]
    assert (
        found["documents"][evidence["document"]]["text"][evidence["start"] : evidence["end"]]
        == "It does not cover batteries."
    )
    assert [(one["id"], one["relevant"], one["score"]) for one in found["documents"]] == [
        ("doc-1", True, 0.9),
        ("doc-2", False, 0.1),
    ]
    assert found["trace_url"] == f"https://jaeger.test/trace/{1:032x}?span={'ab' * 8}"


@pytest.mark.parametrize(
    ("asked_for", "found"),
    [
        ("verdict=grounded", [2]), ("model=other", [3]), ("variant=B", [3]), ("q=WARRANTY", [1, 2]), ("q=sonntag", [3]),
        (f"q={2:032x}", [2]), ("service=none", []), ("list=latest", [1, 2, 3]), ("verdict=grounded&q=sonntag", []), ("list=worst&limit=1", [1]),
        ("range=15m", [1, 2, 3]),
    ],
)  # fmt: skip
async def test_answers_are_filtered(asked_for: str, found: list[int]) -> None:
    seen = watch()
    feed(seen, result(1), result(2, Verdict.GROUNDED, score=0.9))
    feed(seen, result(3, score=0.2, model="other", variant="B"), texts=Texts("Offen?", "Am Sonntag.", ()))
    async with client(seen) as asked:
        rows = (await asked.get(f"/api/answers?{asked_for}")).json()["answers"]
    assert sorted(int(one["id"][-12:]) for one in rows) == found


@pytest.mark.parametrize(
    ("asked_for", "told"),
    [
        ("verdict=halucinated", "verdict: must be one of grounded, hallucinated, abstained, unscorable, failed, none"),
        ("verdict=", "verdict: must be one of grounded, hallucinated, abstained, unscorable, failed, none"),
        *((f"limit={limit}", "limit: must be a whole number from 1; no more than 500 come") for limit in ("abc", "-1", "0", "", "1.5", "\u0663", "9" * 5000)),
        ("list=foo", "list: must be one of worst, latest, random"),
        ("range=zz", "range: must be one of 15m, 6h, 3d"),
    ],
    ids=lambda value: value[:20],
)  # fmt: skip
async def test_a_filter_that_cannot_be_is_named_and_no_answer(asked_for: str, told: str) -> None:
    seen = watch()
    feed(seen, result(1))
    async with client(seen) as asked:
        refused = await asked.get(f"/api/answers?{asked_for}")
        assert (refused.status_code, refused.json()) == (400, {"error": told})
        for verdict in ("unscorable", "failed", "none"):
            assert (await asked.get(f"/api/answers?verdict={verdict}&limit=1000")).json()["found"] == 0


async def test_everything_is_sealed_against_scripts_and_frames() -> None:
    async with client(watch()) as asked:
        for path in ("/", "/label", "/static/main.js", "/static/page.css", "/api/status", "/api/answers/none"):
            headers = (await asked.get(path)).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
        assert (await asked.get("/api/status")).headers["cache-control"] == "no-store"


async def test_data_is_behind_the_token_and_pages_with_a_password_too() -> None:
    seen = watch()
    feed(seen, result(1))
    token = {"authorization": "Bearer secret"}
    async with client(seen, bearer_token="secret") as asked:
        # The page itself holds nothing: it asks for the token.
        assert (await asked.get("/")).status_code == 200
        for path in ("/api/status", "/api/answers", f"/api/answers/{result(1).id}", "/api/label"):
            refused = await asked.get(path)
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
            assert QUESTION not in refused.text
        assert (await asked.get("/api/status", headers=token)).status_code == 200
    async with client(seen, basic_username="ops", basic_password="secret") as asked:
        assert (await asked.get("/")).status_code == 401
        assert (await asked.get("/", auth=("ops", "secret"))).status_code == 200
        assert (await asked.get("/livez")).status_code == 200


async def test_another_name_of_this_machine_is_refused_where_nobody_is_asked_who_he_is() -> None:
    async with client(watch()) as asked:
        assert (await asked.get("/api/status", headers={"host": "evil.test"})).status_code == 421
        assert (await asked.get("/api/status", headers={"host": "localhost:9464"})).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {**OWN, "origin": "https://evil.test"},
        {**OWN, "sec-fetch-site": "cross-site"},
        {"origin": "null", **OWN},
    ],
)
async def test_what_changes_something_comes_from_our_own_page_alone(headers: dict[str, str], tmp_path: Path) -> None:
    seen = watch(label_rate=1)
    feed(seen, result(1))
    async with client(seen, tmp_path / "labels.jsonl") as asked:
        told = {"result": result(1).id, "verdict": "grounded", "picked": False}
        assert (await asked.post("/api/label", json=told, headers=headers)).status_code == 403
        assert (await asked.post("/api/erase", json={"user": "ada"}, headers=headers)).status_code == 403
    assert len(seen.shelf) == 1
    assert not (tmp_path / "labels.jsonl").exists()


async def test_erasing_by_trace_and_by_user(caplog: pytest.LogCaptureFixture) -> None:
    seen = watch()
    feed(seen, result(1), result(2), user="ada@example.org")
    feed(seen, result(3), user="bob")
    caplog.set_level(logging.INFO)
    async with client(seen) as asked:
        assert (await asked.post("/api/erase", json={}, headers=OWN)).status_code == 400
        assert (await asked.post("/api/erase", json=[], headers=OWN)).json()["error"] == "send a JSON object"
        told = await asked.post("/api/erase", json={"user": "u", "topic": "yes"}, headers=OWN)
        assert (told.status_code, told.json()["error"]) == (400, "topic: must be true or false")
        gone = await asked.post("/api/erase", json={"trace_id": result(3).trace_id}, headers=OWN)
        assert gone.json() == {"erased": 1}
        gone = await asked.post("/api/erase", json={"user": "ada@example.org"}, headers=OWN)
        assert gone.json() == {"erased": 2}
        assert (await asked.get(f"/api/answers/{result(1).id}")).status_code == 404
    assert "2 answers of a user were erased" in caplog.text
    assert not any("ada" in one.getMessage() for one in caplog.records if one.name.startswith("sidecar"))


async def test_what_is_not_known_in_an_address_is_refused_with_what_may_stand_there() -> None:
    async with client(watch()) as asked:
        for path in ("/api/status?range=7d", "/api/answers?range=7d"):
            told = await asked.get(path)
            assert (told.status_code, told.json()) == (400, {"error": "range: must be one of 15m, 6h, 3d"})
        told = await asked.get("/api/answers?list=best")
        assert (told.status_code, told.json()) == (400, {"error": "list: must be one of worst, latest, random"})


async def test_a_session_is_listed_in_the_order_of_time_and_names_its_worst_turn() -> None:
    seen = watch()
    turns = {1: 0.9, 2: 0.05, 3: 0.4}
    made = [
        result(n, Verdict.GROUNDED if score > 0.5 else Verdict.HALLUCINATED, score=score, session="chat-7", timestamp=1000.0 - n)
        for n, score in turns.items()
    ]  # fmt: skip
    feed(seen, *made, result(4, session="chat-8"), result(5))
    async with client(seen) as asked:
        found = (await asked.get("/api/answers?session=chat-7&list=worst")).json()
        assert [int(one["id"][-12:]) for one in found["answers"]] == [3, 2, 1]
        assert found["session"] == {"turns": 3, "worst": result(2).id}
        assert {one["session"] for one in found["answers"]} == {"chat-7"}
        found = (await asked.get("/api/answers?session=chat-7&verdict=grounded")).json()
        assert (found["found"], found["session"]) == (1, {"turns": 3, "worst": result(2).id})
        none = (await asked.get("/api/answers?session=nobody")).json()
        assert (none["found"], none["session"]) == (0, {"turns": 0, "worst": None})
        assert (await asked.get(f"/api/answers/{result(5).id}")).json()["session"] is None


async def test_answers_of_other_replicas_are_listed_beside_ours_and_told_apart() -> None:
    seen = watch()
    feed(seen, result(1))
    seen.take_read(result(2, score=0.0, session="s-2"), at=seen.now(), replica="pod-b")
    async with client(seen) as asked:
        for filtered, found in (("", [2, 1]), ("&replica=", [1]), ("&replica=pod-b", [2]), ("&replica=pod-c", [])):
            rows = (await asked.get(f"/api/answers?list=worst{filtered}")).json()["answers"]
            assert [int(one["id"][-12:]) for one in rows] == found, filtered
        whole = (await asked.get(f"/api/answers/{result(2).id}")).json()
        gone = await asked.post("/api/erase", json={"session": "s-2"}, headers=OWN)
        assert gone.json() == {"erased": 1}
        assert (await asked.get(f"/api/answers/{result(2).id}")).status_code == 404
        refused = await asked.post("/api/erase", json={"session": "s-2", "topic": True}, headers=OWN)
    assert (refused.status_code, "results.topic is not set" in refused.json()["error"]) == (409, True)
    assert (whole["replica"], whole["question"], whole["answer"]) == ("pod-b", None, None)
    assert [one["text"] for one in whole["claims"]] == [one.text for one in CLAIMS]


async def test_what_is_cut_is_told() -> None:
    seen = watch()
    long = Texts("q" * 20_010, "a" * 25_000, (("d", "x" * 20_001), *((None, "y") for _ in range(59))))
    feed(seen, result(1), texts=long)
    feed(seen, result(2))
    async with client(seen) as asked:
        cut = (await asked.get(f"/api/answers/{result(1).id}")).json()["cut"]
        assert (cut["question"], cut["answer"], cut["documents"], cut["texts"][:2]) == (10, 5000, 10, [1, 0])
        assert (await asked.get(f"/api/answers/{result(2).id}")).json()["cut"] is None


async def test_the_queue_shows_no_word_of_the_evaluators_and_goes_on_in_the_order_of_the_draw(tmp_path: Path) -> None:
    seen, file = watch(label_rate=0.5), tmp_path / "labels.jsonl"
    feed(seen, *(result(number, inclusion_probability=0.25) for number in range(30)))
    draw = Draw(seed="1", rate=0.5)
    taken = sorted((one.id for one in map(result, range(30)) if draw.takes(one.id)), key=draw.number)
    async with client(seen, file) as asked:
        for wanted in taken:
            found = (await asked.get("/api/label")).json()
            assert found["answer"]["id"] == wanted
            assert found["answer"].keys() == {"id", "service", "timestamp", "question", "answer", "documents", "claims"}
            assert all(one.keys() == {"text", "start", "end", "evidence"} for one in found["answer"]["claims"])
            assert all(one.keys() == {"rank", "id", "text"} for one in found["answer"]["documents"])
            told = {
                "result": wanted,
                "verdict": "hallucinated",
                "wrong_claims": [2],
                "who": "reviewer-1",
                "picked": False,
            }
            kept = await asked.post("/api/label", json=told, headers=OWN)
            assert kept.json() == {"result": wanted, "verdict": "hallucinated", "probability": 0.125}
        assert (await asked.get("/api/label")).json()["answer"] is None
    labels = read_labels(file, "labels")
    assert [(one.about.result, one.verdict, one.wrong_claims, one.probability, one.who) for one in labels] == [
        (wanted, "hallucinated", (2,), 0.125, "reviewer-1") for wanted in taken
    ]
    assert {one.about.beside[0].label for one in labels} == {"hallucinated"}
    assert ANSWER not in file.read_text()
    assert QUESTION not in file.read_text()


async def test_a_picked_answer_is_no_random_one_and_is_asked_about_again(tmp_path: Path) -> None:
    seen, file = watch(label_rate=1), tmp_path / "labels.jsonl"
    feed(seen, result(1))
    told = {"result": result(1).id, "verdict": "hallucinated", "picked": True}
    async with client(seen, file) as asked:
        assert (await asked.post("/api/label", json=told, headers=OWN)).json()["probability"] is None
        assert (await asked.get(f"/api/answers/{result(1).id}")).json()["labelled"] == "picked"
        assert (await asked.get("/api/label")).json()["answer"]["id"] == result(1).id
        (picked,) = read_labels(file, "labels")
        assert not picked.drawn
        with pytest.raises(ValueError, match="no weight"):
            picked.weight()
        await asked.post("/api/label", json={**told, "verdict": "grounded", "picked": False}, headers=OWN)
    # What counts is the drawn one.
    assert latest(read_labels(file, "labels"))[result(1).id].verdict == "grounded"


async def test_a_draw_that_the_command_began_goes_on_at_its_rate(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    first = watch(label_rate=1)
    feed(first, result(1))
    async with client(first, file) as asked:
        await asked.post(
            "/api/label", json={"result": result(1).id, "verdict": "grounded", "picked": False}, headers=OWN
        )
    later = watch(label_rate=0.01)
    feed(later, result(1), result(2))
    async with client(later, file) as asked:
        found = (await asked.get("/api/label")).json()
        assert (found["rate"], found["answer"]["id"]) == (1.0, result(2).id)


async def test_who_labelled_what_is_in_the_log_and_no_text(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    seen = watch(label_rate=1)
    feed(seen, result(1))
    caplog.set_level(logging.INFO)
    login = base64.b64encode(b"ops:secret").decode()
    async with client(seen, tmp_path / "l.jsonl", basic_username="ops", basic_password="secret") as asked:
        told = {"result": result(1).id, "verdict": "grounded", "picked": False}
        kept = await asked.post("/api/label", json=told, headers={**OWN, "authorization": f"Basic {login}"})
    assert kept.status_code == 200
    assert read_labels(tmp_path / "l.jsonl", "labels")[0].who == "ops"
    (line,) = [one.getMessage() for one in caplog.records if one.name.startswith("sidecar.page")]
    assert line == f"a label was given on the page by ops (login ops): result {result(1).id}, drawn"


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({"verdict": "grounded", "picked": False}, 400),
        ({"result": "none", "verdict": "grounded", "picked": True}, 409),
        ({"result": result(1).id, "verdict": "fine", "picked": True}, 400),
        ({"result": result(1).id, "verdict": "hallucinated", "wrong_claims": [4], "picked": True}, 409),
        ({"result": result(1).id, "verdict": "grounded", "wrong_claims": [1], "picked": True}, 409),
        ({"result": result(1).id, "verdict": "grounded", "who": "a\nb", "picked": True}, 400),
        ({"result": result(1).id, "verdict": "grounded", "picked": False}, 409),
    ],
)
async def test_a_label_that_cannot_be_is_refused(told: dict[str, Any], status: int, tmp_path: Path) -> None:
    seen = watch(label_rate=1e-9)
    feed(seen, result(1))
    async with client(seen, tmp_path / "labels.jsonl") as asked:
        kept = await asked.post("/api/label", json=told, headers=OWN)
    assert kept.status_code == status, kept.text
    assert not (tmp_path / "labels.jsonl").exists()


async def test_without_a_place_for_labels_the_queue_says_what_to_set() -> None:
    async with client(watch()) as asked:
        told = await asked.get("/api/label")
    assert (told.status_code, "labels.file" in told.json()["error"]) == (409, True)


@pytest.mark.parametrize("host", ["0.0.0.0", "10.1.2.3", "::", "example.org"])
def test_texts_for_everybody_are_refused_at_the_start(host: str) -> None:
    values = {"receive": {"bootstrap_servers": "kafka:9092", "topics": ["t"]}, "status_page": {"show_text": True}}
    with pytest.raises(ConfigError, match=r"admin\.basic_username"):
        config.build({**values, "admin": {"host": host}})
    config.build({**values, "admin": {"host": host, "bearer_token": "x"}})


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.0.1"])
def test_texts_for_whoever_sits_here_are_not(host: str) -> None:
    values = {"receive": {"bootstrap_servers": "kafka:9092", "topics": ["t"]}, "status_page": {"show_text": True}}
    assert config.build({**values, "admin": {"host": host}}).status_page.show_text
