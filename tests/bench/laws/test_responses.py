"""The laws of Responses, each broken once."""

from typing import Any

from loom_bench.laws import Laws
from tests.kit.cases import all_cases

Item = dict[str, Any]


def user(content: Any = "go") -> Item:
    """Return a user's message."""
    return {"role": "user", "content": content}


def said(text: str = "ok", **more: Any) -> Item:
    """Return a message of the assistant, as it came."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "content": content, **more}


def call(call_id: Any, /, **more: Any) -> Item:
    """Return a call."""
    return {"type": "function_call", "call_id": call_id, "name": "a", "arguments": "{}", **more}


def out(id: Any, output: Any = "done") -> Item:
    """Return the output of a call."""
    return {"type": "function_call_output", "call_id": id, "output": output}


def thought(id: str = "rs_1", **more: Any) -> Item:
    """Return a reasoning item."""
    return {"type": "reasoning", "id": id, "summary": [], "encrypted_content": "e", **more}


TOOL = {"type": "function", "name": "a", "parameters": {"type": "object"}, "strict": False}
LAWFUL = [
    "hi",
    [user(), said(), user()],
    [user(), user(), said(), said()],
    [user(), {"role": "developer", "content": "d"}, user()],
    [user(), call("c"), out("c")],
    [user(), thought(), said(), call("c", id="fc_1"), call("d"), out("d"), out("c"), user()],
    [user(), thought("rs_1"), thought("rs_2"), said(id="msg_1", status="completed")],
    [user(), call("c"), out("c", [{"type": "input_text", "text": "a"}])],
    [user(), said(content=[{"type": "refusal", "refusal": "No."}])],
    [user(), {"type": "web_search_call", "id": "ws_1", "status": "completed"}, said()],
]


@all_cases(
    ("input", "violations"),
    [
        *((input, []) for input in LAWFUL),
        ([], ["input: there are none"]),
        ("", ["user content is blank"]),
        (["go"], ["no object"]),
        ([{"role": "tool", "content": "a"}], ["no role is named 'tool'"]),
        ([user(" ")], ["blank"]),
        ([user(), said("")], ["assistant content is blank"]),
        ([user(), call("c"), out("c", "")], ["output of 'c' is blank"]),
        ([user(), call("c")], ["item 1: call 'c' has no output"]),
        ([user(), call("c"), user(), out("c")], ["no output", "not made directly before"]),
        ([user(), call("c"), call("d"), out("c"), said(), out("d")], ["'d' has no", "not made"]),
        ([user(), out("c")], ["not made"]),
        ([user(), call("c"), out("c"), out("c")], ["second time"]),
        ([user(), call("c"), out("c"), call("c"), out("c")],
         ["item 3: the call id 'c' was used before"]),
        ([user(), call("c", name="a.b"), out("c")], ["the name 'a.b'"]),
        ([user(), call("c", arguments={}), out("c")], ["are no text"]),
        ([user(), call(""), out("")], ["1 to 64 characters"]),
        ([user(), call("c", id="call_1"), out("c")], ["begins with 'fc'"]),
        ([user(), said(id="m"), said()], ["begins with 'msg'"]),
        ([user(), said(id="msg_1"), said(id="msg_1")], ["'msg_1' was used before"]),
        ([user(), thought()], ["reasoning without the item"]),
        ([user(), thought(), user()], ["item 1: reasoning without the item"]),
        ([user(), call("c"), thought(), out("c")], ["item 2: reasoning without the item"]),
        ([user(), thought(encrypted_content=None), said()], ["not encrypted"]),
        ([user(), {"type": "reasoning", "summary": []}, said()], ["without its id", "not encr"]),
        ([user(), thought(summary=None), said()], ["no summary list"]),
    ],
)  # fmt: skip
def test_input(input: Any, violations: list[str], finds: Any) -> None:
    """Each broken law is named once, in order."""
    finds("responses", {"input": input, "store": False}, violations)


@all_cases(
    ("before", "after", "violation"),
    [
        ([call("c"), out("c")], [call("c"), out("c")], ""),
        ([call("c", id="fc_1"), out("c")], [call("c", id="fc_1"), out("c")], ""),
        ([thought(), call("c", id="fc_1"), out("c")], [call("c"), out("c")], ""),
        ([thought(), call("c", id="fc_1"), out("c")], [user(), call("c"), out("c")], ""),
        ([thought(), call("c", id="fc_1"), out("c")], [call("c", id="fc_1"), out("c")], "'fc_1'"),
        ([thought(), said(id="msg_1")], [said(id="msg_1")], "'msg_1'"),
        ([thought("rs_1"), call("c", id="fc_1"), out("c")],
         [thought("rs_2"), call("c", id="fc_1"), out("c")], "without the reasoning 'rs_1'"),
    ],
)  # fmt: skip
def test_an_id_goes_with_its_reasoning(
    before: list[Item], after: list[Item], violation: str
) -> None:
    """An item keeps its id only beside the reasoning the reply brought it with."""
    laws = Laws("responses")
    assert laws.check({"input": [user(), *before]}) == []
    found = laws.check({"input": [user(), *after]})
    assert len(found) == bool(violation) and all(violation in line for line in found), found


@all_cases(
    ("rest", "violations"),
    [
        ({}, []),
        ({"instructions": "s", "tools": [TOOL], "max_output_tokens": 16}, []),
        ({"tools": [{"type": "web_search"}]}, []),
        ({"input": [user(), thought(encrypted_content=None), said()]}, []),
        ({"instructions": ""}, ["instructions: they are blank"]),
        ({"max_output_tokens": "9"}, ["'9' is no whole number"]),
        ({"tools": [TOOL, TOOL]}, ["two have the name 'a'"]),
        ({"tools": [{**TOOL, "parameters": {}}]}, ["describes no object"]),
    ],
)
def test_the_rest_of_a_request(rest: dict[str, Any], violations: list[str], finds: Any) -> None:
    """Instructions, tools, and the limit of the reply are checked too."""
    finds("responses", {"input": [user()], **rest}, violations)
