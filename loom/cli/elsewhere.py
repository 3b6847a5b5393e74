"""Commands over addresses: a workspace on an object store is read through a mirror of it.

Theory of operation. The words of a command line that are addresses become private folders, which
hold what the command reads of each, and go when it ends. So each command reads folders alone. Those
that write (`gc`, `purge`, `repair`) ask what is behind a folder, and write there, under the fence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from loom.cli.exits import BadUsage
from loom.cli.scratch import scratch
from loom.cli.show import SHOWN_AS
from loom.elsewhere.mirror import JOURNAL, OWN, StoreMirror
from loom_paging.private import private_folders
from loom_paging.remote.address import is_address, process_at
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
        folder = held.enter_context(scratch("loom-elsewhere-"))
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
        yield words


def _mirror(address: str, folder: Path, command: str) -> StoreMirror:
    prefixes, deep = READS[command]
    return StoreMirror(address, folder, prefixes, deep=deep, sessions=command in SESSIONS)


def behind(folder: Path) -> StoreMirror | None:
    """What a folder is a mirror of; None for one that is a workspace itself."""
    return _mirrors.get(folder)


def place_of(folder: Path) -> Path | str:
    """The address that a folder is the mirror of; the folder itself where it is none."""
    mirror = behind(folder)
    return folder if mirror is None else mirror.address


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


def store_at(folder: Path) -> ReadableStore | None:
    """The store behind a mirror, or behind a workspace in one; None for a folder."""
    for root, mirror in _mirrors.items():
        if folder.is_relative_to(root) and mirror.store is not None:
            below = folder.relative_to(root).as_posix().removeprefix(".")
            return Under(mirror.store, below) if below else mirror.store
    return None
