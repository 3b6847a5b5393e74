"""What a program does to the files below a folder, one operation after another.

The functions of `os` that change a disk are wrapped while the program runs for real. What is
written to a file is read off the file before the next operation, so that it does not matter by
which door it was written: Loom writes without a buffer.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from msgspec import Struct

LEFT_OUT = ("LOCK", "index.db", "bus")  # names a crash may do anything to: locks, derived, telling
WRITES = os.O_WRONLY | os.O_RDWR


class Operation(Struct, frozen=True):
    """One change: `what` is made, wrote, cut, synced, linked, unlinked, moved, folder, removed,
    synced folder, or done for the end of public call number `size`.

    `name` is a path below the folder; of a file that is written or synced it is the number of the
    file itself, which may have several names, or none.
    """

    what: str
    name: str = ""
    file: int = 0
    to: str = ""
    offset: int = 0
    data: bytes = b""
    size: int = 0


class Recorder:
    """The operations below `root`, in their order."""

    def __init__(self, root: Path) -> None:
        self.root = os.fspath(root)
        self.operations: list[Operation] = []
        self._files: dict[str, int] = {}  # by name
        self._writers: dict[int, tuple[int, int]] = {}  # by descriptor: the file, its inode
        self._folders: dict[int, str] = {}  # by descriptor
        self._held: dict[int, bytes] = {}
        self._made = 0

    def done(self, call: int) -> None:
        """A public call returned."""
        self._look()
        self.operations.append(Operation("done", size=call))

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record until the end of the block."""
        names = ("open", "close", "fsync", "fdatasync", "ftruncate", "link", "unlink", "rename")
        with mock.patch.multiple(os, **{name: self._wrapped(name) for name in names}):
            more = {name: self._wrapped(name) for name in ("replace", "mkdir", "rmdir")}
            with mock.patch.multiple(os, **more):
                yield

    def _wrapped(self, name: str) -> Callable[..., Any]:
        real, note = getattr(os, name), getattr(self, f"_{name}")

        def call(*given: Any, **more: Any) -> Any:
            self._look()
            made = real(*given, **more)
            note(made, *given)
            return made

        return call

    def _below(self, path: Any) -> str:
        """The name of a path below the folder; "" for one that is not, or is left out."""
        name = os.fspath(path) if isinstance(path, str | os.PathLike) else ""
        if name != self.root and not str(name).startswith(self.root + os.sep):
            return ""
        below = os.path.relpath(name, self.root).replace(os.sep, "/")
        return "" if any(part.startswith(LEFT_OUT) for part in below.split("/")) else below

    def _look(self) -> None:
        """Record what was written to the files that are open."""
        for descriptor, (file, inode) in [*self._writers.items()]:
            here = Path(f"/proc/self/fd/{descriptor}")
            if _inode(descriptor) != inode:  # closed by an object of its own
                del self._writers[descriptor]
                here = self._named(file)
            held, now = self._held[file], _content(here, self._held[file])
            if now != held:
                start = len(held) if now.startswith(held) else 0
                self._held[file] = now
                if len(now) < len(held):
                    self._add("cut", file=file, size=len(now))
                    start = len(now) if held.startswith(now) else 0
                if now[start:]:
                    self._add("wrote", file=file, offset=start, data=now[start:])

    def _named(self, file: int) -> Path:
        """A path of a file."""
        name = next((name for name, held in self._files.items() if held == file), "gone")
        return Path(self.root, name)

    def _add(self, what: str, name: str = "", **more: Any) -> None:
        self.operations.append(Operation(what, name, **more))

    def _of(self, name: str) -> int:
        """The file of a name, made when there is none."""
        if name not in self._files:
            self._made += 1
            self._files[name] = self._made
            self._held[self._made] = b""
            self._add("made", name, file=self._made)
        return self._files[name]

    # --- each function, after it was called ---
    def _open(self, descriptor: int, path: Any, flags: int, *rest: Any) -> None:
        name = self._below(path)
        self._close(None, descriptor)  # what had this number before is gone
        if name and Path(path).is_dir():
            self._folders[descriptor] = name
        elif name and flags & WRITES:
            self._writers[descriptor] = self._of(name), _inode(descriptor)
            self._look()  # it may have been cut to nothing

    def _close(self, made: None, descriptor: int) -> None:
        self._writers.pop(descriptor, None)
        self._folders.pop(descriptor, None)

    def _fsync(self, made: None, descriptor: int) -> None:
        if descriptor in self._folders:
            self._add("synced folder", self._folders[descriptor])
        elif name := self._below(Path(f"/proc/self/fd/{descriptor}").readlink()):
            self._add("synced", file=self._of(name))

    _fdatasync = _fsync

    def _ftruncate(self, made: None, descriptor: int, size: int) -> None:
        self._look()

    def _link(self, made: None, source: Any, target: Any, **more: Any) -> None:
        name = self._below(target)
        if name:
            self._files[name] = self._of(self._below(source))
            self._add("linked", name, file=self._files[name])

    def _unlink(self, made: None, path: Any, **more: Any) -> None:
        name = self._below(path)
        if name:
            self._files.pop(name, None)
            self._add("unlinked", name)

    def _rename(self, made: None, source: Any, target: Any, **more: Any) -> None:
        name, to = self._below(source), self._below(target)
        if name in self._files:
            self._files[to] = self._files.pop(name)
            self._add("moved", name, to=to, file=self._files[to])
        elif name:
            below = f"{name}/"
            for held in [one for one in self._files if one.startswith(below)]:
                self._files[f"{to}/{held.removeprefix(below)}"] = self._files.pop(held)
            self._add("moved folder", name, to=to)

    _replace = _rename

    def _mkdir(self, made: None, path: Any, *rest: Any, **more: Any) -> None:
        name = self._below(path)
        if name and name != ".":
            self._add("folder", name)

    def _rmdir(self, made: None, path: Any, **more: Any) -> None:
        name = self._below(path)
        if name:
            self._add("removed", name)


def _inode(descriptor: int) -> int:
    """The number of an open file on its disk; 0 for none."""
    try:
        return os.fstat(descriptor).st_ino
    except OSError:
        return 0


def _content(path: Path, known: bytes) -> bytes:
    """All bytes of a file, by a name or a descriptor that may not read; of one gone those known."""
    try:
        return path.read_bytes()
    except OSError:
        return known
