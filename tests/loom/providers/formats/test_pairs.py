"""What ties the opaque blocks of a reply to each other, and to what stood before it."""

from __future__ import annotations

import json
from typing import Any

from loom.inputs import Reasoning
from loom.providers.formats.pairs import is_signed, is_unsigned, open_uses, unbound
from tests.kit.cases import all_cases

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
    assert open_uses(opaque(*blocks)) == ids


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
    assert unbound(opaque(*blocks)) == free


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
    assert (is_signed(text), is_unsigned(Reasoning("", text, "x"))) == (signed, plain)
