"""Laws over a session: the same findings as request by request, for the work of what is new."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.formats.laws import RULES, Laws, broken
from tests.kit.cases import all_cases

Message = dict[str, Any]


def openai(number: int) -> list[Message]:
    """Return a step: a call and its result."""
    function = {"name": "a", "arguments": "{}"}
    calls = [{"id": f"c{number}", "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": f"c{number}", "content": "done"},
    ]


def responses(number: int) -> list[Message]:
    """Return a step: a call and its output."""
    return [
        {"type": "function_call", "call_id": f"c{number}", "name": "a", "arguments": "{}"},
        {"type": "function_call_output", "call_id": f"c{number}", "output": "done"},
    ]


def anthropic(number: int) -> list[Message]:
    """Return a step: a call and its result."""
    use = {"type": "tool_use", "id": f"c{number}", "name": "a", "input": {}}
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "done"}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def gemini(number: int) -> list[Message]:
    """Return a step: a call and its response."""
    call = {"name": f"a{number}", "args": {}}
    response = {"name": f"a{number}", "response": {"output": "done"}}
    return [
        {"role": "model", "parts": [{"function_call": call}]},
        {"role": "user", "parts": [{"function_response": response}]},
    ]


STEPS = {"openai": openai, "responses": responses, "anthropic": anthropic, "gemini": gemini}
ASKED: dict[str, Message] = {
    "openai": {"role": "user", "content": "go"},
    "responses": {"role": "user", "content": "go"},
    "anthropic": {"role": "user", "content": "go"},
    "gemini": {"role": "user", "parts": [{"text": "go"}]},
}
ODD = [
    {},
    {"role": "user"},
    {"role": "assistant", "content": [], "tool_calls": 1},
    {"role": "assistant", "content": None, "tool_calls": [{}, {"id": 1, "function": None}]},
    {"role": "tool"},
    {"role": "user", "content": [{}], "parts": [{}, 1]},
    {"role": "user", "content": [{"type": "tool_result"}], "parts": [{"function_response": 1}]},
    {"role": "model", "parts": [{"function_call": {"name": None, "args": 1}}]},
    {"type": "function_call", "id": 1},
    {"type": "function_call_output"},
    {"type": "reasoning"},
    {"type": ["reasoning"], "role": {}, "content": {"a": 1}},
    None,
    "text",
]


def session(format: str, steps: int) -> list[Message]:
    """Return a lawful row of messages: what was asked, and that many steps."""
    return [ASKED[format], *(m for number in range(steps) for m in STEPS[format](number))]


def request(format: str, messages: list[Any]) -> dict[str, Any]:
    """Return a request of these messages."""
    limit = {"max_tokens": 1} if format == "anthropic" else {}
    return {RULES[format].key: messages, **limit}


@all_cases("format", RULES)
def test_a_grown_request_costs_what_it_added(format: str) -> None:
    """After 1,000 messages two more are two visits, whether the others are the same or equal."""
    laws = Laws(format)
    messages = session(format, 500)
    assert laws.check(request(format, messages)) == []
    assert laws.visited == 1_001
    grown = [*messages, *STEPS[format](500)]
    assert laws.check(request(format, grown)) == []
    assert laws.visited == 1_003
    assert laws.check(request(format, deepcopy(grown))) == []
    assert laws.visited == 1_003


@all_cases("format", RULES)
def test_a_changed_request_is_walked_from_the_change(format: str) -> None:
    """A cut makes the rest new; ids it took away may come again, and the old ones do not."""
    laws = Laws(format)
    laws.check(request(format, session(format, 20)))
    visited = laws.visited
    cut = [*session(format, 5), *STEPS[format](19), *STEPS[format](7)]
    assert laws.check(request(format, cut)) == []
    assert laws.visited - visited == 4


@all_cases("format", RULES)
def test_what_is_broken_stays_told_until_it_is_gone(format: str) -> None:
    """A finding is repeated for every request that holds it, and for none that does not."""
    laws = Laws(format)
    result = STEPS[format](3)[1]
    lawful = session(format, 3)
    assert laws.check(request(format, lawful)) == []
    found = laws.check(request(format, [*lawful, result]))
    assert found
    assert laws.check(request(format, [*lawful, result])) == found
    assert laws.check(request(format, lawful)) == []


@pytest.mark.parametrize("format", RULES)
@given(data=st.data())
def test_a_session_is_judged_as_its_requests(format: str, data: st.DataObject) -> None:
    """Whatever came before, a request is judged as if it were the first; nothing raises."""
    pieces = st.sampled_from([*ODD, ASKED[format], *STEPS[format](0), *STEPS[format](1)])
    laws = Laws(format)
    messages: list[Any] = []
    for _ in range(data.draw(st.integers(1, 4))):
        kept = data.draw(st.integers(0, len(messages)))
        messages = [*messages[:kept], *data.draw(st.lists(pieces, max_size=5))]
        given_request = request(format, messages)
        assert laws.check(given_request) == broken(format, given_request)


@all_cases("format", RULES)
@all_cases(
    "odd",
    [{"tools": 1}, {"tools": [1, {}]}, {"system": 1}, {"config": {"tools": [{}], "x": 1}}],
)
def test_nothing_odd_raises(format: str, odd: dict[str, Any]) -> None:
    """A request of any shape is judged, not refused."""
    assert isinstance(broken(format, odd), list)


def test_a_format_without_laws() -> None:
    """An unknown format is the caller's mistake."""
    with pytest.raises(KeyError):
        broken("telepathy", {})
