"""Reopened, forgotten, shared, killed: what was acknowledged is there, and no id comes twice."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest

from loom.capabilities.memory.longterm import BusyStore, Draft, LongTerm, open_longterm

Run = Callable[..., "subprocess.Popen[str]"]
KILLS = 8
SAVES = """
import sys
from loom.capabilities.memory.longterm import open_longterm
path, engine, name, rounds, each = sys.argv[1:]
for turn in range(int(rounds)):
    with open_longterm(path, engine, wait=60) as store:
        for at in range(int(each)):
            text = f"{name} said {turn} {at}"
            print(store.save(text, key=name if at % 2 else "", now=1.0).id, text, flush=True)
"""
# Python starts once: each victim is a fork of a process that has opened nothing yet.
KILLED = """
import os, random, signal, sys
from loom.capabilities.memory.longterm import open_longterm
path, engine, kills = sys.argv[1:]
points = random.Random(7)
for kill in range(int(kills)):
    end, start = os.pipe()
    if not (victim := os.fork()):
        at = 0
        while True:
            with open_longterm(path, engine) as store:
                for _ in range(7):
                    at += 1
                    text = f"kill {kill} said {at}"
                    id = store.save(text, key=f"k{kill}" if at % 2 else "", now=1.0).id
                    os.write(start, f"{id} {text}\\n".encode())
    os.close(start)
    with open(end, closefd=True) as told:
        lines = [told.readline() for _ in range(points.randrange(1, 40))]
        os.kill(victim, signal.SIGKILL)
        os.waitpid(victim, 0)
        lines += told.readlines()
    print("".join(lines), end="")
    print("killed", flush=True)
"""
HOLDS = """
import sys
from loom.capabilities.memory.longterm import open_longterm
with open_longterm(*sys.argv[1:]) as store:
    with store.writing():
        print("held", flush=True)
        sys.stdin.readline()
"""


def acknowledged(lines: list[str]) -> dict[int, str]:
    """Texts by id, of the whole lines a process printed."""
    whole = (line.rstrip("\n").split(" ", 1) for line in lines if line.endswith("\n"))
    return {int(id): text for id, text in whole}


def files(path: Path) -> list[Path]:
    """The files of a store: itself, or those in its folder."""
    return [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]


def test_it_is_there_after_a_reopen(path: Path, engine: str) -> None:
    """Memories, history, words and the links between them."""
    with open_longterm(path, engine) as store:
        store.save("the kraken sleeps", key="k", now=1)
        store.save("the kraken wakes", key="k", now=2, ttl=50)
        before = [store.get(1), store.get(2)]
    with open_longterm(path, engine) as store:
        assert [store.get(1), store.get(2)] == before == store.history("k")[::-1]
        assert [one.memory.id for one in store.query("kraken", now=3)] == [2]
        assert store.expire(52) == 1 and len(store) == 1


def test_ids_are_never_given_twice(path: Path, engine: str) -> None:
    """Not after the newest was forgotten, nor after a reopen, nor when nothing is left."""
    with open_longterm(path, engine) as store:
        assert [store.save(text, now=1).id for text in "abc"] == [1, 2, 3]
        assert store.forget(3) and not store.forget(3)
        assert store.save("d", now=1).id == 4
        assert all(store.forget(id) for id in (1, 2, 4)) and len(store) == 0
    with open_longterm(path, engine) as store:
        assert store.save("e", now=1).id == 5


def test_what_is_forgotten_is_in_no_file(path: Path, engine: str) -> None:
    """Neither its text nor its words; what stays is found as before."""
    with open_longterm(path, engine) as store:
        store.save("the blue door", now=1)
        store.save("Xylophagous qwertzuiop zymurgy", key="k", now=1)
        store.save("Xylophagous again", key="k", now=1)
    with open_longterm(path, engine) as store:
        held = b"".join(one.read_bytes() for one in files(path))
        assert b"qwertzuiop" in held
        assert store.forget(2) and store.forget(3)
        held = b"".join(one.read_bytes() for one in files(path)).lower()
        assert b"qwertz" not in held and b"zymurg" not in held and b"ylophag" not in held
        assert store.query("zymurgy", now=1) == [] == store.history("k")
        assert [one.memory.id for one in store.query("door", now=1)] == [1]


def test_what_was_swept_is_in_no_file(path: Path, engine: str) -> None:
    """An expired memory goes as a forgotten one does."""
    with open_longterm(path, engine) as store:
        store.save_many(Draft(f"qwertzuiop {at}", 1, ttl=at + 1) for at in range(5))
        assert store.expire(4) == 3 and len(store) == 2
        assert store.expire(9) == 2
        assert b"qwertz" not in b"".join(one.read_bytes() for one in files(path))


def test_files_are_private(path: Path, engine: str) -> None:
    """The file, or the folder it all lies in, is its owner's alone."""
    with open_longterm(path, engine) as store:
        store.save("mine", now=1)
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o600 if path.is_file() else 0o700)


