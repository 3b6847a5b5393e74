"""Lawful order, and what is mended to reach it."""

from hypothesis import given
from hypothesis import strategies as st

from loom.inputs import Event, Reply, Result, Speech, System, ToolCall, User
from loom.replay.importers.order import lawful

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
    waiting: list[str] = []
    for event in events:
        if isinstance(event, Result):
            if event.call_id not in waiting:
                return False
            waiting.remove(event.call_id)
        elif waiting or (isinstance(event, Reply) and not event.parts):
            return False
        elif isinstance(event, Reply):
            waiting = [call.id for call in event.calls]
            if len({*waiting}) < len(waiting):
                return False
    return not waiting


@given(EVENTS)
def test_any_events(events: list[Event]) -> None:
    """Any events become lawful, once: a second mending finds nothing to do. Every text stands
    somewhere, and turns and replies keep their order."""
    mended, notes = lawful(events)
    assert is_lawful(mended)
    assert lawful(mended) == (mended, ())
    results = [event.text for event in events if isinstance(event, Result)]
    kept = [event.text for event in mended if isinstance(event, Result | User)]
    assert all(any(text in there for there in kept) for text in results)
    spoken = [event for event in events if isinstance(event, User)]
    assert [event for event in mended if event in spoken] == spoken
    replies = [event for event in mended if isinstance(event, Reply)]
    dropped = sum("blank reply" in note for note in notes)
    assert len(replies) + dropped == sum(isinstance(event, Reply) for event in events)
