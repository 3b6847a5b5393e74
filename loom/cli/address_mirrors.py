"""Commands on addresses: a command reads a workspace on an object store through a mirror, a local
copy.

Theory of operation. Each address on a command line is replaced by a private folder, the mirror. It
holds the part of the workspace that the command reads, and is removed when the command ends. So
every command reads folders alone. Commands that write (`gc`, `purge`, `repair`) ask for the address
of a mirror and write to the address, protected against a second writer.

While a command waits for an object store, its failed attempts are reported on stderr."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path

from loom.cli.exits import error_text
from loom.cli.output import SHOWN_AS, complain
from loom.cli.scratch import scratch_folder
from loom.errors import BadInput
from loom.rewrite.mirror import DAMAGE, JOURNAL, OWN, StoreMirror, no_workspace_at, workspaces_below
from loom_paging import MissingPage, Problem
from loom_paging.plain import make_private_folders
from loom_paging.remote.address import is_address, is_valid_address, without_options
from loom_paging.remote.log_state import READERS
from loom_paging.store import ReadableStore
from loom_paging.sub_store import sub_store

LOGGER = "loom.store"  # of the object stores, at level INFO
EVERY = 5.0  # seconds between two lines, at least
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
    "repair": ((), True),
    "purge": ((), True),
    "gc": ((), False),
}
OPENED = ("repair", "purge")  # commands that open what is behind a folder themselves
# Commands that tell a damaged journal themselves; the others would take it for an empty one.
TELL = ("ps", "report", "check", "export", "gc", *OPENED)
FORMAT = "--format"  # the one option of `export` that has a value
WRITTEN = ("--out", "-o")  # options that name a place on this machine, which a command writes
READ = ("--from", "--also", "--prices")  # and which it reads
_mirrors: dict[Path, StoreMirror] = {}


class RetryNotices(logging.Handler):
    """A log handler that prints at most one record on stderr every EVERY seconds."""

    _next = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record, or drop it if the last one was printed less than EVERY seconds ago."""
        if (now := time.monotonic()) >= self._next:
            self._next = now + EVERY
            with suppress(OSError):
                complain(record.getMessage())


@contextmanager
def tell_retries() -> Iterator[None]:
    """Print a line on stderr for each request to an object store that fails and is sent again while
    the block runs."""
    logger, lines = logging.getLogger(LOGGER), RetryNotices(logging.INFO)
    before = logger.level
    logger.addHandler(lines)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(lines)
        logger.setLevel(before)


