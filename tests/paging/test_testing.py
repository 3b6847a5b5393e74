"""The contract of a store, run on both stores, and on stores that break it."""

from __future__ import annotations

from threading import Lock

from loom_paging import MemoryStore, MissingPage, PageExists
from loom_paging.names import checked
from loom_paging.store import span
from loom_paging.testing import CONTRACTS, Contract
from tests.kit.cases import all_cases


@all_cases("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_memory_store_keeps_the_contract(contract: Contract) -> None:
    """The reference store passes every check."""
    contract(MemoryStore)


class Shelf:
    """A store somebody wrote: by name a list of one text, which names of the same bytes share."""

    def __init__(self) -> None:
        self.held: dict[str, list[bytes]] = {}
        self.lock = Lock()

    def cell(self, name: str) -> list[bytes]:
        """What a name holds."""
        if not self.has(name):
            raise MissingPage(name, "a shelf")
        return self.held[name]

    def give(self, name: str, cell: list[bytes]) -> None:
        """Give a cell a name that is neither taken, nor a folder, nor in a file."""
        if any(f"{name}/".startswith(f"{n}/") or n.startswith(f"{name}/") for n in self.held):
            raise PageExists(name)
        self.held[name] = cell

    def put(self, name: str, data: bytes) -> None:
        """Write a page."""
        with self.lock:
            if not self.has(name) or self.get(name) != data:
                self.give(name, [bytes(data)])

    def get(self, name: str) -> bytes:
        """All bytes."""
        return self.cell(name)[0]

    def has(self, name: str) -> bool:
        """Tell whether there are any."""
        return checked(name) in self.held

    def names(self, prefix: str = "") -> list[str]:
        """List the names."""
        return sorted(name for name in self.held if name.startswith(prefix))

    def link(self, existing: str, new: str) -> None:
        """Make a second name."""
        if not self.has(new) or self.get(existing) != self.get(new):
            self.give(new, self.cell(existing))

    def delete(self, name: str) -> None:
        """Forget a name."""
        self.cell(name)
        del self.held[name]

    def log(self, name: str) -> list[bytes]:
        """A cell that has one name."""
        if sum(cell is self.cell(name) for cell in self.held.values()) > 1:
            raise PageExists(name)
        return self.cell(name)

    def append(self, name: str, data: bytes) -> None:
        """Grow a log."""
        if not self.has(name):
            self.give(name, [b""])
        self.log(name)[0] += bytes(data)

    def size(self, name: str) -> int:
        """How many bytes there are."""
        return len(self.get(name))

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Read a part."""
        return self.get(name)[span(offset, length)]

    def truncate(self, name: str, size: int) -> None:
        """Cut a log."""
        if not 0 <= size <= self.size(name):
            raise ValueError(f"{name!r} cannot be cut to {size}")
        self.log(name)[0] = self.get(name)[:size]

    def sketch(self, name: str, data: bytes) -> None:
        """Replace a view."""
        if self.has(name):
            self.delete(name)
        self.give(name, [bytes(data)])


@all_cases("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_a_store_somebody_wrote_is_checked_in_three_lines(contract: Contract) -> None:
    """A store that is no class of this package passes every check too."""
    contract(Shelf)


class Overwrites(Shelf):
    """Replaces pages."""

    def put(self, name: str, data: bytes) -> None:
        """Break write-once."""
        self.sketch(name, data)


class Unsorted(Shelf):
    """Lists names backwards."""

    def names(self, prefix: str = "") -> list[str]:
        """Break the order."""
        return super().names(prefix)[::-1]


class Copies(Shelf):
    """Forgets to cut."""

    def truncate(self, name: str, size: int) -> None:
        """Do nothing."""


class Loses(Shelf):
    """Makes links that hold nothing."""

    def link(self, existing: str, new: str) -> None:
        """Put no bytes under the second name."""
        self.put(new, b"")


@all_cases("broken", [Overwrites, Unsorted, Copies, Loses])
def test_contract_finds_a_broken_store(broken: type[Shelf]) -> None:
    """A store that breaks its word fails at least one check, and not all of them."""
    failures = 0
    for contract in CONTRACTS.values():
        try:
            contract(broken)
        except AssertionError:
            failures += 1
    assert 0 < failures < len(CONTRACTS)
