"""Yes or no to what a list leaves out, or what a state rules out: "Yes." to "Do you ship to Italy?" of "We ship to Spain and Portugal.", to "Can I still apply?" of
"Applications are closed."."""

from __future__ import annotations

import re

from sidecar.inference.answers.reading import Asked, told_apart
from sidecar.inference.answers.yes_or_no import REPLY, asks_yes_or_no, speaks_of, without_little

_NAME = re.compile(r"(?<![.?!]\s)(?<!\A)\b(?P<name>[A-Z][\w-]{1,30})(?: (?P<more>[A-Z][\w-]{1,30}))?\b")
_LIST = re.compile(r"\b[A-Z][\w-]{1,30}(?:, (?:the )?[A-Z][\w-]{1,30}){0,8},? (?:and|or) (?:the )?[A-Z][\w-]{1,30}\b")
_OPEN = re.compile(
    r"\b(?:such as|including|includes?|e\.g|for example|for instance|like|etc|more|among|others?|all|any|most|every|each|"
    r"worldwide|countries|similar|new|also|too|in addition|currently testing)\b|\.\.\.|…",
    re.IGNORECASE,
)
_SAME_START = 3  # letters: "Mac" of "macOS"
# A list of names leaves others of their kind out; one of another kind may be a part of what it names: "Munich" of "Germany and Austria".
_KINDS = tuple(
    frozenset(one.strip() for one in line.split(","))
    for line in """
english, german, french, spanish, italian, portuguese, dutch, polish, turkish, arabic, russian, ukrainian, chinese, japanese, korean, hindi, swedish, danish, norwegian,
  finnish, czech, greek, hungarian, romanian
visa, mastercard, amex, american express, paypal, maestro, klarna, apple pay, google pay, discover, bitcoin, diners
pdf, json, xml, yaml, csv, tsv, docx, doc, odt, txt, png, jpg, jpeg, gif, svg, webp, tiff, mp3, mp4, wav, xlsx, html, markdown, toml, parquet, avro
chrome, firefox, safari, edge, opera
germany, austria, switzerland, france, spain, portugal, italy, belgium, netherlands, luxembourg, denmark, sweden, norway, finland, iceland, ireland, poland, czechia,
  slovakia, hungary, slovenia, croatia, romania, bulgaria, greece, turkey, ukraine, estonia, latvia, lithuania, canada, mexico, brazil, argentina, chile, peru, colombia,
  india, china, japan, australia, egypt, morocco, kenya, nigeria, israel, singapore, thailand, vietnam, malta, cyprus
python, java, javascript, typescript, ruby, rust, kotlin, swift, php, perl, scala
monday, tuesday, wednesday, thursday, friday, saturday, sunday
""".strip()
    .replace("\n  ", " ")
    .splitlines()
)
_NAMES = re.compile(r"\b[A-Z][\w-]{1,30}\b")
# States, and what a yes-or-no question asks for that they rule out.
_STATES = tuple(
    (re.compile(state, re.IGNORECASE), re.compile(asks, re.IGNORECASE))
    for state, asks in (
        (
            r"\b(?:is|are|have|has)(?: been| already| now)* (?:sold out|out of stock|fully booked|booked (?:up|out)|full|discontinued|cancelled|canceled)\b",
            r"\b(?:available|in stock|free|left|can (?:i|we) (?:still )?(?:get|buy|book|order|reserve|join|have|sign up))\b",
        ),
        (
            r"\b(?:deadline|offer|sale|registration|enrolment|promotion|period|applications?|vote|competition)s? (?:has|have|is|are)(?: now| already)? "
            r"(?:passed|ended|expired|over|closed)\b",
            r"\b(?:still|valid|open|can (?:i|we))\b",
        ),
        (
            r"\b(?:is|are)(?: currently| now)? (?:broken|out of (?:order|service)|defective|faulty|under repair|down)\b",
            r"\b(?:works?|working|use|usable|running|available)\b",
        ),
        (r"\b(?:is|are)(?: running| currently)? (?:late|delayed|behind schedule)\b", r"\b(?:punctual|on time|on schedule)\b"),
        (
            r"\b(?:is|are)(?: currently| now)? (?:on (?:leave|holiday|vacation)|away|off sick|out of (?:the )?office)\b",
            r"\b(?:at work|in the office|available|reachable|be reached|working)\b",
        ),
        (r"\b(?:has|have|is|are)(?: already)? expired\b", r"\b(?:valid|still|usable|work)\b"),
    )
)  # fmt: skip
_THEN = re.compile(
    r"\b(?:until|till|tomorrow|yesterday|was|were|on|in|from|next|last|may|might|if|usually|often|sometimes|some|most|(?:one|two|three|half|part) of)\b|\d",
    re.IGNORECASE,
)


def asks_closed(asked: Asked) -> bool:
    """Whether a question is answered by yes or no."""
    return REPLY.match(asked.answer) is not None and asks_yes_or_no(asked.question)


def asks_list(question: str) -> bool:
    """Whether a question names something that a list may leave out."""
    return any(one.group().lower() in kind for one in _NAME.finditer(question) for kind in _KINDS)


def closed(asked: Asked, sentence: str, there: frozenset[str]) -> bool | None:
    """Whether no is right to what a list leaves out, or a state rules out, None where none plainly does. `there` is what the texts can be told apart by."""
    reply = REPLY.match(asked.answer)
    if reply is None or not (_left_out(asked.question, sentence, there) or _ruled_out(asked.question, sentence)):
        return None
    return reply["no"] is not None


def _left_out(question: str, sentence: str, there: frozenset[str]) -> bool:
    """Whether a sentence lists by their names two things or more of which the question asks it, and names another one that no text does."""
    if not asks_list(question):
        return False
    names = [one for one in _NAME.finditer(question) if told_apart(one.group()) - there]
    if len(names) != 1 or not _LIST.search(sentence) or _OPEN.search(sentence):
        return False
    kind = next((one for one in _KINDS if names[0].group().lower() in one), None)
    listed = _LIST.search(sentence)
    every = [one.lower() for one in _NAMES.findall(listed.group())] if listed else []
    if kind is None or not all(one in kind for one in every):
        return False
    name = told_apart(names[0].group())
    begins = tuple(one[:_SAME_START] for one in name)
    if not name or any(one.startswith(begins) for one in there):
        return False
    asks = without_little(told_apart(question) - name)
    return bool(asks) and asks <= told_apart(sentence)


def _ruled_out(question: str, sentence: str) -> bool:
    if _THEN.search(sentence) or not speaks_of(told_apart(sentence), told_apart(question)):
        return False
    for state, asks in _STATES:
        found = state.search(sentence)
        if found and asks.search(question) and not state.search(question):
            return without_little(told_apart(sentence[: found.start()])) <= told_apart(question)
    return False
