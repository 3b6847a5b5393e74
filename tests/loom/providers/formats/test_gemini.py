"""Gemini's contents, read and written."""

from typing import Any

from loom.providers.formats.gemini import PLACEHOLDER, GeminiEncoder
from loom.providers.render.message import CallBlock, Message, TextBlock, ThoughtBlock
from tests.kit.cases import all_cases

SIGNED = '{"next":{"thought_signature":"/v/9"}}'


USER = Message("user", (TextBlock("go"),))


def wire(*messages: Message) -> list[Any]:
    """Return the (role, parts) pairs messages become."""
    encoder = GeminiEncoder()
    encoder.extend(messages)
    return [(content["role"], content["parts"]) for content in encoder.messages]


def test_instructions() -> None:
    """Leading instructions stand in the configuration, later ones are said as the user."""
    encoder = GeminiEncoder()
    rules = Message("system", (TextBlock("a"), TextBlock(" "), TextBlock("b")))
    encoder.extend([rules, USER, Message("system", (TextBlock("late"),))])
    assert encoder.request() == {
        "config": {"system_instruction": "a\n\nb"},
        "contents": [{"role": "user", "parts": [{"text": "go"}, {"text": "late"}]}],
    }
    assert encoder.spans == [0, 1, 1]


@all_cases(
    ("block", "signature"),
    [
        (ThoughtBlock(SIGNED, "gemini"), b"\xfe\xff\xfd"),
        (ThoughtBlock('{"next":{"thought_signature":"_v_9"}}', "gemini"), b"\xfe\xff\xfd"),
        (ThoughtBlock('{"next":{"thought_signature":"AQ"}}', "gemini"), b"\x01"),
        (ThoughtBlock('{"next":{"thought_signature":"?"}}', "gemini"), PLACEHOLDER),
        (ThoughtBlock(SIGNED, "anthropic"), PLACEHOLDER),
        (TextBlock(" "), PLACEHOLDER),
    ],
)
def test_signatures(block: ThoughtBlock | TextBlock, signature: bytes) -> None:
    """A call goes back with its signature; the first of a step without one gets the stand-in."""
    step = Message("assistant", (block, CallBlock("x", "a", "{}")))
    called = {"function_call": {"id": "x", "name": "a", "args": {}}}
    assert wire(USER, step)[1] == ("model", [{**called, "thought_signature": signature}])
