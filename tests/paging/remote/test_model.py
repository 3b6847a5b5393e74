"""A workspace on an object store beside the reference store, through reopenings and crashes."""

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from loom_paging import MissingPage, PagingError, StoreReplaced
from loom_paging.remote import remote_store
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.tree import RemoteTree
from loom_paging.store import MemoryStore, Store
from tests.kit.ended import ended

OWN, BELOW, SHARED = "own", "agents/kid", "shared"
PLACES = {OWN: "", BELOW: f"{BELOW}/", SHARED: ""}
PAGES = ("outputs/a", "outputs/b", "outputs/b/c", "checkpoints/1")
LOGS = ("journal/1", "journal/2")
SHARES = ("bus/1", "capsule.json")
VIEWS = ("index", "checkpoints/1")
GONE = -1  # no put of this process is done any more
MOST_PUTS = 6  # after which a crash may come
Op = Callable[[Store], object]
bodies = st.sampled_from([bytes([one]) * size for one in b"abc" for size in (1, 7, 40)])
regions = st.sampled_from([OWN, OWN, BELOW])
pages, logs = st.sampled_from(PAGES), st.sampled_from(LOGS)
CHANGES = st.one_of(
    st.tuples(st.just("put"), pages, bodies),
    st.tuples(st.just("append"), logs | st.just("outputs/a"), bodies),
    st.tuples(st.just("truncate"), logs, st.integers(0, 80)),
    st.tuples(st.just("link"), pages | logs, pages),
)


class Crash(Exception):
    """The process ends here."""


class CrashingBucket(Bucket):
    """A bucket whose n-th put, counted over it and those below, ends the process: before it is
    done, or right after."""

    def __init__(self, client: Any, place: str, prefix: str = "") -> None:
        super().__init__(client, place, prefix)
        self.fuse = [0, False]  # puts left, 0 for no crash; and whether the last is done
        self.lock = Lock()  # pages are put by several threads

    def below(self, folder: str) -> Bucket:
        """See Bucket; one fuse for all."""
        made = CrashingBucket(self.client, f"{self.place}/{folder}", f"{self._prefix}{folder}/")
        made.fuse, made.lock = self.fuse, self.lock
        return made

    def hasty(self, tries: int) -> Bucket:
        """See Bucket; the same fuse."""
        return self

    def create(self, key: str, data: bytes) -> bool:
        """See Bucket; raises Crash."""
        return self._burnt(lambda: super(CrashingBucket, self).create(key, data))

    def replace(self, key: str, data: bytes) -> None:
        """See Bucket; raises Crash."""
        self._burnt(lambda: super(CrashingBucket, self).replace(key, data))

    def _burnt(self, put: Callable[[], Any]) -> Any:
        with self.lock:
            left, done = self.fuse
            if left:
                self.fuse[0] = left - 1 if left > 1 else GONE
        if left == 1 and done:
            put()
        if left in (1, GONE):
            raise Crash
        return put()


