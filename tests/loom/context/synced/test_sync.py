"""A list given whole each time: what is asked of the provider follows from it, and nothing else."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.hosts import Called, Replied, Resulted, Told, User, said_by, said_in, wire
from tests.kit.journal import lawful, records
from tests.kit.opened import Open, opened_with, plain

opened = opened_with(window=60_000, policy=loom.Policy(own_tools=False))


def session(steps: int) -> list[Told]:
    """A task, and so many steps with a call."""
    told: list[Told] = [User(("Build the parser.",))]
    for at in range(steps):
        call = Called(f"c{at}", "bash", f"make {at}")
        told += [Replied(f"step {at}", (call,)), Resulted(call, f"output {at}")]
    return told


def given(ctx: loom.Context, told: list[Told], **more: Any) -> loom.Turn:
    """Give a list in OpenAI's format."""
    return ctx.sync(wire("openai", told), **more)


def entries(ctx: loom.Context) -> list[int]:
    """The entries of the messages that are no instructions."""
    return [one.entry for one in ctx.history.synced if one.role != "system"]


def of(ctx: loom.Context, kind: type) -> int:
    """How many records of a kind there are."""
    return sum(isinstance(one, kind) for one in records(ctx))


SUMMARY = User(("What was done so far: " + "the parser was built in part; " * 40,))


def test_a_veto_keeps_the_window(opened: Open) -> None:
    """A host whose hook refuses the renewal gets the summary at the end of what stands."""
    ctx = opened(on_cut=lambda cut: False)
    given(ctx, session(6))
    request = given(ctx, [SUMMARY, *session(6)[-4:]]).request()
    assert ctx.window.sent.generation == 1 and SUMMARY.texts[0] in str(request)


def test_bad_input_changes_nothing(opened: Open) -> None:
    """A message that is none, or a format nobody reads: the window is what it was."""
    ctx = opened()
    given(ctx, session(2))
    window, commits = ctx.window, ctx._engine.workspace.commits
    with pytest.raises(loom.BadMessage, match="message 1 of the list") as caught:
        ctx.sync([{"role": "user", "content": "edited"}, {"role": "nobody"}])
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(loom.UnknownFormat):
        ctx.sync([], "nobodys")
    with pytest.raises(loom.BadMessage, match="is no list of messages"):
        ctx.sync("hello")
    assert ctx.window == window and ctx._engine.workspace.commits == commits


def test_a_repair_lets_the_list_be_given_again(tmp_path: Path) -> None:
    """Whatever line of the journal is lost, the list says once what it said."""
    told = session(4)
    with plain(tmp_path / "w", window=60_000) as ctx:
        for at in range(len(told)):
            if at % 2 == 0:
                given(ctx, told[: at + 1])
        ctx.reply(loom.Reply((loom.Speech("Done."),)))
        given(ctx, [*told, Replied("Done."), User(("More.",))])
    [segment] = (tmp_path / "w" / "journal").iterdir()
    lines = segment.read_bytes().splitlines(keepends=True)
    whole = [*told, Replied("Done."), User(("More.",))]
    for lost in range(1, len(lines)):
        broken = b"x" * (len(lines[lost]) - 1) + b"\n"
        segment.write_bytes(b"".join([*lines[:lost], broken, *lines[lost + 1 :]]))
        loom.repair(tmp_path / "w", tmp_path / f"r{lost}")
        with plain(tmp_path / f"r{lost}") as ctx:
            request = given(ctx, whole).request()
            said = said_in("openai", request, set())
            told = [one for one in said_by(whole) if one[0] != "result"]
            assert [one for one in said if one in told] == told, lost
            assert [str(request).count(f"output {at}") for at in range(4)] == [1] * 4, lost
            assert len({*entries(ctx)}) == 7 and 0 not in entries(ctx)
            assert lawful(ctx) == []
