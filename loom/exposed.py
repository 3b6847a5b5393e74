"""Who else can read or change a workspace, told at open.

A workspace holds what an agent read and was told, and its journal is believed. So its folder should
be its owner's alone, no folder above it should let another put a folder of his in its place, and
git should not take it along. The rules are those of ssh for its files and of git for its folders.

Asked are the folder itself, what lies above it, and the names in git's index: a `stat` and a look
for `.git` each, and one file. No git is run, and nothing it configures.
"""

from __future__ import annotations

import os
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from shlex import quote
from stat import S_ISLNK, S_ISVTX, S_IWGRP, S_IWOTH

from loom.disk import plain_descriptor, private_file
from loom.errors import LoomError, LoomWarning
from loom.session.archive.workspace import OTHERS
from loom.text import visible

IGNORE, IGNORED = ".gitignore", b"# Written by Loom: a workspace holds what its agent read.\n*\n"
WORKSPACE = {"journal", "LOCK", "index.db"}  # one of these is in each that was begun
NAMED = 3  # of the files of another
INDEX_BYTES = 1 << 26  # of git's index that are looked through
LINK_BYTES = 4_096  # of a `.git` that is a file
ADMINISTRATOR = 0


def exposed(folder: Path) -> tuple[str, ...]:
    """What is the matter with a workspace folder, which is there, and what to do, a sentence each;
    nothing for most."""
    if not hasattr(os, "geteuid"):  # Windows has other rules
        return ()
    real = Path(os.path.realpath(folder))
    return (*_link(folder), *_own(real), *_above(real), *_tracked(real))


def exposure_warning(folder: str, found: tuple[str, ...]) -> LoomWarning:
    """The warning that others can read or change a workspace, or git takes it along."""
    each = "; ".join(f"({n}) {one}" for n, one in enumerate(found, 1))
    said = f"workspace {folder!r} is exposed: {each if found[1:] else found[0]}."
    return LoomWarning(said, "exposed")


def keep_from_git(folder: Path) -> None:
    """Let git ignore a new workspace within a work tree, whatever its rules say.

    What cannot be written is left: it is told when git takes the workspace along.
    """
    real = Path(os.path.realpath(folder))
    if _tree(real) is not None:
        with suppress(OSError):
            made = private_file(real / IGNORE, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            with os.fdopen(made, "wb") as file:
                file.write(IGNORED)


def check_own(folder: Path) -> None:
    """Raise LoomError for a folder that holds other files and no workspace: one among them would
    be hard to tell apart, and git would be told to ignore them all."""
    with suppress(OSError):
        names = sorted(one.name for one in os.scandir(folder))
        others = [one for one in names if one not in OTHERS and (one[0] != "." or one == ".git")]
        if others and not WORKSPACE.intersection(names):
            more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
            raise LoomError(
                f"{_named(folder)} holds other files ({visible(', '.join(others[:NAMED]))}{more})"
                f" and no workspace: open a folder of its own, such as {_named(folder / '.loom')}"
            )


def _link(folder: Path) -> tuple[str, ...]:
    """A link in the place of the workspace, of another user: he can lead it elsewhere."""
    about = folder.lstat()
    if not S_ISLNK(about.st_mode) or _trusted(about):
        return ()
    return (
        f"the path is a link of user {about.st_uid}, who can lead it elsewhere: open the folder it"
        f" leads to, {_named(Path(os.path.realpath(folder)))}",
    )


def _own(real: Path) -> tuple[str, ...]:
    """The sentences about what the folder's own owner and mode allow others."""
    about = real.stat()
    found = []
    if about.st_uid != os.geteuid():
        whose = f"the folder belongs to user {about.st_uid}, who can read and change all in it"
        found.append(f"{whose}: open a workspace in a folder of your own")
    if _writable(about):
        mode = f"(mode {about.st_mode & 0o7777:04o})"
        found.append(f"other users may write in the folder {mode}: run `chmod 700 {_named(real)}`")
    elif about.st_mode & 0o055:
        found += _readable(real)
    return tuple(found)


def _readable(real: Path) -> list[str]:
    """A journal that others may read, in a folder they may enter; Loom makes none such."""
    with suppress(OSError):
        inner = real / "journal"
        with os.scandir(inner) as held:
            first = next(iter(held), None)
        if first is not None and inner.stat().st_mode & 0o055 and first.stat().st_mode & 0o044:
            return [f"other users may read its files: run `chmod -R go-rwx {_named(real)}`"]
    return []


def _above(real: Path) -> tuple[str, ...]:
    """The first folder above that lets another put a folder of his in the workspace's place."""
    for folder in real.parents:
        about = folder.stat()
        if not _trusted(about):
            why = f"belongs to user {about.st_uid}, who"
        elif _writable(about) and not about.st_mode & S_ISVTX:
            why = f"may be written by other users (mode {about.st_mode & 0o7777:04o}), who"
        else:
            continue
        return (
            f"the folder {_named(folder)} above it {why} can put another workspace in its place:"
            " open one below a folder that only you can write in",
        )
    return ()


def _named(path: str | PathLike[str]) -> str:
    """A path as a shell takes it, without signs that would steer a terminal."""
    return quote(visible(fspath(path)))


def _trusted(about: os.stat_result) -> bool:
    """True for what is the user's or the administrator's; an administrator works in any home."""
    return about.st_uid in (os.geteuid(), ADMINISTRATOR) or os.geteuid() == ADMINISTRATOR


def _writable(about: os.stat_result) -> bool:
    """True when others may write there: a group, but the one a user has alone, or anyone."""
    alone = about.st_gid == about.st_uid  # user private groups have their user's number
    return bool(about.st_mode & S_IWOTH or (about.st_mode & S_IWGRP and not alone))


def _tree(real: Path) -> Path | None:
    """The work tree a folder lies in."""
    return next((at for at in (real, *real.parents) if os.path.lexists(at / ".git")), None)


def _tracked(real: Path) -> tuple[str, ...]:
    """Names of the workspace in the index of the work tree it lies in.

    Names stand whole in an index of version 2 or 3, which git writes unless told otherwise; in one
    of version 4, what a name shares with the one before it is left out, and none is found here.
    """
    tree = _tree(real)
    if tree is None:
        return ()
    inside = f"{real.relative_to(tree).as_posix()}/" if real != tree else ""
    with suppress(OSError, ValueError):
        held = _bytes(_git(tree) / "index", INDEX_BYTES)
        if any(os.fsencode(f"{inside}{name}/") in held for name in ("journal", "outputs")):
            line = "" if _ignored(real) else f", and write a line `*` to {_named(real / IGNORE)}"
            return (
                f"git tracks its files in {_named(tree)}, so what the agent read is pushed with it:"
                f" run `git -C {_named(tree)} rm -r -q --cached {_named(inside or '.')}`{line}",
            )
    return ()


def _ignored(real: Path) -> bool:
    """True when git is told to ignore all of the folder, as Loom tells it of a new workspace."""
    with suppress(OSError, ValueError):
        return b"*" in _bytes(real / IGNORE, LINK_BYTES).split()
    return False


def _git(tree: Path) -> Path:
    """The folder git keeps for a work tree: `.git`, or where a file of that name leads."""
    git = tree / ".git"
    if git.is_dir():
        return git
    return tree / os.fsdecode(_bytes(git, LINK_BYTES)).removeprefix("gitdir:").strip()


def _bytes(path: Path, limit: int) -> bytes:
    """The beginning of a plain file."""
    with os.fdopen(plain_descriptor(path), "rb") as file:
        return file.read(limit)
