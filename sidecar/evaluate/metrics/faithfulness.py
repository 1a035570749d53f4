"""Faithfulness: how many of the answer's claims do the documents support?"""

from __future__ import annotations

from collections.abc import Sequence

from exporters.result import ClaimResult, Evaluation, Outcome
from sidecar.evaluate.base import Needs
from sidecar.evaluate.case import Case
from sidecar.record.errors import Unscorable


def faithfulness(supported: Sequence[bool]) -> float:
    """Supported claims / claims, 0..1, as in Ragas (Es et al. 2024, arXiv:2309.15217). 2 of 3 is 0.67."""
    return sum(supported) / len(supported)


class Faithfulness:
    """Claims are the sentences of the answer that state something; each is checked against evidence selected for it."""

    name = "faithfulness"
    needs = (Needs.ANSWER, Needs.CONTEXT)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: language, no_claims."""
        grounder = case.models.grounder
        case.require_language(grounder.languages, case.answer, *case.texts)
        if not case.claims:
            raise Unscorable("no_claims")
        supports = await case.support()
        claims = tuple(
            ClaimResult(
                claim.text, support.probability, support.probability >= grounder.threshold, case.place(support.evidence)
            )
            for claim, support in zip(case.claims, supports, strict=True)
        )
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=faithfulness([claim.supported for claim in claims]),
            model=grounder.identity,
            threshold=grounder.threshold,
            claims=claims,
        )
