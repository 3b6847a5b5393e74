"""Responses, read and written."""

from typing import Any

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats.responses import ResponsesEncoder, decode
from loom.providers.render.message import CallBlock, Message, TextBlock, ThoughtBlock
from tests.kit.cases import all_cases

RS = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"zz"}'


def item(kind: str, **fields: Any) -> dict[str, Any]:
    """Return an output item."""
    return {"type": kind, **fields}


def call(**fields: Any) -> dict[str, Any]:
    """Return a call as the provider writes it."""
    return item("function_call", call_id="c", name="a", arguments="{}", **fields)


def message(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a message item."""
    return item("message", role="assistant", content=list(parts), **fields)


def text(said: str, **fields: Any) -> dict[str, Any]:
    """Return a text part with the fields the service always fills in."""
    return {"type": "output_text", "text": said, "annotations": [], **fields}


def opaque(json: str) -> Reasoning:
    """Return what carries an envelope."""
    return Reasoning("", json, "responses")


REFUSED = {"type": "refusal", "refusal": "no"}
UNDONE = '{"next":{"id":"msg_1","status":"incomplete","part":{"type":"refusal"}}}'
THOUGHT = item("reasoning", id="rs_1", summary=[], encrypted_content="zz", content=None)


@all_cases(
    ("output", "parts"),
    [
        ([message(text(""))], ()),
        ([message(text(" "), id="msg_1")], (Speech(" "),)),
        (
            [message(text("hi"), id="msg_1", status="completed")],
            (opaque('{"next":{"id":"msg_1"}}'), Speech("hi")),
        ),
        ([message(REFUSED, id="msg_1", status="incomplete")], (opaque(UNDONE), Speech("no"))),
        ([call(id="fc_1")], (opaque('{"next":{"id":"fc_1"}}'), ToolCall("c", "a", "{}"))),
        ([item("function_call", call_id="c", name="a")], (ToolCall("c", "a", "{}"),)),
        (
            [THOUGHT, call(id="fc_1")],
            (
                Reasoning("", RS, "responses"),
                opaque('{"next":{"id":"fc_1"},"after":"rs_1"}'),
                ToolCall("c", "a", "{}"),
            ),
        ),
        (
            [
                item("reasoning", id="rs_1", summary=[{"type": "summary_text", "text": "hm"}]),
                call(id="fc_1"),
                message(text("hi"), id="msg_1", phase="final_answer"),
            ],
            (
                Reasoning("hm"),
                ToolCall("c", "a", "{}"),
                opaque('{"next":{"phase":"final_answer"}}'),
                Speech("hi"),
            ),
        ),
        (
            [item("web_search_call", id="ws_1", status="completed", created_by="x", action=None)],
            (opaque('{"type":"web_search_call","id":"ws_1","status":"completed"}'),),
        ),
        (
            [item("image_generation_call", id="ig_1", result=None, quality=None)],
            (opaque('{"type":"image_generation_call","id":"ig_1","result":null}'),),
        ),
        (
            [item("custom_tool_call", call_id="c", name="a", input="raw")],
            (opaque('{"next":{"type":"custom_tool_call"}}'), ToolCall("c", "a", "raw")),
        ),
    ],
)
def test_decode(output: list[Any], parts: tuple[Any, ...]) -> None:
    """Items keep their order; what a text or a call cannot hold stands in an envelope before it."""
    assert decode({"object": "response", "output": output}) == Reply(parts)


USER = Message("user", (TextBlock("go"),))


def wire(*messages: Message) -> list[dict[str, Any]]:
    """Return the items messages become."""
    encoder = ResponsesEncoder()
    encoder.extend(messages)
    return encoder.messages


def thought(json: str, format: str = "responses") -> ThoughtBlock:
    """Return a block of opaque reasoning."""
    return ThoughtBlock(json, format)


CALL = CallBlock("c", "a", "{}")
WIRE_CALL = call()


def test_instructions() -> None:
    """Leading system texts are the instructions; one that comes later is an item."""
    encoder = ResponsesEncoder()
    rules = Message("system", (TextBlock("a", "system"), TextBlock(" "), TextBlock("b")))
    encoder.extend([rules, USER, Message("system", (TextBlock("late"),))])
    assert encoder.request() == {
        "instructions": "a\n\nb",
        "input": [{"role": "user", "content": "go"}, {"role": "system", "content": "late"}],
    }
    assert encoder.spans == [0, 1, 2]


@all_cases(
    ("blocks", "items"),
    [
        ((), [{"role": "assistant", "content": "(no text)"}]),
        ((CallBlock("c", "a", "{bad"),), [{**WIRE_CALL, "arguments": '{"_raw":"{bad"}'}]),
        ((thought(RS),), [{"role": "assistant", "content": "(no text)"}]),
        ((thought('{"next":{"id":"fc_1"}}'), CALL), [{**WIRE_CALL, "id": "fc_1"}]),
        ((thought('{"next":{"id":"fc_1"},"after":"rs_1"}'), CALL), [WIRE_CALL]),
        (
            (thought('{"next":{"id":"msg_1","phase":"x"},"after":"rs_1"}'), TextBlock("hi")),
            [{"role": "assistant", "content": "hi", "phase": "x"}],
        ),
        (
            (
                thought('{"next":{"id":"msg_1"}}'),
                TextBlock("a"),
                thought('{"next":{"id":"msg_1","part":{"type":"refusal"}}}'),
                TextBlock("b"),
            ),
            [
                {
                    "type": "message",
                    "role": "assistant",
                    "id": "msg_1",
                    "status": "completed",
                    "content": [text("a"), {"type": "refusal", "refusal": "b"}],
                }
            ],
        ),
    ],
)
def test_assistant(blocks: Any, items: list[Any]) -> None:
    """A reply's items stand in its order; ids go with the reasoning they came with."""
    assert wire(Message("assistant", blocks)) == items
