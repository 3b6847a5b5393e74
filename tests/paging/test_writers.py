"""`put` is put-if-absent: of several writers of one name exactly one wins, on every store."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from loom_paging import FileStore, MemoryStore, PageExists, Store
from tests.kit.cases import all_cases

WRITERS, ROUNDS = 6, 60
ROOT = Path(__file__).parent.parent.parent

PROCESS = """
import sys
from pathlib import Path
from loom_paging import FileStore, PageExists
store, mark = FileStore(Path(sys.argv[1]), durable=False), sys.argv[2]
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    try:
        store.put(f"bus/{number}", mark.encode() * 3000)
        print(number)
    except PageExists:
        pass
"""


def refuse(self: Path, target: Path) -> None:
    """What a file system without hard links says."""
    raise PermissionError(1, "no hard links here")


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    """Let threads meet: the interpreter switches between them as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def race(stores: list[Store], data: Callable[[int], bytes]) -> list[list[int]]:
    """Let every store put its bytes under the same name, many times; who won each time."""
    barrier = Barrier(len(stores), timeout=60)

    def put(writer: int) -> list[int]:
        won = []
        for number in range(ROUNDS):
            barrier.wait()
            try:
                stores[writer].put(f"bus/{number}", data(writer))
                won.append(number)
            except PageExists:
                continue
        return won

    with ThreadPoolExecutor(len(stores)) as pool:
        won = list(pool.map(put, range(len(stores))))
    return [[writer for writer in range(len(won)) if n in won[writer]] for n in range(ROUNDS)]


@all_cases("kind", ["memory", "one store", "a store each", "no hard links"])
def test_of_several_threads_one_wins(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there is what the one winner put, whole; no temporary file stays."""
    if kind == "no hard links":
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    shared: Store = MemoryStore() if kind == "memory" else FileStore(tmp_path, durable=False)
    own = kind in ("a store each", "no hard links")
    stores = [FileStore(tmp_path, durable=False) if own else shared for _ in range(WRITERS)]
    winners = race(stores, lambda writer: b"%d" % writer * 3000)
    assert [len(won) for won in winners] == [1] * ROUNDS
    found = [shared.get(f"bus/{number}") for number in range(ROUNDS)]
    assert found == [b"%d" % won * 3000 for (won,) in winners]
    assert not isinstance(shared, FileStore) or shared.leftovers() == []


@pytest.mark.parametrize("kind", ["memory", "files"])
def test_equal_bytes_of_several_writers_are_no_conflict(kind: str, tmp_path: Path) -> None:
    """Everyone who puts the bytes that are there has put them."""
    stores: list[Store] = [MemoryStore()] * WRITERS
    if kind == "files":
        stores = [FileStore(tmp_path, durable=False) for _ in range(WRITERS)]
    assert race(stores, lambda writer: b"same") == [list(range(WRITERS))] * ROUNDS


def test_of_several_processes_one_wins(tmp_path: Path) -> None:
    """Four processes race for the same names: each name has one winner and its bytes."""
    FileStore(tmp_path, durable=False)
    rounds = 80
    command = [sys.executable, "-c", PROCESS, str(tmp_path)]
    started = [
        subprocess.Popen(
            [*command, mark, str(rounds)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for mark in "abcd"
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    won = [set(process.communicate()[0].split()) for process in started]
    assert sum(map(len, won)) == rounds == len(set().union(*won))
    store = FileStore(tmp_path, durable=False)
    for mark, numbers in zip("abcd", won, strict=True):
        assert {store.get(f"bus/{number}") for number in numbers} <= {mark.encode() * 3000}
    assert store.leftovers() == []
