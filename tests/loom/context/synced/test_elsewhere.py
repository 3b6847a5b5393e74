"""A known list stays known in a workspace that was moved, collected, forked or killed."""

from __future__ import annotations

from pathlib import Path

import loom
from tests.kit.hosts import Called, Replied, Resulted, Told, User, said_by, said_in, wire
from tests.kit.journal import lawful


def session(steps: int, words: int = 300) -> list[Told]:
    """A task, and so many steps with a result that leaves a small window."""
    told: list[Told] = [User(("Read every file.",))]
    for at in range(steps):
        call = Called(f"c{at}", "Read", f"f{at}.py")
        told += [Replied(f"step {at}", (call,)), Resulted(call, f"line of {at} " * words)]
    return told


def opened(folder: Path) -> loom.Context:
    """A small window, so that results leave it."""
    return loom.open(folder, window=8_192, durable=False)


def known(ctx: loom.Context, told: list[Told]) -> str:
    """Give a list of which all is known: nothing becomes an entry. The request, as a text."""
    made = ctx.window.history.next_id
    request = ctx.sync(wire("openai", told)).request()
    assert ctx.window.history.next_id == made
    assert lawful(ctx) == []
    return str(request)


def test_a_fork_of_an_earlier_turn_takes_the_rest_in(tmp_path: Path) -> None:
    """It knows the list as it stood then, and each goes its own way."""
    told = session(6)
    with opened(tmp_path / "w") as ctx:
        for at in range(3, len(told) + 1, 2):
            ctx.sync(wire("openai", told[:at]))
        with ctx.agents.fork("then", at=2) as then:
            had = [one.entry for one in then.history.synced]
            assert had == [one.entry for one in ctx.history.synced][: len(had)]
            assert len(had) == 5  # the task and two steps
            other: list[Told] = [*told[:5], Replied("Enough.")]
            request = then.sync(wire("openai", [*other, User(("Good.",))])).request()
            assert (
                said_in("openai", request, then.tools.own)[-2:]
                == said_by([*other, User(("Good.",))])[-2:]
            )
        known(ctx, told)
