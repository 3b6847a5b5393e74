"""What a digest costs: a run is folded once, and what is old is not counted again."""

from __future__ import annotations

from typing import NamedTuple

import loom
from loom.compress.digest import digest as made
from loom.compress.digest.digest import DigestRoom, digest_of, listing
from loom.compress.digest.names import FactNames
from loom.providers.counts import counter_for
from tests.kit.opened import Open
from tests.kit.step import step


class Work(NamedTuple):
    """Characters that were counted, and paths that were held against others."""

    characters: int
    paths: int


def age(opened: Open, many: int) -> Work:
    """The work of folding two more steps into a digest of so many changed files and checks."""
    with opened(window=200_000) as ctx:
        for n in range(many):
            change(ctx, f"of_{many}_{n}")
        count, room = counter_for(), DigestRoom(400, 200)
        old = digest_of(tuple(ctx.window.history.stream.entries), room, count)
        change(ctx, f"of_{many}_more")
        new = tuple(e for e in ctx.window.history.stream.entries if e.id > old.last)
        characters, paths = count.characters, FactNames.seen.looked
        digest_of((old, *new), room, count)
        return Work(count.characters - characters, FactNames.seen.looked - paths)


def change(ctx: loom.Context, name: str) -> None:
    """A file that is changed, and a check of it that fails."""
    args = {"path": f"src/{name}.py", "old_string": "a", "new_string": "b"}
    step(ctx, "ok", tool="Edit", args=args)
    step(ctx, "1 failed", args={"command": f"pytest tests/{name}.py"}, error=True)


def test_a_run_is_folded_once(opened: Open) -> None:
    """Digests of one run in other bounds, the same again, and its page fold its facts once."""
    with opened(window=200_000) as ctx:
        change(ctx, "once")
        entries, count = tuple(ctx.window.history.stream.entries), counter_for()
        folded, digests = made.KNOWN.made, made.DIGESTS.made
        digest_of(entries, DigestRoom(400), count)
        digest_of(entries, DigestRoom(300), count)
        digest_of(entries, DigestRoom(300), count)
        listing(entries, str)
        assert made.KNOWN.made == folded + 1
        assert made.DIGESTS.made == digests + 2


def test_what_stays_decides_anew(opened: Open) -> None:
    """The same run beside other entries that stay has another digest."""
    with opened(window=200_000) as ctx:
        change(ctx, "beside")
        step(ctx, "1 passed", args={"command": "pytest tests/beside.py"})
        entries = tuple(ctx.window.history.stream.entries)
        count, room = counter_for(), DigestRoom(400, 200)
        alone = digest_of(entries[:2], room, count).text
        assert digest_of(entries[:2], room, count, entries[2:]).text != alone
        assert digest_of(entries[:2], room, count).text == alone


def test_work_does_not_grow_with_age(opened: Open) -> None:
    """Two more steps are as much work in a digest of many as in one of few."""
    young, old = age(opened, 12), age(opened, 48)
    assert old.paths == young.paths == 1
    assert old.characters <= 1.5 * young.characters
