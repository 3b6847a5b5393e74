"""Messages, read and written."""

from typing import Any

from loom.inputs import Reply, Speech
from loom.providers.formats.anthropic import AnthropicEncoder, decode
from loom.providers.render.message import Message, TextBlock


def text(said: str) -> dict[str, Any]:
    """Return a text block as the provider writes it."""
    return {"type": "text", "text": said}


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


def wire(*messages: Message) -> list[Any]:
    """Return the (role, content) pairs messages become."""
    encoder = AnthropicEncoder()
    encoder.extend(messages)
    return [(message["role"], message["content"]) for message in encoder.messages]


def test_starts_with_user() -> None:
    """A conversation that starts with a reply is given a first turn."""
    assert wire(Message("assistant", (TextBlock("a"),))) == [
        ("user", [text("(the conversation resumes)")]),
        ("assistant", [text("a")]),
    ]
