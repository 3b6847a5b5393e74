"""A query's terms, a text in spans, and scores brought into an order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.search.index import NEWEST, Passage, SearchIndex
from loom.search.matching import CHARS, LINE_CHARS, LINES, SoughtTerms, split_spans
from loom.search.query import SCORED, TermCounts, fts_expression
from loom.search.rank import (
    MISSES,
    NEIGHBOUR,
    adjacent_runs,
    ids_by_score,
    neighbour_scores,
    sum_scores,
    units_by_worth,
    units_that_fit,
)
from loom.search.terms import sought_terms
from tests.kit.cases import all_cases

MANY = 4 * SCORED  # units


def test_a_query_without_terms_has_none() -> None:
    """Nothing is told apart, and nothing asked for."""
    assert TermCounts(9, {}).rare_and_common() == ([], []) and fts_expression([]) == ""
    assert TermCounts(9, {("words", "xyzzy"): 0}).rare_and_common() == ([], [])


def test_few_units_are_all_scored() -> None:
    """Where no more hold the terms than are scored anyway, each of them counts."""
    counted = TermCounts(10, {("words", "error"): 9, ("names", "ord1"): 1})
    assert counted.rare_and_common() == ([("names", "ord1"), ("words", "error")], [])
    rarity = counted.rarity_weights()
    assert rarity["names", "ord1"] > rarity["words", "error"] > 0


def test_common_terms_are_scored_beside_rarer_ones_alone() -> None:
    """And those that nearly every unit holds not at all; without a rarer one the newest units."""
    with SearchIndex.in_memory() as index:
        old = MANY - NEWEST  # their texts are shorter, so they would lead
        texts = (
            "error "
            + "status " * (n % 3 == 0)
            + "kraken " * (n % 2_000 == 0)
            + "wind " * (n >= old)
            for n in range(MANY)
        )
        index.add(((Passage("p", "page", n, 0, 1, 1, 1), t) for n, t in enumerate(texts, 1)), 1, "")
        found = index.scores(index.counted(sought_terms("kraken error status")), 99)
        assert sorted(found) == [1 + 2_000 * n for n in range(MANY // 2_000)]
        assert index.weighed == len(found)
        index.weighed = 0
        found = index.scores(index.counted(sought_terms("error")), 99)
        assert min(found) > old and index.weighed <= NEWEST


def test_of_a_long_line_whole_sentences_are_shown() -> None:
    """Half a sentence may say the opposite of it: what stands before the word that was asked for
    may govern it."""
    other = "Nobody has looked at that part for years, and it shows. " * 6
    rule = "Under no circumstances whatever may anybody restart the billing server by day."
    shown = SoughtTerms(sought_terms("billing server")).shorten_line(
        f"{other}{rule} {other}".strip()
    )
    assert shown.strip("… ") == rule
    assert len(shown) <= LINE_CHARS


LONG = "word " * CHARS
CUTS: list[tuple[str, list[tuple[int, int]]]] = [
    ("", []),
    (" \n\n", []),
    ("one", [(1, 1)]),
    ("one\ntwo\n", [(1, 2)]),
    ("x\n" * LINES, [(1, LINES)]),
    ("x\n" * (LINES + 1), [(1, LINES), (LINES + 1, LINES + 1)]),
    ("\n" * LINES + "x", [(LINES + 1, LINES + 1)]),
    ("x" * CHARS, [(1, 1)]),
    ("a\n" + "x" * CHARS, [(1, 1), (2, 2)]),
    ("x" * (CHARS + 1), [(1, 1), (1, 1)]),
]


@all_cases(("text", "lines"), CUTS)
def test_slices(text: str, lines: list[tuple[int, int]]) -> None:
    """Slices end with lines, at so many lines or characters; blank ones are left out."""
    assert [(part.first, part.last) for part in split_spans(text)] == lines


def test_a_long_line_is_cut_between_words() -> None:
    """Every word of a line longer than a slice is whole in one of them."""
    parts = [LONG[part.start : part.end] for part in split_spans(LONG)]
    assert "".join(parts) == LONG and len(parts) > 4
    assert {word for part in parts for word in part.split()} == {"word"}


TEXTS = st.lists(
    st.tuples(st.sampled_from(["a", "word ", "\n", " ", "é\n", "x" * 90]), st.integers(0, 300))
)


@given(TEXTS)
def test_slices_are_the_text(shape: list[tuple[str, int]]) -> None:
    """Slices lie in order, leave out blanks only, and know their lines."""
    text = "".join(piece * times for piece, times in shape)
    at = 0
    for part in split_spans(text):
        assert not text[at : part.start].strip()
        assert 0 < part.end - part.start <= CHARS
        held = text[part.start : part.end]
        assert part.first == text.count("\n", 0, part.start) + 1
        assert part.last == part.first + held.removesuffix("\n").count("\n")
        assert part.last - part.first < LINES
        at = part.end
    assert not text[at:].strip()


def unit(id: int, entry: int = 1, start: int = 0, end: int = 10, name: str = "p") -> Passage:
    """A unit with that id."""
    return Passage(name, "page", entry, start, end, 1, 1, id)


SUMS: list[tuple[dict[int, float], dict[int, float], dict[int, float]]] = [
    ({}, {}, {}),
    ({1: 5.0}, {}, {1: 5.0}),
    ({}, {1: 0.2}, {1: 1.0}),
    ({1: 4.0, 2: 1.0}, {1: 0.5, 2: -0.5, 3: 0.0}, {1: 2.0, 2: 0.25, 3: 0.5}),
]


@all_cases(("lexical", "semantic", "both"), SUMS)
def test_summed(
    lexical: dict[int, float], semantic: dict[int, float], both: dict[int, float]
) -> None:
    """Both scores count alike, whatever their scales; without vectors bm25 stays as it is."""
    assert sum_scores(lexical, semantic) == both


def test_newest_first() -> None:
    """By score; of equal ones the newest."""
    assert ids_by_score({}) == []
    assert ids_by_score({1: 1.0, 2: 2.0, 3: 1.0 + 1e-9}) == [2, 3, 1]


def test_a_neighbour_has_a_share() -> None:
    """What stands beside a hit scores too, by the best of the entries beside it; itself not."""
    units = [unit(1, 4), unit(2, 5), unit(3, 5), unit(4, 6), unit(5, 9)]
    found = neighbour_scores({2: 4.0, 3: 2.0, 4: 1.0}, units)
    share = NEIGHBOUR * 4.0
    assert found == {1: share, 2: 4 + NEIGHBOUR, 3: 2 + NEIGHBOUR, 4: 1 + share, 5: 0.0}


def test_worth_is_score_for_room() -> None:
    """Of two equal scores the shorter first; a better one outweighs some length; none is out."""
    units = [unit(1, end=2_000), unit(2, end=100), unit(3, end=2_000), unit(4)]
    order = units_by_worth({1: 1.0, 2: 1.0, 3: 9.0, 4: 0.0}, units)
    assert [one.id for one in order] == [3, 2, 1]


def test_packed_passes_over_what_does_not_fit() -> None:
    """Units are taken in order while they fit, and the search ends after so many misses."""
    asked: list[int] = []

    def cost(one: Passage) -> int:
        asked.append(one.id)
        return one.end

    assert units_that_fit([], cost, 100) == []
    sizes = [60, 50, 30, 20, 10, 1]
    taken = units_that_fit([unit(at, end=size) for at, size in enumerate(sizes)], cost, 100)
    assert [one.end for one in taken] == [60, 30, 10]
    asked.clear()
    assert units_that_fit([unit(at, end=101) for at in range(999)], cost, 100) == []
    assert len(asked) == MISSES + 1


def test_runs() -> None:
    """Slices that follow on each other stand together, where the best of them would."""
    a, b, c = unit(1, start=0, end=5), unit(2, start=5, end=9), unit(3, start=12, end=15)
    other = unit(4, name="q", start=9, end=12)
    assert adjacent_runs([]) == []
    assert adjacent_runs([c, b, other, a]) == [[c], [a, b], [other]]
