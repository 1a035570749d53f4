"""The embedded grounding model: do the documents say this?

Word overlap, token alignment, values and names (features.py) say how likely a claim is by its words alone, the best over each
document's own evidence and over evidence of all documents together, so that neither one chunk's evidence is diluted nor evidence
spread over two chunks lost. A cross-encoder reads the claim beside that evidence. Claim and answer are judged by small calibrated
models over these: few features, since with all of them the cross-encoder was not heard where words agree and facts do not. What can
be compared exactly is: where the claim states values, what became of them in the evidence is weighed by a model of its own, and last what the
claim says to the contrary of the evidence (contrary.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from exporters.result import Evidence, ModelIdentity, ValueConflict
from sidecar.inference.base import Claim, Grounder, Support
from sidecar.inference.calibrated import FloatVector, Logistic, logit, probability
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import Encoded, EncodedDocument, MiniLM
from sidecar.inference.entry import Built, Dependencies, Entry
from sidecar.inference.grounding.answered import as_told
from sidecar.inference.grounding.asked import (
    ASKED_FEATURES,
    YES_OR_NO_FEATURES,
    answers_alone,
    asked_row,
    behind_question,
    beside_question,
    in_doubt,
    in_the_answer,
    with_question,
    yes_or_no,
    yes_or_no_row,
)
from sidecar.inference.grounding.claims import answer_row, encode_claims, least_of
from sidecar.inference.grounding.contradiction import CONTRARY, NOTHING_CONTRARY, Contrary
from sidecar.inference.grounding.contrary import Contraries
from sidecar.inference.grounding.copied import Copied, but_one_copied, copied_in, mean_of_cells, turned
from sidecar.inference.grounding.detector import Detector
from sidecar.inference.grounding.evidence import Ranked, choices, choose, nearly_there, premise, premise_words, rank
from sidecar.inference.grounding.features import FEATURES, features
from sidecar.inference.grounding.inverted import better, both_ways
from sidecar.inference.grounding.said import MOST_SENTENCES, Values
from sidecar.inference.grounding.values_said import NOTHING, VALUE_FEATURES, Said
from sidecar.inference.grounding.worded import all_worded, as_asked, worded
from sidecar.inference.onnx import size_of
from sidecar.inference.pairs import CONTRADICTED, CROSS_ENCODER, SUPPORT, PairModel
from sidecar.inference.threads import alongside, off_loop

CLAIM_FEATURES = ("lexical", "cross_encoder")
ANSWER_FEATURES = ("support",)
NOTHING_TO_READ, WORD_FOR_WORD = 0.001, 0.999
_TURNED = 0.05  # a step in the wrong place, said word for word
_MOST_WORDS, _ALL_WORDS = 0.75, 0.95  # by the lexical model
_QUITE_CLEAR = 0.9


class EmbeddedConfig(BaseModel):
    """Settings of the embedded grounding model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    detector: Detector | None = Field(
        default=None, description="Error rates of its verdict, as `rag-sidecar calibrate` prints them."
    )


@dataclass(frozen=True, slots=True)
class Heads:
    """The calibrated models: of a claim by its words alone, of that with the cross-encoder's logit, of that with what became of the
    claim's values; of a claim in a few words beside its question, and of a plain yes or no; and of a whole answer."""

    lexical: Logistic
    claim: Logistic
    values: Logistic
    asked: Logistic
    yes_or_no: Logistic
    answer: Logistic
    claim_threshold: float
    answer_threshold: float

    def of_claim(self, rows: FloatVector, cross_encoder: float, said: Said, contrary: Contrary) -> float:
        """The probability of a claim, of its features (choices, len(FEATURES)), the cross-encoder's logit, its values, and its contrary."""
        by_words = self.by_words(float(self.lexical.probability(rows).max()), cross_encoder, said)
        stated = float(self.values.probability(said.row(logit(by_words)))[0]) if said.any else by_words
        return contrary.weighed(max(stated, said.inferred))

    def by_words(self, lexical: float, cross_encoder: float, said: Said) -> float:
        """The probability of a claim by its words and the cross-encoder's logit. Of labelled claims whose words all stand in the evidence hardly any are
        wrong, so that a fit lets words outvote the cross-encoder there; what it says against such a claim counts in full, but where values follow."""
        fitted = float(self.claim.probability(claim_row(lexical, cross_encoder))[0])
        in_full = (min(lexical, _ALL_WORDS) - _MOST_WORDS) / (_ALL_WORDS - _MOST_WORDS)
        counts = in_full > 0 and cross_encoder < 0 and not said.follows
        return probability(logit(fitted) + in_full * cross_encoder) if counts else fitted

    def of_short(self, claim: Claim, alone: float, with_question: float) -> float:
        """The probability of a claim in a few words, of what was found of it alone and the cross-encoder's logit of it with its question."""
        if yes_or_no(claim):
            return float(self.yes_or_no.probability(yes_or_no_row(claim, with_question))[0])
        return float(self.asked.probability(asked_row(alone, with_question))[0])


