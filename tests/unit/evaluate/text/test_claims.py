"""Answers and the claims that are expected of them: tests/golden/evaluate/claims.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exporters.result import Abstention
from sidecar.evaluate.text.abstain import stance_of
from sidecar.evaluate.text.claims import MOST_CLAIMS, split_claims
from sidecar.record.errors import Unscorable

GOLDEN = Path(__file__).parents[3] / "golden" / "evaluate" / "claims.jsonl"
CHINESE = [json.loads(line) for line in GOLDEN.with_name("claims_zh.jsonl").read_text(encoding="utf-8").splitlines()]
CHAT = [json.loads(line) for line in GOLDEN.with_name("claims_chat.jsonl").read_text(encoding="utf-8").splitlines()]
ROWS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]

CLAUSES = [json.loads(line) for line in GOLDEN.with_name("clauses.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", CLAUSES, ids=[row["sentence"] for row in CLAUSES])
def test_a_sentence_is_cut_where_it_says_two_things_of_one_and_nowhere_else(row: dict[str, Any]) -> None:
    """66 sentences that join statements and 77 that do not, or share what stands at their end."""
    assert [claim.text for claim in split_claims(row["sentence"])] == row["claims"]


@pytest.mark.parametrize("row", ROWS, ids=[f"{n}-{row['kind']}" for n, row in enumerate(ROWS)])
def test_claims_are_those_expected_and_know_their_places(row: dict[str, Any]) -> None:
    """`place` is what the answer says at a claim's place, where that is not the claim's own text."""
    answer = row["answer"]
    expected = [(one["text"], one.get("context", ""), one.get("place", one["text"])) for one in row["claims"]]
    claims = split_claims(answer)
    assert [(claim.text, claim.context, answer[claim.start : claim.end]) for claim in claims] == expected


def test_no_fewer_chinese_answers_are_read_as_a_reader_would_than_before() -> None:
    """298 answers as chatbots give them, written to find faults: 159 and 279 were right before these were mended."""
    read = [(stance_of(row["answer"]), row) for row in CHINESE]
    assert sum(one.kind == row["kind"] for one, row in read) >= 295
    assert sum([claim.text for claim in one.claims] == row["claims"] for one, row in read) >= 273


def test_no_fewer_answers_as_chatbots_give_them_are_read_as_a_reader_would_than_before() -> None:
    """181 answers with headings, lists, tables, labels and courtesies, written to find faults; of 107 it is said what they claim.
    Before these were mended 166 kinds and the claims of 73 were right."""
    read = [(stance_of(row["answer"]), row) for row in CHAT]
    assert sum(one.kind == row["kind"] for one, row in read) >= 179
    told = [([claim.text for claim in one.claims], row["claims"]) for one, row in read if "claims" in row]
    assert sum(claims == expected for claims, expected in told) >= 104


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("如有发热症状，请立即联系医生。", ["如有发热症状，请立即联系医生。"]),
        ("如果您需要发票，可以在订单详情页申请。", ["如果您需要发票，可以在订单详情页申请。"]),
        ("商品可无理由退货，但定制商品除外。", ["商品可无理由退货，但定制商品除外。"]),
        ("華為公司成立於1987年，並且在全球設有研發中心。", ["華為公司成立於1987年。", "華為公司在全球設有研發中心。"]),
        ("保修期为两年，并且可以免费退货。", ["保修期为两年，并且可以免费退货。"]),
        ("保修期为两年，但是可以免费退货。", ["保修期为两年。", "可以免费退货。"]),
        ("试用期为3个月，并且可以延长一个月。", ["试用期为3个月。", "试用期可以延长一个月。"]),
        ("请看https://a.example/q?id=1；退款需要7天。", ["请看https://a.example/q?id=1", "退款需要7天。"]),
        ("非常抱歉给您带来不便！費用為300元。以上内容仅供参考。", ["費用為300元。"]),
    ],
)
def test_chinese_answers_are_cut_where_a_reader_would(answer: str, claims: list[str]) -> None:
    assert [claim.text for claim in split_claims(answer)] == claims


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (
            "Thanks to its 5,000 mAh battery it lasts three days.",
            ["Thanks to its 5,000 mAh battery it lasts three days."],
        ),
        (
            "It is red. Feel free to use it underwater for two hours.",
            ["It is red.", "Feel free to use it underwater for two hours."],
        ),
        ("It is red. Feel free to bring your dog.", ["It is red.", "Feel free to bring your dog."]),
        ("It is red. Feel free to ask any time.", ["It is red."]),
        ("It is red. We're here for you 24/7.", ["It is red."]),
        ("Take care not to exceed the dose. Take care!", ["Take care not to exceed the dose."]),
        ("Enjoy free shipping on all orders! Enjoy your stay!", ["Enjoy free shipping on all orders!"]),
        (
            "Let us know within 90 days and you get a full refund.",
            ["Let us know within 90 days and you get a full refund."],
        ),
        ("Great question - it is five years.", ["it is five years."]),
        ("I checked the documents and the warranty lasts five years.", ["the warranty lasts five years."]),
        ("It is red. Thanks for writing and I hope this helps.", ["It is red."]),
        ("I understand that the warranty lasts five years.", ["I understand that the warranty lasts five years."]),
        ("It is red. I understand that delays are annoying.", ["It is red."]),
        ("It is red. Feel free to explore our help centre.", ["It is red."]),
        ("It is red. Thank you for your message of 12 May.", ["It is red."]),
        (
            "We do ship there \U0001f60a Customs duty may be charged.",
            ["We do ship there \U0001f60a", "Customs duty may be charged."],
        ),
    ],
)
def test_a_courtesy_that_states_something_is_a_claim(answer: str, claims: list[str]) -> None:
    assert [claim.text for claim in split_claims(answer)] == claims


@pytest.mark.parametrize(
    ("lead", "claims"),
    [
        ("Stop the service, make a copy, then start it again:", ["Stop the service, make a copy, then start it again"]),
        (
            "The metadata is kept by default, so it stays with the photo:",
            ["The metadata is kept by default", "it stays with the photo"],
        ),
        ("Run the following command:", []),
        ("Here's how you can do it in Python:", []),
        ("To resize the photo, run:", []),
    ],
)
def test_what_leads_into_code_states_something_where_nothing_else_does(lead: str, claims: list[str]) -> None:
    assert [claim.text for claim in split_claims(f"{lead}\n\n```sh\nservice stop\n```")] == claims


def test_an_item_of_a_numbered_list_is_known_as_one() -> None:
    claims = split_claims("Do this:\n1. Stop the pump\n2. Open the lid\n- Close the lid\n\nIt is done.")
    assert [(claim.text, claim.numbered) for claim in claims] == [
        ("Stop the pump", True),
        ("Open the lid", True),
        ("Close the lid", False),
        ("It is done.", False),
    ]


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("1. Stop the pump. 2. Open the lid. 3. Close it.", ["Stop the pump.", "Open the lid.", "Close it."]),
        ("Step 1. Stop the pump. Step 2. Open the lid.", ["Stop the pump.", "Open the lid."]),
        ("1.Stop the pump\n2.Open the lid", ["Stop the pump", "Open the lid"]),
        ("1 - Stop the pump\n2 - Open the lid", ["Stop the pump", "Open the lid"]),
        ("1: Stop the pump\n2: Open the lid", ["Stop the pump", "Open the lid"]),
        ("a) Stop the pump. b) Open the lid.", ["Stop the pump.", "Open the lid."]),
        (
            "We have two plans: 1. Basic ($10), and 2. Pro ($20).",
            ["We have two plans: Basic ($10)", "We have two plans: Pro ($20)."],
        ),
        ("You need: • a passport • a photo", ["You need a passport", "You need a photo"]),
        ("- To stop it: 1. press the button 2. wait", ["press the button", "To stop it: wait"]),
        ("1、准备材料；2、提交申请。", ["准备材料", "提交申请。"]),
        ("1）打开设置 2）点击账户", ["打开设置", "点击账户"]),
        ("It ships in version 2. 3 users reported it.", ["It ships in version 2.", "3 users reported it."]),
        ("It costs 1. 2 are free.", ["It costs 1.", "2 are free."]),
    ],
)
def test_a_list_in_one_line_is_a_list(answer: str, claims: list[str]) -> None:
    found = split_claims(answer)
    assert [claim.text for claim in found] == claims
    assert all(answer[claim.start : claim.end] in claim.text for claim in found)


def test_a_long_answer_has_a_bounded_number_of_claims() -> None:
    assert len(split_claims("The sky is blue today. " * 1000)) == MOST_CLAIMS + 1


@pytest.mark.parametrize(
    "answer",
    ["The sky is blue today. " * (MOST_CLAIMS + 1), "The sky is blue. " + "x" * 50_000, "Yes. " * 2001 + "It is blue."],
    ids=["claims", "characters", "sentences"],
)
def test_an_answer_that_is_not_read_to_its_end_has_no_claims_to_judge(answer: str) -> None:
    with pytest.raises(Unscorable, match="too_long"):
        _ = stance_of(answer).claims


def test_as_many_claims_as_there_may_be_are_judged() -> None:
    assert len(stance_of("The sky is blue today. " * MOST_CLAIMS).claims) == MOST_CLAIMS


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("No. The sauna must be booked a day before.", ["The sauna must be booked a day before."]),
        ("Yes, the lift runs until ten at night.", ["the lift runs until ten at night."]),
        ("No, it isn't.", ["No, it isn't."]),
        ("No, just the app does.", ["No, just the app does."]),
        ("No one may enter the yard at night.", ["No one may enter the yard at night."]),
    ],
)
def test_a_yes_or_no_is_left_out_where_a_whole_sentence_follows(answer: str, claims: list[str]) -> None:
    assert [claim.text for claim in stance_of(answer).claims] == claims


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("Is it open on Sundays? No. It opens on Monday.", ["Is it open on Sundays? No.", "It opens on Monday."]),
        ("If it rains, is there a chance that they play? Yes", ["If it rains, is there a chance that they play? Yes"]),
        ("Is it free? Yes.\nIs it fast? No.", ["Is it free? Yes.", "Is it fast? No."]),
        ("Is it late? Yes, it is.", ["Yes, it is."]),
        ("Which plan do you have? Yes or no?", []),
    ],
)
def test_a_bare_yes_or_no_is_a_claim_with_the_question_before_it(answer: str, claims: list[str]) -> None:
    assert [one.text for one in split_claims(answer)] == claims
    assert (stance_of(answer).kind is Abstention.CLARIFICATION) == (not claims)


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (
            "The supplier warrants that the service is free of errors and that it conforms to the plan.",
            [
                "The supplier warrants that the service is free of errors.",
                "The supplier warrants that it conforms to the plan.",
            ],
        ),
        (
            "He said that the plan covers it and that is why he paid.",
            ["He said that the plan covers it and that is why he paid."],
        ),
        (
            "If you know that it is open and that it sells milk, go there.",
            ["If you know that it is open and that it sells milk, go there."],
        ),
    ],
)
def test_and_that_goes_on_with_what_the_first_that_hangs_on(answer: str, claims: list[str]) -> None:
    assert [claim.text for claim in split_claims(answer)] == claims


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (
            "Hold the button for 30 seconds, then do the following:\n\n1. Open 192.168.1.1.\n2. Sign in as admin.",
            ["Hold the button for 30 seconds", "Open 192.168.1.1.", "Sign in as admin."],
        ),
        (
            "Send your token in the `X-Api-Key` header:\n\n```bash\ncurl\n```",
            ["Send your token in the X-Api-Key header"],
        ),
        ("In 2024 the prices are:\n- A: 5\n- B: 6", ["A: 5", "B: 6"]),
        ("Here are 5 tips:\n- Drink water.", ["Drink water."]),
    ],
)
def test_what_introduces_a_list_and_states_something_is_a_claim(answer: str, claims: list[str]) -> None:
    assert [claim.text for claim in stance_of(answer).claims] == claims
