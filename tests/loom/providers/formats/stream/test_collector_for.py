"""Which collector a stream gets, and how streams fail."""

from types import SimpleNamespace
from typing import Any

import pytest

from loom.errors import LoomError
from loom.providers.formats import FORMATS, UnknownReply, collector_for
from loom.providers.formats.stream import BrokenStream, StreamFailed
from loom.providers.overflow import overflow
from tests.kit.cases import all_cases


@all_cases(
    ("chunk", "format"),
    [
        ({"choices": []}, "openai"),
        ({"choices": [], "object": ""}, "openai"),
        ({"type": "chunk", "chunk": {"choices": []}, "snapshot": None}, "openai"),
        ({"error": {"message": "no"}}, "openai"),
        ({"type": "response.created", "response": {}}, "responses"),
        ({"type": "response.never_heard_of"}, "responses"),
        ({"type": "error", "message": "no", "sequence_number": 1}, "responses"),
        ({"type": "message_start", "message": {}}, "anthropic"),
        ({"type": "ping"}, "anthropic"),
        ({"type": "error", "error": {"type": "overloaded_error"}}, "anthropic"),
        ({"candidates": []}, "gemini"),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, "gemini"),
        (SimpleNamespace(usage_metadata={}), "gemini"),
    ],
)
def test_chosen(chunk: object, format: str) -> None:
    """The first chunk's shape tells the provider; the collector has not taken it."""
    collector = collector_for(chunk)
    assert type(collector) is FORMATS[format].collector
    assert not collector.done


@all_cases(
    "chunk",
    [
        None,
        "data: {}",
        7,
        {},
        [],
        object(),
        {"type": "message", "content": []},
        {"object": "chat.completion", "choices": []},
        {"type": 3},
    ],
)
def test_unknown(chunk: object) -> None:
    """Anything else is refused, a whole reply too, naming what could be read."""
    with pytest.raises(UnknownReply, match="Messages stream"):
        collector_for(chunk)


@all_cases(
    ("chunk", "code", "said"),
    [
        (
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            "overloaded_error",
            "Overloaded",
        ),
        ({"type": "error", "code": "server_error", "message": "oops"}, "server_error", "oops"),
        ({"type": "error", "error": {"message": "oops"}}, "", "oops"),
        (
            {
                "type": "response.failed",
                "response": {"error": {"code": "rate_limit_exceeded", "message": "slow down"}},
            },
            "rate_limit_exceeded",
            "slow down",
        ),
        (
            {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}, "candidates": []},
            "503",
            "busy",
        ),
        ({"error": {"code": 500}}, "500", "{'code': 500}"),
    ],
)
def test_failed(chunk: dict[str, Any], code: str, said: str) -> None:
    """An error of any provider says what the provider said."""
    with pytest.raises(StreamFailed) as caught:
        collector_for(chunk).take(chunk)
    assert isinstance(caught.value, LoomError)
    assert (caught.value.code, caught.value.said) == (code, said)
    assert said in str(caught.value)
    assert "nothing was recorded" in str(caught.value)


def test_failed_objects() -> None:
    """Error events of the library are read like dicts."""
    types = pytest.importorskip("openai.types.responses")
    event = types.ResponseErrorEvent(
        type="error", code="server_error", message="oops", param=None, sequence_number=3
    )
    with pytest.raises(StreamFailed, match=r"\(server_error\): oops"):
        collector_for(event).take(event)


def test_failed_by_overflow() -> None:
    """An overflow told in the middle of a stream is recognised as one."""
    error = {"code": "context_length_exceeded", "message": "maximum context length is 4096 tokens"}
    assert overflow(StreamFailed(error)) is not None
    assert overflow(BrokenStream(3)) is None


def test_broken() -> None:
    """A stream cut short says so, and that asking again is safe."""
    error = BrokenStream(1234)
    assert isinstance(error, LoomError)
    assert error.chunks == 1234
    assert "1,234 chunks" in str(error)
    assert "ask again" in str(error)
