"""The contract of a store, as checks for the tests of everyone who writes a store.

    @pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
    def test_my_store_keeps_the_contract(contract, tmp_path):
        contract(lambda: MyStore(tmp_path))

Each check calls its argument once for an empty store, and raises AssertionError when the store
breaks the contract, or raises an error that the contract does not name. See `loom_paging.Store`."""

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

CONTRACTS: dict[str, Contract] = {}  # by what each promises, numbered

_BAD_NAMES = (
    "", "/etc/passwd", "..", "../a", "a/../b", "a/..", "./a", "a/./b", "a//b", "a/", "a\\b",
    "a\0b", "C:/a", "c:a", "LOCK", "lock", "outputs/.tmp-1", "\ud800", "é" * 128, "x/" * 600 + "x",
)  # fmt: skip
_GOOD_NAMES = ("a", "a.b/c-d_e.json", "outputs/ünï-页.txt", "..a/b..", "outputs/LOCK", ".hidden")
_VALUES = (b"", b"\0", b"text\r\n", "页 ünï 🧵".encode(), bytes(range(256)) * 4096)


def _register_contract(check: Callable[[Store], None]) -> Contract:
    """Add a check to CONTRACTS under its number and docstring, and return it. In it, every error
    other than AssertionError becomes one."""

    @wraps(check)
    def run(make: Factory) -> None:
        try:
            check(make())
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(f"the store raised {error!r}") from error

    CONTRACTS[f"{len(CONTRACTS) + 1:02d} {check.__doc__}"] = run
    return run


def _assert_raises(error: type[Exception], call: Callable[..., object], *arguments: object) -> None:
    try:
        call(*arguments)
    except error:
        return
    what = f"{getattr(call, '__name__', 'a call')} with {arguments!r:.200}"
    raise AssertionError(f"{what} did not raise {error.__name__}")


def _assert_equal(found: object, wanted: object, what: str) -> None:
    if found != wanted:
        raise AssertionError(f"{what}: found {found!r:.200}, wanted {wanted!r:.200}")


@_register_contract
def _check_values(store: Store) -> None:
    """A page gives back its bytes, from none to a mebibyte."""
    for number, value in enumerate(_VALUES):
        store.put(f"outputs/v{number}", value)
        _assert_equal(store.get(f"outputs/v{number}"), value, "the bytes of a page")
        _assert_equal(store.size(f"outputs/v{number}"), len(value), "the size of a page")


@_register_contract
def _check_write_once(store: Store) -> None:
    """A page is written once."""
    store.put("outputs/a", b"one")
    store.put("outputs/a", b"one")
    for other in (b"two", b"on", b"", b"one more"):
        _assert_raises(PageExists, store.put, "outputs/a", other)
    _assert_equal(store.get("outputs/a"), b"one", "a page after others were refused")


@_register_contract
def _check_isolation(store: Store) -> None:
    """Pages and the caller's buffers are apart."""
    data: Any = bytearray(b"before")  # wider than promised, and easily passed by mistake
    store.put("a", data)
    store.append("log", data)
    data[:] = b"after!"
    _assert_equal(store.get("a"), b"before", "a page after the caller changed its buffer")
    _assert_equal(store.get("log"), b"before", "a log after the caller changed its buffer")
    _assert_equal(type(store.get("a")), bytes, "the type a page is returned as")


@_register_contract
def _check_missing(store: Store) -> None:
    """What is not there is missing."""
    store.put("a/b", b"x")
    for name in ("c", "a", "a/b/c", "a/c"):
        _assert_equal(store.has(name), False, f"has({name!r})")
        _assert_raises(MissingPage, store.get, name)
        _assert_raises(MissingPage, store.size, name)
        _assert_raises(MissingPage, store.read, name, 0, 1)
        _assert_raises(MissingPage, store.truncate, name, 0)
        _assert_raises(MissingPage, store.delete, name)
        _assert_raises(MissingPage, store.link, name, "new")


@_register_contract
def _check_bad_names(store: Store) -> None:
    """Names that lead outside are refused."""
    store.put("a", b"x")
    for name in _BAD_NAMES:
        for call in (store.get, store.has, store.delete, store.size):
            _assert_raises(OutsideStore, call, name)
        for write in (store.put, store.append, store.sketch):
            _assert_raises(OutsideStore, write, name, b"")
        _assert_raises(OutsideStore, store.link, name, "b")
        _assert_raises(OutsideStore, store.link, "a", name)
        _assert_raises(OutsideStore, store.read, name, 0, 1)
        _assert_raises(OutsideStore, store.truncate, name, 0)
    _assert_equal(store.names(), ["a"], "the names after bad ones were refused")


