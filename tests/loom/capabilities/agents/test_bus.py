"""What an agent emits, every other reads: in one order, whole, and only what is meant for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.agents.bus import EventBus
from loom.capabilities.agents.event import BODY_BYTES, FILE_BYTES, PREVIEW_CHARS, TOPICS, BusEvent
from loom.errors import BadInput
from loom_paging import CorruptPage, FileStore, MemoryStore, MissingPage, Store
from tests.kit.cases import all_cases

RING: list[object] = []
RING.append(RING)


@all_cases(
    "wrong",
    [
        lambda bus: bus.emit("Agent.Result"),
        lambda bus: bus.emit(""),
        lambda bus: bus.emit("agent..event"),
        lambda bus: bus.emit("x" * 81),
        lambda bus: bus.emit("bus.trimmed"),
        lambda bus: bus.emit("agent.spawn", {"agent": "agent-1"}),  # told by Loom itself
        lambda bus: bus.emit("agent.result", {"agent": "agent-1"}),
        lambda bus: bus.emit("agent.event", RING),
        lambda bus: bus.emit("agent.event", object()),
        lambda bus: bus.emit("agent.event", {(1, 2): 3}),
        lambda bus: bus.emit("agent.event", to="a\nb"),
        lambda bus: bus.since(1),
        lambda bus: bus.since(-1),
        lambda bus: bus.since(topics=["Agent."]),
        lambda bus: bus.subscribe("agent.*", print),
        lambda bus: bus.subscribe("", print, cursor=7),
        lambda bus: EventBus(MemoryStore(), ""),
        lambda bus: bus.payload(BusEvent(1, "a", "b", None, 0, "outputs/secret.txt")),
    ],
)
def test_what_the_bus_cannot_take_is_refused(
    store: Store, wrong: Callable[[EventBus], object]
) -> None:
    """A bad topic, name, body, cursor or page raises and writes nothing."""
    with pytest.raises(BadInput):
        wrong(EventBus(store, "root"))
    assert store.names() == []


@all_cases(
    "body",
    [
        None,
        "x" * (BODY_BYTES - 2),
        "x" * (BODY_BYTES - 1),
        "文" * 5_000,
        {"rows": list(range(5_000))},
        ["\n" * 2_000],
        "\x1b[31m" * 500,
        b"",
        b"\x00\xff" * 10,
        b"\xff" * 1_000_000,
    ],
    ids=lambda body: f"{type(body).__name__} of {len(body or '')}",
)
def test_a_payload_comes_back_whole(store: Store, body: object) -> None:
    """Large bodies and bytes rest on a page; the event has a preview of one bounded line."""
    event = EventBus(store, "child").emit("agent.event", body)
    root = EventBus(store, "root")
    assert root.since() == [event] and root.payload(event) == body
    large = isinstance(body, bytes) or len(repr(body).encode()) > BODY_BYTES
    assert bool(event.page) == large and len(store.get("bus/000000000001.json")) < FILE_BYTES
    assert not large or (len(event.body) <= PREVIEW_CHARS and event.body.isprintable())


def test_a_page_that_changed_is_told(tmp_path: Path) -> None:
    """The sha256 in its name is checked at every read."""
    store = FileStore(tmp_path, durable=False)
    bus = EventBus(store, "root")
    event = bus.emit("agent.event", "x" * 5_000)
    (tmp_path / event.page).write_bytes(b'"y"')
    with pytest.raises(CorruptPage):
        bus.payload(event)
    (tmp_path / event.page).unlink()
    with pytest.raises(MissingPage):
        bus.payload(event)


AGENTS = ("a", "b", "c")
MOVES = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(AGENTS), st.sampled_from(TOPICS[2:]), st.sampled_from(["", *AGENTS])
        ),
        st.tuples(st.sampled_from(AGENTS), st.just("pump")),
        st.tuples(st.sampled_from(AGENTS), st.just("restart")),
    ),
    max_size=40,
)


@given(MOVES)
def test_a_bus_is_a_list(moves: list[tuple[str, ...]]) -> None:
    """However agents emit, pump and restart, each hears its part of one list once, in order."""
    store = MemoryStore()
    model: list[tuple[str, str, str]] = []
    heard: dict[str, list[int]] = {name: [] for name in AGENTS}

    def opened(name: str, cursor: int) -> EventBus:
        bus = EventBus(store, name)
        bus.subscribe("agent.", lambda event: heard[name].append(event.number), cursor=cursor)
        return bus

    buses = {name: opened(name, 0) for name in AGENTS}
    for name, *move in moves:
        if move == ["restart"]:
            buses[name] = opened(name, buses[name].cursor)
        elif move == ["pump"]:
            buses[name].pump()
        else:
            topic, to = move
            assert buses[name].emit(topic, to=to).number == len(model) + 1
            model.append((name, topic, to))
    for name, bus in buses.items():
        bus.pump()
        meant = [number for number, row in enumerate(model, 1) if row[2] in ("", name)]
        assert heard[name] == meant == [event.number for event in bus.since()]
        rows = [(event.source, event.topic, event.to) for event in bus.since()]
        assert rows == [model[number - 1] for number in meant]
