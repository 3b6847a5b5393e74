"""A known list stays known in a workspace that was moved, collected, forked or killed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import loom
from loom.moving.packing import export
from loom.moving.unpacking import unpacked
from loom.retention import TTL
from tests.kit.cases import all_cases, some
from tests.kit.hosts import Called, Replied, Resulted, Told, User, said_by, said_in, wire
from tests.kit.journal import lawful

ROOT = Path(__file__).parents[4]
NOW = loom.Retention(default=0, horizon=0, ttl=dict.fromkeys(TTL, 0))


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


def test_an_archive_has_the_list(tmp_path: Path) -> None:
    """Unpacked elsewhere, the list goes on where it was."""
    told = session(12)
    with opened(tmp_path / "w") as ctx:
        ctx.sync(wire("openai", told))
        before = ctx.history.synced
    export(tmp_path / "w", tmp_path / "a.tar")
    unpacked(tmp_path / "a.tar", tmp_path / "x")
    with opened(tmp_path / "x") as ctx:
        assert ctx.history.synced == before
        known(ctx, told)
        more: list[Told] = [*told, Replied("All read."), User(("Thanks.",))]
        assert "Thanks." in str(ctx.sync(wire("openai", more)).request())
        assert len({one.entry for one in ctx.history.synced if one.entry}) == 12 + 1 + 2


def test_what_was_collected_is_not_taken_in_anew(tmp_path: Path) -> None:
    """The host still lists results whose pages Loom let go; they are known, not new."""
    told = session(12)
    with opened(tmp_path / "w") as ctx:
        ctx.sync(wire("openai", told))
        ctx.renew()
        gone = ctx.history.gc(NOW, apply=True).gone
        assert gone
        known(ctx, told)
    with opened(tmp_path / "w") as ctx:
        known(ctx, told)
        # An edit above them undoes them; those that stand below it are as before.
        assert "Read no file." in str(
            ctx.sync(wire("openai", [User(("Read no file.",))])).request()
        )


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


CHILD = """
import sys, os
from tests.loom.context.synced.test_elsewhere import opened, session
from tests.kit.hosts import wire
from pathlib import Path

ctx, told = opened(Path(sys.argv[1])), session(int(sys.argv[2]))
left = int(sys.argv[3])

def trace(frame, event, argument):
    global left
    if "loom" not in frame.f_code.co_filename:
        return None
    left -= event == "line"
    if left < 0:
        os._exit(9)
    return trace

for at in range(1, len(told) + 1, 2):
    if at == len(told) - 2:
        sys.settrace(trace)
    ctx.sync(wire("openai", told[:at]))
"""


@all_cases("run", some(range(6), 2))
def test_a_kill_in_the_middle_loses_and_doubles_nothing(tmp_path: Path, run: int) -> None:
    """A process that ends at any line of `sync`: the host gives its list again, to a new one."""
    told = session(8)
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT}/partitions:{ROOT}/paging"}
    lines = random.Random(run).randrange(12_000)
    ended = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path / "w"), "8", str(lines)],
        env=environment,
        cwd=ROOT,
        timeout=120,
        check=False,
    )
    assert ended.returncode in (0, 9)
    with opened(tmp_path / "w") as ctx:
        request = ctx.sync(wire("openai", told)).request()
        entries = [one.entry for one in ctx.history.synced if one.role == "assistant"]
        assert len({*entries}) == 8
        for at, entry in enumerate(entries):
            restored = ctx.history.restore(entry)
            assert restored.results == {f"c{at}": f"line of {at} " * 300}
        assert str(request).count("'Read every file.'") <= 1
        known(ctx, told)
