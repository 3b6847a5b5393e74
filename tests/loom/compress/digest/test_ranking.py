"""In which order what the user said is kept, where not all of it fits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.compress.digest.ranking import BINDS, TALK, TASK, held, ordered, ranks, shorter, way
from loom_partitions.message import Fact


def facts(*told: tuple[str, str], each: int = 1) -> list[Fact]:
    """Facts of messages, so many of each."""
    return [
        Fact(kind, text, about="1", at=1 + number // each)
        for number, (kind, text) in enumerate(told)
    ]


def test_nothing_has_no_order() -> None:
    """Of nothing nothing is kept."""
    assert ranks([]) == ordered([]) == held([], 3, 1) == []


def test_what_binds_goes_before_what_chats() -> None:
    """The task first, then rules from the newest on, then the rest, small talk last."""
    said = facts(
        ("user", "Please mend the parser."), ("user", "Thanks!"), ("rule", "Never push."),
        ("question", "How is it going?"), ("user", "Go on."), ("rule", "Only use tabs."),
        ("user", "Write it in C."), ("user", "The parser is slow."),
    )  # fmt: skip
    in_order = [said[at].text for _, at in ordered(said)]
    assert in_order[:3] == ["Please mend the parser.", "Only use tabs.", "Never push."]
    assert in_order[3:6] == ["Write it in C.", "The parser is slow.", "How is it going?"]
    assert ranks(said)[0] == TASK
    assert ranks(said)[1] == ranks(said)[4] == TALK


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Only use port 8080 for the proxy.", "The proxy must use port 9090 now."),
        ("The mirror of the feed must be kestrel-12.", "From now on keep kestrel-40 as the mirror"
         " of the feed."),
        ("Behalte 4 Worker für den Import.", "Für den Import ab sofort immer 8 Worker."),
    ],
)  # fmt: skip
def test_a_rule_laid_down_anew_goes_before_the_older(older: str, newer: str) -> None:
    """A rule said again with another value gives way, and nothing else does."""
    said = facts(("user", "Begin."), ("rule", older), ("rule", "Never push."), ("rule", newer))
    made = ranks(said)
    assert made[1] > BINDS
    assert made[2] == made[3] == BINDS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Nobody outside team 1 gets the figures.", "Nobody outside team 2 gets the figures."),
        ("Run the api tests with 4 workers at most.", "Run the web tests with 8 workers now."),
        ("Never push.", "Never push now."),
        ("Keep `a.py`.", "Now keep the names short."),
    ],
)
def test_rules_of_other_things_stand_beside_each_other(one: str, other: str) -> None:
    """Rules alike in their words, of other things, take nothing from each other."""
    made = ranks(facts(("user", "Begin."), ("rule", one), ("rule", other)))
    assert made[1:] == [BINDS, BINDS]


def test_of_too_many_the_rules_are_carried_on() -> None:
    """Small talk leaves before any rule; of too many rules both ends stay."""
    chat = [("user", f"Thanks, number {n}!".replace(str(n), "so much")) for n in range(50)]
    rules = [("rule", f"Never touch folder {chr(97 + n)}.") for n in range(20)]
    said = facts(("user", "Begin."), *rules, *chat)
    kept = held(said, 25, 5)
    assert len(kept) == 25
    assert [fact for fact in said if fact.kind == "rule"] == [f for f in kept if f.kind == "rule"]
    few = [fact.text for fact in held(said[1:21], 9, 3)]
    assert few == [fact.text for fact in (*said[1:4], *said[15:21])]


@given(st.text(min_size=1, max_size=400), st.integers(40, 200))
def test_a_sentence_is_written_shorter_by_its_middle(text: str, limit: int) -> None:
    """Both ends stay, in at most so many characters."""
    made = shorter(text, limit)
    assert len(made) <= max(limit, 0)
    assert made == text if len(text) <= limit else " … " in made
    assert shorter(text, 0) == text


def test_all_are_written_as_long_as_they_fit() -> None:
    """The longest way in which all fit is taken, and what fits is not touched."""

    def sizes(texts: list[str]) -> int:
        return sum(map(len, texts))

    rules = ["Never do this. " * 30] * 4
    assert way(rules, 10_000, sizes) == 0
    limit = way(rules, 1_000, sizes)
    assert 0 < limit < len(rules[0])
    assert sizes([shorter(rule, limit) for rule in rules]) <= 1_000
    assert way([], 0, sizes) == 0