class TreeMachine(RuleBasedStateMachine):
    """Calls made on both stores, which raise alike and hold the same bytes.

    `kept` are the changes that are durable, `waiting` those that are not, by region; a change is
    made anew on an empty reference store after a crash, which takes those that wait with it.
    """

    def __init__(self) -> None:
        super().__init__()
        from obstore.store import MemoryStore as Objects

        self.client = Objects()
        self.kept: list[tuple[str, Op]] = []
        self.waiting: dict[str, list[Op]] = {OWN: [], BELOW: []}
        self.views: set[str] = set()  # names with views that no reopening finds
        self.held: list[RemoteTree] = []
        self.turns = 0

    @initialize()
    def begin(self) -> None:
        """A tree that was never opened."""
        self._open()

    # What both do
    @rule(region=regions, data=st.lists(bodies, min_size=2, max_size=3), log=st.sampled_from(LOGS))
    def turn(self, region: str, data: list[bytes], log: str) -> None:
        """A turn: a page no other has, lines of a log, and all of it durable."""
        self.turns += 1
        place = PLACES[region]
        self._both(region, partial(put, f"{place}turns/{self.turns}", data[0]))
        for line in data[1:]:
            self._both(region, partial(append, place + log, line))
        self.settle(region, log)

    @rule(region=regions, change=CHANGES)
    def change(self, region: str, change: tuple[str, str, Any]) -> None:
        """A page, a log that grows or is cut back, a second name."""
        call, name, given = change
        place = PLACES[region]
        given = place + given if isinstance(given, str) else given
        self._both(region, lambda store: getattr(store, call)(place + name, given))

    @rule(name=st.sampled_from(SHARES), data=bodies)
    def share(self, name: str, data: bytes) -> None:
        """An object of many writers, before which all that waits is durable."""
        self._both(SHARED, lambda store: store.put(name, data), settles=True)

    @rule(region=regions, name=st.sampled_from((*PAGES, *LOGS, *VIEWS)))
    def delete(self, region: str, name: str) -> None:
        """A name that is forgotten."""
        place = PLACES[region] + name
        kept = nothing if place in self.views else None
        if self._both(region, lambda store: store.delete(place), kept=kept):
            self.views.discard(place)

    @rule(name=st.sampled_from(SHARES))
    def unshare(self, name: str) -> None:
        """A shared object that is removed."""
        self._both(SHARED, lambda store: store.delete(name), settles=True)

    @rule(region=regions, name=st.sampled_from(VIEWS), data=bodies)
    def sketch(self, region: str, name: str, data: bytes) -> None:
        """A view. Those of checkpoints are kept; the others are gone with the process."""
        place = PLACES[region] + name
        if name.startswith("checkpoints/"):
            self._both(region, lambda store: store.sketch(place, data))
            return

        def forget(store: Store) -> None:
            with suppress(MissingPage):
                store.delete(place)

        if self._both(region, lambda store: store.sketch(place, data), kept=forget):
            self.views.add(place)

    @rule(region=regions, name=st.sampled_from(LOGS))
    def settle(self, region: str, name: str) -> None:
        """A log appended to with nothing makes durable all that waits in its workspace."""
        place = PLACES[region] + name
        if self._both(region, lambda store: store.append(place, b""), settles=True):
            self._settled(region)

    # What happens to the process
    @precondition(lambda self: not self.held or self.held[-1].bucket.fuse[0] == 0)
    @rule(puts=st.integers(1, MOST_PUTS), done=st.booleans())
    def light(self, puts: int, done: bool) -> None:
        """One of the next puts is the last."""
        self.held[-1].bucket.fuse[:] = [puts, done]

    @rule()
    def crash(self) -> None:
        """The process ends: what waited is gone. Another takes over."""
        self._lost()

    @rule()
    def reopen(self) -> None:
        """It closes, and opens again. What waited is not written."""
        with suppress(Crash):
            self.held[-1].close()
        self._lost()

    @rule()
    def overtaken(self) -> None:
        """Another takes over while this one lives: its flushes are refused, and write nothing."""
        old = self.held.pop()
        old.bucket.fuse[:] = [0, False]
        self._open()
        for _ in range(2):
            with pytest.raises(StoreReplaced, match="took it over"):
                old.append("journal/9", b"stale")
                old.append("journal/9", b"")
        abandon(old)

    @invariant()
    def same(self) -> None:
        """Every name has the same bytes, whole and in part."""
        if not self.held:
            return
        tree = self.held[-1]
        assert tree.names() == self.model.names()
        for name in self.model.names():
            whole = self.model.get(name)
            assert tree.get(name) == whole and tree.size(name) == len(whole)
            assert tree.read(name, 3, 20) == whole[3:23]

    def teardown(self) -> None:
        """Nothing of it goes on."""
        for tree in self.held:
            abandon(tree)

    # How it is done
    def _both(self, region: str, op: Op, *, settles: bool = False, kept: Op | None = None) -> bool:
        """Call both; they do or raise alike. True when it was done."""
        tree = self.held[-1]
        before = {at: list(ops) for at, ops in self.waiting.items()}
        expected = outcome(op, self.model)
        try:
            found = outcome(op, tree)
        except Crash:
            self._crashed(region, op if expected is None else None, before, settles=settles)
            return False
        assert found == expected
        if region == SHARED:
            self._settled(OWN)
        if expected is None and region == SHARED:
            self.kept.append((region, op))
        elif expected is None:
            self.waiting[region].append(kept or op)
        return expected is None

    def _settled(self, region: str) -> None:
        self.kept += [(region, op) for op in self.waiting[region]]
        self.waiting[region] = []

    def _crashed(
        self, region: str, op: Op | None, before: dict[str, list[Op]], *, settles: bool
    ) -> None:
        """The process ended in a call: what waited there is durable as a whole, or not at all, and
        so is what the call itself was to make so."""
        where = OWN if region == SHARED else region
        whole = [(where, one) for one in before[where]]
        last = [(region, op)] if op is not None else []
        options: list[list[tuple[str, Op]]] = [[]]
        if settles:
            options += [whole, [*whole, *last]] if region == SHARED else [[*whole, *last]]
        self._lost()
        found = held_by(self.held[-1])
        models = [(option, remade([*self.kept, *option])) for option in options]
        matching = [option for option, model in models if held_by(model) == found]
        assert matching, (found, [held_by(model) for _, model in models])
        self.kept += matching[0]
        self.model = remade(self.kept)

    def _lost(self) -> None:
        abandon(self.held.pop())
        self._open()

    def _open(self) -> None:
        self.waiting, self.views = {OWN: [], BELOW: []}, set()
        self.held.append(RemoteTree(CrashingBucket(self.client, "here"), write=True, take=True))
        self.model = remade(self.kept)