@dataclass(frozen=True, slots=True)
class Read:
    """A claim with its evidence: features (choices, len(FEATURES)), what the cross-encoder reads, its evidence and the claim, the nearest sentence, what became of
    the claim's values, what it says to the contrary, whether a sentence says it word for word, and the sentences chosen for it, as
    (document, sentence)."""

    rows: FloatVector
    premise: str
    claim: str
    nearest: Evidence | None
    said: Said
    contrary: Contrary = NOTHING_CONTRARY
    copied: bool = False
    places: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of_copied(cls, claim: Claim, one: Copied, *, turned: bool) -> Read:
        """A claim of which no more needs to be read; `turned` where it is a step in the wrong place."""
        contrary = Contrary(1.0, (ValueConflict(0, len(claim.text), one.evidence),)) if turned else NOTHING_CONTRARY
        places = ((one.document, one.sentence),)
        return cls(np.zeros((0, len(FEATURES))), "", claim.text, one.evidence, NOTHING, contrary, True, places)


@dataclass(frozen=True, slots=True)
class Judged:
    """The probability that a claim is said, the cross-encoder's logit of it, and the probability that the contrary is said rather than
    nothing, where the cross-encoder read it."""

    probability: float
    logit: float
    contradicted: float | None = None


NOTHING_FOUND = Judged(NOTHING_TO_READ, logit(NOTHING_TO_READ))
COPIED = Judged(WORD_FOR_WORD, logit(WORD_FOR_WORD))
TURNED = Judged(_TURNED, logit(_TURNED), contradicted=WORD_FOR_WORD)


