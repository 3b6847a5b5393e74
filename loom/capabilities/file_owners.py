"""Decide whose files may instruct an agent: the files of the user it runs as, and those a host
trusts.

The model is git's `safe.directory` (git-config(1)): a file, and the folder it lies in, have to
belong to the effective user. For root under sudo the files of the user who called sudo count as
well (`SUDO_UID`), as in git. Paths that a host trusts count whoever owns them, with everything
below them; "*" is every path. Who may write a file is not checked, as git does not check it. Where
a platform knows no user ids, every file counts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from loom.text import encodable

Trust: TypeAlias = "str | PathLike[str] | Iterable[str | PathLike[str]]"

EVERY = "*"
WHY = "belongs to user {owner}; trust=[{path!r}] loads it"


class Owners(Struct, frozen=True):
    """Decides whether a file may instruct the agent. `users` are the user ids whose files may; None
    allows all users. Files at or below the paths `trusted` are allowed whoever owns them."""

    users: frozenset[int] | None = None
    trusted: tuple[Path, ...] = ()

    def refusal(self, path: Path, whole: Path | None = None) -> str:
        """Return why an existing file or folder may not instruct the agent; "" if it may.

        The owners of four paths are checked: `path`, its folder, and, with links followed, the real
        file and its folder. The reason advises to trust `whole`, such as the repository that `path`
        is in, by default the real file. Raises OSError if an owner cannot be read."""
        if self.users is None:
            return ""
        real = real_path(path)
        if any(real.is_relative_to(one) for one in self.trusted):
            return ""
        for at in dict.fromkeys((path, path.parent, real, real.parent)):
            owner = at.lstat().st_uid
            if owner not in self.users:
                return WHY.format(owner=owner, path=encodable(str(whole or real)))
        return ""


ANYONE = Owners()


def real_path(path: str | PathLike[str]) -> Path:
    """Return the path with all links followed. Links in a circle are followed as far as possible.

    Some versions of Python raise RuntimeError for such a circle in `Path.resolve`."""
    return Path(os.path.realpath(path))


def trusted_owners(trust: Trust = ()) -> Owners:
    """Return the Owners for this process: its user (under sudo, also the user who called sudo), and
    the paths in `trust`."""
    given = [trust] if isinstance(trust, str | PathLike) else list(trust)
    if EVERY in given or not hasattr(os, "geteuid"):
        return ANYONE
    users = {os.geteuid()}
    caller = os.environ.get("SUDO_UID", "")
    if users == {0} and caller.isascii() and caller.isdigit():
        users.add(int(caller))
    return Owners(frozenset(users), tuple(real_path(Path(one).expanduser()) for one in given))


def git_root(folder: Path, whose: Owners) -> tuple[Path, str]:
    """Return the root of the git repository that contains `folder`, and "". The root is the nearest
    folder, at or above `folder`, with `.git` in it. Without such a folder, return `folder` and "".

    If the root's `.git` belongs to another user, return `folder` itself. The second value then says
    why nothing above `folder` is read; it is "" if `folder` is the root."""
    for at in (folder, *folder.parents):
        if os.path.lexists(at / ".git"):
            try:
                why = whose.refusal(at / ".git", at)
            except OSError as error:
                why = f"cannot be looked at: {error.strerror or error}"
            if not why:
                return at, ""
            return folder, f"{encodable(str(at))}: {why}" if at != folder else ""
    return folder, ""
