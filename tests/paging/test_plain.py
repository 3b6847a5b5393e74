"""What is no plain file, or far too large: told as a page that is missing or damaged, at once."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from loom_paging import FileStore, MissingPage, PageExists, Pager
from loom_paging.journal import Journal
from tests.kit.cases import all_cases

HUGE = 1 << 43  # bytes of a sparse file: more than any memory
NAME = "outputs/read_0001.txt"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no such files here")


def sparse(path: Path) -> None:
    """A file that is long, and of which little is on disk."""
    try:
        os.truncate(path, HUGE)
    except OSError:
        pytest.skip("the file system has no files so large")


def listening(path: Path) -> None:
    """A socket, bound from its folder: the path may be too long for one."""
    path.unlink()
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)


def among_folders(path: Path) -> None:
    """The folder of the file is a link to itself."""
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(path.parent)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "link to itself": lambda path: (path.unlink(), path.symlink_to(path)),
    "folder that is a link to itself": among_folders,
    "link to nothing": lambda path: (path.unlink(), path.symlink_to("nothing")),
    "pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "socket": listening,
    "folder": lambda path: (path.unlink(), path.mkdir()),
    "sparse": sparse,
}
KEPT = {"sparse"}  # a file still, only another one


def damaged(store: FileStore, damage: str) -> Pager:
    """A pager with one page, to which something happened; nothing of it in memory."""
    ref = Pager(store).put("read", ".txt", b"page 1")
    Journal.open(store, write=True).commit(b"[]", [ref], 1)
    DAMAGES[damage](store.root / NAME)
    fresh = Pager(store)
    fresh.register([ref])
    return fresh


@all_cases("damage", DAMAGES)
def test_a_store_answers(store: FileStore, damage: str) -> None:
    """It has the name or not, and reads what it may; listing goes on."""
    damaged(store, damage)
    with pytest.raises(MissingPage, match=NAME):
        store.get(NAME)
    assert store.has(NAME) == (damage in KEPT)
    if damage in KEPT:
        assert store.size(NAME) == HUGE
        assert store.read(NAME, HUGE - 4, 100) == bytes(4)
    else:
        for read in (store.size, lambda name: store.read(name, 0, 9)):
            with pytest.raises(MissingPage, match=NAME):
                read(NAME)
    assert store.names("journal/") == ["journal/000001.jsonl"]
    assert (NAME in store.names()) == (damage in KEPT)
    assert store.leftovers() == store.sweep() == []


@all_cases("damage", ["link to itself", "link to nothing", "pipe", "folder"])
def test_its_name_is_not_given_again(store: FileStore, damage: str) -> None:
    """A put of the name is refused, and the pager takes another."""
    pager = damaged(store, damage)
    with pytest.raises(PageExists):
        store.put(NAME, b"page 1")
    assert pager.put("read", ".txt", b"page 1").name == "outputs/read_0002.txt"
