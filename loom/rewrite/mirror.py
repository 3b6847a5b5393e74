"""A mirror: a private folder with a copy of a workspace on an object store. If objects of the
store's log are damaged, the mirror holds all that can be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from loom.rewrite.homes import home_and_rest
from loom.rewrite.new_folder import place_taken_error
from loom.text import escape_invisible
from loom_paging import CorruptJournal, CorruptPage, MissingPage, OutsideStore, PagingError, Store
from loom_paging.names import is_lawful
from loom_paging.plain import make_private_folders
from loom_paging.remote.address import without_options
from loom_paging.remote.leftovers import NO_GRACE
from loom_paging.remote.open_address import open_bucket, open_tree
from loom_paging.remote.tree import RemoteTree
from loom_paging.segments import segment_name

# Errors that are of one name alone. All others, as of a store that does not answer, are raised.
DAMAGE = (CorruptPage, MissingPage, CorruptJournal, OutsideStore)
LOG = "log"  # the folder of objects that every workspace has, from the moment it is first opened
NAMED = 8  # workspaces that an error names
LOOKS = 100  # at folders, each a request, for those
JOURNAL = ("journal/", "checkpoints/")
OWN = ("",)


class StoreMirror:
    """A folder that holds a copy of the workspace at an address. Only names that begin with one of
    `prefixes` are copied, with `deep` also from the workspaces below. With `salvages`, damaged logs
    and journals are copied as far as they can be read.

    After `fill`, `found` is True if there is a workspace at the address. `unread` maps each damaged
    name to the error of reading it, which `fill` does not raise."""

    def __init__(
        self,
        address: str,
        folder: Path,
        prefixes: tuple[str, ...] = OWN,
        *,
        deep: bool = True,
        salvages: bool = False,
    ) -> None:
        self.address, self.folder = address, folder
        self._prefixes, self._deep = prefixes, deep
        self._salvages = salvages
        self._sizes: dict[str, int] = {}
        self.unread: dict[str, PagingError] = {}
        self.found = False
        self.store: Store | None = None

    def fill(self, *, anew: bool = False) -> None:
        """Bring the folder up to date with the store. With `anew`, copy every name again."""
        if anew:
            self._sizes.clear()
        if self.store is None:
            self.store = open_tree(self.address, write=False, salvage=self._salvages)
        elif isinstance(self.store, RemoteTree):
            self.store.refresh()
        self.unread.clear()
        names = self._names_to_read(self.store)
        self.found = any(name.startswith("journal/") or home_folder(name) for name in names)
        # One that was opened to be written is there, whatever has come into it since.
        if not self.found and LOG in open_bucket(without_options(self.address)).folders(""):
            make_private_folders(self.folder / "journal")
            self.found = True
        for name in filter(self._is_read, names):
            self._copy(self.store, name)
        for name in self._sizes.keys() - set(names):
            (self.folder / name).unlink(missing_ok=True)
            del self._sizes[name]
        for name in {home_folder(name) for name in names if "journal/" in name}:
            make_private_folders(self.folder / name / "journal")

    def check_journal(self, home: str = "") -> None:
        """Raise the error, if any, that kept the journal of the workspace `home` from being copied.
        `home` is a folder such as `agents/one`, "" for the first workspace."""
        for name, error in self.unread.items():
            above, rest = home_and_rest(name)
            if above.removesuffix("/") == home and rest.startswith("journal/"):
                raise error

    def _names_to_read(self, store: Store) -> list[str]:
        """Return names in the store that include all names to copy."""
        if isinstance(store, RemoteTree) and self._deep:
            return store.listed(self._note_damaged_log)
        if self._deep or self._prefixes == OWN:
            return store.names()
        return [name for prefix in self._prefixes or JOURNAL for name in store.names(prefix)]

    def _note_damaged_log(self, folder: str, error: CorruptJournal) -> None:
        """Add `error`, the damage in the log of the workspace in `folder`, to `unread`. Make an
        empty journal folder in the mirror."""
        self.unread[f"{folder}/{segment_name(1)}"] = error
        make_private_folders(self.folder / folder / "journal")

    def _is_read(self, name: str) -> bool:
        """Return True if the name is to be copied."""
        home, rest = home_and_rest(name)
        return rest.startswith(self._prefixes or ("\0",)) and (self._deep or not home)

    def _copy(self, store: Store, name: str) -> None:
        """Copy the file `name` from the store into the folder, or add it to `unread` if it is
        damaged. Skip a file outside the journal whose size has not changed."""
        try:
            size = store.size(name)
            if self._sizes.get(name) != size or name.startswith("journal/"):
                self.put(name, store.get(name))
        except OutsideStore as error:
            self.unread[name] = error
        except DAMAGE as error:
            if store.has(name):  # its writer may have let it go since it was listed
                self.unread[name] = error
                if self._salvages and home_and_rest(name)[1].startswith("journal/"):
                    self.put(name, cast(Any, store).salvaged(name))

    def put(self, name: str, data: bytes) -> None:
        """Write `data` to the file `name` in the folder, not in the store."""
        path = self.folder / name
        make_private_folders(path.parent)
        path.write_bytes(data)
        self._sizes[name] = len(data)

    def damage(self) -> list[tuple[str, str, str]]:
        """Return a tuple (workspace folder, object, reason) for each damage in the logs of the
        store."""
        return self.store.damage() if isinstance(self.store, RemoteTree) else []

    def files(self) -> dict[str, bytes]:
        """Return a dict from the name of each file in the folder, except lock files, to its
        bytes."""
        paths = [path for path in self.folder.rglob("*") if path.is_file()]
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in paths
            if path.name != "LOCK"
        }


@contextmanager
def temporary_mirror(
    address: str, *, fill: bool = True, salvages: bool = False
) -> Iterator[StoreMirror]:
    """Yield a mirror of the workspace at an address and of all workspaces below, in a folder that
    is removed when the block ends. Without `fill`, the mirror is empty. Raises FileNotFoundError if
    there is no workspace, and the errors of opening a store."""
    with TemporaryDirectory(prefix="loom-elsewhere-") as folder:
        mirror = StoreMirror(address, Path(folder) / "store", salvages=salvages)
        make_private_folders(mirror.folder)
        if fill:
            mirror.fill()
            if not any(mirror.folder.iterdir()):
                raise FileNotFoundError(no_workspace_at(address))
        yield mirror


def home_folder(name: str) -> str:
    """Return the workspace folder (`agents/one`) of the file `name`, or "" for the first
    workspace."""
    return home_and_rest(name)[0].removesuffix("/")


@contextmanager
def rewrite_store(mirror: StoreMirror) -> Iterator[None]:
    """Fill the mirror anew, run the block, then write the block's changes in the mirror to the
    store. Objects in the store that these changes replace are removed. If the block raises, nothing
    is written.

    All workspaces at the address are locked meanwhile. Raises StoreLocked if a workspace is already
    open."""
    store = open_tree(mirror.address, write=True)
    if not isinstance(store, RemoteTree):
        raise TypeError(f"{mirror.address} is an agent of another one: rewrite that one")
    try:
        trees = store.whole()
        mirror.fill(anew=True)
        before = mirror.files()
        yield
        after = mirror.files()
        changed = {name: data for name, data in after.items() if before.get(name) != data}
        store.replace(changed, before.keys() - after.keys())
        for tree in trees:
            tree.sweep_objects(NO_GRACE)
    finally:
        store.close()


def upload_mirror(mirror: StoreMirror) -> None:
    """Write the files of a mirror to its address. Raises BadInput if anything is there."""
    store = open_tree(mirror.address, write=False)
    if not isinstance(store, RemoteTree):
        raise place_taken_error(mirror.address, "it lies in a workspace")
    if store.names():
        raise place_taken_error(mirror.address)
    store = open_tree(mirror.address, write=True)
    assert isinstance(store, RemoteTree)
    try:
        store.replace(mirror.files(), ())
    finally:
        store.close()


def workspaces_below(address: str, looks: int | None = None) -> Iterator[str]:
    """Return an iterator over the sorted names of the workspaces directly below an address. With
    `looks`, only the first `looks` folders are examined. Raises StoreUnreachable."""
    bucket = open_bucket(without_options(address))
    names = (name for name in bucket.folders("") if is_lawful(name))
    return (name for name in islice(names, looks) if LOG in bucket.below(name).folders(""))


def no_workspace_at(address: str) -> str:
    """Return the text of the error for an address without a workspace, with the names of the
    workspaces directly below."""
    place = without_options(address)
    names = list(islice(workspaces_below(address, LOOKS), NAMED + 1))
    more = " and more" if len(names) > NAMED else ""
    below = f"; below it: {escape_invisible(', '.join(names[:NAMED]))}{more}" if names else ""
    return f"there is no workspace at {place}{below}"
