"""Whose files may instruct an agent: those of the user it runs as, and those a host trusts.

The model is git's `safe.directory` (git-config(1)): a file, and the folder it lies in, have to
belong to the effective user. For root under sudo the files of the user who called it count as well
(`SUDO_UID`), as git has it. Paths a host trusts count whoever owns them, with all below them; "*"
is every path. Who may write a file is not asked, as git does not. Where a platform knows no user
ids, every file counts.
"""

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
    """The user ids whose files count (None: all), and the paths that count whoever owns them."""

    users: frozenset[int] | None = None
    trusted: tuple[Path, ...] = ()

    def refusal(self, path: Path, whole: Path | None = None) -> str:
        """Why a file or folder that is there does not count; "" where it does.

        Asked of the path, of the file behind a link, and of the folders the two lie in; `whole` is
        what to trust instead, where that is more. Raises OSError for what cannot be looked at.
        """
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
    """The path behind all links; of links that lead in a circle the path as far as they do.

    `Path.resolve` raises RuntimeError for such a circle, in some versions of Python.
    """
    return Path(os.path.realpath(path))


def trusted_owners(trust: Trust = ()) -> Owners:
    """The owners whose files count now, and the paths a host trusts."""
    given = [trust] if isinstance(trust, str | PathLike) else list(trust)
    if EVERY in given or not hasattr(os, "geteuid"):
        return ANYONE
    users = {os.geteuid()}
    caller = os.environ.get("SUDO_UID", "")
    if users == {0} and caller.isascii() and caller.isdigit():
        users.add(int(caller))
    return Owners(frozenset(users), tuple(real_path(Path(one).expanduser()) for one in given))


def git_root(folder: Path, whose: Owners) -> tuple[Path, str]:
    """(the root of the repository a folder lies in, why one that was found does not count).

    That is the nearest folder at or above it that holds `.git`; where there is none, and where that
    one belongs to another user, the folder itself is its own root, and nothing above it is read.
    """
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
