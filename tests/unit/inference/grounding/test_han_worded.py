"""Chinese claims are read with the word of a condition that their documents have."""

from __future__ import annotations

import pytest

from sidecar.inference.base import Claim
from sidecar.inference.grounding.han_worded import han_worded


@pytest.mark.parametrize(
    ("text", "document", "expected"),
    [
        ("消费不到100元不免费。", "未满100元按每小时6元收费。", "消费未满100元不免费。"),
        ("沒提前通知要扣費。", "未提前24小时通知的，扣除首晚房费。", "未提前通知要扣费。"),
        ("不到100元不免费。", "不到100元，未满18岁。", "不到100元不免费。"),
        ("不到100元不免费。", "停车收费。", "不到100元不免费。"),
        ("停车免费。", "未满100元收费。", "停车免费。"),
    ],
)
def test_a_claim_has_the_word_of_its_documents(text: str, document: str, expected: str) -> None:
    [read] = han_worded([Claim(text, start=0, end=len(text))], [document])
    assert (read.text, read.start, read.end) == (expected, 0, len(text))
