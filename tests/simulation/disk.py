"""A disk that loses power: which states it may be in after some of the operations.

Theory of operation. What a program did is either durable or pending. Writes to a file become
durable by a sync of that file, names in a folder by a sync of that folder. Of what is pending the
disk may keep any part, in any order: so a state is the durable part and a choice of the rest. A
write may be torn: its first bytes are there, or only its last, behind zeroes.
A rename is one step. A file nobody can name is gone.

POSIX lets a disk do more than any real one does; what survives this survives them.
"""

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from random import Random

from tests.simulation.recorder import Operation

Tree = dict[str, bytes | None]  # name → content, None for a folder
Choice = dict[int, int | None]  # pending operations that are kept: all of it, or its first bytes
DATA = ("wrote", "cut")
NAMES = ("made", "linked", "unlinked", "moved", "moved folder", "folder", "removed")


class Disk:
    """A disk after some operations: what is durable, and what is pending."""

    def __init__(self) -> None:
        self.pending: list[Operation] = []
        self.calls = 0  # public calls that returned
        self._files: dict[int, bytes] = {}
        self._names: dict[str, int | None] = {}

    def do(self, one: Operation) -> None:
        """Take the next operation."""
        if one.what == "done":
            self.calls = one.size
        elif one.what == "synced":
            self._settle(lambda held: held.what in DATA and held.file == one.file)
        elif one.what == "synced folder":
            self._settle(lambda held: held.what in NAMES and _folder(held.name) == one.name)
        else:
            self.pending.append(one)

    def _settle(self, durable) -> None:
        for held in self.pending:
            if durable(held):
                _apply(self._files, self._names, held)
        self.pending = [held for held in self.pending if not durable(held)]

    def state(self, kept: Choice) -> Tree:
        """The tree a disk may hold that kept these of the pending operations."""
        files, names = dict(self._files), dict(self._names)
        for number, held in enumerate(self.pending):
            if number in kept:
                _apply(files, names, held, kept[number])
        return _tree(files, names)

    def states(self, dice: Random, some: int) -> Iterator[Tree]:
        """States it may be in: nothing pending is there, all of it, all but one, only one, the last
        write torn, and `some` at random."""
        every = range(len(self.pending))
        yield self.state({})
        yield self.state(dict.fromkeys(every))
        for one in every:
            yield self.state({number: None for number in every if number != one})
            yield self.state({one: None})
        for one in every:
            if self.pending[one].what == "wrote":
                size = len(self.pending[one].data)
                cuts = {1, size // 2, size - 1, size - 2, *(dice.randrange(size) for _ in range(6))}
                for cut in sorted(at for at in cuts if 0 < at < size):
                    yield self.state({**dict.fromkeys(every), one: cut})
                    yield self.state({**dict.fromkeys(every), one: -cut})
        for _ in range(some):
            yield self.state({number: None for number in every if dice.random() < 0.5})


def _apply(
    files: dict[int, bytes], names: dict[str, int | None], one: Operation, part: int | None = None
) -> None:
    """Do an operation; of a write its first `part` bytes, or, below 0, zeroes but for the rest."""
    if one.what == "wrote":
        held, data = files.get(one.file, b""), one.data
        if part is not None:
            data = data[:part] if part > 0 else bytes(-part) + data[-part:]
        held = held.ljust(one.offset, b"\0")
        files[one.file] = held[: one.offset] + data + held[one.offset + len(data) :]
    elif one.what == "cut":
        files[one.file] = files.get(one.file, b"")[: one.size]
    elif one.what in ("made", "linked"):
        names[one.name] = one.file
    elif one.what == "folder":
        names[one.name] = None
    elif one.what == "moved":
        names.pop(one.name, None)
        names[one.to] = one.file
    elif one.what == "moved folder":
        for held in [each for each in names if f"{each}/".startswith(f"{one.name}/")]:
            names[one.to + held.removeprefix(one.name)] = names.pop(held)
    else:
        names.pop(one.name, None)


def _tree(files: dict[int, bytes], names: dict[str, int | None]) -> Tree:
    """What can be reached from the top."""
    tree: Tree = {}
    for name in sorted(names, key=lambda name: name.count("/")):
        above = _folder(name)
        if above == "." or (above in tree and tree[above] is None):
            file = names[name]
            tree[name] = None if file is None else files.get(file, b"")
    return tree


def _folder(name: str) -> str:
    return name.rpartition("/")[0] or "."


def digest(tree: Tree) -> bytes:
    """A hash that tells a tree from others."""
    made = blake2b(digest_size=16)
    for name, data in sorted(tree.items()):
        body = b"folder" if data is None else b"file" + blake2b(data).digest()
        made.update(name.encode() + b"\0" + body)
    return made.digest()


def written(tree: Tree, folder: Path) -> Path:
    """The folder, holding a tree as Loom would have made it."""
    folder.mkdir(mode=0o700)
    for name, data in tree.items():
        if data is None:
            (folder / name).mkdir(mode=0o700)
        else:
            (folder / name).write_bytes(data)
            (folder / name).chmod(0o600)
    return folder
