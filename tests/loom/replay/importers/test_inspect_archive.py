"""Archives of inspect, the events of OpenHands, and lawful order."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from struct import pack
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.errors import BadSession
from loom.inputs import ClientCompaction, Event, Reply, Result, Speech, System, ToolCall, User
from loom.replay.importers import load
from loom.replay.importers.lawful_order import mend_order

SAMPLE = Path(__file__).parent / "samples" / "inspect.json"
ZSTANDARD = 93


def members() -> dict[str, bytes]:
    """The members of an archive with the sample's log."""
    log = json.loads(SAMPLE.read_bytes())
    samples = log.pop("samples")
    named = {f"samples/{one['id']}_epoch_1.json": one for one in samples}
    whole = {"header.json": log, **named}
    return {name: json.dumps(value).encode() for name, value in whole.items()}


def zipped(packed: dict[str, tuple[bytes, bytes]], method: int) -> bytes:
    """A zip file of members, each as (packed, plain)."""
    body, central = b"", b""
    for name, (data, plain) in packed.items():
        told = pack("<HHHHHIIIHH", 20, 0, method, 0, 33, zlib.crc32(plain), len(data), len(plain),
                    len(name), 0)  # fmt: skip
        central += b"PK\x01\x02" + pack("<H", 20) + told
        central += pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\x03\x04" + told + name.encode() + data
    many = len(packed)
    end = pack("<HHHHIIH", 0, 0, many, many, len(central), len(body), 0)
    return body + central + b"PK\x05\x06" + end


@pytest.fixture
def archive(tmp_path: Path) -> Callable[[bytes], Path]:
    """Return a function that writes bytes as an archive."""

    def write(data: bytes) -> Path:
        (tmp_path / "log.eval").write_bytes(data)
        return tmp_path / "log.eval"

    return write


def test_deflated(tmp_path: Path) -> None:
    """An archive of older releases reads as its JSON form does; a NaN in it harms nothing."""
    path = tmp_path / "log.eval"
    with ZipFile(path, "w", ZIP_DEFLATED) as made:
        for name, data in members().items():
            made.writestr(name, data.replace(b'"store": {}', b'"store": {"mean": NaN}'))
    assert [one.events for one in load(path)] == [one.events for one in load(SAMPLE)]


def test_zstandard(archive: Callable[[bytes], Path]) -> None:
    """So does one of today's, and a member whose bytes differ is found out."""
    zstandard = pytest.importorskip("zstandard")
    packed = {name: (zstandard.compress(data), data) for name, data in members().items()}
    data = zipped(packed, ZSTANDARD)
    path = archive(data)
    assert [one.events for one in load(path)] == [one.events for one in load(SAMPLE)]
    name = "header.json"
    wrong = {**packed, name: (zstandard.compress(b"{}" + members()[name]), members()[name])}
    with pytest.raises(BadSession, match="damaged archive"):
        load(archive(zipped(wrong, ZSTANDARD)))


@pytest.mark.parametrize("cut", [4, 30, 200, -30])
def test_damaged(archive: Callable[[bytes], Path], cut: int) -> None:
    """An archive that was cut off is refused, and names what is wrong; any other is no log."""
    whole = zipped({name: (data, data) for name, data in members().items()}, 0)
    with pytest.raises(BadSession, match="archive"):
        load(archive(whole[:cut]))
    with pytest.raises(BadSession, match="no log of inspect"):
        load(archive(zipped({"a.txt": (b"a", b"a")}, 0)))


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
    mended, notes = mend_order(events)
    assert is_lawful(mended)
    assert mend_order(mended) == (mended, ())
    results = [event.text for event in events if isinstance(event, Result)]
    kept = [event.text for event in mended if isinstance(event, Result | User)]
    assert all(any(text in there for there in kept) for text in results)
    spoken = [event for event in events if isinstance(event, User)]
    assert [event for event in mended if event in spoken] == spoken
    replies = [event for event in mended if isinstance(event, Reply)]
    dropped = sum("blank reply" in note for note in notes)
    assert len(replies) + dropped == sum(isinstance(event, Reply) for event in events)


def action(id: str, response: str, **fields: Any) -> dict[str, Any]:
    """An action of the SDK that calls a tool."""
    call = {"id": id, "name": "terminal", "arguments": '{"command": "ls"}'}
    return {"kind": "ActionEvent", "tool_call": call, "llm_response_id": response, **fields}


def observation(id: str, text: str) -> dict[str, Any]:
    """What a call of the SDK gave."""
    seen = {"content": [{"type": "text", "text": text}], "is_error": False}
    return {"kind": "ObservationEvent", "tool_call_id": id, "observation": seen}


def test_calls_of_one_response(document: Any) -> None:
    """Actions that one response asked for are one reply, those of the next another."""
    thought = [{"type": "text", "text": "Both."}]
    rows = [
        action("c1", "r1", thought=thought),
        action("c2", "r1"),
        observation("c1", "a"),
        observation("c2", "b"),
        {"kind": "AgentErrorEvent", "tool_call_id": "c3", "error": "no such tool"},
        action("c4", "r2"),
    ]
    [session] = load(document(rows))
    calls = [ToolCall(id, "terminal", '{"command": "ls"}') for id in ("c1", "c2")]
    assert session.events[0] == Reply((Speech("Both."), *calls), index=0)
    assert session.events[1:3] == (Result("c1", "a", index=2), Result("c2", "b", index=3))
    assert isinstance(session.events[4], Reply)


def test_condensation(document: Any) -> None:
    """Where the condenser forgot events its summary is a turn, and the place is kept."""
    said = {"role": "user", "content": [{"type": "text", "text": "Go."}]}
    rows = [
        {"kind": "MessageEvent", "llm_message": said},
        {"kind": "Condensation", "summary": "It was told to go.", "forgotten_event_ids": []},
        {"kind": "PauseEvent"},
        action("c1", "r1"),
    ]
    [session] = load(document(rows))
    assert session.events[:2] == (User("Go.", 0), User("It was told to go.", 1))
    assert session.compactions == (ClientCompaction(1, summary="It was told to go."),)


def test_before_the_sdk(document: Any) -> None:
    """Actions and observations with the metadata of their calls, the arguments as written."""
    call = {"id": "c1", "function": {"name": "execute_bash", "arguments": '{"command":"ls"}'}}
    response = {"id": "r1", "choices": [{"message": {"tool_calls": [call]}}]}
    metadata = {"function_name": "execute_bash", "tool_call_id": "c1", "model_response": response}
    rows = [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Go."}},
        {"id": 1, "source": "environment", "action": "change_agent_state", "args": {}},
        {"id": 2, "source": "agent", "action": "run", "tool_call_metadata": metadata,
         "args": {"command": "ls", "thought": "Look.", "hidden": False}},
        {"id": 3, "source": "agent", "observation": "run", "content": "a", "extras": {},
         "tool_call_metadata": metadata},
        {"id": 4, "source": "agent", "action": "message", "args": {"content": "Done."}},
    ]  # fmt: skip
    [session] = load(document({"instance_id": "x", "history": rows}))
    assert session.events == (
        User("Go.", 0),
        Reply((Speech("Look."), ToolCall("c1", "execute_bash", '{"command":"ls"}')), index=2),
        Result("c1", "a", index=3),
        Reply((Speech("Done."),), index=4),
    )
    assert session.mended == ()
