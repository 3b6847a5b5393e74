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
    """Decides whether a file may instruct the agent: the user ids `users` may own such files, None
    allows all users. Files at or below the paths `trusted` are always allowed."""

    users: frozenset[int] | None = None
    trusted: tuple[Path, ...] = ()

    def refusal(self, path: Path, whole: Path | None = None) -> str:
        """Return why an existing file or folder may not instruct the agent; "" if it may.

        Checked are the owners of `path`, its folder, the real file (links followed) and its folder.
        The reason advises to trust `whole`, by default the real file. Raises OSError if an owner
        cannot be read."""
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
    """Return the path with all links followed, those in a circle as far as possible."""
    # Path.resolve raises RuntimeError for links in a circle in some versions of Python
    return Path(os.path.realpath(path))


def trusted_owners(trust: Trust = ()) -> Owners:
    """Return the Owners that allow this process's user (under sudo, also the user who called sudo)
    and the paths in `trust`."""
    given = [trust] if isinstance(trust, str | PathLike) else list(trust)
    if EVERY in given or not hasattr(os, "geteuid"):
        return ANYONE
    users = {os.geteuid()}
    caller = os.environ.get("SUDO_UID", "")
    if users == {0} and caller.isascii() and caller.isdigit():
        users.add(int(caller))
    return Owners(frozenset(users), tuple(real_path(Path(one).expanduser()) for one in given))


def git_root(folder: Path, whose: Owners) -> tuple[Path, str]:
    """Return two values. The first is the root of the git repository around `folder`; it is
    `folder` if there is no repository or the root's `.git` may not be trusted. The second is "", or
    says why nothing above `folder` is read."""
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
