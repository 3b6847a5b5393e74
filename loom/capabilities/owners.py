"""Whose files may instruct an agent: those of the user it runs as, and those a host trusts.

The model is git's `safe.directory` (git-config(1)): a file, and the folder it lies in, have to
belong to the effective user. For root under sudo the files of the user who called it count as well
(`SUDO_UID`), as git has it. Paths a host trusts count whoever owns them, with all below them; "*"
is every path. Who may write a file is not asked, as git does not. Where a platform knows no user
ids, every file counts.

Nor is any guide, import or skill read from a file for credentials: one that imports `.env` would
put its values into every request. Redaction goes by shape and place and misses some; the name of
the file is the surer sign. It is read as systems do that mind no case; samples without values count
as any file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from loom.lazy import lazy_re
from loom.text import one_line, printable

Trust: TypeAlias = "str | PathLike[str] | Iterable[str | PathLike[str]]"

EVERY = "*"
NAME_CHARS = 60
HOLDS_KEYS = "a file for credentials: never loaded"
HOPS = 40  # links behind each other that are looked at, as many as Linux follows

_SAMPLE = lazy_re(r".*[._-](?:example|sample|template|dist|tmpl|tpl|defaults?|pub|md|rst)")
_DATA = r"(?:ya?ml|json|toml|ini|env|txt|csv|xml|properties|enc|cfg|conf|db)"
_FILES = lazy_re(
    rf"""
    \.env(?:rc)?(?:[._-].*)? | .+\.env(?:\.local)? |
    [._]?netrc(?:\.gpg)? | \.git-credentials | \.gitcookies |
    \.?(?:npmrc|yarnrc|yarnrc\.yml|pypirc|pgpass|pgpass\.conf|my\.cnf|mylogin\.cnf|htpasswd) |
    \.?(?:s3cfg|boto|dockercfg|terraformrc|credstash) | terraform\.rc | master\.key |
    \.?vault[-_]?(?:pass|password|token)(?:\.txt)? | \.?passwd | shadow |
    (?:id|ssh_host)_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:_key)?(?:[._-].*)? |
    .+\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx?|gpg|pgp|ovpn|agekey|tfvars|tfstate) |
    .+\.(?:tfstate|tfvars)\.(?:backup|json) |
    \.?(?:credentials|secrets?)(?:\.{_DATA})? |
    (?:service[-_]?account|client[-_]?secrets?|application_default_credentials).*\.json |
    \.(?:ba|z|fi)?sh_history | \.(?:psql|mysql|python|node_repl|rediscli)_history
    """,
    re.VERBOSE | re.DOTALL,
)
_FOLDERS = frozenset((".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", ".gcloud"))
WHY = "belongs to {owner}; trust=[{path!r}] loads it"


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
                return WHY.format(owner=_called(owner), path=printable(str(whole or real)))
        return ""


ANYONE = Owners()


def real_path(path: str | PathLike[str]) -> Path:
    """The path behind all links; of links that lead in a circle the path as far as they do.

    `Path.resolve` raises RuntimeError for such a circle, in some versions of Python.
    """
    return Path(os.path.realpath(path))


def owners(trust: Trust = ()) -> Owners:
    """The owners whose files count now, and the paths a host trusts."""
    given = [trust] if isinstance(trust, str | PathLike) else list(trust)
    if EVERY in given or not hasattr(os, "geteuid"):
        return ANYONE
    users = {os.geteuid()}
    caller = os.environ.get("SUDO_UID", "")
    if users == {0} and caller.isascii() and caller.isdigit():
        users.add(int(caller))
    return Owners(frozenset(users), tuple(real_path(Path(one).expanduser()) for one in given))


def _called(user: int) -> str:
    """A user by name and number."""
    try:
        import pwd

        name = one_line(printable(pwd.getpwuid(user).pw_name), NAME_CHARS)
    except (ImportError, KeyError, OverflowError):
        return f"user {user}"
    return f"user {name} ({user})"


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
            return folder, f"{printable(str(at))}: {why}" if at != folder else ""
    return folder, ""


def holds_keys(path: Path, root: Path) -> bool:
    """True when its name, that of a link on the way to it, or one of its folders from `root` on
    says that keys lie in it."""
    return any(_says_so(at, root) for at in _hops(path))


def _hops(path: Path) -> Iterator[Path]:
    """The path, each it leads to where it is a link, and the file behind all links."""
    at = Path(os.path.normpath(path))
    for _ in range(HOPS):
        yield at
        try:
            to = at.readlink()
        except OSError:
            break
        at = Path(os.path.normpath(at.parent / to))
    yield Path(os.path.realpath(path))


def _says_so(path: Path, root: Path) -> bool:
    inside = path.relative_to(root).parts if path.is_relative_to(root) else path.parts[-1:]
    *folders, name = map(_plain, inside or (path.name,))
    by_name = _FILES.fullmatch(name) and not _SAMPLE.fullmatch(name)
    return bool(by_name) or not _FOLDERS.isdisjoint(folders)


def _plain(name: str) -> str:
    """A name as a system may take it that minds no case, and no marks that are not seen."""
    # Windows drops dots and spaces at the end, and what follows a colon is a stream of the file.
    seen = "".join(sign for sign in name.casefold() if sign.isprintable())
    return seen.partition(":")[0].rstrip(". ")
