"""Finds out, when a workspace is opened, who else can read or change it.

A workspace holds what an agent read, and Loom trusts its journal. So only the owner should have
access to its folder. No other user should be able to replace the folder, and git should not track
it. The rules are those of ssh for files and of git for folders.

The folder and all folders above it are examined: owner, mode, and whether there is a `.git`. Of git
only its index file is read. Git is never run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from shlex import quote
from stat import S_ISLNK, S_ISVTX, S_IWGRP, S_IWOTH

from loom.disk import open_private_file, plain_descriptor
from loom.errors import LoomError, LoomWarning
from loom.session.archive.workspace import OTHERS
from loom.text import escape_invisible

IGNORE, IGNORED = ".gitignore", b"# Written by Loom: a workspace holds what its agent read.\n*\n"
WORKSPACE = {"journal", "LOCK", "index.db"}  # one of these is in each that was begun
NAMED = 3  # of the files of another
INDEX_BYTES = 1 << 26  # of git's index that are looked through
LINK_BYTES = 4_096  # of a `.git` that is a file
ADMINISTRATOR = 0


def exposure_reasons(folder: Path) -> tuple[str, ...]:
    """Return the risks of the workspace in `folder`, a sentence with advice for each: other users
    can read or change the workspace, or git tracks it. Return () on Windows."""
    if not hasattr(os, "geteuid"):  # Windows has other rules
        return ()
    real = Path(os.path.realpath(folder))
    above = next((why for at in real.parents if (why := _replacement_risk(at))), "")
    return tuple(filter(None, (*_owner_risks(folder, real), above, _git_tracking_risk(real))))


def exposure_warning(folder: str, reasons: tuple[str, ...]) -> LoomWarning:
    """Return the warning about a workspace's risks, one or more sentences of `exposure_reasons`."""
    each = "; ".join(f"({n}) {one}" for n, one in enumerate(reasons, 1))
    said = f"workspace {folder!r} is exposed: {each if reasons[1:] else reasons[0]}."
    return LoomWarning(said, "exposed")


def keep_from_git(folder: Path) -> None:
    """Make git ignore a new workspace inside a git work tree, by a `.gitignore` in the workspace.
    An OSError is ignored."""
    real = Path(os.path.realpath(folder))
    if _work_tree(real) is not None:
        # If this fails and git tracks the workspace, `exposure_reasons` says so later.
        with suppress(OSError):
            made = open_private_file(real / IGNORE, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            with os.fdopen(made, "wb") as file:
                file.write(IGNORED)


def check_no_other_files(folder: Path) -> None:
    """Raise LoomError if `folder` has other files and no workspace yet. A new workspace there would
    make git ignore these files."""
    with suppress(OSError):
        names = sorted(one.name for one in os.scandir(folder))
        others = [one for one in names if one not in OTHERS and (one[0] != "." or one == ".git")]
        if others and not WORKSPACE.intersection(names):
            more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
            some = escape_invisible(", ".join(others[:NAMED]))
            raise LoomError(
                f"{_quoted(folder)} holds other files ({some}{more}) and no workspace: open a"
                f" folder of its own, such as {_quoted(folder / '.loom')}"
            )


def _owner_risks(folder: Path, real: Path) -> Iterator[str]:
    """Yield a sentence if another user owns the folder, and if others may read or write in the
    folder. If `folder` is a link, `real` is its target, and the link's owner is checked too."""
    link, about = folder.lstat(), real.stat()
    if S_ISLNK(link.st_mode) and not _has_trusted_owner(link):
        yield (
            f"the path is a link of user {link.st_uid}, who can lead it elsewhere: open the folder"
            f" it leads to, {_quoted(real)}"
        )
    if about.st_uid != os.geteuid():
        whose = f"the folder belongs to user {about.st_uid}, who can read and change all in it"
        yield f"{whose}: open a workspace in a folder of your own"
    if _is_writable_by_others(about):
        mode = f"(mode {about.st_mode & 0o7777:04o})"
        yield f"other users may write in the folder {mode}: run `chmod 700 {_quoted(real)}`"
    elif about.st_mode & 0o055:  # a journal that they may read; Loom makes none such
        inner = real / "journal"
        with suppress(OSError):
            first = next(inner.iterdir(), None)
            if first is not None and inner.stat().st_mode & 0o055 and first.stat().st_mode & 0o044:
                yield f"other users may read its files: run `chmod -R go-rwx {_quoted(real)}`"


def _replacement_risk(folder: Path) -> str:
    """Return a sentence if another user owns `folder` (above the workspace) or may write in it, and
    so could replace the workspace. Return "" otherwise."""
    about = folder.stat()
    if not _has_trusted_owner(about):
        why = f"belongs to user {about.st_uid}, who"
    elif _is_writable_by_others(about) and not about.st_mode & S_ISVTX:
        why = f"may be written by other users (mode {about.st_mode & 0o7777:04o}), who"
    else:
        return ""
    return (
        f"the folder {_quoted(folder)} above it {why} can put another workspace in its place:"
        " open one below a folder that only you can write in"
    )


def _quoted(path: str | PathLike[str]) -> str:
    """Return a path quoted for a shell, with invisible characters escaped."""
    return quote(escape_invisible(fspath(path)))


def _has_trusted_owner(about: os.stat_result) -> bool:
    """Return True if the owner is this user or the administrator, or if this user is the
    administrator."""
    return about.st_uid in (os.geteuid(), ADMINISTRATOR) or os.geteuid() == ADMINISTRATOR


def _is_writable_by_others(about: os.stat_result) -> bool:
    """Return True if everyone may write, or a group other than the owner's private group may."""
    alone = about.st_gid == about.st_uid  # user private groups have their user's number
    return bool(about.st_mode & S_IWOTH or (about.st_mode & S_IWGRP and not alone))


def _work_tree(real: Path) -> Path | None:
    """Return the git work tree that contains the folder, None if there is none."""
    return next((at for at in (real, *real.parents) if os.path.lexists(at / ".git")), None)


def _git_tracking_risk(real: Path) -> str:
    """Return a sentence with a command to run if git tracks files of the workspace, else ""."""
    tree = _work_tree(real)
    if tree is None:
        return ""
    inside = f"{real.relative_to(tree).as_posix()}/" if real != tree else ""
    with suppress(OSError, ValueError):
        git = tree / ".git"
        if not git.is_dir():  # a file that says where it is
            git = (
                tree / os.fsdecode(_read_beginning(git, LINK_BYTES)).removeprefix("gitdir:").strip()
            )
        held = _read_beginning(git / "index", INDEX_BYTES)
        # Index versions 2 and 3 hold whole names. Version 4 shortens them: nothing is found.
        if any(os.fsencode(f"{inside}{name}/") in held for name in ("journal", "outputs")):
            line = f", and write a line `*` to {_quoted(real / IGNORE)}"
            with suppress(OSError, ValueError):  # as Loom tells it of a new workspace
                line = "" if b"*" in _read_beginning(real / IGNORE, LINK_BYTES).split() else line
            return (
                f"git tracks its files in {_quoted(tree)}, so what the agent read is pushed with"
                f" it: run `git -C {_quoted(tree)} rm -r -q --cached {_quoted(inside or '.')}`"
                f"{line}"
            )
    return ""


def _read_beginning(path: Path, limit: int) -> bytes:
    """Return the first `limit` bytes of a plain file."""
    with os.fdopen(plain_descriptor(path), "rb") as file:
        return file.read(limit)
