"""Hosts that go back: to before a compaction, within what it kept, to another branch and again.

A list is the host's truth: what comes of it holds what it says and nothing of a list that was left.
"""

import re
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases, all_pairs
from tests.kit.chat_lists import called, result, said, user
from tests.kit.hosts import FORMATS, PLAIN, Replied, Told, User, wire
from tests.kit.journal import lawful

WORD = re.compile(r"\b[UAS]\d+x\b")


def talk(first: int, last: int) -> list[Told]:
    """Questions and their answers by number, and a last question."""
    rounds = [one for n in range(first, last) for one in (asked(n), Replied(f"A{n}x: done"))]
    return [*rounds, asked(last)]


def asked(number: int) -> User:
    """A question of some length."""
    return User((f"U{number}x: " + "please " * 40,))


def summary(number: int, times: int = 1) -> User:
    """What a client puts in the place of messages."""
    return User((f"S{number}x: " + "what went before; " * times,))


class Host:
    """A host of one format, with its context."""

    def __init__(self, ctx: loom.Context, format: str) -> None:
        self.ctx, self.format = ctx, format

    def gives(self, told: list[Told], compacted: bool | None = None) -> list[str]:
        """The words of the request that comes of a list, in their order."""
        turn = self.ctx.sync(wire(self.format, told, PLAIN), self.format, compacted=compacted)
        assert lawful(self.ctx) == []
        request = turn.request(self.format)
        messages = next(request[key] for key in ("messages", "input", "contents") if key in request)
        return WORD.findall(repr(messages).replace("\\n", " "))

    def grows(self, told: list[Told]) -> list[Told]:
        """Give a list as it grew."""
        for at, one in enumerate(told, 1):
            if isinstance(one, User):
                self.gives(told[:at])
        return told


def words(told: list[Told]) -> list[str]:
    """The words of a list, in their order."""
    return WORD.findall(repr(told))


@pytest.fixture(params=FORMATS)
def host(request: pytest.FixtureRequest, tmp_path: Path):
    """A host with room."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as ctx:
        yield Host(ctx, request.param)


@all_cases(
    ("compacted", "kept", "more", "times"),
    all_pairs([True, None], [0, 1, 3, 5], [False, True], [1, 60]),
)
def test_before_a_compaction(
    tmp_path: Path, compacted: bool | None, kept: int, more: bool, times: int
) -> None:
    """Whatever was kept, and came since: the list of then, whole, cut, edited or gone on with."""
    full = talk(1, 6)
    for at, back in enumerate(
        (full, full[:3], full[:1], [*full[:3], Replied("A9x: new"), asked(10)],
         [*full[:2], asked(11)], [asked(12)])
    ):  # fmt: skip
        with loom.open(tmp_path / f"w{at}", window=64_000, durable=False) as ctx:
            host = Host(ctx, "openai")
            host.grows(full)
            left = [summary(1, times), *full[len(full) - kept :]]
            left += [Replied("A6x: done"), asked(7)] if more else []
            assert host.gives(left, compacted)[-1] == words([*full, *left])[-1]
            assert host.gives(list(back)) == words(list(back)), at


def test_what_the_host_gave_and_does_not_list(host: Host) -> None:
    """A message of the user is undone as a reply is; a host's observation is none of its list."""
    full = host.grows(talk(1, 3))
    host.ctx.user("[the build is green] U30x", kind="observation")
    host.ctx.user("U31x: not sent after all")
    assert host.gives(full) == [*words(full), "U30x"]


def test_a_fork_knows_the_list_of_then(host: Host) -> None:
    """Of a turn before, or of now, it goes back by itself; the one it is a copy of stays."""
    full = host.grows(talk(1, 6))
    known = [one.entry for one in host.ctx.history.synced]
    with host.ctx.agents.fork("then", at=2) as then:
        had = [one.entry for one in then.history.synced]
        assert had == known[: len(had)] and 0 < len(had) < len(known)
        other = [*full[:3], Replied("A8x: else"), asked(9)]
        assert Host(then, host.format).gives(other) == words(other)
    host.gives([summary(1), *full[8:]], True)
    with host.ctx.agents.fork("copy") as copy:
        assert Host(copy, host.format).gives(full[:3]) == words(full[:3])
    assert "S1x" in host.gives([summary(1), *full[8:]])


def test_deeds_are_told_where_they_are_undone_alone(tmp_path: Path) -> None:
    """What the agent did on a branch is told on the other one, and not where it stands again."""
    wrote = called(("c1", "write_file", '{"path": "f1.py", "content": "x"}'))
    one: list[Any] = [user("go"), wrote, result("c1", "written"), said("Done."), user("so?")]
    two = [user("go"), said("No."), user("why?")]
    with loom.open(tmp_path / "w", window=64_000, durable=False) as ctx:
        for told, undone in ((one, False), (two, True), (one, False), (two, True)):
            assert ("but it changed" in str(ctx.sync(told).request("openai"))) == undone, told
