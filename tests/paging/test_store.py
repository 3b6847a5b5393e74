"""The store of files behaves as the store in memory, whatever is done to both."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from loom_paging import FileStore, MemoryStore, PagingError, Store

# Few names, some of them folders of others, so that operations meet.
NAMES = st.sampled_from(["a", "b", "a/b", "a/b/c", "outputs/x", "outputs/y", "../out", "LOCK"])
DATA = st.binary(max_size=6)


class TwoStores(RuleBasedStateMachine):
    """Do the same to both and compare what comes back."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.stores: list[Store] = [
            MemoryStore(),
            FileStore(Path(self.folder) / "store", durable=False),
        ]

    def teardown(self) -> None:
        """Close the store of files and remove it."""
        assert isinstance(self.stores[1], FileStore)
        self.stores[1].close()
        shutil.rmtree(self.folder)

    def both(self, call: Callable[[Store], object]) -> None:
        """Call on both stores; results, or the types of the errors, must agree."""
        results: list[object] = []
        for store in self.stores:
            try:
                results.append(call(store))
            except (PagingError, ValueError) as error:
                results.append(type(error))
        assert results[0] == results[1]

    @rule(name=NAMES, data=DATA)
    def put(self, name: str, data: bytes) -> None:
        """Write a page."""
        self.both(lambda store: store.put(name, data))

    @rule(name=NAMES, data=DATA)
    def append(self, name: str, data: bytes) -> None:
        """Grow a log."""
        self.both(lambda store: store.append(name, data))

    @rule(name=NAMES, data=DATA)
    def sketch(self, name: str, data: bytes) -> None:
        """Replace a view."""
        self.both(lambda store: store.sketch(name, data))

    @rule(existing=NAMES, new=NAMES)
    def link(self, existing: str, new: str) -> None:
        """Give bytes a second name."""
        self.both(lambda store: store.link(existing, new))

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        """Forget a name."""
        self.both(lambda store: store.delete(name))

    @rule(name=NAMES, size=st.integers(-1, 12))
    def truncate(self, name: str, size: int) -> None:
        """Cut a log."""
        self.both(lambda store: store.truncate(name, size))

    @rule(name=NAMES, offset=st.integers(-1, 8), length=st.integers(-1, 8))
    def read(self, name: str, offset: int, length: int) -> None:
        """Read a part."""
        self.both(lambda store: store.read(name, offset, length))

    @rule(name=NAMES)
    def look(self, name: str) -> None:
        """Ask about a name."""
        self.both(lambda store: (store.has(name), store.size(name), store.get(name)))

    @rule(prefix=st.sampled_from(["", "a", "a/", "outputs/", "outputs/x", "../"]))
    def list(self, prefix: str) -> None:
        """List names."""
        self.both(lambda store: store.names(prefix))

    @rule()
    def reopen(self) -> None:
        """Close the store of files and open it again: nothing is lost."""
        held = self.stores[1]
        assert isinstance(held, FileStore)
        held.close()
        self.stores[1] = FileStore(held.root, durable=False, create=False)

    @invariant()
    def same(self) -> None:
        """Both hold the same names with the same bytes."""
        memory, files = ({name: s.get(name) for name in s.names()} for s in self.stores)
        assert memory == files


TestTwoStores = TwoStores.TestCase
TestTwoStores.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
