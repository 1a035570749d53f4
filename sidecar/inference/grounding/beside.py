"""A grounder of any judge that reads a text and a claim: what stands beside each claim is selected here.

Sentences are selected by the packaged encoder, which is English: for a model of another language all documents are read instead.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from exporters.result import Evidence, ModelIdentity
from sidecar.inference.base import Claim, Support
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import MiniLM
from sidecar.inference.grounding.claims import encode_claims
from sidecar.inference.grounding.embedded import NOTHING_TO_READ, place
from sidecar.inference.grounding.evidence import choose, nearly_there, premise, premise_words, rank
from sidecar.inference.own.judge import Judge
from sidecar.inference.threads import alongside, off_loop

ANSWER_WORDS = 300
Reads = Literal["evidence", "documents"]


@dataclass(frozen=True, slots=True)
class Beside:
    """What the model reads beside a claim, and the sentence nearest to it; an empty text where there is nothing to read."""

    premise: str
    nearest: Evidence | None = None


async def select(
    encoder: MiniLM,
    idf: Idf,
    claims: Sequence[Claim],
    documents: Sequence[str],
    words: int | None = None,
    only: Sequence[Collection[int]] | None = None,
) -> list[Beside]:
    """The evidence of each claim, about so many words of it, by default as many as `premise_words` says; of the sentences of each document in `only`."""
    reading = encode_claims(encoder, claims)
    async with alongside(reading) as encoding, encoder.documents(documents, only) as encoded:
        own, asked = await encoding

        def work() -> list[Beside]:
            found = []
            for claim, read, vector in zip(claims, own, asked, strict=True):
                ranked = rank(read, vector, encoded, idf)
                most = words or premise_words(claim.text, nearly_there=ranked.nearly_there)
                text = premise(ranked, choose(ranked, encoded, most), documents, encoded) if ranked.nearest else ""
                found.append(Beside(text, place(ranked.nearest, encoded)))
            return found

        return await off_loop(work)


class JudgedGrounder:
    """inference.base.Grounder. Claims and answers have one threshold, since one model says both."""

    def __init__(
        self,
        encoder: MiniLM,
        idf: Idf,
        judge: Judge,
        *,
        threshold: float,
        languages: frozenset[str],
        reads: Reads = "evidence",
        answer: Literal["claims", "whole"] = "whole",
    ) -> None:
        self.identity: ModelIdentity = judge.identity
        self.threshold = self.answer_threshold = threshold
        self.languages = languages
        self._encoder = encoder
        self._idf = idf
        self._judge = judge
        self._reads = reads
        self._answer = answer

    async def support(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        """One Support a claim, in order."""
        read = await self._read(claims, documents, only=await self._few(claims, documents))
        found = [n for n, one in enumerate(read) if one.premise.strip()]
        context = [*documents, *(claim.text for claim in claims)]
        judged = await self._judge.judge([(read[n].premise, claims[n].text) for n in found], context=context)
        supports = [Support(NOTHING_TO_READ, None)] * len(claims)
        for n, one in zip(found, judged, strict=True):
            supports[n] = Support(one.probability, read[n].nearest, one.unsupported, contradicted=one.contradicted)
        return supports

    async def consistency(
        self, answer: str, claims: Sequence[Claim], supports: Sequence[Support], documents: Sequence[str]
    ) -> float:
        """Probability that the whole answer is consistent with the documents."""
        same = len(claims) == 1 and claims[0].text.strip() == answer.strip()
        if supports and (same or self._answer == "claims"):
            return min(one.probability for one in supports)
        few = await self._few(claims, documents)
        words = min(ANSWER_WORDS, sum(premise_words(claim.text, nearly_there=few is not None) for claim in claims))
        [read] = await self._read([Claim(answer)], documents, words, few)
        if not read.premise.strip():
            return NOTHING_TO_READ
        [one] = await self._judge.judge([(read.premise, answer)], context=[*documents, answer])
        return one.probability

    async def _few(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[set[int]] | None:
        """The sentences that need to be searched for these claims, where not all do."""
        if self._reads == "documents":
            return None
        return await off_loop(lambda: nearly_there([claim.text for claim in claims], documents, self._idf))

    async def _read(
        self,
        claims: Sequence[Claim],
        documents: Sequence[str],
        words: int | None = None,
        only: Sequence[Collection[int]] | None = None,
    ) -> list[Beside]:
        if self._reads == "documents":
            return [Beside("\n\n".join(documents))] * len(claims)
        return await select(self._encoder, self._idf, claims, documents, words, only)
