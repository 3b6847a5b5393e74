"""Files replaced, moved and removed together: all of them or none, wherever the work is cut short.

Theory of operation. Files at rest are never rewritten by those who work with them; this module is
for a purge, which must take bytes out of them again. New bytes are written beside the old ones, in
a folder STAGING of each folder concerned, and synced. (In a folder beside the root, which others
may share, the staging folder's name says whose it is.) Then each of these folders gets a manifest,
whole, by a rename; the root's manifest comes last. Before it nothing has happened, and the staged
files are only litter (`discard`). After it everything will happen: `carry_out` renames the staged
files over the old ones, removes and moves the others, and removes the manifest last. Each of its
steps does nothing where it was done before, so it may be cut short anywhere and begun again. No
copy of the old bytes is made.

A folder may come from somebody else, with a manifest in it. So a manifest is read whole before
anything is done, and no path in it may lead out of its folder. Each folder beside that the root's
manifest names has to hold a manifest of this very root: its author was allowed to write there.

The caller holds the locks of all stores below, and nobody opens a folder with a manifest."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path

import msgspec

from loom_paging.errors import PagingError
from loom_paging.folders import sync_folder, sync_tree, write_or_remove
from loom_paging.names import TEMPORARY
from loom_paging.plain import make_private_folders

STAGING = f"{TEMPORARY}rewriting"  # begins as what no store lists
MANIFEST = "manifest.json"


def unfinished_rewrite_error(path: str, why: str = "") -> PagingError:
    """Return the error for a folder with the manifest of an unfinished purge. `why`, if not empty,
    says why the manifest is invalid."""
    return PagingError(
        f"{path} holds a manifest of a purge that {why}: nothing was done; when you trust the"
        f" folder, remove {STAGING} in it, then purge again"
        if why
        else f"{path} is being purged, or a purge was cut short: nothing was read; run"
        f" `loom purge {path}` again, or open it for writing, and it goes on to its end"
    )


class FileChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change in a manifest. The file `path` is replaced by the file `staged`, or renamed to
    `moved`, or removed when both are "". With `beside`, the manifest in the folder `beside` is
    carried out instead."""

    path: str
    staged: str = ""
    moved: str = ""
    beside: str = ""


class FileChanges:
    """Changes to files in the folder `root` and in the folders `beside`, carried out together.

    `new` maps a path to its new content: bytes, or a function that makes the file or folder at the
    path it is called with. `gone` holds paths to remove. `moved` maps a path to its new name;
    renames are carried out last."""

    def __init__(self, root: Path, beside: Iterable[Path] = (), *, durable: bool = True) -> None:
        self.root = root.resolve()
        self.new: dict[Path, bytes | Callable[[Path], None]] = {}
        self.gone: set[Path] = set()
        self.moved: dict[Path, Path] = {}
        self._durable = durable
        self._staging = {path.resolve(): _staging_name(self.root) for path in beside}
        self._staging[self.root] = STAGING  # the last to be sealed

    def carry_out(self) -> None:
        """Carry out all changes. If an error comes while they are prepared, nothing is changed."""
        try:
            self.seal()
        except BaseException:
            self.discard()
            raise
        carry_out(self.root)

    def seal(self) -> None:
        """Write the new content and the manifests durably: from then on a crash cannot stop the
        changes."""
        for base, staging in self._staging.items():
            changes = [*self._write_staged(base)]
            if base == self.root:
                changes += [FileChange("", beside=str(one)) for one in self._staging if one != base]
            elif not changes:
                continue
            folder = base / staging
            make_private_folders(folder, self._sync)
            self._sync(folder)
            write_or_remove(
                folder / "unsealed", msgspec.json.encode(changes), durable=self._durable
            )
            (folder / "unsealed").replace(folder / MANIFEST)
            self._sync(folder)

    def discard(self) -> None:
        """Remove the files of an incomplete `seal`. No-op once `seal` has completed."""
        for base, staging in self._staging.items() if not is_unfinished(self.root) else ():
            if (base / staging).is_dir():
                shutil.rmtree(base / staging)

    def _write_staged(self, base: Path) -> Iterator[FileChange]:
        """Write the new files for the folder `base` into its staging folder. Yield the changes for
        its manifest: new files, then removals, then renames (inner paths first)."""
        for number, (path, made) in enumerate(self.new.items()):
            if self._base_of(path) == base:
                staged = base / self._staging[base] / f"{number:06d}"
                make_private_folders(staged.parent, self._sync)
                if isinstance(made, bytes):
                    write_or_remove(staged, made, durable=self._durable)
                    if path.exists():
                        staged.chmod(path.stat().st_mode & 0o777)
                else:
                    made(staged)
                    if self._durable and staged.is_dir():
                        sync_tree(staged)
                yield FileChange(str(path.relative_to(base)), str(staged.relative_to(base)))
        for path in sorted(self.gone):
            if self._base_of(path) == base:
                yield FileChange(str(path.relative_to(base)))
        for path in sorted(self.moved, key=lambda one: -len(one.parts)):
            if self._base_of(path) == base:
                new = self.moved[path].relative_to(base)
                yield FileChange(str(path.relative_to(base)), moved=str(new))

    def _base_of(self, path: Path) -> Path:
        """Return the folder that `path` lies in: the root or a folder of `beside`."""
        return next(base for base in self._staging if path.is_relative_to(base))

    def _sync(self, folder: Path) -> None:
        if self._durable:
            sync_folder(folder)


def _staging_name(root: Path) -> str:
    """Return the name of the staging folder for `root` inside a folder of `beside`, unique to
    `root`."""
    return f"{STAGING}-{sha256(os.fsencode(root)).hexdigest()[:16]}"


def is_staged(path: Path) -> bool:
    """Return True when `path` is a staging folder (new files are prepared there) or lies in one."""
    return any(part.startswith(STAGING) for part in path.parts)


def is_unfinished(root: Path) -> bool:
    """Return True when a folder has a manifest: some of its changes are not carried out yet."""
    return (root / STAGING / MANIFEST).is_file()


def carry_out(root: Path) -> None:
    """Carry out the changes in a folder's manifest that are not done yet. No-op without a manifest.
    Raises PagingError, with nothing done, when the manifest is unreadable or names a path outside
    the folder."""
    _carry_out_manifest(root.resolve(), STAGING)


def _carry_out_manifest(base: Path, staging: str) -> None:
    manifest = base / staging / MANIFEST
    if not manifest.is_file():
        return
    try:
        changes = msgspec.json.decode(manifest.read_bytes(), type=list[FileChange])
    except msgspec.DecodeError as error:
        raise unfinished_rewrite_error(str(base), f"cannot be read ({error})") from error
    for name in (one for each in changes for one in (each.path, each.staged, each.moved) if one):
        path = Path(os.path.realpath((base / name).parent), (base / name).name)
        if base not in path.parents or path.name == "..":
            raise unfinished_rewrite_error(str(base), f"leads out of the folder, to {name}")
    for change in changes:
        if change.beside:
            _carry_out_manifest(Path(change.beside), _staging_name(base))
        elif change.path:
            _apply_change(base, change)
    for folder in {(base / each.path).parent for each in changes if each.path}:
        if folder.is_dir():
            sync_folder(folder)
    manifest.unlink()
    sync_folder(manifest.parent)
    shutil.rmtree(manifest.parent)  # what else lies there is litter


def _apply_change(root: Path, change: FileChange) -> None:
    """Carry out one change; no-op when it was carried out before."""
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
