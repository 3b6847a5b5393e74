"""The contract of a store, as checks any implementation can run.

    for name, contract in CONTRACTS:
        contract(make_empty_store)

Each check makes its own empty stores and raises AssertionError where the store breaks its word.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import wraps
from threading import Barrier
from typing import Any

from loom_paging.errors import MissingPage, OutsideStore, PageExists
from loom_paging.store import Store

Factory = Callable[[], Store]
Contract = Callable[[Factory], None]

_BAD_NAMES = (
    "", "/etc/passwd", "..", "../a", "a/../b", "a/..", "./a", "a/./b", "a//b", "a/", "a\\b",
    "a\0b", "C:/a", "c:a", "LOCK", "lock", "outputs/.tmp-1", "\ud800", "x" * 256, "x/" * 600 + "x",
)  # fmt: skip
_GOOD_NAMES = ("a", "a.b/c-d_e.json", "outputs/ünï-页.txt", "..a/b..", "outputs/LOCK", ".hidden")
_VALUES = (b"", b"\0", b"text\r\n", "页 ünï 🧵".encode(), bytes(range(256)) * 4096)


def _refuses(error: type[Exception], call: Callable[..., object], *arguments: object) -> None:
    try:
        call(*arguments)
    except error:
        return
    what = f"{getattr(call, '__name__', 'a call')} with {arguments!r:.200}"
    raise AssertionError(f"{what} did not raise {error.__name__}")


def _same(found: object, wanted: object, what: str) -> None:
    if found != wanted:
        raise AssertionError(f"{what}: found {found!r:.200}, wanted {wanted!r:.200}")


def _values(make: Factory) -> None:
    store = make()
    for number, value in enumerate(_VALUES):
        store.put(f"outputs/v{number}", value)
        _same(store.get(f"outputs/v{number}"), value, "the bytes of a page")
        _same(store.size(f"outputs/v{number}"), len(value), "the size of a page")


def _write_once(make: Factory) -> None:
    store = make()
    store.put("outputs/a", b"one")
    store.put("outputs/a", b"one")
    for other in (b"two", b"on", b"", b"one more"):
        _refuses(PageExists, store.put, "outputs/a", other)
    _same(store.get("outputs/a"), b"one", "a page after others were refused")


def _isolation(make: Factory) -> None:
    store = make()
    data: Any = bytearray(b"before")  # wider than promised, and easily passed by mistake
    store.put("a", data)
    store.append("log", data)
    data[:] = b"after!"
    _same(store.get("a"), b"before", "a page after the caller changed its buffer")
    _same(store.get("log"), b"before", "a log after the caller changed its buffer")
    _same(type(store.get("a")), bytes, "the type a page is returned as")


def _missing(make: Factory) -> None:
    store = make()
    store.put("a/b", b"x")
    for name in ("c", "a", "a/b/c", "a/c"):
        _same(store.has(name), False, f"has({name!r})")
        _refuses(MissingPage, store.get, name)
        _refuses(MissingPage, store.size, name)
        _refuses(MissingPage, store.read, name, 0, 1)
        _refuses(MissingPage, store.truncate, name, 0)
        _refuses(MissingPage, store.delete, name)
        _refuses(MissingPage, store.link, name, "new")


def _bad_names(make: Factory) -> None:
    store = make()
    store.put("a", b"x")
    for name in _BAD_NAMES:
        for call in (store.get, store.has, store.delete, store.size):
            _refuses(OutsideStore, call, name)
        for write in (store.put, store.append, store.sketch):
            _refuses(OutsideStore, write, name, b"")
        _refuses(OutsideStore, store.link, name, "b")
        _refuses(OutsideStore, store.link, "a", name)
        _refuses(OutsideStore, store.read, name, 0, 1)
        _refuses(OutsideStore, store.truncate, name, 0)
    _same(store.names(), ["a"], "the names after bad ones were refused")


def _good_names(make: Factory) -> None:
    store = make()
    for name in _GOOD_NAMES:
        store.put(name, name.encode())
    for name in _GOOD_NAMES:
        _same(store.get(name), name.encode(), f"the page {name!r}")
    _same(store.names(), sorted(_GOOD_NAMES), "the names")


def _folders(make: Factory) -> None:
    store = make()
    store.put("a/b", b"x")
    for write in (store.put, store.append, store.sketch):
        _refuses(PageExists, write, "a", b"y")
        _refuses(PageExists, write, "a/b/c", b"y")
    _refuses(PageExists, store.link, "a/b", "a")
    store.delete("a/b")
    store.put("a", b"y")
    _same(store.names(), ["a"], "the names after a folder gave way to a file")


def _listing(make: Factory) -> None:
    store = make()
    _same(store.names(), [], "the names of an empty store")
    for name in ("outputs/b", "outputs/a", "journal/1", "out", "outputs/sub/c"):
        store.put(name, b"")
    table = {
        "": ["journal/1", "out", "outputs/a", "outputs/b", "outputs/sub/c"],
        "out": ["out", "outputs/a", "outputs/b", "outputs/sub/c"],
        "outputs/": ["outputs/a", "outputs/b", "outputs/sub/c"],
        "outputs/s": ["outputs/sub/c"],
        "nothing/": [],
        "outputs/a/": [],
    }
    for prefix, names in table.items():
        _same(store.names(prefix), names, f"names({prefix!r})")


def _links(make: Factory) -> None:
    store = make()
    store.put("a", b"x")
    store.put("other", b"y")
    store.link("a", "sub/b")
    store.link("a", "sub/b")
    store.link("a", "a")
    _refuses(PageExists, store.link, "a", "other")
    store.delete("a")
    _same((store.has("a"), store.get("sub/b")), (False, b"x"), "the link that stays")
    _same(store.get("other"), b"y", "the page no link replaced")


def _logs(make: Factory) -> None:
    store = make()
    store.append("journal/1", b"")
    _same(store.size("journal/1"), 0, "a log made with no bytes")
    for part in (b"one\n", b"two\n", b"", b"x" * 100_000):
        store.append("journal/1", part)
    _same(store.size("journal/1"), 100_008, "the size of a log")
    reads = {
        (0, 4): b"one\n",
        (4, 4): b"two\n",
        (100_006, 9): b"xx",
        (200_000, 9): b"",
        (3, 0): b"",
    }
    for (offset, length), wanted in reads.items():
        _same(store.read("journal/1", offset, length), wanted, f"read at {offset}")
    _refuses(ValueError, store.read, "journal/1", -1, 2)
    store.truncate("journal/1", 6)
    store.append("journal/1", b"!")
    _same(store.get("journal/1"), b"one\ntw!", "a log cut and continued")
    for size in (8, -1):
        _refuses(ValueError, store.truncate, "journal/1", size)
    store.delete("journal/1")
    store.append("journal/1", b"new")
    _same(store.get("journal/1"), b"new", "a log deleted and begun again")


def _linked_logs(make: Factory) -> None:
    store = make()
    store.append("a", b"x")
    store.link("a", "b")
    for name in ("a", "b"):
        _refuses(PageExists, store.append, name, b"y")
        _refuses(PageExists, store.truncate, name, 0)
    _same((store.get("a"), store.get("b")), (b"x", b"x"), "both names of a linked log")


def _sketches(make: Factory) -> None:
    store = make()
    for value in (b"one", b"", b"three" * 1000):
        store.sketch("history/view.md", value)
        _same(store.get("history/view.md"), value, "a view that was replaced")
    store.put("a", b"page")
    store.link("a", "b")
    store.sketch("b", b"view")
    _same(store.get("a"), b"page", "the other name of bytes a view replaced")


def _writers(make: Factory) -> None:
    store, writers = make(), 4
    barrier = Barrier(writers, timeout=60)

    def put(writer: int) -> set[str]:
        won = set[str]()
        for number in range(20):
            barrier.wait()
            store.put(f"outputs/same{number}", b"same")
            with suppress(PageExists):
                store.put(f"outputs/own{number}", b"%d" % writer)
                won.add(f"outputs/own{number}")
        return won

    with ThreadPoolExecutor(writers) as pool:
        won = list(pool.map(put, range(writers)))
    _same(sum(map(len, won)), 20, "how many writers won, of 20 names")
    for writer, names in enumerate(won):
        for name in names:
            _same(store.get(name), b"%d" % writer, "a page several writers put at once")


def _strict(contract: Contract) -> Contract:
    """Make an error the store should not have raised a broken word like any other."""

    @wraps(contract)
    def run(make: Factory) -> None:
        try:
            contract(make)
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(f"the store raised {error!r}") from error

    return run


_CHECKS = (
    ("01 a page gives back its bytes, from none to a mebibyte", _values),
    ("02 a page is written once", _write_once),
    ("03 pages and the caller's buffers are apart", _isolation),
    ("04 what is not there is missing", _missing),
    ("05 names that lead outside are refused", _bad_names),
    ("06 unusual names that stay inside are kept", _good_names),
    ("07 a name is a file or a folder", _folders),
    ("08 names are listed by prefix, sorted", _listing),
    ("09 a link is a second name of the same bytes", _links),
    ("10 a log grows, is read in parts, and is cut", _logs),
    ("11 bytes with two names do not grow", _linked_logs),
    ("12 a view is replaced in one step, and it alone", _sketches),
    ("13 of several writers of one name one wins", _writers),
)

CONTRACTS: tuple[tuple[str, Contract], ...] = tuple((name, _strict(each)) for name, each in _CHECKS)
