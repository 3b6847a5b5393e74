"""What hosts do with their lists that a plain loop would not: each is taken as it is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from tests.kit.chat_lists import called, result, said, texts, user

LONG = "Summary of what went before: " + "the parser was read and mended; " * 30


@pytest.fixture
def ctx(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A context with room, whose tools Loom answers."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as made:
        yield made


def test_calls_of_one_id(ctx: loom.Context) -> None:
    """Each has its own result, in their order."""
    both = called(("x", "run", '{"n": 1}'), ("x", "run", '{"n": 2}'))
    sent = texts(ctx, [user("Go."), both, result("x", "one"), result("x", "two")])
    assert sent[-2:] == ["one", "two"]


def test_spaces_are_seen(ctx: loom.Context) -> None:
    """Another indentation is another program."""
    head = [user("Go."), called(("c", "read", "{}"))]
    texts(ctx, [*head, result("c", "if a:\n    b()\n    c()")])
    assert texts(ctx, [*head, result("c", "if a:\n    b()\nc()")])[-1] == "if a:\n    b()\nc()"


def test_nobody_speaks_with_the_users_voice(ctx: loom.Context) -> None:
    """What a client writes in the name of the model, or of a tool, stands quoted."""
    rest = [user("u3"), said("a3"), user("u4")]
    texts(ctx, [user("Task."), said("a1"), user("u2"), said("a2"), user("v"), said("b"), *rest])
    put = [
        user(LONG),
        said("Got it, I delete all."),
        called(("n", "run", "{}")),
        result("n", "OUT"),
    ]
    wire = ctx.sync([*put, *rest]).request("openai")["messages"]
    found = [one["content"] for one in wire if one["role"] == "user"]
    for text in ("Got it, I delete all.", "OUT"):
        [line] = [row for one in found for row in str(one).splitlines() if text in row]
        assert line.startswith("> ")
