"""The laws over arbitrary lawful lives."""

from collections.abc import Iterator

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from loom_partitions import laws
from loom_partitions import records as r
from loom_partitions.message import Digest, Notice, Step, Thought
from loom_partitions.stream import Stream
from loom_partitions.window import Window, apply, fold

Lives = st.SearchStrategy[list[r.Record]]
CUTS = (r.Compressed, r.Renewed)


def encoded(window: Window) -> bytes:
    """Everything a window holds."""
    return json.encode(
        [{**msgspec.structs.asdict(window), "stream": None}, list(window.history.stream)]
    )


def walked(life: list[r.Record]) -> Iterator[tuple[Window, r.Record, Window]]:
    """Each record of a life, with the window before and after it."""
    window = Window()
    for record in life:
        after = apply(window, record)
        yield window, record, after
        window = after


@given(data=st.data())
def test_lawful_after_every_record(lived: Lives, data: st.DataObject) -> None:
    """paired, ordered, counted hold after every record, and ids are never reused."""
    for before, _, window in walked(data.draw(lived)):
        assert laws.paired(window) == []
        assert laws.ordered(window) == []
        assert laws.counted(window) == []
        assert window.history.next_id >= before.history.next_id


@given(data=st.data())
def test_over_cuts(lived: Lives, data: st.DataObject) -> None:
    """A cut leaves the stored state of every partition but history as it was, to the byte, and is
    restorable exactly when everything it names is held; a renewed window holds no notice and no
    opaque reasoning."""
    for before, record, after in walked(data.draw(lived)):
        if not isinstance(record, CUTS):
            continue
        assert laws.protected(before, after) == []
        assert after.settled
        most = before.tokens.history + before.limits.run * len(record.edits)
        assert after.tokens.history <= most
        assert laws.restorable(record.edits, lambda ref: True) == []
        assert len(laws.restorable(record.edits, lambda ref: False)) >= len(record.edits)
        if isinstance(record, r.Renewed):
            assert laws.renewed(before, after, after.tokens.total) == []
            for item in after.history.stream:
                assert not isinstance(item, Notice)
                parts = item.parts if isinstance(item, Step) else ()
                assert not any(isinstance(p, Thought) and p.opaque for p in parts)


@given(data=st.data())
def test_append_only_between_cuts(lived: Lives, data: st.DataObject) -> None:
    """Between two requests without a cut the stream and what the shelves show only grow."""
    sent: tuple[list[bytes], bytes] | None = None
    for _, record, window in walked(data.draw(lived)):
        if isinstance(record, CUTS):
            sent = None
        if isinstance(record, r.Turned):
            items = [json.encode(item) for item in window.history.stream]
            shelves = [*(shelf for _, shelf in window.head), window.skill.tools]
            shown = json.encode([shelf.shown for shelf in shelves])
            if sent is not None:
                assert laws.append_only(sent[0], items) == []
                assert shown == sent[1]
            sent = (items, shown)


@given(data=st.data())
def test_deterministic_and_incremental(lived: Lives, data: st.DataObject) -> None:
    """The same records fold to the same window, at once or continued from any point."""
    life = data.draw(lived)
    at = data.draw(st.integers(0, len(life)))
    assert laws.deterministic(life) == []
    assert encoded(fold(life)) == encoded(fold(life[at:], fold(life[:at])))


@given(data=st.data())
def test_apply_never_mutates(lived: Lives, data: st.DataObject) -> None:
    """Neither the window before nor the record changes when it is applied."""
    window = Window()
    for record in data.draw(lived):
        before = (encoded(window), json.encode(record))
        after = apply(window, record)
        assert (encoded(window), json.encode(record)) == before
        window = after


@given(data=st.data())
def test_records_survive_json(lived: Lives, data: st.DataObject) -> None:
    """Records read back from JSON are equal, and fold to the same window."""
    life = data.draw(lived)
    back = json.decode(json.encode(life), type=list[r.Record])
    assert back == life
    assert encoded(fold(back)) == encoded(fold(life))


@given(data=st.data())
def test_every_folded_entry_is_inside_a_digest(lived: Lives, data: st.DataObject) -> None:
    """Entries leave the stream only into a digest that spans them."""
    known = set[int]()
    for _, _, window in walked(data.draw(lived)):
        entries = list(window.history.stream.entries)
        known |= {entry.id for entry in entries}
        covered = {
            id
            for entry in entries
            for id in (
                range(entry.first, entry.last + 1) if isinstance(entry, Digest) else (entry.id,)
            )
        }
        assert known <= covered


@given(data=st.data())
def test_isolated(lived: Lives, data: st.DataObject) -> None:
    """A window that was only opened and given the goal holds nothing of any other."""
    parent = fold(data.draw(lived))
    goal = parent.working.goal
    child = fold([r.Opened(parent.limits, {}), *([r.Tasked(goal)] if goal else [])])
    assert laws.isolated(child, parent) == []


def chunks(stream: Stream) -> list[int]:
    """Identities of the sealed chunks of a stream, newest first."""
    found, chunk = [], stream.sealed
    while chunk is not None:
        found.append(id(chunk))
        chunk = chunk.before
    return found


def test_chunks_are_shared() -> None:
    """At ten thousand items an append shares every sealed chunk with the version before."""
    stream = Stream()
    for number in range(10_000):
        stream = stream.append(Notice("working", str(number), 1))
    longer = stream.append(Notice("working", "one more", 1))
    before, after = chunks(stream), chunks(longer)
    assert len(before) > 300
    assert after[-len(before) :] == before
    assert len(after) <= len(before) + 1
    assert [item.text for item in longer if isinstance(item, Notice)][-1] == "one more"
    assert len(list(reversed(longer))) == len(longer) == 10_001
