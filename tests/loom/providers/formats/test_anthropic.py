"""Messages, read and written."""

from types import SimpleNamespace
from typing import Any

import pytest

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats.anthropic import AnthropicEncoder, decode
from loom.providers.formats.ids import lawful_id
from loom.providers.formats.unknown import UnknownReply
from loom.providers.render.message import CallBlock, Message, ResultBlock, TextBlock, ThoughtBlock
from tests.kit.cases import all_cases

SIGNED = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
SIGNED_JSON = '{"type":"thinking","thinking":"hm","signature":"c2ln"}'
UNSIGNED = {"type": "thinking", "thinking": "hm", "signature": ""}
UNSIGNED_JSON = '{"type":"thinking","thinking":"hm","signature":""}'


def text(said: str) -> dict[str, Any]:
    """Return a text block as the provider writes it."""
    return {"type": "text", "text": said}


def tool_use(id: str, name: str, given: Any) -> dict[str, Any]:
    """Return a call as the provider writes it."""
    return {"type": "tool_use", "id": id, "name": name, "input": given}


@all_cases(
    ("content", "parts"),
    [
        ("hello", (Speech("hello"),)),
        ([text("a"), text(" b\n")], (Speech("a"), Speech(" b\n"))),
        ([], ()),
        ([text("")], ()),
        ([SIGNED, text("so")], (Reasoning("hm", SIGNED_JSON, "anthropic"), Speech("so"))),
        (
            [{"type": "thinking", "thinking": "hm"}],
            (Reasoning("hm", '{"type":"thinking","thinking":"hm"}', "anthropic"),),
        ),
        ([UNSIGNED, text("so")], (Reasoning("hm", UNSIGNED_JSON, "anthropic"), Speech("so"))),
        (
            [{"type": "redacted_thinking", "data": "zz"}],
            (Reasoning("", '{"type":"redacted_thinking","data":"zz"}', "anthropic"),),
        ),
        (
            [text("look"), tool_use("t", "a", {"x": "é"}), text("then")],
            (Speech("look"), ToolCall("t", "a", '{"x":"é"}'), Speech("then")),
        ),
        ([tool_use("t", "a", None)], (ToolCall("t", "a", "{}"),)),
        (
            [{"type": "server_tool_use", "id": "s"}],
            (Reasoning("", '{"type":"server_tool_use","id":"s"}', "anthropic"),),
        ),
    ],
)
def test_decode_content(content: Any, parts: tuple[Any, ...]) -> None:
    """Blocks keep their order; what must come back unchanged is kept opaque."""
    assert decode({"role": "assistant", "content": content}) == Reply(parts)


def test_decode_usage() -> None:
    """The prompt is what was read anew plus what the cache wrote and served."""
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 3000,
        "output_tokens": 40_000,
    }
    message = {"type": "message", "model": "claude-x", "content": [text("a")], "usage": usage}
    assert decode(message) == Reply((Speech("a"),), "claude-x", 3210)


def test_decode_object() -> None:
    """Blocks given as objects, in an object or in a dict, read like dicts."""
    block = SimpleNamespace(type="tool_use", id="t", name="a", input={"x": 1})
    expected = Reply((ToolCall("t", "a", '{"x":1}'),))
    assert decode(SimpleNamespace(role="assistant", content=[block])) == expected
    assert decode({"role": "assistant", "content": [vars(block)]}) == expected


@all_cases(
    "value",
    [
        {},
        {"role": "assistant"},
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": 7},
        {"role": "assistant", "content": [{"type": "tool_use", "input": {}}]},
        "text",
    ],
)
def test_decode_unknown(value: object) -> None:
    """What is no reply is refused, never half-read."""
    with pytest.raises(UnknownReply):
        decode(value)


USER = Message("user", (TextBlock("go"),))
CALL = Message("assistant", (CallBlock("t", "a", '{"x":1}'),))
RESULT = Message("tool", (ResultBlock("t", "a", "done"),))


def wire(*messages: Message) -> list[Any]:
    """Return the (role, content) pairs messages become."""
    encoder = AnthropicEncoder()
    encoder.extend(messages)
    return [(message["role"], message["content"]) for message in encoder.messages]


def result(id: str, content: str, **fields: Any) -> dict[str, Any]:
    """Return a result as the provider reads it."""
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


def test_nothing() -> None:
    """Without messages there is nothing to send."""
    assert AnthropicEncoder().request() == {"messages": []}


def test_steps() -> None:
    """A turn, a step and an answer alternate."""
    assert wire(USER, CALL, RESULT, Message("assistant", (TextBlock("ok"),))) == [
        ("user", [text("go")]),
        ("assistant", [tool_use("t", "a", {"x": 1})]),
        ("user", [result("t", "done")]),
        ("assistant", [text("ok")]),
    ]