@contextmanager
def words_with_mirrors(given: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words of a command line with each address replaced by the folder of its mirror.
    Raises BadInput for an address where the command takes none, and the errors of opening a store.
    """
    words = list(given)
    at = [number for number, word in enumerate(words) if is_address(word)]
    asked = any(word in ("--help", "-h") for word in words)
    if not asked:
        _check_addresses(words)
    if asked or not at:
        yield words
        return
    command = words[0]
    if command not in READS:
        raise BadInput(f"loom {command} takes no address; those that do: {', '.join(READS)}")
    with ExitStack() as held:
        folder = held.enter_context(scratch_folder("loom-elsewhere-")).resolve()
        held.callback(_mirrors.clear)
        held.callback(SHOWN_AS.clear)
        held.enter_context(tell_retries())
        for number in at:
            words[number] = str(_make_mirror_folder(command, words[number], folder / str(number)))
        yield words


def _check_addresses(words: Sequence[str]) -> None:
    """Raise BadInput for an address with an unknown scheme, and for an address where the command
    expects a file of this machine."""
    for word in words[1:] if words[0] in READS else ():
        if not word.startswith("-") and not os.path.lexists(word):
            is_valid_address(word)
    places = 0
    for before, word in pairwise(words):
        option, _, value = word.partition("=") if word.startswith("-") else (before, "", word)
        places += not word.startswith("-") and before != FORMAT
        if is_address(value) and (option in WRITTEN or (words[0] == "export" and places > 1)):
            raise BadInput(f"{value}: this writes a file on this machine; name a path here")
        if is_address(value) and option in READ:
            raise BadInput(f"{value}: {option} takes what is on this machine; name a path here")


def _make_mirror_folder(command: str, address: str, home: Path) -> Path:
    """Make a mirror of an address below `home`, with the files that the command reads. Return the
    mirror's folder."""
    name = without_options(address).rpartition("/")[2] or "store"
    mirror = _new_mirror(address, home / name, command)
    make_private_folders(home)
    SHOWN_AS[str(mirror.folder)] = address
    if command not in OPENED:
        make_private_folders(mirror.folder)
        mirror.fill()
        if not mirror.found:
            if command != "ps" or not _mirror_workspaces_below(address, mirror.folder):
                raise FileNotFoundError(no_workspace_at(address))
            return mirror.folder
        if command not in TELL:
            mirror.check_journal()
    _mirrors[mirror.folder] = mirror
    return mirror.folder


def _new_mirror(address: str, folder: Path, command: str) -> StoreMirror:
    """Return an empty mirror of an address in `folder`, for the names that the command reads."""
    prefixes, deep = READS[command]
    if command == "check":  # which is about what the store holds, not what is kept of it here
        place, _, asked = address.partition("?")
        others = [one for one in asked.split("&") if one and not one.startswith("cache=")]
        address = f"{place}?{'&'.join([*others, 'cache=0'])}"
    return StoreMirror(address, folder, prefixes, deep=deep)


def _mirror_workspaces_below(address: str, folder: Path) -> bool:
    """Mirror each workspace directly below an address into its own folder below `folder`. Return
    False if there is no workspace."""
    place, asked, options = address.partition("?")

    def filled_mirror(name: str) -> StoreMirror:
        below = f"{place.rstrip('/')}/{name}{asked}{options}"
        mirror = _new_mirror(below, folder / name, "ps")
        make_private_folders(mirror.folder / "journal")
        try:
            mirror.fill()
        except DAMAGE as error:
            mirror.unread["journal/"] = error
        return mirror

    with ThreadPoolExecutor(READERS) as pool:
        found = list(pool.map(filled_mirror, workspaces_below(address)))
    _mirrors.update({mirror.folder: mirror for mirror in found})
    return bool(found)


def mirror_at(folder: Path) -> StoreMirror | None:
    """Return the mirror whose folder is `folder`, or None if `folder` is no mirror."""
    return _mirrors.get(folder)


def address_or_folder(folder: Path) -> Path | str:
    """Return the address that a folder mirrors, or the folder itself if it is no mirror."""
    mirror = mirror_at(folder)
    return folder if mirror is None else mirror.address


def unreadable_names(folder: Path) -> tuple[Problem, ...]:
    """Return a Problem for each name that could not be read into the mirror at `folder`."""
    mirror = mirror_at(folder)
    found = sorted(mirror.unread.items()) if mirror is not None else ()
    return tuple(Problem("unreadable", name, error_text(error)) for name, error in found)


def underlying_damage(error: Exception) -> Exception:
    """Return the error that kept a mirror from copying a missing page. If there is no such error,
    return `error` itself."""
    if isinstance(error, MissingPage):
        for mirror in _mirrors.values():
            for name, damage in mirror.unread.items():
                if name == error.name or name.endswith(f"/{error.name}"):
                    return damage
    return error


def _mirrors_holding(folder: Path) -> Iterator[tuple[StoreMirror, str]]:
    """Yield a pair (mirror, path of `folder` inside the mirror) for each mirror that contains
    `folder`. The path is "" for the mirror's own folder."""
    for root, mirror in _mirrors.items():
        if folder.is_relative_to(root):
            yield mirror, folder.relative_to(root).as_posix().removeprefix(".")


def refresh_mirror(folder: Path) -> None:
    """Bring the mirror that contains `folder`, if any, up to date."""
    for mirror, _ in _mirrors_holding(folder):
        mirror.fill()


def check_mirrored_journal(folder: Path) -> None:
    """Raise the error, if any, that kept a mirror from copying the journal of the workspace at
    `folder`."""
    for mirror, name in _mirrors_holding(folder):
        mirror.check_journal(name)


def mirrored_address(folder: Path) -> str | None:
    """Return the address, without options, that `folder` is a copy of, or None if `folder` is in no
    mirror."""
    for mirror, name in _mirrors_holding(folder):
        place = without_options(mirror.address)
        return f"{place}/{name}" if name else place
    return None


def mirrored_store(folder: Path) -> ReadableStore | None:
    """Return the object store that `folder` is a copy of, or None if `folder` is in no mirror."""
    for mirror, name in _mirrors_holding(folder):
        if mirror.store is not None:
            return sub_store(mirror.store, name) if name else mirror.store
    return None
