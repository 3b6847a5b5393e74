"""Reasoning and its prefix, over the requests of a session."""

from base64 import urlsafe_b64decode
from copy import deepcopy
from typing import Any

import pytest

from loom.providers.formats.laws import Bound
from tests.kit.cases import all_cases

Message = dict[str, Any]
Request = dict[str, Any]
FORMATS = ("openai", "responses", "anthropic", "gemini")
# Formats that bind the reasoning of an open tool loop as any other.
BINDING = ("openai", "responses")


def head(format: str, text: str) -> Request:
    """Return what stands before the messages."""
    return {
        "openai": {"tools": [{"type": "function", "function": {"name": text}}]},
        "responses": {"instructions": text},
        "anthropic": {"system": [{"type": "text", "text": text}]},
        "gemini": {"config": {"system_instruction": text}},
    }[format]


def asked(format: str, text: str) -> list[Message]:
    """Return what the user says."""
    if format == "gemini":
        return [{"role": "user", "parts": [{"text": text}]}]
    return [{"role": "user", "content": text}]


def step(format: str, id: str, *, thought: str | None = "", result: str = "done") -> list[Message]:
    """Return a reply with reasoning (its own, a given one, or None) and a call, and the result."""
    opaque = f"thought of {id}" if thought == "" else thought
    if format == "openai":
        call = {"id": id, "type": "function", "function": {"name": "a", "arguments": "{}"}}
        details = {"reasoning_details": [{"data": opaque}]} if opaque else {}
        return [
            {"role": "assistant", "content": None, "tool_calls": [call], **details},
            {"role": "tool", "tool_call_id": id, "content": result},
        ]
    if format == "responses":
        item = {"type": "reasoning", "id": f"rs_{id}", "summary": [], "encrypted_content": opaque}
        return [
            *([item] if opaque else []),
            {"type": "function_call", "call_id": id, "name": "a", "arguments": "{}"},
            {"type": "function_call_output", "call_id": id, "output": result},
        ]
    if format == "anthropic":
        block = {"type": "thinking", "thinking": "t", "signature": opaque}
        use = {"type": "tool_use", "id": id, "name": "a", "input": {}}
        given = {"type": "tool_result", "tool_use_id": id, "content": result}
        return [
            {"role": "assistant", "content": [*([block] if opaque else []), use]},
            {"role": "user", "content": [given]},
        ]
    part: Message = {"function_call": {"name": "a", "args": {}}}
    if opaque:
        part["thought_signature"] = opaque.encode()
    response = {"function_response": {"name": "a", "response": {"output": result}}}
    return [{"role": "model", "parts": [part]}, {"role": "user", "parts": [response]}]


KEYS = {"openai": "messages", "responses": "input", "anthropic": "messages", "gemini": "contents"}


def made(format: str, *groups: list[Message], system: str = "s") -> Request:
    """Return a request of these messages."""
    return {**head(format, system), KEYS[format]: [m for group in groups for m in group]}


@all_cases("format", FORMATS)
def test_a_growing_session_is_lawful(format: str) -> None:
    """Requests that only grow keep every reasoning behind its prefix; equal is the same."""
    bound, ask = Bound(format), asked(format, "go")
    steps = [step(format, f"c{number}") for number in range(5)]
    for size in range(6):
        assert bound.check(made(format, ask, *steps[:size])) == []
        assert bound.check(deepcopy(made(format, ask, *steps[:size]))) == []


@all_cases("format", FORMATS)
@all_cases("change", ["system", "message", "thought"])
def test_a_changed_prefix(format: str, change: str) -> None:
    """Reasoning behind another system, message, or reasoning than its own is told each time."""
    bound, ask = Bound(format), asked(format, "go")
    one, two, three = (step(format, f"c{number}") for number in range(3))
    for size in range(4):
        bound.check(made(format, ask, *(one, two, three)[:size]))
    changed = {
        "system": made(format, ask, one, two, three, ask, system="other"),
        "message": made(format, asked(format, "shorter"), one, two, three, ask),
        "thought": made(format, ask, step(format, "c0", thought=None), two, three, ask),
    }[change]
    found = bound.check(changed)
    # The last step's is demanded where a tool loop is open; that is no matter of these laws.
    left = (3 if change != "thought" else 2) - (format not in BINDING)
    assert len(found) == left and all("another prefix" in line for line in found), found
    assert bound.check(changed) == found


@all_cases("format", FORMATS)
def test_reasoning_left_out_after_a_cut(format: str) -> None:
    """A cut that takes the reasoning with the change is lawful, and so is what grows from it."""
    bound, ask = Bound(format), asked(format, "go")
    one, two = step(format, "c0"), step(format, "c1")
    bare = step(format, "c0", thought=None, result="short")
    for request in (
        made(format, ask),
        made(format, ask, one),
        made(format, ask, bare),
        made(format, ask, bare, two),
    ):
        assert bound.check(request) == []


