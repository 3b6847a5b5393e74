"""Laws over a session: the same findings as request by request, for the work of what is new."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom_bench.laws import RULES, Bound, Laws, broken
from tests.kit.cases import all_cases
from tests.kit.hosts import Called, Replied, Resulted, User, wire

Message = dict[str, Any]


def step(format: str, number: int) -> list[Message]:
    """Return a step: a call and its result."""
    call = Called(f"c{number}", f"a{number}", "x")
    return wire(format, [Replied("", (call,)), Resulted(call, "done")])[-2:]


ASKED = {format: wire(format, [User(("go",))])[-1] for format in RULES}
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
    return [ASKED[format], *(m for number in range(steps) for m in step(format, number))]


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
    grown = [*messages, *step(format, 500)]
    assert laws.check(request(format, grown)) == []
    assert laws.visited == 1_003
    assert laws.check(request(format, deepcopy(grown))) == []
    assert laws.visited == 1_003
    bound = Bound(format)
    bound.check(request(format, messages))
    visited = bound.visited
    assert bound.check(request(format, grown)) == []
    assert bound.visited - visited == 2


@all_cases("format", RULES)
def test_a_changed_request_is_walked_from_the_change(format: str) -> None:
    """A cut makes the rest new; ids it took away may come again, and the old ones do not."""
    laws = Laws(format)
    laws.check(request(format, session(format, 20)))
    visited = laws.visited
    cut = [*session(format, 5), *step(format, 19), *step(format, 7)]
    assert laws.check(request(format, cut)) == []
    assert laws.visited - visited == 4


@all_cases("format", RULES)
def test_what_is_broken_stays_told_until_it_is_gone(format: str) -> None:
    """A finding is repeated for every request that holds it, and for none that does not."""
    laws = Laws(format)
    result = step(format, 3)[1]
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
    pieces = st.sampled_from([*ODD, ASKED[format], *step(format, 0), *step(format, 1)])
    laws = Laws(format)
    messages: list[Any] = []
    for _ in range(data.draw(st.integers(1, 4))):
        kept = data.draw(st.integers(0, len(messages)))
        messages = [*messages[:kept], *data.draw(st.lists(pieces, max_size=5))]
        given_request = request(format, messages)
        assert laws.check(given_request) == broken(format, given_request)


@all_cases("format", RULES)
@all_cases(
    "odd", [{"tools": 1}, {"tools": [1, {}]}, {"system": 1}, {"config": {"tools": [{}], "x": 1}}]
)
def test_nothing_odd_raises(format: str, odd: dict[str, Any]) -> None:
    """A request of any shape is judged, not refused."""
    assert isinstance(broken(format, odd), list)


def test_a_format_without_laws() -> None:
    """An unknown format is the caller's mistake."""
    with pytest.raises(KeyError):
        broken("telepathy", {})
