"""Chat Completions streams, as OpenAI sends them and as servers that speak the dialect do."""

from collections.abc import Callable
from typing import Any

import pytest

from loom.providers.formats import decode
from loom.providers.formats.stream import StreamFailed
from loom.providers.formats.stream.openai import OpenAICollector
from tests.kit.cases import all_cases

Collect = Callable[[Any], dict[str, Any]]

HEAD = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
STOP = HEAD | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def chunks(*deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a finished stream of deltas."""
    return [*(HEAD | {"choices": [{"index": 0, "delta": delta}]} for delta in deltas), STOP]


def call(index: int | None, arguments: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a delta of one tool call; `name` goes into its function."""
    name = {"name": more.pop("name")} if "name" in more else {}
    function = name if arguments is None else {**name, "arguments": arguments}
    number = {} if index is None else {"index": index}
    return {"tool_calls": [{**number, "function": function, **more}]}


def made(name: str, arguments: Any = "{}", **more: Any) -> dict[str, Any]:
    """Return a whole tool call."""
    return {**more, "function": {"name": name, "arguments": arguments}}


def detail(**fields: Any) -> dict[str, Any]:
    """Return a delta of one fragment of reasoning."""
    return {"reasoning_details": [fields]}


THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}
TABLE: list[tuple[str, list[dict[str, Any]], dict[str, Any]]] = [
    ("unknown fields are kept", [{"tone": "dry"}], {"content": None, "tone": "dry"}),
    (
        "content in parts",
        [
            {"content": [THINKING]},
            {"content": "a"},
            {"content": [{"type": "text", "text": "b"}]},
        ],
        {
            "content": [
                THINKING,
                {"type": "text", "text": "ab"},
            ]
        },
    ),
    (
        "the old function call",
        [
            {"function_call": {"name": "f", "arguments": ""}},
            {"function_call": {"arguments": "{}"}},
        ],
        {"function_call": {"name": "f", "arguments": "{}"}},
    ),
]


CALLS: list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = [
    (
        "all of index 0",
        [call(0, "{}", id="1", name="a"), call(0, "[]", id="2", name="a")],
        [
            made("a", "{}", id="1"),
            made("a", "[]", id="2"),
        ],
    ),
    (
        "no index",
        [call(None, "{", id="1", name="a"), call(None, "}"), call(None, "[]", id="2", name="b")],
        [
            made("a", "{}", id="1"),
            made("b", "[]", id="2"),
        ],
    ),
    (
        "no ids",
        [call(0, "{}", name="a"), call(0, "[]", name="b", id="")],
        [
            made("a", "{}"),
            made("b", "[]"),
        ],
    ),
    (
        "id and name repeated",
        [call(0, "{", id="1", name="ab"), call(0, "}", id="1", name="ab")],
        [made("ab", "{}", id="1")],
    ),
    (
        "fields of the server's own",
        [call(0, "{", id="1", name="a", extra_content={"google": {"s": "x"}}), call(0, "}")],
        [made("a", id="1", extra_content={"google": {"s": "x"}})],
    ),
    (
        "arguments as an object",
        [
            call(0, "", id="1", name="a"),
            {"tool_calls": [{"index": 0, "function": {"arguments": {"x": 1}}}]},
        ],
        [made("a", {"x": 1}, id="1")],
    ),
    (
        "a custom tool",
        [
            {"tool_calls": [{"index": 0, "id": "1", "type": "custom", "custom": {"name": "a"}}]},
            {"tool_calls": [{"index": 0, "custom": {"input": "x"}}]},
            {"tool_calls": [{"index": 0, "custom": {"input": "y"}}]},
        ],
        [{"id": "1", "type": "custom", "custom": {"name": "a", "input": "xy"}}],
    ),
]


TEXT = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
SUMMARY = {"type": "reasoning.summary", "index": 0}
HIDDEN = {"type": "reasoning.encrypted", "data": "x", "id": "rs_1", "index": 0}
DETAILS: list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = [
    (
        "a signed text is complete",
        [detail(**TEXT, text="a", signature="s"), detail(**TEXT, text="b")],
        [TEXT | {"text": "a", "signature": "s"}, TEXT | {"text": "b"}],
    ),
    (
        "signatures without a text",
        [detail(**TEXT, signature="s"), detail(**TEXT, signature="t"), detail(**TEXT, text="")],
        [TEXT | {"signature": "s"}, TEXT | {"signature": "t", "text": ""}],
    ),
    (
        "an index is reused by another type",
        [
            detail(**SUMMARY, summary="a"),
            detail(**SUMMARY, summary="b"),
            detail(**HIDDEN),
            detail(**SUMMARY, summary="c"),
        ],
        [
            SUMMARY | {"summary": "ab"},
            HIDDEN,
            SUMMARY | {"summary": "c"},
        ],
    ),
    (
        "encrypted data is never joined",
        [detail(**HIDDEN), detail(**HIDDEN | {"id": "rs_2"})],
        [HIDDEN, HIDDEN | {"id": "rs_2"}],
    ),
    (
        "by index and by id",
        [
            detail(**TEXT, text="a"),
            detail(**TEXT | {"index": 1}, text="b", id="1"),
            detail(**TEXT, text="c"),
            detail(**TEXT | {"index": 1}, text="d", id="2"),
        ],
        [
            TEXT | {"text": "ac"},
            TEXT | {"text": "b", "index": 1, "id": "1"},
            TEXT | {"text": "d", "index": 1, "id": "2"},
        ],
    ),
    (
        "no index",
        [
            detail(type="reasoning.text", text="a", index=None),
            detail(type="reasoning.text", text="b"),
        ],
        [{"type": "reasoning.text", "text": "ab"}],
    ),
]


MESSAGES = [
    *((deltas, message) for _, deltas, message in TABLE),
    *((deltas, {"tool_calls": calls}) for _, deltas, calls in CALLS),
    *((deltas, {"reasoning_details": details}) for _, deltas, details in DETAILS),
]


@all_cases(("deltas", "message"), MESSAGES)
def test_messages(collect: Collect, deltas: list[Any], message: dict[str, Any]) -> None:
    """Deltas add up to the message they are pieces of, whatever the server does about an index."""
    types = pytest.importorskip("openai.types.chat")
    built = [types.ChatCompletionChunk.construct(**chunk) for chunk in chunks(*deltas)]
    for stream in (chunks(*deltas), built):
        reply = collect(stream)
        assert reply["choices"][0]["message"] == {"role": "assistant", "content": None, **message}
        assert len(decode(reply).calls) >= len(message.get("tool_calls", ()))


@all_cases(
    ("chunk", "said"),
    [
        (
            {"error": {"code": 502, "message": "upstream died"}, "choices": []},
            "(502): upstream died",
        ),
        ({"error": "out of memory"}, "off: out of memory"),
        (HEAD | {"choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]}, "no reason"),
        (
            HEAD
            | {
                "choices": [
                    {"index": 0, "finish_reason": "error", "error": {"message": "upstream died"}}
                ]
            },
            "upstream died",
        ),
    ],
)
def test_errors(chunk: dict[str, Any], said: str) -> None:
    """An error in the stream is raised with the provider's words."""
    collector = OpenAICollector()
    collector.take(chunks({"content": "a"})[0])
    with pytest.raises(StreamFailed) as caught:
        collector.take(chunk)
    assert said in str(caught.value)
    assert not collector.done