@all_cases("format", FORMATS)
def test_reasoning_before_a_cut_stays(format: str) -> None:
    """What stands before the first change keeps its prefix and may stay."""
    bound, ask = Bound(format), asked(format, "go")
    one, two = step(format, "c0"), step(format, "c1")
    cut = step(format, "c1", thought=None, result="short")
    for request in (
        made(format, ask),
        made(format, ask, one),
        made(format, ask, one, two),
        made(format, ask, one, cut),
    ):
        assert bound.check(request) == []


@all_cases("format", FORMATS)
def test_reasoning_first_seen_behind_a_cut(format: str) -> None:
    """The reply's reasoning must stand behind the request it answered, which a cut took away."""
    bound = Bound(format)
    bound.check(made(format, asked(format, "a long question")))
    found = bound.check(made(format, asked(format, "short"), step(format, "c0")))
    assert len(found) == (format in BINDING)


@pytest.mark.parametrize("format", ["anthropic", "gemini"])
def test_the_reply_of_an_open_tool_loop(format: str) -> None:
    """Its reasoning is demanded and free to move, is bound there, and is bound outside the loop."""
    bound, ask, short = Bound(format), asked(format, "go"), asked(format, "g")
    one, two = step(format, "c0"), step(format, "c1")
    assert bound.check(made(format, ask)) == []
    assert bound.check(made(format, ask, one)) == []
    assert bound.check(made(format, short, one)) == []
    assert bound.check(made(format, short, one, two)) == []
    assert len(bound.check(made(format, asked(format, "x"), one, two))) == 1
    done = {"role": "model", "parts": [{"text": "ok"}]}
    said = done if format == "gemini" else {"role": "assistant", "content": "ok"}
    assert len(bound.check(made(format, asked(format, "y"), two, [said]))) == 1


def test_texts_may_follow_the_results() -> None:
    """A notice behind the results does not end the tool loop."""
    bound = Bound("anthropic")
    bound.check(made("anthropic", asked("anthropic", "go")))
    one = step("anthropic", "c0")
    one[1]["content"].append({"type": "text", "text": "ρ 0.9"})
    assert bound.check(made("anthropic", asked("anthropic", "short"), one)) == []


@all_cases("format", FORMATS)
def test_reasoning_that_comes_late(format: str) -> None:
    """Reasoning that appears in the middle of what was sent without it answers nothing there."""
    bound, ask = Bound(format), asked(format, "go")
    bare, one, two = step(format, "c0", thought=None), step(format, "c0"), step(format, "c1")
    bound.check(made(format, ask, bare))
    assert len(bound.check(made(format, ask, one, two))) == 2 - (format not in BINDING)


def test_cache_marks_are_no_part_of_a_prefix() -> None:
    """Marks come and go, and a text is the same as one block of it."""
    bound = Bound("anthropic")
    one, two = step("anthropic", "c0"), step("anthropic", "c1")
    marked = deepcopy(one)
    marked[1]["content"][0]["cache_control"] = {"type": "ephemeral"}
    block = {"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}
    first = [{"role": "user", "content": [block]}]
    system = {"system": [{**block, "text": "s"}]}
    assert bound.check({**made("anthropic", first), **system}) == []
    assert bound.check(made("anthropic", asked("anthropic", "go"), marked)) == []
    assert bound.check({**made("anthropic", first, one, two), **system}) == []


@pytest.mark.parametrize("word", ["skip_thought_signature_validator"])
def test_a_placeholder_is_no_reasoning(word: str) -> None:
    """What stands in for a signature binds nothing, in any of its forms."""
    bound = Bound("gemini")
    for signature in (word.encode(), urlsafe_b64decode(word)):
        one = step("gemini", "c0")
        one[0]["parts"][0]["thought_signature"] = signature
        ask = asked("gemini", "go")
        bound.check(made("gemini", ask, one))
        assert bound.check(made("gemini", asked("gemini", "x"), one, ask, one, ask)) == []


@all_cases("format", FORMATS)
def test_a_grown_request_costs_what_it_added(format: str) -> None:
    """After hundreds of steps one more is hashed alone."""
    bound, ask = Bound(format), asked(format, "go")
    steps = [step(format, f"c{number}") for number in range(300)]
    bound.check(made(format, ask, *steps[:299]))
    visited = bound.visited
    assert bound.check(made(format, ask, *steps)) == []
    assert bound.visited - visited == len(steps[0])
