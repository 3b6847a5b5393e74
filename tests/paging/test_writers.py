"""`put` is put-if-absent: of several writers of one name exactly one wins, in files."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from loom_paging import FileStore, PageExists, Store
from tests.kit.cases import all_cases
from tests.paging.test_store import refuse

WRITERS, ROUNDS = 6, 60


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


@all_cases("linked", [True, False])
def test_of_several_stores_of_a_folder_one_wins(
    linked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there is what the one winner put, whole; no temporary file stays."""
    if not linked:
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    stores = [FileStore(tmp_path, durable=False) for _ in range(WRITERS)]
    winners = race([*stores], lambda writer: b"%d" % writer * 3000)
    assert [len(won) for won in winners] == [1] * ROUNDS
    found = [stores[0].get(f"bus/{number}") for number in range(ROUNDS)]
    assert found == [b"%d" % won * 3000 for (won,) in winners]
    assert stores[0].leftovers() == []
