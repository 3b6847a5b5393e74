"""Every store does what a dict with the same rules does, whatever it is asked and in any order."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec import structs

from loom.capabilities.memory.longterm.memories import LongTerm, open_longterm
from loom.capabilities.memory.longterm.memory_item import MemoryItem, new_memory

TEXTS = st.sampled_from(["red fox", "blue fox", "setup.go", "失敗", "\ud800 nul \0", "fox fox"])
KEYS = st.sampled_from(["", "", "k", "l"])
KINDS = st.sampled_from(["fact", "rule"])
TTLS = st.sampled_from([0.0, 0.0, 1.0, 5.0])


class Life(RuleBasedStateMachine):
    """A store beside a dict of memories by id."""

    engine = ""

    @initialize()
    def begin(self) -> None:
        """An empty store."""
        self.folder = tempfile.TemporaryDirectory(prefix="loom-longterm-")
        self.path = Path(self.folder.name) / "store"
        self.store: LongTerm = open_longterm(self.path, self.engine)
        self.held: dict[int, MemoryItem] = {}
        self.last = 0
        self.now = 0.0

    def live(self) -> list[MemoryItem]:
        """What may be found, newest first."""
        return [m for _, m in sorted(self.held.items(), reverse=True) if m.alive(self.now)]

    def expected(self, new: MemoryItem) -> MemoryItem:
        """Apply a new memory to the dict."""
        said = (new.text, new.key, new.kind)
        same = [m for m in self.live() if (m.text, m.key, m.kind) == said]
        if same:
            made = same[0]
            both = made.expires and new.expires
            made = structs.replace(made, expires=max(made.expires, new.expires) if both else 0.0)
        else:
            self.last += 1
            keyed = [m for m in self.held.values() if new.key and m.key == new.key]
            older = [m for m in keyed if not m.replaced_by]
            for one in older:
                self.held[one.id] = structs.replace(one, replaced_by=self.last)
            made = structs.replace(new, id=self.last, replaces=older[0].id if older else 0)
        self.held[made.id] = made
        return made

    @rule(text=TEXTS, key=KEYS, kind=KINDS, ttl=TTLS)
    def save(self, text: str, key: str, kind: str, ttl: float) -> None:
        """Keep one."""
        new = new_memory(text, self.now, key, kind, "here", ttl)
        assert self.store.save(new) == self.expected(new)

    @rule(texts=st.lists(st.tuples(TEXTS, KEYS, TTLS), max_size=4))
    def save_many(self, texts: list[tuple[str, str, float]]) -> None:
        """Keep several at once."""
        new = [new_memory(text, self.now, key, ttl=ttl) for text, key, ttl in texts]
        assert self.store.save_many(new) == [self.expected(one) for one in new]

    @rule(seconds=st.sampled_from([0.5, 1.0, 4.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    @rule()
    def expire(self) -> None:
        """Sweep."""
        due = [m.id for m in self.held.values() if m.expires and m.expires <= self.now]
        for id in due:
            del self.held[id]
        assert self.store.expire(self.now) == len(due)

    @rule()
    def reopen(self) -> None:
        """Close and open again."""
        self.store.close()
        self.store = open_longterm(self.path, self.engine)

    @rule(words=st.sampled_from(["fox", "setup.go", "失敗", "nul", "red"]), kind=KINDS)
    def query(self, words: str, kind: str) -> None:
        """Every live memory that holds the word, and no other."""
        hits = self.store.query(words, 99, now=self.now, kind=kind)
        wanted = {m.id for m in self.live() if words in m.text and m.kind == kind}
        assert {one.memory.id for one in hits} == wanted
        assert [one.memory for one in hits] == [self.held[one.memory.id] for one in hits]

    @invariant()
    def same(self) -> None:
        """All can be read, and the newest are those of the dict."""
        assert [self.store.get(id) for id in range(self.last + 2)] == [
            self.held.get(id) for id in range(self.last + 2)
        ]
        assert [one.memory for one in self.store.query("", 99, now=self.now)] == self.live()

    def teardown(self) -> None:
        """Close what is open."""
        if hasattr(self, "store"):
            self.store.close()
            self.folder.cleanup()


class SqliteLife(Life):
    """The file."""

    engine = "sqlite"


class RocksLife(Life):
    """The folder."""

    engine = "rocksdb"


TestSqlite = SqliteLife.TestCase
TestSqlite.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
if find_spec("rocksdict") is not None:
    TestRocks = RocksLife.TestCase
    TestRocks.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