def test_system_leads() -> None:
    """Leading instructions are kept apart, later ones are said as the user."""
    encoder = AnthropicEncoder()
    rules = Message("system", (TextBlock("a", "system"), TextBlock(" "), TextBlock("b", "memory")))
    encoder.extend([rules, rules, USER, Message("system", (TextBlock("late"),))])
    assert encoder.request() == {
        "system": [text("a"), text("b"), text("a"), text("b")],
        "messages": [{"role": "user", "content": [text("go"), text("late")]}],
    }


def test_neighbours_merge_results_first() -> None:
    """Neighbours of one side merge, and results stand before texts whatever came first."""
    calls = Message("assistant", (CallBlock("t", "a", "{}"), CallBlock("u", "b", "{}")))
    failed = Message("tool", (ResultBlock("u", "b", "gone", True),))
    assert wire(USER, calls, RESULT, USER, failed, USER)[2] == (
        "user",
        [result("t", "done"), result("u", "gone", is_error=True), text("go"), text("go")],
    )


def test_assistants_merge() -> None:
    """Adjacent assistant messages become one."""
    said = Message("assistant", (TextBlock("a"),))
    assert wire(USER, said, said)[1:] == [("assistant", [text("a"), text("a")])]


def test_starts_with_user() -> None:
    """A conversation that starts with a reply is given a first turn."""
    assert wire(Message("assistant", (TextBlock("a"),))) == [
        ("user", [text("(the conversation resumes)")]),
        ("assistant", [text("a")]),
    ]


@all_cases(
    ("message", "content"),
    [
        (Message("user", (TextBlock("a"), TextBlock("b"))), [text("a"), text("b")]),
        (Message("user", (TextBlock("\n"),)), [text("(empty message)")]),
        (Message("user", ()), [text("(empty message)")]),
        (Message("tool", (ResultBlock("t", "a", ""),)), [result("t", "(no output)")]),
    ],
)
def test_user_content(message: Message, content: list[Any]) -> None:
    """A user's message holds no blank block and is never empty."""
    assert wire(message) == [("user", content)]


@all_cases(
    ("blocks", "content"),
    [
        ((TextBlock("a"),), [text("a")]),
        ((ThoughtBlock(SIGNED_JSON, "anthropic"), TextBlock("a")), [SIGNED, text("a")]),
        ((ThoughtBlock("{}", "openai"), TextBlock("a")), [text("a")]),
        ((ThoughtBlock("not json", "anthropic"), TextBlock("a")), [text("a")]),
        ((), [text("(no text)")]),
        ((TextBlock(" "),), [text("(no text)")]),
        ((ThoughtBlock(SIGNED_JSON, "anthropic"),), [SIGNED, text("(no text)")]),
        (
            (TextBlock("a"), ThoughtBlock(SIGNED_JSON, "anthropic")),
            [text("a"), SIGNED, text("(no text)")],
        ),
    ],
)
def test_assistant_content(blocks: Any, content: list[Any]) -> None:
    """A reply keeps the order of its blocks, and ends in something said or called."""
    assert wire(USER, Message("assistant", blocks))[1] == ("assistant", content)


@all_cases(
    ("arguments", "given"),
    [
        ('{"x":{"y":[]}}', {"x": {"y": []}}),
        ("", {}),
        ("[1]", {"_raw": "[1]"}),
        ('{"x":', {"_raw": '{"x":'}),
        ('{"x":"\\udc00"}', {"_raw": '{"x":"\\udc00"}'}),
    ],
)
def test_arguments(arguments: str, given: Any) -> None:
    """Arguments are sent as an object; what is none is sent as text inside one."""
    [_, (_, [block])] = wire(USER, Message("assistant", (CallBlock("t", "a", arguments),)))
    assert block["input"] == given


@all_cases("id", ["toolu_01-A", "functions.read:0", "é", "", "a b", "a.b"])
def test_ids(id: str) -> None:
    """An id with characters the provider refuses is mapped alike in call and result."""
    [_, (_, [call]), (_, [answer])] = wire(
        USER,
        Message("assistant", (CallBlock(id, "a", "{}"),)),
        Message("tool", (ResultBlock(id, "a", "x"),)),
    )
    assert call["id"] == answer["tool_use_id"] == lawful_id(id)
    assert call["id"].isascii()
    assert call["id"].replace("_", "").replace("-", "").isalnum()


def test_ids_stay_distinct() -> None:
    """Ids that differ only in refused characters stay different."""
    assert len({lawful_id(id) for id in ("a.b", "a:b", "a b", "a_b")}) == 4


def test_ids_used_again() -> None:
    """A provider that numbers its calls anew in each reply still gives unique ids."""
    rows = wire(
        USER, CALL, RESULT, CALL, RESULT, Message("assistant", (CallBlock("t_2", "a", ""),))
    )
    ids = [block["id"] for role, blocks in rows if role == "assistant" for block in blocks]
    answers = [
        block["tool_use_id"] for _, blocks in rows for block in blocks if "tool_use_id" in block
    ]
    assert ids == ["t", "t_2", "t_2_2"]
    assert answers == ["t", "t_2"]