def test_threads_share_a_store(store: LongTerm) -> None:
    """Every save of every thread is there."""

    def saves(name: int) -> None:
        for at in range(10):
            store.save(f"thread {name} {at}", now=1)
            store.query("thread", now=1)

    threads = [Thread(target=saves, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store) == 40
    assert len(store.query("thread", 99, now=1)) == 40


def test_two_processes_save_at_once(path: Path, engine: str, run: Run) -> None:
    """Nothing is lost, and no id given twice; each key keeps one live memory."""
    both = [run(SAVES, path, engine, name, 5, 10) for name in ("ann", "bob")]
    ends = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    said = [acknowledged(out.splitlines(keepends=True)) for out, _ in ends]
    assert sorted([*said[0], *said[1]]) == list(range(1, 101))
    with open_longterm(path, engine) as store:
        assert len(store) == 100
        for id, text in (said[0] | said[1]).items():
            memory = store.get(id)
            assert memory is not None and memory.text == text
        for name in ("ann", "bob"):
            assert [bool(m.replaced_by) for m in store.history(name)] == [False] + [True] * 24
        assert len(store.query("said", 99, now=1)) == 52


def test_two_open_one_sqlite_store(path: Path, run: Run) -> None:
    """Each sees what the other committed; ids, keys and equal texts are one for both."""
    with open_longterm(path, wait=60) as one, open_longterm(path, wait=60) as other:
        assert one.save("from one", key="k", now=1).id == 1
        assert other.save("from other", key="k", now=2).id == 2
        assert [m.memory.id for m in one.query("from", now=3)] == [2]
        assert one.save("from other", key="k", now=3).id == 2
        process = run(SAVES, path, "sqlite", "third", 1, 20)
        for at in range(20):
            one.save(f"one {at}", now=1)
            other.save(f"other {at}", now=1)
        out, _ = process.communicate()
        assert len(acknowledged(out.splitlines(keepends=True))) == 20
        assert len(one) == len(other) == 62


def test_a_store_in_use_says_so(path: Path, engine: str, run: Run) -> None:
    """Who waits in vain is told; nothing is harmed, and the next call works."""
    process = run(HOLDS, path, engine)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    with (
        pytest.raises(BusyStore, match="another process"),
        open_longterm(path, engine, wait=0.01) as store,
    ):
        store.save("x", now=1)
    process.communicate("\n")
    with open_longterm(path, engine, wait=0.01) as store:
        assert store.save("x", now=1).id == 1


def test_a_killed_process_loses_nothing_it_acknowledged(path: Path, engine: str, run: Run) -> None:
    """Killed at random points of saving, again and again, over one and the same store."""
    process = run(KILLED, path, engine, KILLS)
    out, _ = process.communicate()
    assert process.returncode == 0 and out.count("killed\n") == KILLS
    lives = [acknowledged(part.splitlines(keepends=True)) for part in out.split("killed\n")[:-1]]
    for before, after in pairwise(lives):
        assert max(before) < min(after)
    told = {id: text for life in lives for id, text in life.items()}
    with open_longterm(path, engine) as store:
        held = {id: store.get(id) for id in told}
        assert {id: m.text for id, m in held.items() if m} == told
        # One more than was told may have been stored by each process before it died.
        assert len(told) <= len(store) <= len(told) + KILLS
        live = {m.id for m in held.values() if m and not m.replaced_by}
        assert {one.memory.id for one in store.query("said", 10_000, now=1)} >= live
