"""Commands over addresses: a workspace on an object store is read through a mirror of it.

Theory of operation. The words of a command line that are addresses become private folders, which
hold what the command reads of each, and go when it ends. So each command reads folders alone. Those
that write (`gc`, `purge`, `repair`) ask what is behind a folder, and write there, under the fence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from loom.cli.exits import BadUsage, text_of
from loom.cli.scratch import scratch
from loom.cli.show import SHOWN_AS
from loom.elsewhere.mirror import JOURNAL, OWN, StoreMirror
from loom.moving.errors import DamagedWorkspace
from loom_paging import Problem
from loom_paging.private import private_folders
from loom_paging.remote.address import is_address
from loom_paging.store import ReadableStore
from loom_paging.under import Under

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
    "repair": ((), True),
    "purge": ((), True),
    "gc": ((), False),
}
OPENED = ("repair", "purge")  # commands that open what is behind a folder themselves
# Commands that tell a damaged journal themselves; the others would take it for an empty one.
TELL = ("ps", "report", "check", "export", "gc", *OPENED)
SESSIONS = ("replay", "report")  # that take recorded sessions as well, which are plain objects
_mirrors: dict[Path, StoreMirror] = {}


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
        folder = held.enter_context(scratch("loom-elsewhere-")).resolve()
        held.callback(_mirrors.clear)
        held.callback(SHOWN_AS.clear)
        for number in at:
            address = words[number]
            name = address.partition("?")[0].rstrip("/").rpartition("/")[2] or "store"
            mirror = _mirror(address, folder / str(number) / name, command)
            private_folders(mirror.folder.parent)
            words[number] = str(mirror.folder)
            _mirrors[mirror.folder] = mirror
            SHOWN_AS[str(mirror.folder)] = address
            if command not in OPENED:
                private_folders(mirror.folder)
                mirror.fill()
            if command not in TELL:
                mirror.check_journal()
        yield words


def _mirror(address: str, folder: Path, command: str) -> StoreMirror:
    prefixes, deep = READS[command]
    if command == "check":  # which is about what the store holds, not what is kept of it here
        address = _uncached(address)
    return StoreMirror(address, folder, prefixes, deep=deep, sessions=command in SESSIONS)


def _uncached(address: str) -> str:
    """An address of which nothing is read from this machine."""
    place, _, asked = address.partition("?")
    others = [one for one in asked.split("&") if one and not one.startswith("cache=")]
    return f"{place}?{'&'.join([*others, 'cache=0'])}"


def behind(folder: Path) -> StoreMirror | None:
    """What a folder is a mirror of; None for one that is a workspace itself."""
    return _mirrors.get(folder)


def place_of(folder: Path) -> Path | str:
    """The address that a folder is the mirror of; the folder itself where it is none."""
    mirror = behind(folder)
    return folder if mirror is None else mirror.address


def _found(folder: Path) -> tuple[StoreMirror, str] | None:
    """The mirror that a folder is, or lies in, and the folder's name there, "" for all of it."""
    for root, mirror in _mirrors.items():
        if folder.is_relative_to(root):
            return mirror, folder.relative_to(root).as_posix().removeprefix(".")
    return None


def freshened(folder: Path) -> None:
    """Bring a mirror up to date; a folder is so by itself."""
    if (found := _found(folder)) is not None:
        found[0].fill()


def check_journal(folder: Path) -> None:
    """Raise what the journal behind a mirror, or behind a workspace in one, cannot be read for."""
    if (found := _found(folder)) is not None:
        found[0].check_journal(found[1])


def check_whole(folder: Path) -> None:
    """Raise DamagedWorkspace where a mirror lacks what cannot be read."""
    mirror = behind(folder)
    if mirror is not None and mirror.unread:
        found = sorted(mirror.unread.items())
        problems = [Problem("unreadable", name, text_of(error)) for name, error in found]
        raise DamagedWorkspace(folder, problems)


def address_of(folder: Path) -> str | None:
    """The place on an object store that a folder stands for, without options; None for a folder."""
    if (found := _found(folder)) is None:
        return None
    place = found[0].address.partition("?")[0].rstrip("/")
    return f"{place}/{found[1]}" if found[1] else place


def store_at(folder: Path) -> ReadableStore | None:
    """The store behind a mirror, or behind a workspace in one; None for a folder."""
    if (found := _found(folder)) is None or (store := found[0].store) is None:
        return None
    return Under(store, found[1]) if found[1] else store
