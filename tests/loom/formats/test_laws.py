"""What holds of both encoders, for any lawful list of messages."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.formats import FORMATS
from loom.formats.validate import orphans, orphans_anthropic
from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.render.message import (
    Block,
    CallBlock,
    Message,
    ResultBlock,
    TextBlock,
    ThoughtBlock,
)

ORACLES: dict[str, Callable[[list[dict[str, Any]]], list[str]]] = {
    "openai": orphans,
    "anthropic": orphans_anthropic,
}

TEXTS = st.sampled_from(["", " \n", "hi", " ok\n", "Error: x", "é漢"]) | st.text(max_size=8)
IDS = st.sampled_from(["c1", "c2", "call.3", "call:3", "", "é"]) | st.text(max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)
OBJECTS = st.dictionaries(st.text(max_size=4), JSON, max_size=3).map(
    lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
)
ARGUMENTS = OBJECTS | st.sampled_from(["", "{", "[]", "null"]) | st.text(max_size=5)
THOUGHTS = st.builds(
    ThoughtBlock,
    st.sampled_from(
        [
            '{"type":"thinking","thinking":"t","signature":"s"}',
            '{"type":"redacted_thinking","data":"d"}',
            "nonsense",
        ]
    ),
    st.sampled_from(["anthropic", "openai", "other"]),
)


@st.composite
def steps(draw: st.DrawFn) -> list[Message]:
    """Draw a reply, and a result for each of its calls in any order."""
    blocks: list[Block] = draw(st.lists(THOUGHTS | st.builds(TextBlock, TEXTS), max_size=3))
    calls = [
        CallBlock(id, "tool", draw(ARGUMENTS))
        for id in draw(st.lists(IDS, max_size=3, unique=True))
    ]
    results = [
        Message("tool", (ResultBlock(call.id, call.name, draw(TEXTS), draw(st.booleans())),))
        for call in draw(st.permutations(calls))
    ]
    return [Message("assistant", (*blocks, *calls)), *results]


SAID = st.builds(
    lambda role, texts: [Message(role, tuple(TextBlock(text) for text in texts))],
    st.sampled_from(["system", "user"]),
    st.lists(TEXTS, max_size=3),
)
LAWFUL = st.lists(SAID | steps(), max_size=8).map(
    lambda groups: [m for group in groups for m in group]
)


@pytest.mark.parametrize("name", FORMATS)
@given(messages=LAWFUL)
def test_lawful(name: str, messages: list[Message]) -> None:
    """Lawful messages become a request the provider takes, and that JSON can hold."""
    encoder = FORMATS[name].encoder()
    encoder.extend(messages)
    assert ORACLES[name](encoder.messages) == []
    json.dumps(encoder.request(), ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize("name", FORMATS)
@given(messages=LAWFUL, data=st.data())
def test_any_split(name: str, messages: list[Message], data: st.DataObject) -> None:
    """However messages are split, the wire is the same and earlier requests stay as they were."""
    whole, split = FORMATS[name].encoder(), FORMATS[name].encoder()
    whole.extend(messages)
    sent = []
    rest = messages
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        split.extend(iter(rest[:size]))
        rest = rest[size:]
        request = split.request()
        sent.append((request, deepcopy(request)))
    assert split.request() == whole.request()
    assert all(request == copy for request, copy in sent)


def flat(messages: list[dict[str, Any]]) -> list[object]:
    """Return messages as a row of blocks, each with the message it stands in."""
    row: list[object] = []
    for number, message in enumerate(messages):
        content = message["content"]
        if isinstance(content, list):
            row += [(number, message["role"], block) for block in content]
        else:
            row.append((number, message))
    return row


@pytest.mark.parametrize("name", FORMATS)
@given(messages=LAWFUL)
def test_append_only(name: str, messages: list[Message]) -> None:
    """Each message only adds: every request begins with the one before."""
    encoder = FORMATS[name].encoder()
    for message in messages:
        before = flat(encoder.messages)
        encoder.extend([message])
        assert flat(encoder.messages)[: len(before)] == before


VISIBLE = st.text(min_size=1, max_size=8).filter(str.strip)
CALL_IDS = st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True)
MADE = st.lists(
    st.builds(ToolCall, CALL_IDS, VISIBLE, OBJECTS), max_size=3, unique_by=lambda call: call.id
)
OPAQUE = st.builds(
    lambda said: Reasoning(
        said,
        json.dumps(
            {"type": "thinking", "thinking": said, "signature": "s"},
            ensure_ascii=False,
            separators=(",", ":"),
        ),
        "anthropic",
    ),
    st.text(max_size=5),
)
PROVIDER_CALLS = st.lists(
    st.builds(ToolCall, CALL_IDS, VISIBLE, OBJECTS | st.text(max_size=5)),
    max_size=3,
    unique_by=lambda call: call.id,
)
REPLIES = {
    "openai": st.builds(
        lambda said, calls: Reply((*said, *calls)),
        st.lists(st.builds(Speech, VISIBLE), max_size=1),
        PROVIDER_CALLS,
    ),
    "anthropic": st.builds(
        lambda thoughts, said, calls: Reply((*thoughts, *said, *calls)),
        st.lists(OPAQUE, max_size=2),
        st.lists(st.builds(Speech, VISIBLE), max_size=3),
        MADE,
    ),
}


def rendered(reply: Reply) -> Message:
    """Return a reply as the message it is shown as."""
    blocks: list[Block] = []
    for part in reply.parts:
        match part:
            case Speech(text):
                blocks.append(TextBlock(text))
            case Reasoning(_, opaque, format):
                blocks.append(ThoughtBlock(opaque, format))
            case ToolCall(id, name, arguments):
                blocks.append(CallBlock(id, name, arguments))
    return Message("assistant", tuple(blocks))


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_round_trip(name: str, data: st.DataObject) -> None:
    """A reply that is sent back reads as the same reply."""
    reply = data.draw(
        REPLIES[name].filter(lambda r: any(not isinstance(p, Reasoning) for p in r.parts))
    )
    encoder = FORMATS[name].encoder()
    encoder.extend([rendered(reply)])
    assert FORMATS[name].decode(encoder.messages[-1]) == reply
