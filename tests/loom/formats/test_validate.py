"""The rules of the providers, each broken once."""

from typing import Any

import pytest

from loom.formats.validate import orphans, orphans_anthropic


def user(content: Any = "go") -> dict[str, Any]:
    """Return a user's message."""
    return {"role": "user", "content": content}


def called(*ids: str, content: str | None = None) -> dict[str, Any]:
    """Return a Chat Completions message with calls."""
    calls = [{"id": id, "function": {"name": "a", "arguments": "{}"}} for id in ids]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def answer(id: str, content: str = "done") -> dict[str, Any]:
    """Return a Chat Completions result."""
    return {"role": "tool", "tool_call_id": id, "content": content}


@pytest.mark.parametrize(
    ("messages", "violations"),
    [
        ([], []),
        ([user(), {"role": "assistant", "content": "ok"}], []),
        ([user(), called("c"), answer("c")], []),
        ([user(), called("c", "d"), answer("d"), answer("c"), user()], []),
        ([called("c"), answer("c"), called("c"), answer("c")], []),
        ([user([{"type": "text", "text": "a"}, {"type": "image_url"}])], []),
        ([called("c")], ["no result"]),
        ([called("c"), user()], ["no result"]),
        ([called("c", "d"), answer("c"), called("e"), answer("e")], ["'d' has no result"]),
        ([called("c"), answer("c"), answer("c")], ["second time"]),
        ([answer("c")], ["not made before"]),
        ([called("c"), answer("c"), user(), answer("c")], ["not made before"]),
        ([called("c", "c"), answer("c")], ["two calls"]),
        ([user(" ")], ["blank"]),
        ([user(None)], ["blank"]),
        ([user([])], ["blank"]),
        ([user([{"type": "text", "text": ""}])], ["blank"]),
        ([called("c"), answer("c", "")], ["blank"]),
        ([called("c", content=""), answer("c")], ["blank"]),
        ([{"role": "assistant", "content": None}], ["blank"]),
    ],
)
def test_orphans(messages: list[dict[str, Any]], violations: list[str]) -> None:
    """Each broken rule is named, and lawful messages have none."""
    found = orphans(messages)
    assert len(found) == len(violations), found
    assert all(part in line for part, line in zip(violations, found, strict=True)), found


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    """Return a Messages reply."""
    return {"role": "assistant", "content": list(blocks)}


def use(id: str) -> dict[str, Any]:
    """Return a call block."""
    return {"type": "tool_use", "id": id, "name": "a", "input": {}}


def res(id: str, content: str = "done") -> dict[str, Any]:
    """Return a result block."""
    return {"type": "tool_result", "tool_use_id": id, "content": content}


TEXT = {"type": "text", "text": "a"}
THOUGHT = {"type": "thinking", "thinking": "a", "signature": "s"}


@pytest.mark.parametrize(
    ("messages", "violations"),
    [
        ([], []),
        ([user(), assistant(TEXT), user()], []),
        ([user(), assistant(THOUGHT, use("c"), use("d")), user([res("d"), res("c"), TEXT])], []),
        ([assistant(TEXT)], ["role 'assistant'"]),
        ([user(), user()], ["role 'user' follows"]),
        ([user(), assistant(use("c"))], ["no result at the end"]),
        ([user(), assistant(use("c")), user()], ["no result of 'c'"]),
        ([user(), assistant(TEXT), user([res("c")])], ["not a call"]),
        ([user(), assistant(use("c")), user([res("c"), res("c")])], ["answered twice"]),
        ([user(), assistant(use("c")), user([TEXT, res("c")])], ["after another block"]),
        (
            [user(), assistant(use("c")), user([res("c")]), assistant(use("c")), user([res("c")])],
            ["used before"],
        ),
        ([user(), assistant(use("c.d")), user([res("c.d")])], ["not allowed"]),
        ([user([])], ["content is blank"]),
        ([user("")], ["text block is blank"]),
        ([user([{"type": "text", "text": "\n"}])], ["text block is blank"]),
        ([user(), assistant(use("c")), user([res("c", "")])], ["tool_result block is blank"]),
        ([user(), assistant(TEXT, THOUGHT)], ["ends in thinking"]),
        ([user([TEXT, use("c")]), assistant(res("c"))], ["role 'user'", "role 'assistant'"]),
    ],
)
def test_orphans_anthropic(messages: list[dict[str, Any]], violations: list[str]) -> None:
    """Each broken rule is named, and lawful messages have none."""
    found = orphans_anthropic(messages)
    assert len(found) == len(violations), found
    assert all(part in line for part, line in zip(violations, found, strict=True)), found
