"""What hosts do with their lists that a plain loop would not: each is taken as it is meant."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import loom
from loom_partitions.records import Renewed, Synced
from tests.kit.chat_lists import called, result, said, texts, user

LONG = "Summary of what went before: " + "the parser was read and mended; " * 30


@pytest.fixture
def ctx(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A context with room, whose tools Loom answers."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as made:
        yield made


def test_a_long_text_after_what_stands_is_an_edit(ctx: loom.Context) -> None:
    """However long it is: what it stands in the place of is undone."""
    head = [user("Read it."), said("Read.")]
    texts(ctx, [*head, user("Go on."), said("f1 holds the secret."), user("And?")])
    assert texts(ctx, [*head, user(LONG)]) == ["Read it.", "Read.", LONG]


def test_another_reply_before_a_text_that_was_repeated(ctx: loom.Context) -> None:
    """A branch that was made anew ends as the old one did: it is the one that is sent."""
    head = [user("Task."), said("Yes."), user("continue")]
    texts(ctx, [*head, said("r1"), user("continue"), said("r2"), user("continue")])
    assert texts(ctx, [head[0], said("Other."), user("continue")]) == [
        "Task.",
        "Other.",
        "continue",
    ]


def test_the_last_question_stands_behind_a_summary(ctx: loom.Context) -> None:
    """What the user said last, and nobody has answered, is the last word after a compaction."""
    rest = [user("Question 5?"), said("Five."), user("Question 6?")]
    texts(ctx, [user("Question 1?"), said("One."), user("Question 2?"), said("Two.")])
    texts(ctx, [user("Question 1?"), said("One."), user("Question 2?"), said("Two."), *rest])
    sent = texts(ctx, [user(LONG), *rest])
    assert sent[-1] == "Question 6?" and sent.count("Question 6?") == 1 and LONG in sent
    assert len(ctx.history.synced) == 4


def test_a_compaction_is_one_commit_behind_the_renewal(ctx: loom.Context) -> None:
    """A process that dies has taken in the summary and the list with it, or neither."""
    texts(ctx, [user("u0"), said("a0"), user("u1"), said("a1"), user("u2")])
    before = ctx._engine.workspace.commits
    texts(ctx, [user("First."), user(LONG), said("a1"), user("u2")])
    workspace = ctx._engine.workspace
    made = [[*workspace.records(n)] for n in range(before + 1, workspace.commits + 1)]
    listed = [one for one in made if any(isinstance(record, Synced) for record in one)]
    assert sum(isinstance(record, Renewed) for one in made for record in one) == 1
    assert sum(len(one) for one in listed[:1]) == 3  # two texts, and the list


def test_what_stands_instead_is_told(ctx: loom.Context) -> None:
    """A summary under another role, and a call nobody knows, are in the request."""
    rest = [user("u3"), said("a3"), user("u4")]
    texts(ctx, [user("Task."), said("a1"), user("u2"), said("a2"), *rest])
    put = [user("Task."), {"role": "system", "content": LONG}, *rest]
    assert any(LONG in one for one in texts(ctx, put))


def test_a_tool_of_the_hosts_under_a_name_of_looms(ctx: loom.Context) -> None:
    """A call the list has a result of was run by the host: that result stands."""
    messages = [
        user("Note it."),
        called(("n1", "note", '{"text": "x"}')),
        result("n1", "ticket 4711"),
    ]
    assert "ticket 4711" in texts(ctx, messages)
    assert ctx.window.working.scratchpad is None


def test_calls_of_one_id(ctx: loom.Context) -> None:
    """Each has its own result, in their order."""
    both = called(("x", "run", '{"n": 1}'), ("x", "run", '{"n": 2}'))
    sent = texts(ctx, [user("Go."), both, result("x", "one"), result("x", "two")])
    assert sent[-2:] == ["one", "two"]


def test_instructions_that_are_gone(ctx: loom.Context) -> None:
    """What the list does not say any more is not in force; what `system` put stays."""
    ctx.system("Stay polite.")
    head = {"role": "system", "content": "Speak French."}
    ctx.sync([head, user("Go.")])
    ctx.sync([user("Go."), said("Oui."), user("On.")])
    ctx.renew()
    system = ctx.turn().request("openai")["messages"][0]["content"]
    assert "French" not in system and "Stay polite." in system


def test_objects_within_a_message(ctx: loom.Context) -> None:
    """A part may be an object of a provider's library."""
    part = SimpleNamespace(model_dump=lambda **_: {"type": "text", "text": "hello"})
    assert texts(ctx, [{"role": "user", "content": [part]}], format="anthropic") == ["hello"]


def test_spaces_are_seen(ctx: loom.Context) -> None:
    """Another indentation is another program."""
    head = [user("Go."), called(("c", "read", "{}"))]
    texts(ctx, [*head, result("c", "if a:\n    b()\n    c()")])
    assert texts(ctx, [*head, result("c", "if a:\n    b()\nc()")])[-1] == "if a:\n    b()\nc()"


def test_a_workspace_without_tools_stays_so(tmp_path: Path) -> None:
    """Opened again without a policy it has none, and says the same of ways back."""
    policy = loom.Policy(own_tools=False)
    with loom.open(tmp_path / "w", policy=policy, durable=False) as ctx:
        before = ctx.sync([user("Go.")]).request("openai")
    with loom.open(tmp_path / "w", durable=False) as ctx:
        assert ctx.tools.own == set()
        assert ctx.sync([user("Go.")]).request("openai") == before


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
