"""What a claim says under one label of a record, and stands under another."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.records import exchanged, fields_of
from sidecar.inference.embedding.text import content_stem

TICKET = """Ticket: SUP-2291
Opened by: Mira Lund
Assigned to: Tomas Beck
Escalated to: Priya Nair
Severity: 2
**Customer:** Larkfield Dental
- Supplier: Norse Ltd
Note: it was closed and opened again, see below."""


def test_the_lines_of_a_record_are_read() -> None:
    fields = fields_of(TICKET, content_stem)
    assert [(one.label, one.leads, one.value) for one in fields] == [
        (("ticket",), "", "SUP-2291"),
        (("open",), "by", "Mira Lund"),
        (("assign",), "to", "Tomas Beck"),
        (("escalat",), "to", "Priya Nair"),
        (("customer",), "", "Larkfield Dental"),
        (("supplier",), "", "Norse Ltd"),
    ]
    assert all(TICKET[one.start : one.end] == one.value for one in fields)


@pytest.mark.parametrize(
    ("claim", "own", "other"),
    [
        ("It was assigned to Priya Nair.", "Priya Nair", "Tomas Beck"),
        ("Tomas Beck opened it.", "Tomas Beck", "Mira Lund"),
        ("It was opened by Priya Nair.", "Priya Nair", "Mira Lund"),
        ("The customer is Norse Ltd.", "Norse Ltd", "Larkfield Dental"),
        ("Larkfield Dental is the supplier.", "Larkfield Dental", "Norse Ltd"),
        ("It was escalated to Priya Nair.", "", ""),
        ("The ticket opened by Mira Lund is with Tomas Beck.", "", ""),
        ("Tomas Beck took the ticket that had been opened in May.", "", ""),
        ("Tomas Beck was assigned the ticket.", "", ""),
        ("Tomas Beck escalated it to Priya Nair.", "", ""),
        ("Tomas Beck escalated it.", "", ""),  # who it was escalated to is said, not who did it
        ("It was not assigned to Priya Nair.", "", ""),
        ("It was first assigned to Priya Nair, then to Tomas Beck.", "", ""),
        ("Norse Ltd supplies the customer.", "", ""),
    ],
)
def test_what_stands_under_another_label_is_found(claim: str, own: str, other: str) -> None:
    found = exchanged(claim, [(), fields_of(TICKET, content_stem)], content_stem)
    assert (
        (own, other) == ("", "")
        if found is None
        else (claim[found.start : found.end], found.other.value, found.text) == (own, other, 1)
    )


def test_names_with_a_word_in_common_are_told_apart() -> None:
    fields = fields_of("Tenant: Jonas Weber\nGuarantor: Emil Weber", content_stem)
    found = exchanged("Emil Weber is the tenant.", [fields], content_stem)
    assert found is not None
    assert found.other.value == "Jonas Weber"
    assert exchanged("The guarantor of the tenant is Emil Weber.", [fields], content_stem) is None