def remade(ops: list[tuple[str, Op]]) -> MemoryStore:
    """A reference store on which changes were made."""
    store = MemoryStore()
    for _, op in ops:
        op(store)
    return store


def held_by(store: MemoryStore | RemoteTree) -> dict[str, tuple[bytes, set[str]]]:
    """All that a store has: the bytes of each name, and which names share them."""
    names = store.names()  # a tree reads those below then
    cells: dict[str, int] = {}
    if isinstance(store, MemoryStore):
        cells = {name: id(cell) for name, cell in store._cells.items()}
    else:
        for place, tree in (("", store), *((f"{at}/", one) for at, one in store._below.items())):
            cells |= {place + name: id(one) for name, one in tree._own._state.fold.cells.items()}
    return {
        name: (store.get(name), {name, *(one for one in cells if cells[one] == cells.get(name))})
        for name in names
    }


def put(name: str, data: bytes, store: Store) -> None:
    """A page is put."""
    store.put(name, data)


def append(name: str, data: bytes, store: Store) -> None:
    """A log grows."""
    store.append(name, data)


def nothing(store: Store) -> None:
    """A change to what no reopening finds."""


def outcome(op: Op, store: Store) -> type[Exception] | None:
    """What a change raises; None where it is done."""
    try:
        op(store)
    except (PagingError, ValueError) as error:
        return type(error)
    return None


def abandon(tree: RemoteTree) -> None:
    """What is left of a process that ended: its leases are not renewed."""
    for one in [*tree._below.values()]:
        abandon(one)
    ended(tree._own)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints after a few batches, pages beside the log from a few bytes on."""
    monkeypatch.setattr(remote_store, "EVERY", 3)
    monkeypatch.setattr(remote_store, "INLINE", 30)


@pytest.mark.timeout(7_200)  # of thousands of examples
def test_a_tree_is_as_the_reference_store() -> None:
    """Puts, logs, links, views and names of three places, whatever ends the process."""
    pytest.importorskip("obstore", reason="needs obstore")
    simulated = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
    run_state_machine_as_test(
        TreeMachine,
        settings=settings(max_examples=2_000 if simulated else 100, stateful_step_count=40),
    )
