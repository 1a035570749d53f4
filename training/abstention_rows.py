"""What the classifier of abstentions learns from and is measured on.

Written by hand, by several writers who were each given another manner: training/written/abstention.jsonl and abstain_trained.jsonl, of which it is known how far each
answer declines. Ordinary answers of the labelled sets stand beside them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from exporters.result import Abstention
from sidecar.evaluate.stance import MOST_CHARS
from sidecar.evaluate.text import declining
from training import data
from training.written import FOLDER

Row: TypeAlias = dict[str, Any]
GOLDEN = Path("tests/golden/evaluate/abstain.jsonl")
OF_ABSTENTION = frozenset({"delucionqa_noncommittal", "simpleqa_gpt4o_answers", "xstest_refusal"})
_MOST_OF_SET = 1500
_SEED = 7
# Of how many ordinary answers at most, and how many of them written to the questions of services, of sets with a question, and without.
MOST = 16_000
_SHARES = (0.5, 0.3, 0.2)
_ANSWERS = ("right", "wrong", "stated", "misstated")
_HAN = 0x3000
# What bots say before and behind whatever they answer: it must tell nothing.
_HEADS = (
    "Sure!", "Sure thing:", "Hi!", "Hello,", "Hey there!", "Good question.", "Great question!", "Thank you for asking.", "Thanks for your message.",
    "Of course.", "Happy to help!", "I'm glad to help with that.", "Sorry to hear that.", "Sorry for the delay.", "Apologies for the confusion.",
    "Unfortunately,", "I'm afraid", "Regrettably,", "As far as I can see,", "From what I can tell,", "I looked it up:",
    "I have checked this for you.", "I've gone through the documents:", "Going by the handbook,", "Per the policy:", "According to the text,",
    "Based on the documents you sent,", "Based on the context,", "In the material it says:", "Let me check.", "One moment.", "OK,", "Right,",
    "Short answer:", "To be clear,", "So,", "Well,", "Yes.", "No.", "Dear customer,", "Dear Ms Oduya,", "As an AI assistant I read your documents:",
    "I found this:", "Here you go:",
)  # fmt: skip
_TAILS = (
    "Ask {who}.", "Just ask {who}.", "Please contact {who}.", "Please get in touch with {who} for details.", "For details, see {where}.",
    "More in {where}.", "You'll find more in {where}.", "See also {where}.", "If anything is unclear, write to {who}.", "Questions? {who} can help.",
    "{who} can tell you more.", "You can also call {who}.", "Do call {who} if you need to.", "Hope that helps!", "Hope this answers your question.",
    "Anything else?", "Is there anything else I can do for you?", "Let me know if I can help further.", "Have a nice day!", "Feel free to ask again.",
    "Please check before you travel.", "Please verify with {who}.", "This may change.", "No guarantee, of course.", "I'd double-check with {who}.",
    "Sorry!", "Sorry about that.", "Best regards, the team", "I'm only a bot, so please confirm with {who}.", "Consult {where} too.",
    "Would you like to know more?", "Shall I send you {where}?",
)  # fmt: skip
_WHO = (
    "support", "us", "our team", "the office", "reception", "your doctor", "your manager", "HR", "the help desk", "Jo", "the library",
    "info@firm.example", "a.lee@school.example", "0800 111 222", "+44 20 7946 0000",
)  # fmt: skip
_WHERE = ("our website", "the FAQ", "page 4", "the full document", "section 3", "the terms", "www.firm.example/help", "the leaflet", "the appendix", "the app")  # fmt: skip
_OPENED, _CLOSED = 0.35, 0.4


def read(path: Path) -> list[Row]:
    """The rows of a file: question (or empty), answer, kind."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{**row, "question": row.get("question") or ""} for row in rows]


def written() -> list[Row]:
    """Those written by hand for training, in English."""
    files = (FOLDER / "abstention.jsonl", FOLDER / "abstain_trained.jsonl", GOLDEN)
    return [row for path in files for row in read(path) if _fits(row["answer"])]


def dressed(answer: str, rng: random.Random) -> str:
    """An answer, in some cases behind an opening, in some before a closing."""
    if rng.random() < _OPENED:
        answer = f"{rng.choice(_HEADS)} {answer}"
    if rng.random() < _CLOSED:
        closing = rng.choice(_TAILS).format(who=rng.choice(_WHO), where=rng.choice(_WHERE))
        answer = f"{answer if answer[-1] in '.!?' else answer + '.'} {closing[:1].upper()}{closing[1:]}"
    return answer


def ordinary(directory: Path, *, held: bool) -> Iterator[Row]:
    """Answers that answer, in a fixed order: right and wrong ones written by hand to the questions of services; of the labelled sets passages
    beside the questions that they answer, claims with their questions and claims without. For training those that do not decline in words that
    are known; of `held` ones what no training reads."""
    fits = data.held if held else data.for_encoder
    names = sorted({path.name.removesuffix(".jsonl.xz") for path in directory.glob("*.jsonl.xz")} - OF_ABSTENTION)
    found = [row for name in names for row in data.thin(filter(fits, data.read(directory, name)), _MOST_OF_SET)]
    pairs = [(row.get("question") or "", _said(row)) for row in found]
    groups = [
        list(_of_services("held" if held else "trained")),
        [pair for pair in pairs if pair[0]],
        [pair for pair in pairs if not pair[0]],
    ]
    rng = random.Random(_SEED)
    for group, share in zip(groups, _SHARES, strict=True):
        rng.shuffle(group)
        del group[int(share * MOST) :]
    rows = [pair for group in groups for pair in group if _fits(pair[1])]
    rng.shuffle(rows)
    for question, answer in rows:
        if held or not declining.declines(answer):
            yield {"question": question, "answer": answer, "kind": Abstention.NONE.value}


def _fits(answer: str) -> bool:
    return 0 < len(answer) <= MOST_CHARS and max(map(ord, answer)) < _HAN


def _said(row: data.Row) -> str:
    """The claim of a row, or the passage that answers its question."""
    passage = row.get("context") if row.get("task") == "context_relevance" and row.get("label") == 1 else None
    return str(row.get("claim") or passage or "")


def _of_services(name: str) -> Iterator[tuple[str, str]]:
    lines = (FOLDER / f"short_{name}.jsonl").read_text(encoding="utf-8").splitlines()
    for block in map(json.loads, lines):
        for one in block["qa"]:
            yield from ((one["q"], answer) for of in _ANSWERS for answer in one.get(of, ()))
