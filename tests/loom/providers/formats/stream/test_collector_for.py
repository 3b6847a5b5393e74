"""Which collector a stream gets, and how streams fail."""

from typing import Any

import pytest

from loom.errors import LoomError
from loom.providers.formats import UnknownReply, collector_for
from loom.providers.formats.stream import StreamFailed
from tests.kit.cases import all_cases


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
