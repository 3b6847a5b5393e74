"""What a message more costs: the same however long the list is. Work is counted, not timed."""

from __future__ import annotations

from typing import Any

import pytest

import loom
from tests.kit.hosts import Replied, Spelling, Told, User, wire
from tests.kit.opened import Open, opened_with
from tests.kit.standins import work_of

opened = opened_with(window=1_000_000, policy=loom.Policy(own_tools=False))


def talk(many: int) -> list[Told]:
    """So many messages of the user, each with a reply."""
    return [one for at in range(many) for one in (User((f"go {at}",)), Replied(f"say {at}"))]


@pytest.mark.parametrize(("long", "marked"), [(500, False), (1_000, True)])
def test_a_message_more_costs_what_is_new(opened: Open, long: int, marked: bool) -> None:
    """Messages read, functions called in all and commits made are those of a short list, with a
    cache mark that moves to the new message too."""
    found: list[tuple[int, int, int]] = []
    for many in (50, long):
        ctx, told = opened(f"w{many}"), talk(many)
        ctx.sync([*wire("openai", [*told, User(("ask",))], Spelling(marked=marked))])
        told += [User(("ask",)), Replied("answer"), User(("more",))]
        messages: list[dict[str, Any]] = wire("openai", told, Spelling(marked=marked))
        read = ctx._list._read
        assert read is not None
        before, commits = read.read_count, ctx._engine.workspace.commits

        def given(ctx: loom.Context = ctx, messages: list[dict[str, Any]] = messages) -> None:
            ctx._list.take(messages, "openai", None, None)

        work = work_of(given)
        found.append((read.read_count - before, ctx._engine.workspace.commits - commits, work))
    assert found[0][:2] == found[1][:2] == (4 if marked else 2, 2)
    # Halving a list takes a few comparisons more for a longer one.
    assert found[1][2] <= found[0][2] * 1.2
