"""Ids of calls on the wire, a reply less some of its calls, and what ties opaque blocks."""

from __future__ import annotations

import json
from typing import Any

from loom.inputs import Reasoning
from loom.providers.formats import decode
from loom.providers.formats.blocks import ID_CHARS, WireIds, derived_id, is_derived_id, lawful_id
from loom.providers.formats.envelope import (
    is_signed,
    is_unsigned_reasoning,
    open_provider_calls,
    standalone_flags,
)
from loom.providers.formats.replies import reply_without_calls
from tests.kit.cases import all_cases
from tests.kit.hosts import FORMATS, Called, Replied, enveloped, wire


@all_cases(
    ("id", "same"),
    [("toolu_01-A", True), ("x" * ID_CHARS, True), ("x" * 65, False), ("a.b", False), ("", False)],
)
def test_lawful(id: str, same: bool) -> None:
    """A lawful id stays, another becomes one that is, and always the same."""
    made = lawful_id(id)
    assert (made == id) is same
    assert 0 < len(made) <= ID_CHARS
    assert lawful_id(made) == made == lawful_id(id)
    ids = ["x" * 65, "x" * 66, "x" * 64 + "y", "a.b", "a:b", "a_b"]
    assert len({lawful_id(id) for id in ids}) == len(ids)


def test_repeated_long_ids() -> None:
    """An id that is used again stays within its length, and results find their call."""
    ids = WireIds()
    for _ in range(12):
        made = ids.call("x" * ID_CHARS)
        assert len(made) == ID_CHARS
        assert ids.result("x" * ID_CHARS) == made
    assert ids.call("y") == ids.result("y") == "y"
    assert ids.result("never called") == lawful_id("never called")


@all_cases(
    ("id", "derived"),
    [
        (derived_id("seed"), True),
        (derived_id("\udc00"), True),
        ("call_abc", False),
        ("call_" + "a" * 24, False),
        ("", False),
    ],
)
def test_derived(id: str, derived: bool) -> None:
    """Ids made from content are told from those a provider gave."""
    assert is_derived_id(id) is derived


OWN, HOST = Called("c1", "note", "x"), Called("c2", "bash", "ls")


def sent(format: str, *calls: Called) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """A reply as the provider sends it, and the message in it where that is one value."""
    told = wire(format, [Replied("I look.", calls)])
    message = [one for one in told if one.get("role") not in ("system", "developer")]
    return enveloped(format, message, 10), message[0] if len(message) == 1 else None


@all_cases("format", FORMATS)
def test_only_these_calls_leave(format: str) -> None:
    """The text and the host's calls stay; the value that was given is not changed. A reply without
    such calls is whole, as plain values, with its usage."""
    value, message = sent(format, OWN, HOST)
    before = repr(value)
    for given in filter(None, (value, message)):
        left = decode(reply_without_calls(given, {"note"}))
        assert [call.name for call in left.calls] == ["bash"]
        assert "I look." in repr(left.parts)
    assert repr(value) == before
    value, _ = sent(format, HOST)
    left_over = reply_without_calls(value, {"note"})
    assert decode(left_over) == decode(value) and left_over.keys() >= value.keys()


USE = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
HIT = {"encrypted_content": "x"}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [HIT]}
BY_CODE = {"next": {"caller": {"type": "code_execution_20260120", "tool_id": "s2"}}}
RS = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "zz"}


def opaque(*blocks: Any) -> list[str]:
    """Blocks as JSON, "" for a part that has none."""
    return [json.dumps(block) if block else "" for block in blocks]


@all_cases(
    ("blocks", "ids"),
    [
        ((), set()),
        ((None, USE), {"s1"}),
        ((USE, FOUND), set()),
        ((USE, None, BY_CODE), {"s1", "s2"}),
        ((FOUND,), set()),
        (({"type": "tool_use", "id": "t"},), set()),
        (({"type": "mcp_tool_use", "id": "m"}, {"type": "x", "tool_use_id": "m"}), set()),
    ],
)
def test_open_uses(blocks: tuple[Any, ...], ids: set[str]) -> None:
    """A call of the provider's own is open until its result stands behind it."""
    assert open_provider_calls(opaque(*blocks)) == ids


@all_cases(
    ("blocks", "free"),
    [
        ((USE, FOUND), [True, True]),
        (({"type": "thinking", "thinking": "x", "signature": "s"}, USE), [False, True]),
        (({"type": "thinking", "thinking": "x", "signature": ""},), [True]),
        (({"type": "redacted_thinking", "data": "d"},), [False]),
        (({"reasoning_content": "x"}, {"content": [{"type": "future"}]}), [True, True]),
        (({"reasoning_details": [{"type": "reasoning.text", "text": "x"}]},), [True]),
        (({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]},), [False]),
        (({"next": {"citations": []}}, {"next": {"extra_content": {"a": 1}}}), [True, False]),
        (({"type": "web_search_call", "id": "ws_1"}, RS), [True, False]),
        ((RS, {"type": "web_search_call", "id": "ws_1"}), [False, False]),
        (({"text": "", "thought_signature": "c2ln"}, {"executable_code": {}}), [False, True]),
        ((None,), [False]),
    ],
)
def test_unbound(blocks: tuple[Any, ...], free: list[bool]) -> None:
    """Signed reasoning and what goes back with it answer for what stood before; others do not."""
    assert standalone_flags(opaque(*blocks)) == free


@all_cases(
    ("block", "signed", "plain"),
    [
        ({"type": "thinking", "thinking": "x", "signature": ""}, False, True),
        ({"type": "thinking", "thinking": "x", "signature": "s"}, True, False),
        ({"reasoning": "x"}, False, True),
        ({"reasoning": "x", "reasoning_details": [{"data": "d"}]}, True, False),
        (FOUND, True, False),
        (USE, False, False),
    ],
)
def test_signed(block: Any, signed: bool, plain: bool) -> None:
    """What a provider signed must stay as it is; plain reasoning is its text and nothing else."""
    [text] = opaque(block)
    assert (is_signed(text), is_unsigned_reasoning(Reasoning("", text, "x"))) == (signed, plain)
