"""In which order what the user said is kept, where not all of it fits."""

import pytest

from loom.compress.digest.ranking import (
    BINDS,
    TASK,
    keep_highest_ranked,
    keeping_ranks,
    places_by_rank,
)
from loom_partitions.message import Fact


def facts(*told: tuple[str, str], each: int = 1) -> list[Fact]:
    """Facts of messages, so many of each."""
    return [
        Fact(kind, text, about="1", at=1 + number // each)
        for number, (kind, text) in enumerate(told)
    ]


def test_what_binds_goes_before_what_chats() -> None:
    """The task first, then rules, what was said alone, questions, each from the newest on."""
    said = facts(
        ("user", "Please mend the parser."), ("user", "Thanks!"), ("rule", "Never push."),
        ("question", "How is it going?"), ("user", "Go on."), ("rule", "Only use tabs."),
        ("user", "Write it in C."), ("user", "The parser is slow."),
    )  # fmt: skip
    in_order = [said[at].text for _, at in places_by_rank(tuple(said))]
    assert in_order[:3] == ["Please mend the parser.", "Only use tabs.", "Never push."]
    assert in_order[3:] == [
        "The parser is slow.", "Write it in C.", "Go on.", "Thanks!", "How is it going?"
    ]  # fmt: skip
    assert keeping_ranks(said)[0] == TASK


def test_of_too_many_the_rules_are_carried_on() -> None:
    """Small talk leaves before any rule; of too many rules the newest stay, behind the task."""
    chat = [("user", f"Thanks, number {n}!".replace(str(n), "so much")) for n in range(50)]
    rules = [("rule", f"Never touch folder {chr(97 + n)}.") for n in range(20)]
    said = facts(("user", "Begin."), *rules, *chat)
    kept = keep_highest_ranked(said, 25)
    assert len(kept) == 25
    assert [fact for fact in said if fact.kind == "rule"] == [f for f in kept if f.kind == "rule"]
    few = [fact.text for fact in keep_highest_ranked(said[1:21], 9)]
    assert few == [fact.text for fact in (*said[1:2], *said[13:21])]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("For module 1 never change what it returns.",
         "For module 2 never change what it returns."),
        ("Move pkg1, but not pkg1/a.", "Move pkg2, but not pkg2/a."),
        ("Do not touch the mirror kestrel-1 now.", "Do not touch the mirror kestrel-2 now."),
    ],
)  # fmt: skip
def test_a_ban_on_one_more_thing_takes_nothing_from_the_first(one: str, other: str) -> None:
    """Both bind, though the words of the second say that something changes."""
    assert keeping_ranks(facts(("user", "Begin."), ("rule", one), ("rule", other)))[1:] == [
        BINDS,
        BINDS,
    ]


def test_rules_before_a_paste_are_kept_before_it() -> None:
    """Ten rules at the head of the first message go before what sounds like one behind them."""
    own = [Fact("rule", f"Never open door {number}.", at=1) for number in range(10)]
    paste = [Fact("rule", f"you must never push branch {number}", at=1) for number in range(40)]
    assert keep_highest_ranked([*own, *paste], 14)[:10] == own
