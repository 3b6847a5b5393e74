"""Chat Completions streams, as servers that speak the dialect send them."""

from __future__ import annotations

from typing import Any

import pytest

from loom.errors import BrokenStream
from loom.providers.formats import decode
from loom.providers.formats.stream.openai import OpenAICollector
from tests.kit.cases import all_cases
from tests.kit.replies import collected

Wire = dict[str, Any]
HEAD = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
STOP = HEAD | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def chunks(*deltas: Wire) -> list[Wire]:
    """Return a finished stream of deltas."""
    return [*(HEAD | {"choices": [{"index": 0, "delta": delta}]} for delta in deltas), STOP]


def call(index: int | None, arguments: Any, name: str = "", **more: Any) -> Wire:
    """Return a delta of one tool call."""
    function = {**({"name": name} if name else {}), "arguments": arguments}
    number = {} if index is None else {"index": index}
    return {"tool_calls": [{**number, "function": function, **more}]}


def custom(**fields: Any) -> Wire:
    """Return a delta of a custom tool's call."""
    return {"tool_calls": [{"index": 0, **fields}]}


def made(name: str, arguments: Any = "{}", **more: Any) -> Wire:
    """Return a whole tool call."""
    return {**more, "function": {"name": name, "arguments": arguments}}


def details(*fragments: Wire) -> list[Wire]:
    """Return deltas of fragments of reasoning."""
    return [{"reasoning_details": [fragment]} for fragment in fragments]


THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}
OWN = {"extra_content": {"google": {"s": "x"}}}
TEXT = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
SECOND = TEXT | {"index": 1}
SUMMARY = {"type": "reasoning.summary", "index": 0}
HIDDEN = {"type": "reasoning.encrypted", "data": "x", "id": "rs_1", "index": 0}
OTHER = HIDDEN | {"id": "rs_2"}
BARE = {"type": "reasoning.text"}
CHAT: dict[str, tuple[list[Wire], Wire]] = {
    "unknown fields": ([{"tone": "dry"}], {"content": None, "tone": "dry"}),
    "content in parts": (
        [{"content": [THINKING]}, {"content": "a"}, {"content": [{"type": "text", "text": "b"}]}],
        {"content": [THINKING, {"type": "text", "text": "ab"}]},
    ),
    "the old function call": (
        [{"function_call": {"name": "f", "arguments": part}} for part in ("", "{}")],
        {"function_call": {"name": "f", "arguments": "{}"}},
    ),
    "all of index 0": (
        [call(0, "{}", "a", id="1"), call(0, "[]", "a", id="2")],
        {"tool_calls": [made("a", "{}", id="1"), made("a", "[]", id="2")]},
    ),
    "no index": (
        [call(None, "{", "a", id="1"), call(None, "}"), call(None, "[]", "b", id="2")],
        {"tool_calls": [made("a", "{}", id="1"), made("b", "[]", id="2")]},
    ),
    "no ids": (
        [call(0, "{}", "a"), call(0, "[]", "b", id="")],
        {"tool_calls": [made("a", "{}"), made("b", "[]")]},
    ),
    "id and name repeated": (
        [call(0, "{", "ab", id="1"), call(0, "}", "ab", id="1")],
        {"tool_calls": [made("ab", "{}", id="1")]},
    ),
    "fields of the server's own": (
        [call(0, "{", "a", id="1", **OWN), call(0, "}")],
        {"tool_calls": [made("a", id="1", **OWN)]},
    ),
    "arguments as an object": (
        [call(0, "", "a", id="1"), call(0, {"x": 1})],
        {"tool_calls": [made("a", {"x": 1}, id="1")]},
    ),
    "a custom tool": (
        [
            custom(id="1", type="custom", custom={"name": "a"}),
            *(custom(custom={"input": piece}) for piece in "xy"),
        ],
        {"tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "a", "input": "xy"}}]},
    ),
    "signatures without a text": (
        details(TEXT | {"signature": "s"}, TEXT | {"signature": "t"}, TEXT | {"text": ""}),
        {"reasoning_details": [TEXT | {"signature": "s"}, TEXT | {"signature": "t", "text": ""}]},
    ),
    "an index is reused by another type": (
        details(*(SUMMARY | {"summary": piece} for piece in "ab"), HIDDEN, SUMMARY),
        {"reasoning_details": [SUMMARY | {"summary": "ab"}, HIDDEN, SUMMARY]},
    ),
    "encrypted data is never joined": (
        details(HIDDEN, OTHER),
        {"reasoning_details": [HIDDEN, OTHER]},
    ),
    "by index and by id": (
        details(
            TEXT | {"text": "a"},
            SECOND | {"text": "b", "id": "1"},
            TEXT | {"text": "c"},
            SECOND | {"text": "d", "id": "2"},
        ),
        {
            "reasoning_details": [
                TEXT | {"text": "ac"},
                SECOND | {"text": "b", "id": "1"},
                SECOND | {"text": "d", "id": "2"},
            ]
        },
    ),
    "reasoning without an index": (
        details(BARE | {"text": "a", "index": None}, BARE | {"text": "b"}),
        {"reasoning_details": [BARE | {"text": "ab"}]},
    ),
}


@all_cases(("deltas", "message"), CHAT.values(), ids=CHAT)
def test_chat_messages(deltas: list[Wire], message: Wire) -> None:
    """Deltas add up to the message they are pieces of, whatever the server does about an index."""
    types = pytest.importorskip("openai.types.chat")
    built = [types.ChatCompletionChunk.construct(**chunk) for chunk in chunks(*deltas)]
    for stream in (chunks(*deltas), built):
        reply = collected(stream)
        assert reply["choices"][0]["message"] == {"role": "assistant", "content": None, **message}
        assert len(decode(reply).calls) >= len(message.get("tool_calls", ()))


DIED = {"message": "upstream died"}


@all_cases(
    ("chunk", "said"),
    [
        ({"error": {"code": 502, **DIED}, "choices": []}, "(502): upstream died"),
        ({"error": "out of memory"}, "off: out of memory"),
        (HEAD | {"choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]}, "no reason"),
        (HEAD | {"choices": [{"index": 0, "finish_reason": "error", "error": DIED}]}, "died"),
    ],
)
def test_failed_in_the_middle(chunk: Wire, said: str) -> None:
    """An error behind the first chunk of Chat is raised with the server's words."""
    collector = OpenAICollector()
    collector.take(chunks({"content": "a"})[0])
    with pytest.raises(BrokenStream, match="broke the reply off") as caught:
        collector.take(chunk)
    assert said in str(caught.value) and not collector.done
