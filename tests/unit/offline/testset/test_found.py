"""The search over windows."""

from __future__ import annotations

from sidecar.offline.testset.found import Search, _said, alike, overlap

TEXTS = [
    "Backups are kept for 14 days.",
    "A day ticket to the museum costs 14 euros.",
    "备份保存十四天，存放在鹿特丹。",
    "The museum is closed on Mondays.",
]


def test_the_text_that_says_most_of_what_is_asked_comes_first() -> None:
    search = Search(TEXTS)
    assert search.best("What does a museum ticket cost?", 2) == [1, 3]
    assert search.best("How long are backups kept?", 3) == [0]
    assert search.best("备份保存几天？", 3) == [2]


def test_what_shares_no_word_is_not_found() -> None:
    assert Search(TEXTS).best("Who won the chess tournament?", 5) == []
    assert Search([]).best("anything", 5) == []


def test_texts_may_be_left_out() -> None:
    assert Search(TEXTS).best("museum", 5, but=frozenset({1})) == [3]


def test_overlap_is_by_words_and_by_pairs_of_characters() -> None:
    assert overlap("How long are backups kept?", "How long is a backup kept?") == 1.0
    assert overlap("backups", "museum") == 0.0
    assert overlap("", "") == 1.0
    assert 0.3 < overlap("备份保存十四天", "备份保存十天") < 0.8


def test_each_question_is_read_once_however_many_it_is_held_against() -> None:
    questions = [f"What does ticket {n} to the museum cost?" for n in range(60)]
    _said.cache_clear()
    assert not any(alike(one, other) for one in questions for other in questions if one != other)
    assert _said.cache_info().misses == len(questions)
    assert alike("How long is the warranty?", "how long is the warranty")
