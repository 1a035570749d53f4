"""The review queue on a terminal: one answer after the other, a line typed for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from exporters.text import safe
from sidecar.commands.label.answers import Shown
from sidecar.labels.record import Said

WORDS: dict[str, Said] = {
    **dict.fromkeys(("g", "good", "grounded"), "grounded"),
    **dict.fromkeys(("h", "hallucinated"), "hallucinated"),
    **dict.fromkeys(("a", "abstained"), "abstained"),
    **dict.fromkeys(("s", "skip", "skipped"), "skipped"),
}
_QUIT = ("q", "quit", "exit")
_BETWEEN = re.compile(r"[\s,;]+")
_PROMPT = "good, hallucinated [numbers of claims], abstained, skip, quit (g/h/a/s/q) > "


@dataclass(frozen=True, slots=True)
class Reply:
    """What was said of an answer; `wrong` are the numbers of its claims that are made up, from 1."""

    said: Said
    wrong: tuple[int, ...] = ()


def ask(shown: Shown, *, number: int, of: int, console: Console, read: Callable[[str], str] = input) -> Reply | None:
    """Show an answer and read what is said of it; None is: enough for now. What the evaluators think of it is not told, for it would be
    followed."""
    _show(shown, number, of, console)
    while True:
        try:
            line = read(_PROMPT)
        except EOFError:
            return None
        if line.strip().lower() in _QUIT:
            return None
        try:
            return parse(line, len(shown.answer.claims))
        except ValueError as error:
            console.print(f"  {error}", markup=False)


def parse(line: str, claims: int) -> Reply:
    """A typed line: a word or its first letter, and after `hallucinated` numbers of claims. Raises ValueError saying what is wanted."""
    word, *more = _BETWEEN.split(line.strip().lower())
    said = WORDS.get(word)
    if said is None:
        raise ValueError("type g, h, a, s or q")
    if more and said != "hallucinated":
        raise ValueError("numbers of claims go with hallucinated only")
    return Reply(said, wrong_claims(more, claims))


def wrong_claims(given: Sequence[object], claims: int) -> tuple[int, ...]:
    """Numbers of claims, each once and in order. Raises ValueError where one is none of 1 to `claims`."""
    texts = [str(one) for one in given if one != ""]
    if not all(one.isdecimal() and 1 <= int(one) <= claims for one in texts):
        raise ValueError(f"the claims are numbered 1 to {claims}" if claims else "this answer has no claims")
    return tuple(sorted({int(one) for one in texts}))


def _show(shown: Shown, number: int, of: int, console: Console) -> None:
    facts = shown.answer.facts
    console.rule(Text(f"{number} of {of}"))
    console.print(Text(safe(f"{facts.service}  {facts.trace_id}  {shown.answer.timestamp or ''}"), "dim"))
    _part(console, "Question", shown.texts.question or "(none)")
    _part(console, "Answer", shown.texts.answer)
    for place, (text, evidence) in enumerate(shown.claims(), 1):
        _part(console, f"Claim {place}", text or "(its text is not in the results)")
        if evidence:
            console.print(Text(f"  nearest: {safe(evidence)}", "dim"))
    for place, (name, text) in enumerate(shown.texts.documents, 1):
        _part(console, f"Document {place}", f"{name}\n{text}" if name else text)
    console.print()


def _part(console: Console, name: str, text: str) -> None:
    console.print(Text.assemble((name, "bold"), "  ", safe(text)), soft_wrap=False)
