"""The cheapest schedule of cuts, against every schedule there is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.bench.cost.bill import UNITS, units
from loom.bench.cost.hindsight import Course, billed_at, course_of, hindsight
from loom.bench.recorded.labels import Holder, Label, Need
from loom.inputs import Event, Reply, Session, Speech, System, User
from loom.providers.counts.sizes import MESSAGE
from loom.providers.prices import MILLION
from loom.replay.cost import Meter

WORDS = ["alpha " * 3 + "omega", "alpha " * 3, "gamma " * 4]  # the second is in the first
Tiny = tuple[Session, list[Need]]


def size(text: str) -> int:
    """A token a character, so that what a text costs can be read off it."""
    return len(text)


@st.composite
def tiny(draw: st.DrawFn) -> Tiny:
    """Up to seven calls, each after a message; some name words that earlier messages said."""
    said: dict[str, list[int]] = {}
    needs = []
    events: list[Event] = [System("s" * draw(st.integers(1, 9)))]
    for _ in range(draw(st.integers(1, 7))):
        words = draw(st.lists(st.sampled_from(WORDS), max_size=2))
        text = "".join(["x" * draw(st.integers(1, 30)), *words])
        for word in WORDS:
            if word in text:
                said.setdefault(word, []).append(len(events))
        events.append(User(text))
        for word in draw(st.lists(st.sampled_from(sorted(said)), max_size=2)) if said else ():
            holders = tuple(Holder(at, ()) for at in said[word])
            needs.append(Need(len(events), Label(0, "ident", word), word, "", holders))
        events.append(Reply((Speech("y" * draw(st.integers(1, 9))),)))
    return Session("tiny", tuple(events)), needs


def simulated(one: Tiny, cuts: Sequence[int], capacity: int) -> float | None:
    """The cost of a session with cuts before some calls, None where a request does not fit.

    The window is kept as texts: at a cut the words stay that a later call needs and that do not
    come again before it.
    """
    (session, needs), calls = one, 0
    window: list[str] = []
    fresh: list[str] = []
    spent = 0.0
    head = len(session.events[0].text) + MESSAGE  # type: ignore[union-attr]
    for at, event in enumerate(session.events):
        if not isinstance(event, Reply):
            fresh += [event.text + "." * MESSAGE] if at else []
            continue
        read = (head if calls else 0) + sum(map(len, window))
        if calls in cuts:
            sent = max(i for i in range(at) if isinstance(session.events[i], Reply))
            words = {n.needle for n in needs if n.at >= at and n.holders[-1].at < sent}
            window = []
            read = head
            fresh += [w for w in words if not any(w != other and w in other for other in words)]
        written = sum(map(len, fresh)) + (0 if calls else head)
        spent += UNITS.read * read + UNITS.write * written
        window += fresh
        if head + sum(map(len, window)) > capacity:
            return None
        assert all(any(need.needle in text for text in window) for need in needs if need.at == at)
        fresh = ["".join(part.text for part in event.parts) + "." * MESSAGE]  # type: ignore[union-attr]
        calls += 1
    return spent / MILLION


@given(tiny(), st.integers(60, 400))
def test_no_schedule_is_cheaper(one: Tiny, capacity: int) -> None:
    """Of all subsets of the moments none costs less, and one costs as much."""
    session, needs = one
    calls = sum(isinstance(event, Reply) for event in session.events)
    moments = range(1, calls)
    every = chain.from_iterable(combinations(moments, n) for n in range(calls))
    costs = [simulated(one, cuts, capacity) for cuts in every]
    found = hindsight(course_of(session, needs, Meter(size)), capacity)
    fitting = [cost for cost in costs if cost is not None]
    if fitting:
        assert units(found) <= min(fitting) + 1e-12
    if simulated(one, tuple(moments), capacity) is not None:
        assert units(found) == pytest.approx(min(fitting))
        assert (found.calls, found.peak <= capacity) == (calls, True)


def test_without_a_call_nothing_is_priced() -> None:
    """No calls, no cuts, no cost."""
    assert hindsight(course_of(Session("none", (User("hi"),)), (), Meter(size)), 100).calls == 0


def test_a_cut_carries_what_does_not_come_again() -> None:
    """What a later call needs and was last seen before; one text within another once."""
    said = ["alphas", "alpha", "x", "y"]
    events = [one for text in said for one in (User(text), Reply((Speech("z"),)))]
    needs = [
        Need(5, Label(0, "ident", "alpha"), "alpha", "", (Holder(0, ()), Holder(2, ()))),
        Need(7, Label(0, "ident", "alphas"), "alphas", "", (Holder(0, ()),)),
    ]
    session, meter = Session("carried", tuple(events)), Meter(size)
    assert course_of(session, needs[:1], meter).kept == (0, 0, 5, 0)
    assert course_of(session, needs, meter).kept == (0, 6, 6, 6)


def test_what_is_dear_to_write_again_stays() -> None:
    """A cut that writes anew more than reading costs until the end is not made unless forced."""
    course = Course(10, (50, 1, 1), (0, 40, 40))
    assert hindsight(course, 1_000).cuts == 0
    assert hindsight(course, 62).cuts == 0
    assert hindsight(course, 61).cuts == 1
    assert hindsight(Course(10, (50, 1, 1), (0, 0, 0)), 1_000).cuts == 2


def test_a_front_alone_is_never_written_again() -> None:
    """The system messages are read at a cut; a needed text in them costs nothing there."""
    events = (System("the rule"), User("go"), Reply((Speech("a"),)), User("on"), Reply(()))
    need = Need(4, Label(0, "ident", "rule"), "rule", "", (Holder(0, ()),))
    course = course_of(Session("rule", events), [need], Meter(size))
    assert course == Course(8 + MESSAGE, (2 + MESSAGE, 3 + 2 * MESSAGE), (0, 0))


def test_the_newest_may_stay() -> None:
    """Whole messages of the newest calls, and no text twice that one of them holds."""
    events = [User("needle " + "x" * 20), Reply((Speech("a"),)), User("b"), Reply(())]
    need = Need(3, Label(0, "ident", "needle"), "needle", "", (Holder(0, ()),))
    session, meter = Session("near", tuple(events)), Meter(size)
    first = 27 + MESSAGE
    assert course_of(session, [need], meter, near=first - 1).kept == (0, len("needle"))
    assert course_of(session, [need], meter, near=first).kept == (0, first)


def test_too_few_cuts_are_refused() -> None:
    """A schedule whose request outgrows the capacity has no bill; the call is named."""
    with pytest.raises(ValueError, match="call 1"):
        billed_at(Course(0, (6, 6), (0, 0)), 10, ())
    assert billed_at(Course(0, (6, 6), (0, 0)), 10, (1,)).cuts == 1
