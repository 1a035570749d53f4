"""What evaluators of conversations ask: topics, and goals."""

from __future__ import annotations

import asyncio
from typing import Literal

from pydantic import Field

from exporters.result import Evaluation, Outcome, Subject
from exporters.text import clean
from sidecar.evaluate.base import About, Cost, Judged, Needs, needing
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import Asking, numbered
from sidecar.evaluate.judged.claims import several
from sidecar.evaluate.metrics.special.data_compare import f1_of
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import INVALID, Judge, Question
from sidecar.inference.judge.prompt import Prompt, load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import RetryableInferenceError, Unscorable

_MOST_TOPICS = 30


class TopicAdherenceSettings(Judged):
    """Whether an assistant keeps to its topics."""

    topics: tuple[str, ...] = Field(
        default=(),
        max_length=100,
        description="What it should talk about, of conversations that bring no reference_topics; then it runs online.",
    )
    measure: Literal["precision", "recall", "f1"] = Field(default="f1", description="Which of the three is the score.")


class AgentGoalSettings(Judged):
    """Whether an agent reaches what it should."""


class Topics(Reply):
    """What a conversation is about."""

    topics: list[str]


class Refused(Reply):
    """Whether the assistant declined to talk about a topic."""

    reason: str
    refused: bool


class OnTopic(Reply):
    """Of each topic of a conversation, whether it is among the wanted ones, in order."""

    on_topic: list[bool]


class Goal(Reply):
    """What the user wanted, and what came of it."""

    goal: str
    end_state: str


class Reached(Reply):
    """Whether what came of it is what was wanted."""

    reason: str
    reached: bool


class _Talking(Asking):
    """A base: what the judge is told of a conversation."""

    def __init__(self, name: str, judge: Judge, prompts: list[Prompt]) -> None:
        super().__init__(name, judge, prompts)

    async def talk(self, case: Case, *more: str) -> tuple[list[dict[str, object]], list[str]]:
        """The messages, and more texts, as the judge may be told them. Raises Unscorable: too_long."""
        texts = [message.text or "" for message in case.messages]
        calls = [[f"{call.name}({dict(call.arguments)})" for call in message.tool_calls] for message in case.messages]
        places = [("message", text) for text in [*texts, *(one for row in calls for one in row)]]
        places += [("reference", clean(text)) for text in more]
        if sum(len(text) for _, text in places) > self.judge.config.most_chars:
            raise Unscorable("too_long")
        told = iter(await self.judge.told(places))
        said = [next(told) for _ in texts]
        called = [[next(told) for _ in row] for row in calls]
        messages: list[dict[str, object]] = [
            {"role": message.role, "text": text or None, "tool_calls": row}
            for message, text, row in zip(case.messages, said, called, strict=True)
        ]
        return messages, list(told)


class TopicAdherence(_Talking):
    """A answered and on topic, B answered and off topic, D refused though on topic; precision A/(A+B), recall A/(A+D). What was off topic and refused
    counts nowhere."""

    method = "f1"
    subject = Subject.ANSWER
    needs = needing(Needs.MESSAGES, Needs.TOPICS)
    about = About(
        "F1 of A/(A+B) and A/(A+D): A answered on topic, B answered off topic, D refused on topic",
        "Ragas TopicAdherence",
        Cost.JUDGE,
        "topics + 2",
    )

    def __init__(self, settings: TopicAdherenceSettings, judge: Judge, models: ModelSource) -> None:
        super().__init__("topic_adherence", judge, [load("topics"), load("refused"), load("on_topic")])
        self._settings = settings
        self.method = settings.measure
        if settings.topics:
            self.needs = needing(Needs.MESSAGES)

    def questions(self, case: Case) -> int:
        """About so many: the topics of the conversation are known only when the judge has named them."""
        turns = sum(one.role == "user" for one in case.messages)
        return 2 + min(_MOST_TOPICS, max(turns, len(case.authored.topics or self._settings.topics)))

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_topics where there is nothing to divide by, too_long; InferenceError."""
        messages, wanted = await self.talk(case, *(case.authored.topics or self._settings.topics))
        said = await self.judge.ask(Question(self.name, self.prompts[0], {"messages": messages}, Topics))
        topics = several(said.topics, "no_topics")
        if len(topics) > _MOST_TOPICS:
            raise Unscorable("too_long")
        refused, on_topic = await asyncio.gather(
            asyncio.gather(*(self._refused(messages, topic) for topic in topics)), self._on_topic(topics, wanted)
        )
        pairs = list(zip(on_topic, refused, strict=True))
        a, b, d = pairs.count((True, False)), pairs.count((False, False)), pairs.count((True, True))
        parts = {"answered_on_topic": a, "answered_off_topic": b, "refused_on_topic": d, **_shares(a, b, d)}
        if self._settings.measure not in parts:
            raise Unscorable("no_topics")
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=parts[self._settings.measure],
            parts=parts,
            explanation="\n".join(
                f"{topic}: {'on' if on else 'off'} topic, {'refused' if shy else 'answered'}"
                for topic, (on, shy) in zip(topics, pairs, strict=True)
            ),
            model=self.model,
        )

    async def _refused(self, messages: list[dict[str, object]], topic: str) -> bool:
        data = {"messages": messages, "topic": topic}
        return (await self.judge.ask(Question(self.name, self.prompts[1], data, Refused))).refused

    async def _on_topic(self, topics: list[str], wanted: list[str]) -> list[bool]:
        data = {"topics": numbered(topics), "wanted": wanted}
        said = await self.judge.ask(Question(self.name, self.prompts[2], data, OnTopic))
        if len(said.on_topic) != len(topics):
            raise RetryableInferenceError(INVALID)
        return said.on_topic


def _shares(a: int, b: int, d: int) -> dict[str, float]:
    """Precision, recall and F1, those of them that have something to divide by."""
    found = {name: a / (a + other) for name, other in (("precision", b), ("recall", d)) if a + other}
    return {**found, "f1": f1_of(found["precision"], found["recall"])} if len(found) == 2 else found


class AgentGoalAccuracy(_Talking):
    """1 where what came of the conversation is what the reference wants, else 0."""

    of = "agent_goal_accuracy"
    method = "reference"
    subject = Subject.ANSWER
    needs = needing(Needs.MESSAGES, Needs.REFERENCE)
    about = About(
        "1 where the end state of the conversation is that of the reference, else 0",
        "Ragas AgentGoalAccuracyWithReference",
        Cost.JUDGE,
        "2",
    )

    def __init__(self, settings: AgentGoalSettings, judge: Judge, models: ModelSource) -> None:
        super().__init__(self.of, judge, [load("goal"), load("reached")])

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long; InferenceError."""
        messages, more = await self.talk(case, case.reference)
        said = await self.judge.ask(Question(self.name, self.prompts[0], {"messages": messages}, Goal))
        wanted = more[0] if self.method == "reference" else said.goal
        data = {"wanted": wanted, "end_state": said.end_state}
        reached = await self.judge.ask(Question(self.name, self.prompts[1], data, Reached))
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=float(reached.reached),
            explanation=reached.reason,
            model=self.model,
        )


class AgentGoalInferred(AgentGoalAccuracy):
    """The same by the goal that the user's turns tell: it needs no reference."""

    of = "agent_goal_inferred"
    method = "inferred"
    needs = needing(Needs.MESSAGES)
    about = About(
        "1 where the end state of the conversation is the goal that its user had, else 0",
        "Ragas AgentGoalAccuracyWithoutReference",
        Cost.JUDGE,
        "2",
    )
