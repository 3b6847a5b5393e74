"""Mutations tried: each in a fresh copy of the tree, with the tests of its room."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec import Struct

from tests.mutate.mutations import Mutation, mutations_of

NOTICED, LATE, SURVIVED = "noticed", "timed out", "survived"
# Folder of the source → what is run when something in it is changed, what notices most first.
Rooms = Mapping[str, Sequence[str]]
ROOMS: Rooms = {
    "partitions/loom_partitions": ("tests/partitions", "tests/golden"),
    "paging/loom_paging": ("tests/paging", "tests/golden"),
    "loom/compress": ("tests/golden", "tests/loom/compress"),
    "loom/session": ("tests/golden", "tests/loom/working", "tests/loom/session"),
}
IMPORTED = (".", "partitions", "paging")  # before what is installed
LEFT = shutil.ignore_patterns(".*", "__pycache__", "*.pyc")
FACTOR, LEAST = 4, 60.0  # of the time unchanged source takes, and seconds: then it hangs
MEMORY = 6 << 30  # bytes of addresses: a loop that never ends must not take the machine with it
RUN = (
    "import resource, runpy, sys;"
    f"resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}));"
    "runpy.run_module('pytest', run_name='__main__')"
)


class Tried(Struct, frozen=True):
    """A mutation and what became of it: NOTICED, LATE (noticed as well) or SURVIVED."""

    mutation: Mutation
    outcome: str


class Unsound(Exception):
    """The tests of a room fail on the unchanged tree; the message is the end of their output."""


def chosen(tree: Path, rooms: Rooms, count: int, seed: int) -> list[Mutation]:
    """`count` mutations of the rooms' sources, or all when there are fewer; a seed, a choice."""
    found = [
        mutation
        for room in rooms
        for path in sorted((tree / room).rglob("*.py"))
        for mutation in mutations_of(tree, path)
    ]
    return Random(seed).sample(found, min(count, len(found)))


def tried(tree: Path, rooms: Rooms, mutations: Sequence[Mutation], workers: int) -> Iterator[Tried]:
    """Every mutation with its outcome, in order. Raises Unsound before the first one."""
    changed = sorted({_room(rooms, one) for one in mutations})

    def one(mutation: Mutation) -> Tried:
        room = _room(rooms, mutation)
        tests = [*_mirrored(tree, mutation.path), *rooms[room]]
        with _copied(tree) as copy:
            path = copy / mutation.path
            path.write_bytes(mutation.applied(path.read_bytes()))
            code, _ = _tested(copy, tests, limits[room])
        return Tried(mutation, {None: LATE, 0: SURVIVED}.get(code, NOTICED))

    with ThreadPoolExecutor(workers) as pool:
        seconds = pool.map(lambda room: _limit(tree, rooms[room]), changed)
        limits = dict(zip(changed, seconds, strict=True))
        yield from pool.map(one, mutations)


def _room(rooms: Rooms, mutation: Mutation) -> str:
    return next(room for room in rooms if mutation.path.startswith(f"{room}/"))


def _limit(tree: Path, tests: Sequence[str]) -> float:
    """The seconds the tests of a room may take, by what they take when nothing is changed."""
    began = time.monotonic()
    with _copied(tree) as copy:
        code, said = _tested(copy, tests, None)
    if code:
        raise Unsound(f"{' '.join(tests)} ended with {code}\n{said}")
    return max(LEAST, FACTOR * (time.monotonic() - began))


def _mirrored(tree: Path, path: str) -> list[str]:
    """The test file of a source file, which notices most and so runs first."""
    source = Path(path)
    parts = source.parent.parts
    folder = parts[:1] if parts[-1].startswith("loom_") else parts
    test = Path("tests", *folder, f"test_{source.stem}.py")
    return [test.as_posix()] if (tree / test).is_file() else []


@contextmanager
def _copied(tree: Path) -> Iterator[Path]:
    with TemporaryDirectory(prefix="loom-mutate-") as folder:
        copy = Path(folder) / tree.name
        shutil.copytree(tree, copy, ignore=LEFT)
        yield copy


def _tested(copy: Path, tests: Iterable[str], seconds: float | None) -> tuple[int | None, str]:
    """The exit code of the tests, None when their time was over, and what they said last."""
    path = os.pathsep.join(str(copy / name) for name in IMPORTED)
    words = ["-q", "-x", "--no-header", "--tb=line", *dict.fromkeys(tests)]
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *words],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # so that children of the tests end with them
    )
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, ""
    else:
        return process.returncode, said[-2_000:]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