class EmbeddedGrounder:
    """inference.base.Grounder."""

    languages = frozenset({"en"})

    def __init__(
        self, encoder: MiniLM, idf: Idf, cross_encoder: PairModel, *, heads: Heads, identity: ModelIdentity
    ) -> None:
        self.identity = identity
        self.threshold = heads.claim_threshold
        self.answer_threshold = heads.answer_threshold
        self._heads = heads
        self._encoder = encoder
        self._idf = idf
        self._cross_encoder = cross_encoder
        self._values = Values(idf)
        self._contraries = Contraries(idf)

    async def support(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        """One Support a claim, in order."""
        asked, claims = claims, all_worded(claims, documents)
        short = [n for n, claim in enumerate(claims) if claim.short and claim.question]
        other_way = both_ways(claims, without=short)
        every = [*claims, *(with_question(claims[n]) for n in short), *other_way.values()]
        read = await self.read(every, documents, await copied_in(every, documents))
        judged = await self._judge(read)
        supports = [
            Support(
                one.probability,
                reading.nearest,
                conflicts=reading.contrary.conflicts,
                contradicted=one.contradicted,
                contrary=reading.contrary.clear,
            )
            for one, reading in zip(judged, read, strict=True)
        ]
        for n, place in zip(short, range(len(claims), len(claims) + len(short)), strict=True):
            p = self._heads.of_short(claims[n], supports[n].probability, judged[place].logit)
            # The other values of a text conflict with any fragment; the same figures in another unit are its own contrary, and so are a case that
            # does not fall under its rule and what is quite clear with the question and without.
            clear = min(read[n].contrary.clear, read[place].contrary.clear) >= _QUITE_CLEAR and not yes_or_no(claims[n])
            told = in_the_answer(claims[n], supports[place].conflicts)
            shut = read[place].said.shut or read[n].said.no_case or read[n].contrary.plain
            certain = read[n].said.of_another_unit or shut or (read[place].said.certain and told)
            p = CONTRARY.weighed(p) if clear or certain else max(p, read[n].said.inferred)
            supports[n] = replace(supports[place], probability=p, conflicts=told or supports[n].conflicts)
        if answers_alone(claims) and in_doubt(supports[0]):
            [again] = await self._judge(await self.read([behind_question(claims[0])], documents))
            supports[0] = beside_question(supports[0], again.logit, read[0].said)
        for n, other in zip(other_way, supports[len(claims) + len(short) :], strict=True):
            supports[n] = better(claims[n], supports[n], other, documents)
        return as_asked(await off_loop(lambda: as_told(supports, claims, documents, self._idf.of)), claims, asked)

    async def consistency(
        self, answer: str, claims: Sequence[Claim], supports: Sequence[Support], documents: Sequence[str]
    ) -> float:
        """Probability that the whole answer is consistent with the documents."""
        answer, claims = worded(answer, documents), all_worded(claims, documents)
        least, above = least_of(supports, claims)
        alone = len(claims) == 1 and (claims[0].short or claims[0].text.strip() == answer.strip())
        known = least if alone or await but_one_copied(answer, claims, documents) else mean_of_cells(claims, supports)
        if known is None:
            read = await self.read([Claim(answer, question=claims[0].question if claims else "")], documents)
            if read[0].nearest is None:
                return NOTHING_TO_READ
            contrary = read[0].contrary.at_least(max((one.contrary for one in supports), default=0.0))
            [judged] = await self._judge([replace(read[0], contrary=contrary)])
            known = judged.probability
        return float(self._heads.answer.probability(answer_row(known, known if least is None else least, above))[0])

    async def _judge(self, read: Sequence[Read]) -> list[Judged]:
        """What is found of each claim beside its evidence."""
        found = [n for n, one in enumerate(read) if one.nearest and not one.copied]
        rows = await self._cross_encoder.rows([(read[n].premise, read[n].claim) for n in found])

        def judge() -> list[Judged]:
            certain = [TURNED if one.contrary.clear else COPIED for one in read]
            judged = [known if one.copied else NOTHING_FOUND for one, known in zip(read, certain, strict=True)]
            for n, row in zip(found, rows, strict=True):
                p = self._heads.of_claim(read[n].rows, float(row[SUPPORT.column]), read[n].said, read[n].contrary)
                judged[n] = Judged(p, float(row[SUPPORT.column]), probability(float(row[CONTRADICTED])))
            return judged

        return await off_loop(judge)

    async def read(
        self, claims: Sequence[Claim], documents: Sequence[str], there: Sequence[Copied | None] = ()
    ) -> list[Read]:
        """Evidence and features of each claim. Training reads the same. `there` are the claims that are said word for word, of which nothing is
        read."""
        there = there or [None] * len(claims)
        left = [claim for claim, one in zip(claims, there, strict=True) if one is None]
        steps = turned(claims, there, documents)
        known = [
            Read.of_copied(claim, one, turned=n in steps) if one is not None else None
            for n, (claim, one) in enumerate(zip(claims, there, strict=True))
        ]
        if not left:
            return [one for one in known if one is not None]
        only = await off_loop(lambda: nearly_there([claim.text for claim in left], documents, self._idf))
        reading = encode_claims(self._encoder, left)
        async with alongside(reading) as encoding, self._encoder.documents(documents, only) as encoded:
            encoded_claims = await encoding

            def work() -> list[Read]:
                every = [claim.text for claim in claims]
                parts = zip(left, *encoded_claims, strict=True)
                read = (
                    self._read(claim, own, rank(own, asked, encoded, self._idf), documents, encoded, every)
                    for claim, own, asked in parts
                )
                rows = [next(read) if one is None else one for one in known]
                return (
                    rows if any(claim.short for claim in claims) else self._together(claims, rows, documents, encoded)
                )

            return await off_loop(work)

    def _together(
        self, claims: Sequence[Claim], read: list[Read], texts: Sequence[str], documents: Sequence[EncodedDocument]
    ) -> list[Read]:
        """The claims with what they say to the contrary by how they stand together."""
        places = sorted({place for one in read for place in one.places})[:MOST_SENTENCES]
        found = self._contraries.together(claims, places, texts, documents)
        return [
            replace(one, contrary=one.contrary.and_also(found[n])) if n in found and not one.copied else one
            for n, one in enumerate(read)
        ]

    def _read(
        self,
        claim: Claim,
        own: Encoded,
        ranked: Ranked,
        texts: Sequence[str],
        documents: Sequence[EncodedDocument],
        claims: Sequence[str],
    ) -> Read:
        if ranked.nearest is None:
            return Read(np.zeros((0, len(FEATURES))), "", claim.text, None, NOTHING)
        chosen = choose(ranked, documents, premise_words(claim.text, nearly_there=ranked.nearly_there))
        said = self._values.said(claim.text, ranked, texts, documents, claim.question, claims)
        rows = features(own, choices(ranked, chosen, documents), self._idf, said)
        places = [ranked.places[row] for row in chosen]
        return Read(
            rows,
            premise(ranked, chosen, texts, documents),
            said.as_there or claim.text,
            place(ranked.nearest, documents),
            said,
            self._contrary(claim, said, ranked, places, texts, documents),
            places=tuple(places),
        )

    def _contrary(
        self,
        claim: Claim,
        said: Said,
        ranked: Ranked,
        places: Sequence[tuple[int, int]],
        texts: Sequence[str],
        documents: Sequence[EncodedDocument],
    ) -> Contrary:
        labels = self._values.labels(texts, documents)
        contrary = self._contraries.of(claim.text, said, places, texts, documents, labels, claim.question)
        order = self._values.wrong_order(claim.text, ranked, texts, documents)
        return contrary if order is None else contrary.and_also(Contrary(1.0, (order,)))


def claim_row(lexical: float, cross_encoder: float) -> FloatVector:
    """CLAIM_FEATURES (1, 2) of a probability and a logit."""
    return np.array([[logit(lexical), cross_encoder]], np.float64)


def place(nearest: tuple[int, int] | None, documents: Sequence[EncodedDocument]) -> Evidence | None:
    """The nearest sentence as evidence."""
    if nearest is None:
        return None
    span = documents[nearest[0]].spans[nearest[1]]
    return Evidence(nearest[0], span.start, span.end)


def _build(config: EmbeddedConfig, dependencies: Dependencies) -> Built[Grounder]:
    card, heads = dependencies.card, dependencies.heads
    own = Heads(
        lexical=Logistic.from_card(heads["lexical"], FEATURES),
        claim=Logistic.from_card(heads["claim"], CLAIM_FEATURES),
        values=Logistic.from_card(heads["values"], VALUE_FEATURES),
        asked=Logistic.from_card(heads["asked"], ASKED_FEATURES),
        yes_or_no=Logistic.from_card(heads["yes_or_no"], YES_OR_NO_FEATURES),
        answer=Logistic.from_card(heads["answer"], ANSWER_FEATURES),
        claim_threshold=heads["claim"]["threshold"],
        answer_threshold=heads["answer"]["threshold"],
    )
    lease = dependencies.cross_encoder.lease()
    grounder = EmbeddedGrounder(
        dependencies.encoder, dependencies.idf, lease.model, heads=own, identity=card.identity("heads.json")
    )
    return Built(grounder, (lease,), config.detector)


def _size(_: EmbeddedConfig, dependencies: Dependencies) -> int:
    return size_of(dependencies.directory / "embedded" / CROSS_ENCODER)


ENTRY: Entry[Grounder] = Entry("embedded", EmbeddedConfig, _build, size=_size, auto=lambda _, __: True)
