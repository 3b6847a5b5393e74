"""Recognise the folders in a project that are not its own: installed, copied in, generated, or
ignored.

The table FOREIGN has the names of such folders with a reason each, read without regard to case; a
repository or a Python environment within the project shows by a file that it holds. What git
ignores is read from the files of patterns (gitignore(5)): `.git/info/exclude`, then the
`.gitignore` of each folder on the way. The last pattern that fits decides, and whatever lies in an
ignored folder is ignored. No git is run for it, no link is followed, and matching takes time in
proportion to what is matched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct

from loom.capabilities.plain_file import read_whole
from loom.lazy import lazy_re

LARGEST = 1_000_000  # bytes of a file of patterns
# Why a folder is not the project's own → what such folders are called, in small letters.
_CALLED = {
    "installed, for each machine anew": "node_modules bower_components jspm_packages .venv venv"
    " virtualenv site-packages dist-packages .tox .nox .bundle .gradle .cargo .yarn .pnpm-store"
    " elm-stuff",
    "written by others, and copied in": "vendor _vendor vendored third_party third-party 3rdparty"
    " extern external deps pods carthage",
    "made from the sources": "dist build target __pycache__ .next .nuxt .eggs",
    "kept by a tool for itself": ".git .hg .svn .idea .cache .mypy_cache .pytest_cache"
    " .ruff_cache .hypothesis .terraform",
}
FOREIGN = {name: why for why, names in _CALLED.items() for name in names.split()}
_HELD = (".git", "pyvenv.cfg")  # by a repository, and by a Python environment
_ESCAPED = lazy_re(r"\\(.)")
_TRAILING = lazy_re(r"(?<!\\)[ ]+\Z")


class _IgnoreRule(Struct, frozen=True):
    """A pattern of a `.gitignore`, split at "/" into `parts`. `again` is True for a "!" pattern,
    which includes ignored paths again; `folders` if the pattern matches folders only."""

    parts: tuple[str, ...]
    again: bool
    folders: bool  # it is for them alone


def is_foreign(root: Path, folder: Path, own: Path | None = None) -> bool:
    """Return True if a folder below `root`, or a folder above it, is installed, copied in,
    generated or ignored by git. Always False for `own`, the working folder, and the folders above
    `own`."""
    parts = folder.relative_to(root).parts
    mine = {own, *own.parents} if own else set[Path]()
    files = _rules_on_the_way(root, parts)
    for depth, name in enumerate(parts, 1):
        at = root.joinpath(*parts[:depth])
        if at in mine:
            continue
        if name.lower() in FOREIGN or any(os.path.lexists(at / mark) for mark in _HELD):
            return True
        if _is_ignored_by(files[: depth + 1], parts[:depth], folder=True):
            return True
    return False


def is_git_ignored(root: Path, file: Path) -> bool:
    """Return True if git ignores the file itself. Folders above the file are not checked."""
    parts = file.relative_to(root).parts
    return _is_ignored_by(_rules_on_the_way(root, parts), parts, folder=False)


def _rules_on_the_way(
    root: Path, parts: Sequence[str]
) -> list[tuple[int, tuple[_IgnoreRule, ...]]]:
    """Return pairs of the ignore rules for the path `parts` below `root`: the depth of the folder
    that has the rules (0 for `root`), and the rules."""
    above = [root.joinpath(*parts[:depth]) for depth in range(len(parts))]
    inner = [(depth, _rules_in_file(at / ".gitignore")) for depth, at in enumerate(above)]
    return [(0, _rules_in_file(root / ".git" / "info" / "exclude")), *inner]


def _is_ignored_by(
    files: Sequence[tuple[int, tuple[_IgnoreRule, ...]]], parts: Sequence[str], *, folder: bool
) -> bool:
    """Return True if the last rule that matches the path `parts` ignores the path. `folder` says
    that the path is a folder; `files` is a result of `_rules_on_the_way`."""
    for depth, rules in reversed(files):
        for rule in reversed(rules):
            if (folder or not rule.folders) and _matches_path(rule.parts, parts[depth:]):
                return not rule.again
    return False


def _matches_path(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Return True if a pattern matches a path, both split at "/". "**" matches any number of parts.
    The time must stay at most proportional to pattern length times path length."""
    reached = {0}
    for at, part in enumerate(pattern):
        if part == "**":
            last = at == len(pattern) - 1  # at the end it stands for something
            reached = set(range(min(reached) + last, len(parts) + 1))
        else:
            reached = {to + 1 for to in reached if to < len(parts) and fnmatchcase(parts[to], part)}
        if not reached:
            return False
    return len(parts) in reached


def _rules_in_file(file: Path) -> tuple[_IgnoreRule, ...]:
    """Return the rules in one ignore file; () if it cannot be read."""
    try:
        text = read_whole(file, LARGEST).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    except OSError:
        return ()
    return tuple(_parse_rules(text))


def _parse_rules(text: str) -> Iterator[_IgnoreRule]:
    """Yield a rule for each line of an ignore file that is not blank and no comment."""
    for line in text.split("\n"):
        line = _TRAILING.sub("", line.removesuffix("\r"))
        again = line.startswith("!")
        folders = line.endswith("/")
        given = line[again:].removesuffix("/")
        if not given or line.startswith("#"):
            continue
        anchored = "/" in given
        parts = [_fnmatch_part(part) for part in given.removeprefix("/").split("/")]
        yield _IgnoreRule(tuple(parts if anchored else ["**", *parts]), again, folders)


def _fnmatch_part(part: str) -> str:
    """Return a part of a git pattern as a pattern for `fnmatch`: "[^a]" → "[!a]"."""
    return _ESCAPED.sub(r"[\1]", part).replace("[^", "[!") if part != "**" else part
