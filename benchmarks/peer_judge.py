"""A judge that reads words: the same verdicts for whoever asks, so that two libraries that ask it can be compared. `python -m benchmarks.peer_judge` prints its address.

It answers the sidecar's questions and those of Ragas, each in its own form, by one rule: a statement is supported where a text holds four of five of its words.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.parts.judge_server import Asked, JudgeServer

_NOTHING = frozenset(
    "a an and are as at by for from in is it of on or s that the this to was were which who with".split()
)
_SUPPORTED, _PARTLY, _USEFUL = 0.8, 0.3, 0.5
_INPUT = "Now perform the same with the following input\ninput: "


def words(text: str) -> set[str]:
    """The words of a text that say something."""
    return set(re.findall(r"\w+", text.casefold())) - _NOTHING


def sentences(text: str) -> list[str]:
    """The claims of a text."""
    return [one for one in re.split(r"(?<=[.!?])\s+", text.strip()) if words(one)]


def held(statement: str, *texts: str) -> float:
    """The share of the statement's words that the texts hold."""
    own = words(statement)
    return len(own & words(" ".join(texts))) / len(own) if own else 0.0


def supported(statement: str, *texts: str) -> bool:
    """Whether they say it."""
    return held(statement, *texts) >= _SUPPORTED


def level(share: float) -> int:
    """0, 1 or 2."""
    return 2 if share >= _SUPPORTED else 1 if share >= _PARTLY else 0


def alike(one: str, other: str) -> int:
    """0, 1 or 2, whichever stands first."""
    return level(min(held(one, other), held(other, one)))


def entities(text: str) -> list[str]:
    """Names and numbers."""
    return list(dict.fromkeys(re.findall(r"\b(?:[A-Z]\w+|\d+)\b", text)))


def _texts(data: Mapping[str, Any], name: str) -> list[str]:
    return [one["text"] for one in data[name]]


def _verdicts(data: Mapping[str, Any]) -> object:
    documents, claims = _texts(data, "documents"), _texts(data, "claims")
    return {
        "verdicts": [
            {"claim": number, "reason": "", "verdict": "full" if supported(one, *documents) else "none"}
            for number, one in enumerate(claims, 1)
        ]
    }


def _rated(data: Mapping[str, Any]) -> object:
    if "documents" in data:
        said = data["answer"] if "answer" in data else data["question"]
        return {"reason": "", "rating": level(held(said, *_texts(data, "documents")))}
    pair = (data["first"], data["second"]) if "first" in data else (data["answer"], data["reference"])
    return {"reason": "", "rating": 2 * alike(*pair)}


def _shared(data: Mapping[str, Any]) -> object:
    mine, wanted = _texts(data, "answer"), _texts(data, "reference")

    def told(claims: Sequence[str], others: Sequence[str]) -> list[dict[str, object]]:
        return [{"claim": n, "reason": "", "shared": supported(one, *others)} for n, one in enumerate(claims, 1)]

    return {"answer": told(mine, wanted), "reference": told(wanted, mine)}


OURS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "Claims": lambda data: {"claims": sentences(data["answer"])},
    "Verdicts": _verdicts,
    "Useful": lambda data: {"reason": "", "useful": held(data["answer"], data["document"]) >= _USEFUL},
    "Rated": _rated,
    "RatedOfFour": _rated,
    "Compared": _shared,
    "Entities": lambda data: {"entities": entities(data["text"])},
}


def _checked(data: Mapping[str, Any]) -> object:
    said = ((one, supported(one, data["context"])) for one in data["statements"])
    return {"statements": [{"statement": one, "reason": "", "verdict": int(well)} for one, well in said]}


def _attributed(data: Mapping[str, Any]) -> object:
    said = ((one, supported(one, data["context"])) for one in sentences(data["answer"]))
    return {"classifications": [{"statement": one, "reason": "", "attributed": int(well)} for one, well in said]}


def _classified(data: Mapping[str, Any]) -> object:
    mine, wanted = data["answer"], data["ground_truth"]
    found: dict[str, list[dict[str, str]]] = {"TP": [], "FP": [], "FN": []}
    for one in mine:
        found["TP" if supported(one, *wanted) else "FP"].append({"statement": one, "reason": ""})
    found["FN"] = [{"statement": one, "reason": ""} for one in wanted if not supported(one, *mine)]
    return found


# What Ragas asks, by the names of what it shows.
THEIRS: Mapping[frozenset[str], Callable[[Mapping[str, Any]], object]] = {
    frozenset({"context", "statements"}): _checked,
    frozenset({"query", "user_answer", "reference_answer"}): lambda data: {
        "rating": 2 * alike(data["user_answer"], data["reference_answer"])
    },
    frozenset({"user_input", "context"}): lambda data: {"rating": level(held(data["user_input"], data["context"]))},
    frozenset({"response", "context"}): lambda data: {"rating": level(held(data["response"], data["context"]))},
    frozenset({"question", "answer", "ground_truth"}): _classified,
    frozenset({"question", "text"}): lambda data: {"statements": sentences(data["text"])},
    frozenset({"question", "answer"}): lambda data: {"statements": sentences(data["answer"])},
    frozenset({"text"}): lambda data: {"entities": entities(data["text"])},
}


def _theirs(prompt: str) -> object:
    data = json.loads(prompt.rpartition(_INPUT)[2].partition("\nOutput:")[0])
    if set(data) == {"question", "context", "answer"}:
        if "classifications" in prompt:
            return _attributed(data)
        return {"reason": "", "verdict": int(held(data["answer"], data["context"]) >= _USEFUL)}
    return THEIRS[frozenset(data)](data)


def answer(asked: Asked) -> object:
    """What it says to one call."""
    theirs = next((one["content"] for one in asked.body["messages"] if _INPUT in one["content"]), None)
    return OURS[asked.schema](asked.data) if theirs is None else _theirs(theirs)


async def _serve() -> None:
    async with JudgeServer(answer) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve())