@_register_contract
def _check_good_names(store: Store) -> None:
    """Unusual names that stay inside are kept."""
    for name in _GOOD_NAMES:
        store.put(name, name.encode())
    for name in _GOOD_NAMES:
        _assert_equal(store.get(name), name.encode(), f"the page {name!r}")
    _assert_equal(store.names(), sorted(_GOOD_NAMES), "the names")


@_register_contract
def _check_folders(store: Store) -> None:
    """A name is a file or a folder."""
    store.put("a/b", b"x")
    for write in (store.put, store.append, store.sketch):
        _assert_raises(PageExists, write, "a", b"y")
        _assert_raises(PageExists, write, "a/b/c", b"y")
    _assert_raises(PageExists, store.link, "a/b", "a")
    store.delete("a/b")
    store.put("a", b"y")
    _assert_equal(store.names(), ["a"], "the names after a folder gave way to a file")


@_register_contract
def _check_listing(store: Store) -> None:
    """Names are listed by prefix, sorted."""
    _assert_equal(store.names(), [], "the names of an empty store")
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
        _assert_equal(store.names(prefix), names, f"names({prefix!r})")


@_register_contract
def _check_links(store: Store) -> None:
    """A link is a second name of the same bytes."""
    store.put("a", b"x")
    store.put("other", b"y")
    store.link("a", "sub/b")
    store.link("a", "sub/b")
    store.link("a", "a")
    _assert_raises(PageExists, store.link, "a", "other")
    store.delete("a")
    _assert_equal((store.has("a"), store.get("sub/b")), (False, b"x"), "the link that stays")
    _assert_equal(store.get("other"), b"y", "the page no link replaced")


@_register_contract
def _check_logs(store: Store) -> None:
    """A log grows, is read in parts, and is cut."""
    store.append("journal/1", b"")
    _assert_equal(store.size("journal/1"), 0, "a log made with no bytes")
    for part in (b"one\n", b"two\n", b"", b"x" * 100_000):
        store.append("journal/1", part)
    _assert_equal(store.size("journal/1"), 100_008, "the size of a log")
    reads = {
        (0, 4): b"one\n",
        (4, 4): b"two\n",
        (100_006, 9): b"xx",
        (200_000, 9): b"",
        (3, 0): b"",
    }
    for (offset, length), wanted in reads.items():
        _assert_equal(store.read("journal/1", offset, length), wanted, f"read at {offset}")
    _assert_raises(ValueError, store.read, "journal/1", -1, 2)
    store.truncate("journal/1", 6)
    store.append("journal/1", b"!")
    _assert_equal(store.get("journal/1"), b"one\ntw!", "a log cut and continued")
    for size in (8, -1):
        _assert_raises(ValueError, store.truncate, "journal/1", size)
    store.delete("journal/1")
    store.append("journal/1", b"new")
    _assert_equal(store.get("journal/1"), b"new", "a log deleted and begun again")


@_register_contract
def _check_linked_logs(store: Store) -> None:
    """Bytes with two names do not grow."""
    store.append("a", b"x")
    store.link("a", "b")
    for name in ("a", "b"):
        _assert_raises(PageExists, store.append, name, b"y")
        _assert_raises(PageExists, store.truncate, name, 0)
    _assert_equal((store.get("a"), store.get("b")), (b"x", b"x"), "both names of a linked log")


@_register_contract
def _check_sketches(store: Store) -> None:
    """A view is replaced in one step, and it alone."""
    for value in (b"one", b"", b"three" * 1000):
        store.sketch("history/view.md", value)
        _assert_equal(store.get("history/view.md"), value, "a view that was replaced")
    store.put("a", b"page")
    store.link("a", "b")
    store.sketch("b", b"view")
    _assert_equal(store.get("a"), b"page", "the other name of bytes a view replaced")


@_register_contract
def _check_writers(store: Store) -> None:
    """Of several writers of one name one wins."""
    writers = 4
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
    _assert_equal(sum(map(len, won)), 20, "how many writers won, of 20 names")
    for writer, names in enumerate(won):
        for name in names:
            _assert_equal(store.get(name), b"%d" % writer, "a page several writers put at once")
