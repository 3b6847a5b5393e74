"""Commands over addresses: a workspace on an object store is read through a mirror of it.

Theory of operation. The words of a command line that are addresses become private folders, which
hold what the command reads of each, and go when it ends. So each command reads folders alone. Those
that write (`gc`, `purge`, `repair`) ask what is behind a folder, and write there, under the fence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from loom.cli.exits import BadUsage
from loom.cli.scratch import scratch
from loom.cli.show import SHOWN_AS
from loom.engine.archive.decode import retired_by
from loom_paging import Journal, PagingError, Store
from loom_paging.private import private_folders
from loom_paging.remote.address import bucket_of, is_address, process_at, tree_at
from loom_paging.remote.bucket import NoObject
from loom_paging.remote.tree import BELOW, RemoteTree
from loom_paging.under import Under

JOURNAL = ("journal/", "checkpoints/")
OWN = ("",)
# What a command reads of a workspace: how names begin; and whether of those below it as well.
READS: dict[str, tuple[tuple[str, ...], bool]] = {
    "ps": (JOURNAL, True),
    "top": (JOURNAL, False),
    "stat": ((*JOURNAL, "bus/"), True),
    "log": (JOURNAL, False),
    "context": (JOURNAL, False),
    "pages": (JOURNAL, False),
    "show": (OWN, False),
    "diff": (OWN, False),
    "cat": (OWN, False),
    "check": (OWN, True),
    "report": (OWN, True),
    "export": (OWN, True),
    "replay": (OWN, True),
    "repair": (OWN, True),
    "purge": (OWN, True),
    "gc": ((), False),
}
SALVAGED = ("repair",)  # commands that read a damaged log as far as it stands
SESSIONS = ("replay", "report")  # that take recorded sessions as well, which are plain objects
_mirrors: dict[Path, StoreMirror] = {}


class StoreMirror:
    """A folder that holds what a command reads of the workspace at an address."""

    def __init__(self, address: str, folder: Path, command: str) -> None:
        self.address, self.folder = address, folder
        self._prefixes, self._deep = READS[command]
        self._salvages, self._sessions = command in SALVAGED, command in SESSIONS
        self._sizes: dict[str, int] = {}
        self.store: Store | None = None

    def fill(self) -> None:
        """Make the folder hold what the store does now."""
        if self._sessions and self._one_object():
            return
        if self.store is None:
            self.store = tree_at(self.address, write=False, salvage=self._salvages)
        elif isinstance(self.store, RemoteTree):
            self.store.refresh()
        names = self._names(self.store)
        if not names:
            self._objects()
            return
        for name in filter(self._is_read, names):
            self._copy(self.store, name)
        for name in self._sizes.keys() - set(names):
            (self.folder / name).unlink(missing_ok=True)
            del self._sizes[name]
        for name in {_home(name) for name in names if "journal/" in name}:
            private_folders(self.folder / name / "journal")
            if self._prefixes == JOURNAL:
                self._open(Under(self.store, name) if name else self.store, self.folder / name)

    def _names(self, store: Store) -> list[str]:
        """The names it is about; those of others below are not asked for where none is read."""
        if self._deep or self._prefixes == OWN:
            return store.names()
        return [name for prefix in self._prefixes or JOURNAL for name in store.names(prefix)]

    def _is_read(self, name: str) -> bool:
        home = _home(name)
        rest = name.removeprefix(f"{home}/") if home else name
        return rest.startswith(self._prefixes or ("\0",)) and (self._deep or not home)

    def _copy(self, store: Store, name: str) -> None:
        """Copy a name, where it is another one now; one that cannot be read is left out."""
        with suppress(PagingError):
            size = store.size(name)
            if self._sizes.get(name) != size or name.startswith("journal/"):
                self.put(name, store.get(name))

    def put(self, name: str, data: bytes) -> None:
        """Put bytes under a name, in the folder alone."""
        path = self.folder / name
        private_folders(path.parent)
        path.write_bytes(data)
        self._sizes[name] = len(data)

    def _open(self, store: Store, folder: Path) -> None:
        """Copy pages without which a reader takes the last commits for a torn end."""
        at = folder.relative_to(self.folder).as_posix().removeprefix(".")
        with suppress(PagingError):
            Journal.open(_Copied(self, at, store), write=False, retired=retired_by)

    def _objects(self) -> None:
        """Copy plain objects: recorded sessions below the address."""
        below = bucket_of(self.address.partition("?")[0].rstrip("/"))
        for key in below.keys("") if self._sessions else ():
            self.put(key, below.read(key))

    def _one_object(self) -> bool:
        """Copy the object that the address itself names, a recorded session, where there is one."""
        above, _, name = self.address.partition("?")[0].rstrip("/").rpartition("/")
        if above.endswith("/"):
            return False
        try:
            data = bucket_of(above).read(name)
        except NoObject:
            return False
        self.folder.rmdir()
        self.folder.write_bytes(data)
        return True

    def files(self) -> dict[str, bytes]:
        """What lies in the folder, by name, but for locks."""
        paths = [path for path in self.folder.rglob("*") if path.is_file()]
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in paths
            if path.name != "LOCK"
        }


class _Copied(Under):
    """A store of which what is read whole is copied into a mirror."""

    def __init__(self, mirror: StoreMirror, at: str, store: Store) -> None:
        self.store, self.folder, self._prefix = store, at, ""
        self._mirror = mirror

    def get(self, name: str) -> bytes:
        """Return all bytes under a name; see Store."""
        data = super().get(name)
        self._mirror.put(f"{self.folder}/{name}" if self.folder else name, data)
        return data


@contextmanager
def placed(given: Sequence[str]) -> Iterator[list[str]]:
    """The words of a command line, a mirror in the place of each address. Raises BadUsage for a
    command that takes none, and what opening a store raises."""
    words = list(given)
    at = [number for number, word in enumerate(words) if is_address(word)]
    if not at or any(word in ("--help", "-h") for word in words):
        yield words
        return
    command = words[0]
    if command not in READS:
        raise BadUsage(f"loom {command} takes no address; those that do: {', '.join(READS)}")
    with ExitStack() as held:
        folder = held.enter_context(scratch("loom-elsewhere-"))
        held.callback(_mirrors.clear)
        held.callback(SHOWN_AS.clear)
        for number in at:
            address = words[number]
            name = address.partition("?")[0].rstrip("/").rpartition("/")[2] or "store"
            mirror = StoreMirror(address, folder / str(number) / name, command)
            private_folders(mirror.folder.parent)
            words[number] = str(mirror.folder)
            _mirrors[mirror.folder] = mirror
            SHOWN_AS[str(mirror.folder)] = address
            if command != "repair" or number == at[0]:  # what is behind is to be made
                private_folders(mirror.folder)
                mirror.fill()
        yield words


def behind(folder: Path) -> StoreMirror | None:
    """What a folder is a mirror of; None for one that is a workspace itself."""
    return _mirrors.get(folder)


def freshened(folder: Path) -> None:
    """Bring a mirror up to date; a folder is so by itself."""
    if (mirror := behind(folder)) is not None:
        mirror.fill()


def writer_at(folder: Path) -> int | None:
    """The process that has a workspace behind a mirror open, as its lease tells; None for none."""
    for root, mirror in _mirrors.items():
        if folder.is_relative_to(root):
            below = folder.relative_to(root).as_posix().removeprefix(".")
            place, asked, options = mirror.address.partition("?")
            return process_at(f"{place.rstrip('/')}/{below}".rstrip("/") + asked + options)
    return None


def _home(name: str) -> str:
    """The folder of the workspace that a name belongs to, "" for the first."""
    parts, at = name.split("/"), 0
    while len(parts) > at + 2 and parts[at] in BELOW:
        at += 2
    return "/".join(parts[:at])
