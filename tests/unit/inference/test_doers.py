"""Who has done what, and for which reason something is so, where the texts say it of others."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.causes import of_another_reason
from sidecar.inference.contrasts.doers import done_by_another

COMMITTEE = (
    "The safety committee meets every second Tuesday. It is chaired by Marta Olsen, with Dev Patel as deputy. Minutes are taken by the secretary, Lin Zhao, "
    "and sent to the board within five days.",
)
COURIERS = (
    "Standard parcels within the mainland are carried by DPD. Deliveries to Orkney and Shetland go with Royal Mail and take longer.",
)
FLAT = ("The landlord pays for repairs to the roof and the heating. The tenant clears the snow and cleans the stairs.",)
REPORTS = (
    "Incident report, 12 June: file uploads failed in the EU region. The cause was an expired certificate on the storage gateway.",
    "Incident report, 3 May: sign-in to the console was slow. The cause was an overloaded session database.",
)
WHY = "Why did uploads fail in the EU region?"


def weight(_: str) -> float:
    return 5.0


@pytest.mark.parametrize(
    ("claim", "texts", "there"),
    [
        ("Lin Zhao chairs the committee.", COMMITTEE, "It is chaired by Marta Olsen"),
        ("Lin Zhao chairs the committee and sends minutes to the board.", COMMITTEE, "It is chaired by Marta Olsen"),
        ("Marta Olsen chairs the committee.", COMMITTEE, ""),
        ("The committee is chaired by Lin Zhao.", COMMITTEE, "It is chaired by Marta Olsen"),
        ("DPD delivers to Orkney and Shetland.", COURIERS, "Deliveries to Orkney"),
        ("Royal Mail delivers to Orkney and Shetland.", COURIERS, ""),
        ("The tenant pays for repairs to the roof.", FLAT, "The landlord pays"),
        ("The landlord pays for repairs to the roof.", FLAT, ""),
        ("The tenant does not pay for repairs to the roof.", FLAT, ""),
        ("Both the landlord and the tenant pay for repairs to the roof.", FLAT, ""),
        ("The tenant pays 80 euros for repairs to the roof.", FLAT, ""),  # figures are compared as values
        ("Ada Bell chairs the committee.", COMMITTEE, ""),  # whom no text names
    ],
)
def test_what_a_sentence_says_of_another_one_is_that_ones(claim: str, texts: tuple[str, ...], there: str) -> None:
    found = done_by_another([claim], texts, weight)
    told = [texts[one.document][one.start : one.end] for one in found.values()]
    assert bool(told) == bool(there)
    assert all(one.startswith(there) for one in told)


@pytest.mark.parametrize(
    ("claim", "question", "texts", "found"),
    [
        ("Uploads failed in the EU region because the session database was overloaded.", "", REPORTS, True),
        ("Because the session database was overloaded, uploads failed in the EU region.", "", REPORTS, True),
        ("The session database was overloaded.", WHY, REPORTS, True),
        ("Uploads failed in the EU region because a certificate on the gateway had expired.", "", REPORTS, False),
        ("A certificate on the storage gateway had expired.", WHY, REPORTS, False),
        ("Sign-in was slow because the session database was overloaded.", "", REPORTS, False),
        ("It was not because the session database was overloaded.", WHY, REPORTS, False),
        ("The session database was overloaded.", "What happened?", REPORTS, False),
        ("The session database was overloaded.", WHY, REPORTS[:1], False),
    ],
)
def test_a_reason_of_something_else_is_none(claim: str, question: str, texts: tuple[str, ...], found: bool) -> None:
    told = of_another_reason([claim], question, texts, weight)
    assert bool(told) is found
    assert all(one.document == 1 for one in told.values())
