"""Which of two deeds comes first, what is so in a phase and after it, things in classes, and what is left out."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.before import told_first
from sidecar.inference.contrasts.classes import classed_otherwise, classes_of
from sidecar.inference.contrasts.excepted import of_all, of_no_menu, of_some, of_those_only, taken_in
from sidecar.inference.contrasts.phases import of_another_phase, phases_of
from sidecar.inference.contrasts.reading import read
from sidecar.inference.embedding.text import content_stem, sentences

BEANS = "Soak the beans overnight. Add the salt only after the beans have turned soft. Finish with olive oil."
CAKE = "Whisk the eggs with the sugar until pale, then fold in the flour. Bake it and let it cool in the tin before slicing."
PUMP = "Switch the pump off before opening the housing. Do not start the pump until the lid has been closed."
EFFECTS = "Common side effects are headache and dizziness; rare ones (fewer than 1 in 1,000) include liver problems."
GRADES = "Very common side effects are nausea and tiredness. Common side effects are rash and itching."
LEAVE = (
    "Leave during the probation period needs the approval of the department head; afterwards the team lead approves it."
)
TEST = "Do not eat or drink anything except water for 12 hours before the test. It is open daily except Mondays."
RESET = "To reset your password, open Settings, choose Security and click Reset."


def weight(_: str) -> float:
    return 3.0


@pytest.mark.parametrize(
    ("claim", "text", "right"),
    [
        ("Salt the beans before they have softened.", BEANS, False),
        ("Don't salt the beans before they are soft.", BEANS, True),
        ("Salt them once the beans have turned soft.", BEANS, True),
        ("No, add the salt after the beans have turned soft.", BEANS, True),
        ("Add the salt and finish with oil.", BEANS, None),
        ("Fold in the flour before whisking the eggs with the sugar.", CAKE, False),
        ("Fold in the flour after whisking the eggs with the sugar.", CAKE, True),
        ("Slice it, then let it cool in the tin.", CAKE, False),
        ("Let it cool in the tin before you slice it.", CAKE, True),
        ("If you slice it before it has cooled, it breaks.", CAKE, None),  # of a case
        ("Open the housing before switching the pump off.", PUMP, False),
        ("Start the pump before you close the lid.", PUMP, False),
        ("Close the lid before starting the pump.", PUMP, True),
        ("The pump starts before 16:00.", PUMP, None),  # no deed
    ],
)
def test_the_order_of_two_deeds_is_that_of_the_text_or_the_other_way_round(
    claim: str, text: str, right: bool | None
) -> None:
    pieces = [read(text[span.start : span.end], content_stem) for span in sentences(text)]
    found = told_first(read(claim, content_stem), read("", content_stem), pieces, weight)
    assert (found and found.right) is right


def test_a_deed_that_was_asked_for_need_not_be_said_again() -> None:
    pieces = [read(BEANS, content_stem)]
    asked = read("When does the salt go in?", content_stem)
    found = told_first(read("Before the beans have turned soft.", content_stem), asked, pieces, weight)
    assert found is not None
    assert not found.right


@pytest.mark.parametrize(
    ("claim", "text", "things"),
    [
        (
            "Liver problems are a common side effect.",
            EFFECTS,
            "rare ones (fewer than 1 in 1,000) include liver problems",
        ),
        ("Dizziness is rare.", EFFECTS, "Common side effects are headache and dizziness"),
        ("Headache is a common side effect.", EFFECTS, None),
        ("Headache is not a rare side effect.", EFFECTS, None),
        ("Rash is a very common side effect.", GRADES, "Common side effects are rash and itching"),
        ("Rash is a common side effect.", GRADES, None),
        ("Fever is a common side effect.", EFFECTS, None),
    ],
)
def test_a_thing_is_of_the_class_that_the_text_puts_it_into(claim: str, text: str, things: str | None) -> None:
    found = classed_otherwise(read(claim, content_stem), classes_of(text, content_stem))
    assert (found and text[found.start : found.end]) == things


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("After probation, the department head approves leave.", True),
        ("During probation the team lead approves leave.", True),
        ("Once the probation period is over, the department head has to approve it.", True),
        ("After probation, the team lead approves leave.", False),
        ("During probation the department head approves leave.", False),
        ("During probation the team lead does not approve leave.", False),
        ("The team lead approves leave.", False),
    ],
)
def test_what_is_so_during_a_phase_is_not_so_after_it(claim: str, *, wrong: bool) -> None:
    found = of_another_phase(claim, phases_of(LEAVE, content_stem), content_stem)
    assert (found is not None) is wrong
    assert found is None or LEAVE[found.start : found.end] == LEAVE.rstrip(".")


@pytest.mark.parametrize(
    ("claim", "own", "there"),
    [
        ("You shouldn't drink anything, not even water.", "not even water", "except water"),
        ("It is open every day, including Mondays.", "including Mondays", "except Mondays"),
        ("It is open daily, even on public holidays.", "", ""),
        ("You may drink nothing except water.", "", ""),
        ("Parking is free, including Mondays.", "", ""),  # what is said of Mondays is of something else
    ],
)
def test_what_is_left_out_is_not_taken_in(claim: str, own: str, there: str) -> None:
    found = taken_in(claim, ["Welcome.", TEST], content_stem)
    assert (claim[found.start : found.end] if found else "") == own
    assert (TEST[found.other_start : found.other_end] if found else "") == there


@pytest.mark.parametrize(
    ("claim", "own"),
    [
        ("Go to Settings > Account > Reset; you'll get a link.", "Account"),
        ("Go to Settings > Security > Reset.", ""),
        ("Open Settings → Security → Reset to begin.", ""),
        ("File > Export", ""),  # nothing is known of either
    ],
)
def test_a_menu_that_no_document_names_is_found(claim: str, own: str) -> None:
    found = of_no_menu(claim, ["Welcome.", RESET])
    assert (claim[found.start : found.end].strip() if found else "") == own


def test_what_is_said_of_all_is_not_so_of_one_only() -> None:
    pieces = [read("Both plans can be cancelled monthly.", content_stem)]
    assert of_all(read("Only Growth can be cancelled monthly.", content_stem), pieces, weight)
    assert of_all(read("Only Growth has an audit log.", content_stem), pieces, weight) is None
    assert of_all(read("Growth can be cancelled monthly.", content_stem), pieces, weight) is None
    denied = [read("Not all plans can be cancelled monthly.", content_stem)]
    assert of_all(read("Only Growth can be cancelled monthly.", content_stem), denied, weight) is None


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("Yes, all dogs travel free.", True),
        ("Every dog travels free.", True),
        ("All dogs travel with a ticket.", False),  # of which nothing is said
        ("Small dogs travel free.", False),
    ],
)
def test_what_is_said_of_some_is_not_so_of_all(claim: str, *, wrong: bool) -> None:
    texts = ("Small dogs travel free on all trains.", "Larger dogs need a half-price ticket.")
    pieces = [read(text, content_stem) for text in texts]
    assert (of_some(read(claim, content_stem), pieces, weight) is not None) is wrong
    assert of_some(read("All dogs travel free.", content_stem), pieces[:1], weight) is None  # no others are told of


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("Dogs on a lead may enter the dining car.", True),
        ("Assistance dogs may enter the dining car.", False),
        ("Other dogs are not admitted to the dining car.", False),
        ("You can get drinks in the dining car.", False),
        ("Standard members can use the sauna.", True),
        ("Complete members can use the sauna.", False),
        ("Junior members can use the pool.", False),
        ("Silver members can use the sauna.", False),  # another sentence says it of them
        ("You need to be a student to get the discount.", False),
        ("With a receipt you can get a refund.", False),
        ("Tenants need the owner's consent in writing.", False),
    ],
)
def test_what_is_so_of_some_only_is_not_so_of_others_of_their_kind(claim: str, *, wrong: bool) -> None:
    texts = (
        "In the dining car only assistance dogs are admitted.",
        "The sauna is open only to Complete members.",
        "On Mondays the sauna is open to Silver members.",
        "The discount is only available to students.",
        "Refunds are only given if you show a receipt.",
        "Tenants may apply only with the owner's written consent.",
    )
    found = of_those_only(read(claim, content_stem), [read(text, content_stem) for text in texts], weight)
    assert (found is not None) is wrong
