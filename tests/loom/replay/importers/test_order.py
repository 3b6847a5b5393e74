"""Lawful order, and what is mended to reach it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.inputs import Event, Reasoning, Reply, Result, Speech, System, ToolCall, User
from loom.replay.importers.order import NO_RESULT, lawful


def asks(*ids: str, index: int = 1) -> Reply:
    """Return a reply with calls."""
    return Reply(tuple(ToolCall(id, "tool", "{}") for id in ids), index=index)


def made(id: str) -> Result:
    """Return the result that stands in for one not recorded."""
    return Result(id, NO_RESULT, error=True)


def stray(id: str, text: str, index: int = -1) -> User:
    """Return the turn a result without a call becomes."""
    return User(f"[result without a call: {id}]\n{text}", index)


SAID = Reply((Speech("hi"),))
USER = User("go")
RULES = System("rules")


@pytest.mark.parametrize(
    "events",
    [
        [],
        [USER],
        [RULES, USER, SAID, USER],
        [USER, asks("a"), Result("a", "1"), SAID],
        [asks("a", "b"), Result("b", "2"), Result("a", "1"), RULES, asks("a"), Result("a", "3")],
        [Reply((Reasoning("hm"),))],
    ],
)
def test_lawful_stays(events: list[Event]) -> None:
    """What is in lawful order stays as it is, and nothing is noted."""
    assert lawful(events) == (tuple(events), ())


@pytest.mark.parametrize(
    ("events", "expected", "notes"),
    [
        ([asks("a")], [asks("a"), made("a")], 1),
        (
            [asks("a", "b"), Result("b", "2"), USER],
            [asks("a", "b"), Result("b", "2"), made("a"), USER],
            1,
        ),
        ([asks("a"), SAID], [asks("a"), made("a"), SAID], 1),
        ([Result("x", "1", index=4)], [stray("x", "1", 4)], 1),
        (
            [asks("a"), Result("a", "1"), Result("a", "2")],
            [asks("a"), Result("a", "1"), stray("a", "2")],
            1,
        ),
        (
            [asks("a"), USER, Result("a", "late")],
            [asks("a"), Result("a", "late"), USER],
            1,
        ),
        (
            [asks("a", "b"), Result("a", "1"), asks("c"), Result("b", "2", True), Result("c", "3")],
            [asks("a", "b"), Result("a", "1"), Result("b", "2", True), asks("c"), Result("c", "3")],
            1,
        ),
        (
            [asks("a", "a"), SAID, Result("a", "1"), Result("a", "2"), Result("a", "3")],
            [asks("a", "a_2"), Result("a", "1"), Result("a_2", "2"), SAID, stray("a", "3")],
            4,
        ),
        (
            [asks("a"), asks("a"), USER, Result("a", "2")],
            [asks("a"), made("a"), asks("a"), Result("a", "2"), USER],
            2,
        ),
        (
            [asks("a", "b"), Result("a", "1"), Result("a", "2"), Result("b", "3")],
            [asks("a", "b"), Result("a", "1"), Result("b", "3"), stray("a", "2")],
            2,
        ),
        (
            [asks("a"), RULES, Result("a", "1")],
            [asks("a"), Result("a", "1"), RULES],
            1,
        ),
        ([asks("a"), RULES], [asks("a"), made("a"), RULES], 2),
        ([Reply(()), USER, Reply((Speech(" \n"),))], [USER], 2),
        (
            [asks("a"), Reply(()), Result("a", "1")],
            [asks("a"), Result("a", "1")],
            1,
        ),
        (
            [asks("a", "a", "a_2"), Result("a", "1"), Result("a", "2"), Result("a_2", "3")],
            [asks("a", "a_3", "a_2"), Result("a", "1"), Result("a_3", "2"), Result("a_2", "3")],
            1,
        ),
    ],
)
def test_mended(events: list[Event], expected: list[Event], notes: int) -> None:
    """Each kind of disorder is mended in one way, and each mend is noted."""
    mended, lines = lawful(events)
    assert list(mended) == expected
    assert len(lines) == notes, lines


def test_a_late_result_is_noted() -> None:
    """The note says that it came late, and no note says that there was none."""
    _, notes = lawful([asks("a"), USER, Result("a", "late", index=7)])
    assert notes == ("message 7: the late result of call a was moved to its call",)


IDS = st.sampled_from(["a", "b", "a_2", ""])
TEXTS = st.text(max_size=4)
EVENTS = st.lists(
    st.builds(System, TEXTS)
    | st.builds(User, TEXTS)
    | st.builds(Result, IDS, TEXTS, st.booleans())
    | st.builds(
        lambda said, calls: Reply((*said, *calls)),
        st.lists(st.builds(Speech, TEXTS), max_size=1),
        st.lists(st.builds(ToolCall, IDS, st.just("tool"), TEXTS), max_size=3),
    ),
    max_size=12,
)


def is_lawful(events: tuple[Event, ...]) -> bool:
    """Tell whether each reply is directly followed by exactly one result for each call."""
    waiting: set[str] = set()
    for event in events:
        if isinstance(event, Result):
            if event.call_id not in waiting:
                return False
            waiting.remove(event.call_id)
        elif waiting:
            return False
        elif isinstance(event, Reply):
            waiting = {call.id for call in event.calls}
            if len(waiting) < len(event.calls) or not event.parts:
                return False
    return not waiting


@given(EVENTS)
def test_any_events(events: list[Event]) -> None:
    """Any events become lawful, once: a second mending finds nothing to do."""
    mended, _ = lawful(events)
    assert is_lawful(mended)
    assert lawful(mended) == (mended, ())


@given(EVENTS)
def test_nothing_is_lost(events: list[Event]) -> None:
    """Every text stands somewhere, and turns and replies keep their order."""
    mended, notes = lawful(events)
    results = [event.text for event in events if isinstance(event, Result)]
    kept = [event.text for event in mended if isinstance(event, Result | User)]
    assert all(any(text in there for there in kept) for text in results)
    spoken = [event for event in events if isinstance(event, User)]
    assert [event for event in mended if event in spoken] == spoken
    replies = [event for event in mended if isinstance(event, Reply)]
    dropped = sum("blank reply" in note for note in notes)
    assert len(replies) + dropped == sum(isinstance(event, Reply) for event in events)


def test_is_lawful_can_fail() -> None:
    """The check of the properties finds each kind of disorder."""
    lawless: list[tuple[Event, ...]] = [
        (asks("a"),),
        (Result("a", ""),),
        (asks("a"), USER, Result("a", "")),
        (asks("a", "a"), Result("a", "")),
        (Reply(()),),
    ]
    assert not any(map(is_lawful, lawless))
    assert all(is_lawful(pair) for pair in pairwise([USER, SAID, RULES]))
