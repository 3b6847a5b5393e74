"""Files replaced, moved and removed together: all of them or none, wherever it is cut short.

Theory of operation. What rests is never rewritten by those who work with it; this is for the one
who must take bytes out of it again. New bytes are written beside the old ones, in a folder STAGING
of each folder concerned (in one beside the root under a name that tells whose it is, for others may
share that folder), and synced. Then a manifest is put there, whole, by a rename: before it
nothing has happened, and what was staged is only litter (`discard`). After it everything will
happen: `carry_out` renames what is staged over what was there, removes and moves the rest, and
removes the manifest last. Each of its steps does nothing where it was done before, so it may be cut
short anywhere and begun again. No copy of the old bytes is made.

A folder may come from somebody else, with a manifest in it. So one is read whole before anything is
done, and a path that leads out of the root is taken only where a folder above it holds the staging
of this very root: who wrote there may write there.

The caller holds the locks of all that lies below, and nobody opens a folder with a manifest.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

import msgspec

from loom_paging.errors import PagingError
from loom_paging.folders import sync_folder, sync_tree, write_whole
from loom_paging.names import TEMPORARY
from loom_paging.plain import private_folders

STAGING = f"{TEMPORARY}rewriting"  # begins as what no store lists
MANIFEST = "manifest.json"


def unfinished_rewrite(path: str, why: str = "") -> PagingError:
    """The error where `path` is not purged to the end; or its manifest, `why`, is none that a purge
    makes."""
    return PagingError(
        f"{path} holds a manifest of a purge that {why}: nothing was done; when you trust the"
        f" folder, remove {STAGING} in it, then purge again"
        if why
        else f"{path} is being purged, or a purge was cut short: nothing was read; run"
        f" `loom purge {path}` again, or open it for writing, and it goes on to its end"
    )


class FileChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change: of `path`, to what is `staged`, to the name `moved`, or, with neither, away.

    Paths are relative to the folder of the manifest, or absolute.
    """

    path: str
    staged: str = ""
    moved: str = ""


class FileChanges:
    """Changes to files below `root` and the folders `beside` it, collected, then carried out."""

    def __init__(self, root: Path, beside: Iterable[Path] = (), *, durable: bool = True) -> None:
        self.root = root.resolve()
        self._bases = [*(path.resolve() for path in beside), self.root]
        self._durable = durable
        self._changes: list[FileChange] = []
        self._moves: list[FileChange] = []

    def put(self, path: Path, data: bytes) -> None:
        """Replace the file at `path`, or make it, with these bytes."""

        def write(staged: Path) -> None:
            write_whole(staged, data, durable=self._durable)
            if path.exists():
                staged.chmod(path.stat().st_mode & 0o777)

        self.swap(path, write)

    def swap(self, path: Path, build: Callable[[Path], None]) -> None:
        """Replace the file or folder at `path` with what `build` makes at the path it is given."""
        folder = self._staging(self._base(path))
        private_folders(folder, self._sync)
        staged = folder / f"{len(self._changes):06d}"
        build(staged)
        if self._durable and staged.is_dir():
            sync_tree(staged)
        self._changes.append(FileChange(self._named(path), self._named(staged)))

    def remove(self, path: Path) -> None:
        """Remove what lies at `path`."""
        self._changes.append(FileChange(self._named(path)))

    def move(self, path: Path, new: Path) -> None:
        """Give what lies at `path` another name, after all else was done; inner ones first."""
        self._moves.append(FileChange(self._named(path), moved=self._named(new)))

    def seal(self) -> None:
        """Make all of it durable: from here on it will happen."""
        folder = self.root / STAGING
        for change in (*self._changes, *self._moves):
            private_folders(self._staging(self._base(self.root / change.path)), self._sync)
        private_folders(folder, self._sync)
        for base in self._bases:
            if self._staging(base).is_dir():
                self._sync(self._staging(base))
        data = msgspec.json.encode([*self._changes, *self._moves])
        write_whole(folder / "unsealed", data, durable=self._durable)
        (folder / "unsealed").replace(folder / MANIFEST)
        self._sync(folder)

    def discard(self) -> None:
        """Remove what was staged and is not sealed; what is sealed stays, in every folder."""
        if unfinished(self.root):
            return
        for base in self._bases:
            if self._staging(base).is_dir():
                shutil.rmtree(self._staging(base))

    def _staging(self, base: Path) -> Path:
        """The folder where new bytes for a folder are made ready."""
        return base / STAGING if base == self.root else base / _staging_of(self.root)

    def _base(self, path: Path) -> Path:
        """The folder whose file system `path` lies in, by what was given."""
        return next((one for one in self._bases if path.is_relative_to(one)), self.root)

    def _named(self, path: Path) -> str:
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)

    def _sync(self, folder: Path) -> None:
        if self._durable:
            sync_folder(folder)


def _staging_of(root: Path) -> str:
    """The name of the folder beside a root where its new bytes are made ready."""
    return f"{STAGING}-{sha256(os.fsencode(root)).hexdigest()[:16]}"


def is_staged(path: Path) -> bool:
    """True for what lies in a folder of staged bytes, and for the folder."""
    return any(part.startswith(STAGING) for part in path.parts)


def unfinished(root: Path) -> bool:
    """True when a manifest says that a folder is to be rewritten."""
    return (root / STAGING / MANIFEST).is_file()


def carry_out(root: Path) -> None:
    """Do what the manifest of a folder says, or the rest of it; no manifest: no-op.

    Raises PagingError, with nothing done, for a manifest that cannot be read, or that leads
    out of the folder.
    """
    root = root.resolve()
    if not unfinished(root):
        return
    manifest = root / STAGING / MANIFEST
    try:
        changes = msgspec.json.decode(manifest.read_bytes(), type=list[FileChange])
    except msgspec.DecodeError as error:
        raise unfinished_rewrite(str(root), f"cannot be read ({error})") from error
    beside = {base: None for change in changes for base in _bases_of(root, change)}
    for change in changes:
        _apply(root, change)
    for path in dict.fromkeys((root / each.path).parent for each in changes):
        if path.is_dir():
            sync_folder(path)
    for base in beside:
        if base != root and (base / _staging_of(root)).is_dir():
            shutil.rmtree(base / _staging_of(root))
    manifest.unlink()
    sync_folder(manifest.parent)
    shutil.rmtree(manifest.parent)  # what else lies there is litter


def _bases_of(root: Path, change: FileChange) -> list[Path]:
    """The folders a change concerns: the root, or one that holds this root's staging. Raises
    PagingError for a path elsewhere, unless what it says was done before."""
    bases = []
    for name in filter(None, (change.path, change.staged, change.moved)):
        path = Path(os.path.realpath((root / name).parent)) / (root / name).name
        marked = (one for one in path.parents if (one / _staging_of(root)).is_dir())
        base = root if root in path.parents else next(marked, None)
        base = None if path.name == ".." else base
        if base is not None:
            bases.append(base)
        elif os.path.lexists(root / (change.staged or change.path)):
            raise unfinished_rewrite(str(root), f"leads out of the folder, to {name}")
    return bases


def _apply(root: Path, change: FileChange) -> None:
    """Carry out one change, or find that it was."""
    path = root / change.path
    if change.moved:
        if os.path.lexists(path):
            path.rename(root / change.moved)
    elif change.staged:
        staged = root / change.staged
        if os.path.lexists(staged):
            if path.is_dir():
                shutil.rmtree(path)
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            staged.replace(path)
    elif path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
