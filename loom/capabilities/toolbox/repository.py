"""Where a repository leads git, and what its configuration would have git run.

Theory of operation
-------------------
A project may come from anywhere, its `.git` with it. Git reads the configuration of the repository
it finds and has no switch against that, so every file of it is read beforehand with `git config
--file`, which starts nothing and follows nothing. A key that names a program is set to what does
nothing: by the environment, whose word is the last. That holds for drivers of any name, as only
keys that stand there can be meant by attributes, in whichever file those are.

Which repository that is, git is told: the nearest at or above the folder it is started in, within
the project, for the folder that repository lies in. So it goes up to no other, and changes to no
other folder, where the paths it is given would mean other files than those that were checked.

Where git would read is looked at as well: the `.git` file, the folder several worktrees share,
other stores of objects, included files, and each link in these. What leads out of the project is
refused, as there is no telling git to go on without it, and what git would wait at, as at a pipe.
All of this is of the moment before: who can write to the repository while git runs is not held by
it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from loom.capabilities.plain_file import contents
from loom.capabilities.toolbox.errors import ToolRefused
from loom.capabilities.toolbox.paths import inside
from loom.capabilities.toolbox.run_result import Ran
from loom.lazy import lazy_re

LARGEST = 1_000_000  # bytes read of a file that names another place
DEEPEST = 10  # files included by one another, and stores by one another, as git has it
UNREAD = frozenset({"hooks", "modules", "lfs", "annex"})  # of a git folder: not by what is allowed
# Section and variable, whatever stands between them → what the variable is set to.
OFF = {
    **dict.fromkeys(("filter.clean", "filter.smudge", "filter.process"), ""),
    "filter.required": "false",
    "diff.textconv": "cat",  # an empty one would be run; `git status -v` cannot do without
    **dict.fromkeys(("diff.command", "merge.driver", "gpg.program", "hook.command"), "false"),
    **dict.fromkeys(("trailer.command", "trailer.cmd"), "false"),
    **dict.fromkeys(("remote.uploadpack", "remote.receivepack", "remote.promisor"), "false"),
    "credential.helper": "",
    "protocol.allow": "never",
    "submodule.update": "none",
}
_INCLUDES = frozenset({"include.path", "includeif.path"})
_OPEN = "open the project at a folder that holds both"
_TAKE = "take it out of the repository's configuration, or look at the files without git"
_INSTEAD = {
    ".git": _OPEN,
    "commondir": _OPEN,
    "alternates": "have the objects copied (git repack -a -d), or " + _OPEN,
    "core.worktree": "open the project at that folder, with a repository of its own",
    "a link": "put what it leads to in its place",
    "a submodule": "have it cloned into the project, or look at the files without git",
    "a tracked folder": "search with grep -r, which follows no link",
}
_STAGED = lazy_re(rb"(\d+) [0-9a-f]+ \d\t(.+)", re.DOTALL)

# What may never be done with opening. A socket cannot be opened, and git's own watcher has one.
_WAITING = (stat.S_ISFIFO, stat.S_ISCHR, stat.S_ISBLK)
_PREFIX, _OPTIONAL = "%(prefix)/", ":(optional)"  # of a path in a configuration

Lists = Callable[[Path], Ran]


class Repository(Struct, frozen=True):
    """A repository: its git folder, the folder it is for, and what is to be set for it."""

    place: Path
    tree: Path
    settings: dict[str, str]


def found(base: Path, root: Path, listed: Lists) -> Repository:
    """The repository for a git that is started in the folder `base`.

    `listed(file)` is what `git config` lists of a file, in `name LF value NUL`. Raises ToolRefused
    for what leads out of `root`, or would make git wait, and where there is no repository.
    """
    tree = _working(base, root)
    place = _place(tree, root, ".git")
    shared = _shared(place, root)
    common, own = (
        list(_configured(file, place, root, listed))
        for file in (shared / "config", place / "config.worktree")
    )
    for key, to in (*own, *(common if shared == place else ())):  # a linked one has its own folder
        if key == "core.worktree" and _held(to, place, root, key) != tree:
            raise ToolRefused(f"git: {to}", f"{key} leads to another folder", _INSTEAD[key])
    return Repository(place, tree, _set((*common, *own), tree, root))


def check_tracked(index: bytes, tree: Path, root: Path, *, through: bool) -> None:
    """Refuse submodules that lead out, and with `through` tracked folders that are links out.

    `index` is what `git ls-files --stage --full-name -z` lists of a working tree. Most commands
    look at no file behind a link; those that do need `through`.
    """
    folders: set[str] = set()
    for entry in index.split(b"\0"):
        parts = _STAGED.fullmatch(entry)
        if parts is None:
            continue
        path = os.fsdecode(parts[2])
        if parts[1] == b"160000":
            at = _held(path, tree, root, "a submodule")
            if os.path.lexists(at / ".git"):
                _shared(_place(at, root, "a submodule"), root)
        folders.add(path.rpartition("/")[0])
    for path in sorted(folders) if through else ():
        _held(path or ".", tree, root, "a tracked folder")


def _held(path: str, base: Path, root: Path, what: str) -> Path:
    """Where a path leads. Raises ToolRefused, with what led there, for outside of the project."""
    try:
        if path.startswith(_PREFIX):
            raise ToolRefused(path, "git puts the place there at which it is installed")
        return inside(path.removeprefix(_OPTIONAL), base, root)
    except ToolRefused:
        why = f"{what} leads outside the project"
        raise ToolRefused(f"git: {path}", why, _INSTEAD.get(what, _TAKE)) from None


def _working(base: Path, root: Path) -> Path:
    """The nearest folder at or above `base` that holds a `.git`. Raises ToolRefused."""
    for folder in (base, *base.parents):
        if not folder.is_relative_to(root):
            break
        if os.path.lexists(folder / ".git"):
            return folder
        if all(os.path.lexists(folder / name) for name in ("HEAD", "objects")):
            why = "it is a git folder itself, and has no files to be looked at"
            raise ToolRefused(f"git: {folder}", why, "start git in the folder that holds it")
    why = "there is no repository here, nor further up in the project"
    raise ToolRefused(
        f"git: {base}", why, "give the folder of one as cwd, or use grep, find and diff"
    )


def _place(folder: Path, root: Path, what: str) -> Path:
    """The git folder of one that holds a `.git`."""
    at = _held(".git", folder, root, what)
    place = at if at.is_dir() else _named(at, "gitdir: ", folder, root, what)
    if place is None:
        raise _unchecked(at, "no plain file that names a git folder")
    return place


def _shared(place: Path, root: Path) -> Path:
    """The folder a git folder shares with other worktrees; links in both are checked."""
    shared = _named(place / "commondir", "", place, root, "commondir") or place
    for at in dict.fromkeys((place, shared)):
        _unlinked(at, root)
    _stores(shared / "objects", root, DEEPEST)
    return shared


def _named(file: Path, begins: str, base: Path, root: Path, what: str) -> Path | None:
    """The place a file names, from `base`; None where it names none."""
    if not file.is_file():
        return None
    text = _text(_held(file.name, file.parent, root, what)).rstrip("\r\n")
    if not text.startswith(begins):
        return None
    return _held(text.removeprefix(begins), base, root, what)


def _text(file: Path) -> str:
    """The text of a file that names others. Raises ToolRefused."""
    try:
        return os.fsdecode(contents(file, LARGEST))
    except OSError as error:
        raise _unchecked(file, error.strerror or str(error)) from None


def _unchecked(file: Path, why: str) -> ToolRefused:
    return ToolRefused(f"git: {file}", f"it cannot be checked ({why})", _TAKE)


def _unlinked(place: Path, root: Path) -> None:
    """Refuse a git folder with a link in it that leads out, or what would make git wait."""
    folders, seen = [str(place)], {str(place)}
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                held = [one for one in entries if folder != str(place) or one.name not in UNREAD]
        except OSError:
            continue  # not for git to read either
        for entry in held:
            if entry.is_file(follow_symlinks=False):
                continue
            to = str(_held(entry.path, place, root, "a link")) if entry.is_symlink() else entry.path
            mode = _mode(to)
            if any(waits(mode) for waits in _WAITING):
                raise _unchecked(Path(entry.path), "no plain file")
            if stat.S_ISDIR(mode) and to not in seen:
                seen.add(to)
                folders.append(to)


def _mode(path: str) -> int:
    try:
        return Path(path).stat().st_mode
    except OSError:
        return 0  # it leads nowhere


def _stores(objects: Path, root: Path, depth: int) -> None:
    """Refuse a store of objects that takes others from outside, by itself or by another."""
    file = objects / "info" / "alternates"
    if not file.is_file():
        return
    for line in _text(_held(str(file), objects, root, "alternates")).split("\n"):
        if not line or line.startswith("#"):
            continue
        if line.startswith('"') or not depth:
            raise _unchecked(file, "a path in quotes, or stores too deep in one another")
        other = _held(line, objects, root, "alternates")
        _unlinked(other, root)
        _stores(other, root, depth - 1)


def _configured(
    file: Path, place: Path, root: Path, listed: Lists, depth: int = DEEPEST
) -> Iterator[tuple[str, str]]:
    """(name, value) of each key of a file of configuration and of those it includes."""
    if not os.path.lexists(file):
        return
    for key, value in _keys(_held(str(file), place, root, "a link"), listed):
        if _kind(key) not in _INCLUDES:
            yield key, value
        elif not depth:
            raise _unchecked(file, "files too deep in one another")
        else:
            # Whatever the condition is: what is switched off in vain does no harm.
            other = _held(value, file.parent, root, _kind(key))
            yield from _configured(other, place, root, listed, depth - 1)


def _kind(key: str) -> str:
    """A key's section and variable, without the name between them."""
    return f"{key.partition('.')[0]}.{key.rpartition('.')[2]}"


def _set(keys: Sequence[tuple[str, str]], tree: Path, root: Path) -> dict[str, str]:
    """The settings that switch off the keys."""
    for key, value in keys:
        if key == "blame.ignorerevsfile" and value:
            _held(value, tree, root, key)
    return {
        key: OFF.get(_kind(key), "false")
        for key, _ in keys
        if _kind(key) in OFF or key.startswith("pager.")
    }


def _keys(file: Path, listed: Lists) -> Iterator[tuple[str, str]]:
    """(name, value) of each key of a file of configuration. Raises ToolRefused."""
    if not file.is_file():
        if not file.exists():
            return
        raise _unchecked(file, "no plain file")
    ran = listed(file)
    if not ran.ok or ran.cut:
        said = ran.stderr.decode("utf-8", "replace").strip()
        raise _unchecked(file, said or "it is too large, or took too long")
    for entry in ran.stdout.split(b"\0"):
        name, _, value = os.fsdecode(entry).partition("\n")
        yield name, value
