"""Lists of Gemini's contents."""

from __future__ import annotations

from typing import Any

import pytest

from loom.providers.formats.listing import BadMessage, listed
from tests.kit.cases import all_cases


def model(*names: str, **more: Any) -> dict[str, Any]:
    """A content of the model that calls so many functions."""
    return {
        "role": "model",
        "parts": [{"functionCall": {"name": name, "args": {}, **more}} for name in names],
    }


def answer(name: str, response: object, **more: Any) -> dict[str, Any]:
    """A content with one result."""
    part = {"functionResponse": {"name": name, "response": response, **more}}
    return {"role": "user", "parts": [part]}


def test_results_without_ids_are_those_of_calls_that_wait() -> None:
    """The first call of that name that has none; with an id that of its call."""
    [reply, one, two] = listed(
        "gemini", [model("f", "f"), answer("f", {"output": "1"}), answer("f", {"output": "2"})]
    )
    assert reply.reply is not None
    assert [one.results[0].call_id, two.results[0].call_id] == [c.id for c in reply.reply.calls]
    [_, named] = listed("gemini", [model("f", id="x7"), answer("f", {}, id="x7")])
    assert named.results[0].call_id == "x7"


def test_the_text_of_a_response() -> None:
    """Its output, result or error; any other response as JSON."""
    responses: list[object] = [{"output": "a"}, {"result": "b"}, {"error": "c"}, {"n": 1}]
    found = [one.results[0] for one in listed("gemini", [answer("f", one) for one in responses])]
    assert [one.content for one in found] == ["a", "b", "c", '{"n":1}']
    assert [one.error for one in found] == [False, False, True, False]


@all_cases("parts", [None, "text", ["text"], {}])
def test_parts_that_are_none(parts: object) -> None:
    """They are refused."""
    with pytest.raises(BadMessage, match="no list of parts"):
        [*listed("gemini", [{"role": "user", "parts": parts}])]
