"""Values of a list's lines, each behind its label, beside claims that name another one."""

from __future__ import annotations

import pytest

from sidecar.inference.embedding.text import sentences
from sidecar.inference.grounding.placed import labelled_as
from sidecar.inference.values.labelled import labelled
from sidecar.inference.values.match import match
from sidecar.inference.values.stated import stated
from sidecar.inference.values.stems import stem_beside_values as stem

INVOICE = "Date: 4 March 2025\nDue: 3 April 2025\nSubtotal: $226.00\nVAT: $45.20\nShipping: $8.80\nTotal due: $280.00"
FLAT = "Rent: €1,150 per month\nDeposit: €2,300\nService charge: €180 per month\nNotice period: 3 months\nMinimum term: 12 months"
FAN = "Height: 102 cm\nWidth: 31 cm\nDepth: 28 cm\nWeight: 4.2 kg\nShipping weight: 5.6 kg\nHours: 37.5 per week\nRemote work: 3 days per week"
LOAN = "Total interest: £1,629.12\nTotal repayable: £13,629.12\nFirst instalment: 1 March 2025\nLast instalment: 1 February 2029"
STAY = "Room total: €630\nCity tax: €4.20 per night\nDeposit: €200"
ORDER = "Ordered: 2 May 2025\nShipped: 5 May 2025\nExpected delivery: 9 May 2025\nDelivery: $39\nInstallation: $59"
PAGE = "`limit` (integer, default 50, maximum 200): number of orders per page."


def wrong(text: str, claim: str, about: frozenset[str] = frozenset()) -> list[str]:
    """The values of a claim that certainly stand elsewhere."""
    spans = sentences(text)
    lines = [text[span.start : span.end] for span in spans]
    labels = labelled([lines], stem)
    pieces = [labelled_as(stated(line, stem), labels.get((0, n))) for n, line in enumerate(lines)]
    found = match(stated(claim, stem), pieces, lambda _: 5.0, about=about)
    return [claim[one.value.start : one.value.end] for one in found if one.certain]


@pytest.mark.parametrize(
    ("text", "claim", "expected"),
    [
        (INVOICE, "You owe $226.00 in total, due by 3 April 2025.", ["$226.00"]),
        (INVOICE, "You owe $280.00, due by 4 March 2025.", ["4 March 2025"]),
        (INVOICE, "You owe $280.00 in total, due by 3 April 2025.", []),
        (INVOICE, "VAT is $8.80 and shipping $45.20.", ["$8.80", "$45.20"]),
        (INVOICE, "VAT is $45.20 and shipping $8.80.", []),
        (FLAT, "The rent is €180 a month plus a service charge of €1,150.", ["€180", "€1,150"]),
        (FLAT, "The rent is €1,150 a month plus a service charge of €180.", []),
        (FAN, "It is 102 cm high, 28 cm wide and 31 cm deep.", ["28 cm", "31 cm"]),
        (FAN, "It is 102 cm high, 31 cm wide and 28 cm deep.", []),
        (FAN, "It weighs 5.6 kg.", ["5.6 kg"]),
        (FAN, "Its shipping weight is 5.6 kg.", []),
        (FAN, "You work 37.5 hours a week.", []),
        (LOAN, "The interest comes to £13,629.12.", ["£13,629.12"]),
        (LOAN, "The interest comes to £1,629.12.", []),
        (LOAN, "In total you repay £13,629.12.", []),
        (LOAN, "Your first instalment is due on 1 February 2029.", ["1 February 2029"]),
        (LOAN, "Your last instalment is due on 1 February 2029.", []),
        (STAY, "The room comes to €630, city tax not counted.", []),
        (STAY, "City tax is €630.", ["€630"]),
        (ORDER, "Delivery is $59 extra.", ["$59"]),
        (ORDER, "Delivery is $39 extra.", []),
        (ORDER, "Having it installed costs $39.", ["$39"]),
    ],
)
def test_a_value_behind_another_label_is_certainly_wrong(text: str, claim: str, expected: list[str]) -> None:
    assert wrong(text, claim) == expected


def test_a_pronoun_that_tells_another_day_is_not_held_to_the_line_that_was_asked_for() -> None:
    asked = frozenset({"order", "shipp"})
    assert wrong(ORDER, "It should reach you on 9 May 2025.", asked) == []
    assert wrong(ORDER, "It was on 2 May 2025.", frozenset({"shipp"})) == ["2 May 2025"]


def test_a_bound_and_a_plain_value_that_have_changed_places() -> None:
    [piece] = [stated(PAGE, stem)]
    claim = "A page holds 200 orders by default and 50 at most."
    told = match(stated(claim, stem), [piece], lambda _: 5.0)
    assert [one.outcome.value for one in told] == ["disagrees", "disagrees"]
    right = match(stated("A page holds 50 orders by default and 200 at most.", stem), [piece], lambda _: 5.0)
    assert [one.outcome.value for one in right] == ["agrees", "agrees"]
