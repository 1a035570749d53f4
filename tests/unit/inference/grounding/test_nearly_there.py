"""Which sentences are encoded for claims nearly all of whose words one sentence has."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager

import pytest

from exporters.result import ModelIdentity
from sidecar.inference.base import Claim
from sidecar.inference.embedding.minilm import EncodedDocument
from sidecar.inference.grounding.beside import JudgedGrounder
from sidecar.inference.grounding.embedded import EmbeddedGrounder
from sidecar.inference.grounding.evidence import nearly_there
from sidecar.inference.own.judge import Judged, Pair

ALIKE = " ".join(f"Room {n} has {n + 1} chairs and a lamp." for n in range(30))
DOCUMENTS = [
    f"The harbour ferry leaves from the old wooden pier at noon. {ALIKE}",
    "Tickets are sold on board by the crew.",
]
NEAR = "At noon the harbour ferry leaves from the old wooden pier."


@pytest.mark.parametrize(
    ("claims", "found"),
    [
        ([NEAR], True),
        ([NEAR, "Tickets are sold by the crew on board."], True),
        ([NEAR, "The captain sells tickets."], False),
        ([NEAR, "It is."], False),  # nothing to search by
        ([], True),
    ],
)
def test_all_claims_must_be_nearly_there(grounder: EmbeddedGrounder, claims: list[str], found: bool) -> None:
    only = nearly_there(claims, DOCUMENTS, grounder._idf)
    assert (only is not None) is found
    if only and claims:
        assert 0 in only[0]
        assert sum(map(len, only)) <= 6 * len(claims)


def test_sentences_with_a_figure_of_the_claim_are_among_them(grounder: EmbeddedGrounder) -> None:
    crowd = " ".join(f"The harbour ferry has a deck {name}." for name in "abcdefghijklmnop")
    text = f"The harbour ferry leaves from the old wooden pier at noon. {crowd} Season of 2019."
    for claim, there in ((NEAR, False), (f"{NEAR.removesuffix('.')} since 2019.", True)):
        only = nearly_there([claim], [text], grounder._idf)
        assert only is not None
        assert (17 in only[0]) is there


def test_the_same_sentence_of_several_texts_is_one(grounder: EmbeddedGrounder) -> None:
    crowd = " ".join(f"The harbour ferry has a deck {name}." for name in "abcdefg")
    texts = [f"The harbour ferry leaves from the old wooden pier at noon. {crowd}"] * 3
    assert nearly_there([NEAR], texts, grounder._idf) == [set(range(6))] * 3


async def test_no_other_sentences_are_encoded(grounder: EmbeddedGrounder, asked: list[str]) -> None:
    [near] = await grounder.support([Claim(NEAR)], DOCUMENTS)
    assert len(asked) == 7
    [far] = await grounder.support([Claim("You go by boat from a pier.")], DOCUMENTS)
    assert len(asked) > 30
    assert near.evidence is not None
    assert near.evidence == far.evidence
    assert DOCUMENTS[0][near.evidence.start : near.evidence.end].startswith("The harbour ferry")
    assert near.probability > grounder.threshold


async def test_a_sentence_of_several_documents_is_encoded_once(grounder: EmbeddedGrounder, asked: list[str]) -> None:
    shared = "Chunks of a text overlap by a sentence."
    texts = [f"The first one begins here. {shared}", f"{shared} The second one goes on."]
    async with grounder._encoder.documents(texts) as [first, second]:
        assert first.sentences[1] is second.sentences[0]
        assert [len(one.vectors) for one in (first, second)] == [2, 2]
    assert asked.count(shared) == 1
    async with grounder._encoder.documents(texts, [{1}, set()]) as [first, second]:
        assert (list(first.sentences), list(second.sentences)) == ([1], [])
        assert (len(first.words), len(first.spans), len(second.vectors)) == (2, 2, 0)


class Reader:
    """A judge that believes all and keeps what it reads."""

    identity = ModelIdentity("reader", "1", "0" * 64)

    def __init__(self) -> None:
        self.read: list[Pair] = []

    async def judge(self, pairs: Sequence[Pair], *, context: Sequence[str] = ()) -> list[Judged]:
        """As Judge says."""
        self.read.extend(pairs)
        return [Judged(0.9)] * len(pairs)


@pytest.mark.parametrize(("claim", "few"), [(NEAR, True), ("The captain sells tickets on the new quay.", False)])
async def test_a_model_of_ones_own_searches_and_reads_as_little(
    grounder: EmbeddedGrounder, monkeypatch: pytest.MonkeyPatch, claim: str, few: bool
) -> None:
    searched: list[Sequence[Collection[int]] | None] = []
    documents = grounder._encoder.documents

    def seen(
        texts: Sequence[str], only: Sequence[Collection[int]] | None = None
    ) -> AbstractAsyncContextManager[list[EncodedDocument]]:
        searched.append(only)
        return documents(texts, only)

    monkeypatch.setattr(grounder._encoder, "documents", seen)
    reader, claims = Reader(), [Claim(claim), Claim(claim.replace(".", " today."))]
    own = JudgedGrounder(grounder._encoder, grounder._idf, reader, threshold=0.5, languages=frozenset({"en"}))
    supports = await own.support(claims, DOCUMENTS)
    await own.consistency(" ".join(one.text for one in claims), claims, supports, DOCUMENTS)
    assert [only is not None for only in searched] == [few, few]  # for the claims, and for the whole answer
    assert len(reader.read) == 3
    if few:
        assert all("old wooden pier" in premise for premise, _ in reader.read)
