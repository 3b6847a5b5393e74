"""What a host takes back is undone from that message on, and nothing before it."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom_partitions.records import Undone
from tests.kit.chat_lists import called, result, said, texts, user
from tests.kit.journal import lawful, records


@pytest.fixture
def ctx(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A context with room, whose tools Loom answers."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as made:
        yield made


def standing(ctx: loom.Context) -> list[str]:
    """What the entries say that stand."""
    index = ctx._engine.workspace.index
    found = (ctx.history.restore(one) for one in index.commits if not index.is_undone(one))
    return [one.text or repr(one.reply) for one in found]


def test_an_edited_question_leaves_the_answer_before_it(ctx: loom.Context) -> None:
    """However often it is edited: the reply before it is the entry it was."""
    head = [user("A"), called(("p1", "bash", '{"command": "git push"}')), result("p1", "pushed")]
    ctx.sync(head)
    ctx.sync([*head, said("Pushed it."), user("B")])
    before = [one.entry for one in ctx.history.synced]
    for text in ("B2", "B3"):
        assert texts(ctx, [*head, said("Pushed it."), user(text)])[-1] == text
        assert [one.entry for one in ctx.history.synced][:4] == before[:4]
    assert sum("Pushed it." in one for one in standing(ctx)) == 1
    every = [ctx.history.restore(one) for one in ctx._engine.workspace.index.commits]
    assert sum("Pushed it." in repr(one.reply) for one in every) == 1
    assert "undone" not in str(ctx.turn().request()["messages"]), "nothing was done since"
    assert lawful(ctx) == []


def test_notes_before_an_edited_message_stand(ctx: loom.Context) -> None:
    """They were made before it was said, whether a request was made in between or not."""
    ctx.sync([user("A")])
    ctx.reply(called(("n1", "note", '{"key": "k", "text": "keep 7"}')))
    ctx.turn()
    ctx.reply(said("ans"))
    ctx.sync([user("A"), said("ans"), user("B")])
    ctx.sync([user("A"), said("ans"), user("B2")])
    assert "keep 7" in str(ctx.turn().request())


def test_an_equal_list_keeps_what_only_loom_answered(ctx: loom.Context) -> None:
    """A reply with calls of Loom's alone is in no host's list, and stands."""
    ctx.sync([user("A")])
    ctx.reply(called(("n1", "note", '{"key": "k", "text": "keep 7"}')))
    asked = ctx.sync([user("A")]).request()
    assert "keep 7" in str(asked) and ctx.sync([user("A")]).request() == asked
    ctx.reply(said("ans"))
    ctx.sync([user("A"), said("ans"), user("B")])
    assert "keep 7" in str(ctx.turn().request())


def test_an_edited_result_takes_its_reply_anew(ctx: loom.Context) -> None:
    """A step stands with all of its results or not at all; what was before it stands."""
    head = [user("A"), said("First."), user("B")]
    reply = called(("c1", "bash", '{"command": "ls"}'), ("c2", "bash", '{"command": "pwd"}'))
    ctx.sync(head)
    ctx.sync([*head, reply, result("c1", "a.py"), result("c2", "/w")])
    told = texts(ctx, [*head, reply, result("c1", "b.py"), result("c2", "/w")])
    assert told[-2:] == ["b.py", "/w"] and "a.py" not in told
    first = ctx.history.synced[1]
    assert first.entry == 2 and not ctx._engine.workspace.index.is_undone(2)
    assert lawful(ctx) == []


def test_what_was_undone_is_counted_as_it_was(ctx: loom.Context) -> None:
    """The notice tells of what the host took back, not of the steps before it."""
    step = [called(("p1", "bash", '{"command": "git push"}')), result("p1", "pushed")]
    more = [called(("p2", "bash", '{"command": "make"}')), result("p2", "made")]
    ctx.sync([user("A")])
    ctx.sync([user("A"), *step, user("B")])
    ctx.sync([user("A"), *step, user("B"), *more])
    request = str(ctx.sync([user("A"), *step, user("B2")]).request())
    assert "1 step and 1 message of the user after request 1" in request
    assert "`make`" in request and "`git push`" not in request


def test_a_way_back_outlasts_the_process(tmp_path: Path) -> None:
    """The record says where the window stood; it is folded there, and so is a fork of it."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as ctx:
        ctx.sync([user("A")])
        ctx.sync([user("A"), said("Yes."), user("B")])
        asked = ctx.sync([user("A"), said("Yes."), user("B2")]).request()["messages"]
        [undone] = [one for one in records(ctx) if isinstance(one, Undone)]
        assert undone.at and undone.first == 3 == undone.last
    with loom.open(tmp_path / "w", durable=False) as ctx:
        again = ctx.sync([user("A"), said("Yes."), user("B2")]).request()["messages"]
        assert again[:-1] == asked[:-1]
        with ctx.agents.fork("other") as other:
            assert standing(other) == standing(ctx)


def test_a_repair_finds_its_way_back(tmp_path: Path) -> None:
    """Commits get other numbers when some are lost; what was undone stays undone."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as ctx:
        for at in range(3):
            ctx.user(f"word {at}")
        ctx.sync([user("A")])
        ctx.sync([user("A"), said("Yes."), user("B")])
        ctx.sync([user("A"), said("Yes."), user("B2")])
    [segment] = (tmp_path / "w" / "journal").iterdir()
    lines = segment.read_bytes().splitlines(keepends=True)
    lines[2] = b"x" * (len(lines[2]) - 1) + b"\n"
    segment.write_bytes(b"".join(lines))
    loom.repair(tmp_path / "w", tmp_path / "r")
    with loom.open(tmp_path / "r", durable=False) as ctx:
        said_now = standing(ctx)
        assert "B2" in said_now and "B" not in said_now
        assert sum("Yes." in one for one in said_now) == 1


def test_a_purge_keeps_the_way_back(tmp_path: Path) -> None:
    """A value that stands in the window gone back to is taken out of the record's window, too."""
    value = "tk-9f3Kd82mQzX1vB7n"
    with loom.open(tmp_path / "w", window=64_000, durable=False, redact=()) as ctx:
        ctx.sync([user(f"A {value}")])
        ctx.sync([user(f"A {value}"), said("Yes."), user("B")])
        ctx.sync([user(f"A {value}"), said("Yes."), user("B2")])
    assert loom.purge(tmp_path / "w", [value], durable=False).places
    assert all(value.encode() not in one.read_bytes() for one in (tmp_path / "w").rglob("*.jsonl"))
    with loom.open(tmp_path / "w", durable=False, redact=()) as ctx:
        assert "B2" in standing(ctx) and "B" not in standing(ctx) and lawful(ctx) == []
