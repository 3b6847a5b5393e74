"""The packs of a folder: `packs/000001.pack`, `000002.pack`, … and which of them holds a name.

Packed pages are cold: read seldom, and never changed. A store looks here for a name that no plain
file has. Another process may pack meanwhile, so a name nobody knows is looked for again when the
folder has changed. A pack that cannot be read at all hides its members; `damaged` names it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from loom_paging.errors import CorruptPage
from loom_paging.packfile import PackFile, file_mark
from loom_paging.plain import NO_FILE
from loom_paging.resident import ResidentSet

FOLDER = "packs"
_NAME = re.compile(r"([0-9]{6,})\.pack")
_TICK = 2_000_000_000  # nanoseconds in which two changes may leave a folder one time
_RESIDENT = 2 << 20  # bytes of blocks kept in memory: eight of them


class Packs:
    """The packs in the folder `packs` of `root`. `damaged` maps the file name of each unreadable
    pack to the error that reading it raised."""

    def __init__(self, root: Path) -> None:
        self._folder = root / FOLDER
        self._resident: ResidentSet[bytes] = ResidentSet(_RESIDENT)
        self._packs: dict[str, PackFile] = {}  # by file name, in order
        self._by_member: dict[str, PackFile] = {}  # by member
        self._seen = (0, 0)
        self._marks: dict[str, tuple[int, int]] = {}  # the marks of what was there, by file name
        self.damaged: dict[str, CorruptPage] = {}

    def find(self, name: str) -> PackFile | None:
        """Return the pack that has the page `name` as a member, None when no pack has it."""
        if name not in self._by_member:
            self.refresh()
        return self._by_member.get(name)

    def names(self) -> Iterator[str]:
        """Yield the names of all members of all packs."""
        self.refresh()
        yield from self._by_member

    def all(self) -> tuple[PackFile, ...]:
        """Return the packs, oldest first."""
        self.refresh()
        return tuple(self._packs.values())

    def next_name(self) -> str:
        """Return the first unused name for a new pack: `packs/000003.pack`."""
        self.refresh()
        found = [
            int(match[1])
            for name in (*self._packs, *self.damaged)
            if (match := _match_pack_name(name))
        ]
        return f"{FOLDER}/{max(found, default=0) + 1:06d}.pack"

    def read(self, name: str, offset: int, length: int) -> bytes | None:
        """Return up to `length` bytes of a member, from byte `offset` on, None when no pack has the
        member. Raises CorruptPage."""
        for _ in range(2):
            pack = self.find(name)
            if pack is None:
                return None
            try:
                return pack.read(name, offset, length)
            except FileNotFoundError:  # another process has just packed its members anew
                self._seen = (0, 0)
                self.refresh()
        return None

    def problems(self) -> list[tuple[str, str]]:
        """Return (name of the pack, what is wrong with it) for each damaged pack."""
        told = {pack.path.name: pack.problems() for pack in self.all()}
        told |= {name: error.why for name, error in self.damaged.items()}
        return [(f"{FOLDER}/{name}", what) for name, what in told.items() if what]

    def refresh(self) -> None:
        """Read the folder again if it has changed: add new packs, drop those whose file is gone."""
        try:
            about = self._folder.stat()
            settled = time.time_ns() - about.st_mtime_ns > _TICK
            if settled and (about.st_ino, about.st_mtime_ns) == self._seen:
                return
            found = dict[str, tuple[int, int]]()
            for path in sorted(self._folder.iterdir()):
                with suppress(FileNotFoundError):  # it has just gone
                    found |= (
                        {path.name: file_mark(path.stat())} if _match_pack_name(path.name) else {}
                    )
        except OSError as error:
            if error.errno not in NO_FILE:
                raise
            found, self._seen = {}, (0, 0)
        else:
            self._seen = about.st_ino, about.st_mtime_ns
        if found == self._marks:
            return
        self.damaged, self._marks = {}, found
        packs = {}
        for name, mark in found.items():
            held = self._packs.get(name)
            try:  # a number may be given again, once its pack is gone
                if held is None or held.mark != mark:
                    held = PackFile(self._folder / name, self._resident)
                packs[name] = held
            except CorruptPage as error:
                self.damaged[name] = error
            except FileNotFoundError:
                continue
        self._packs = packs
        self._by_member = {member: pack for pack in packs.values() for member in pack.index.members}


def _match_pack_name(name: str) -> re.Match[str] | None:
    return _NAME.fullmatch(name)
