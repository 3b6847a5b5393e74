"""What a call that edits replaces in which files, and which slices follow one another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from loom.compress.worth.entry_units import NEW_KEYS, PAIRS, EntryUnit
from loom.lazy import lazy_re
from loom.reduce.arguments import (
    first_list,
    first_text,
    json_object,
    old_and_new_text,
    path_argument,
)
from loom.reduce.file_rules import PATCH_KEYS
from loom_partitions.message import Call

EVERYWHERE = ("replace_all", "replaceAll")
# The lines between the parts of a patch; those that name a file hold its name.
_PATCH = lazy_re(
    r"^(?:\*\*\* (?:Begin|End) Patch|\*\*\* (?:Update|Add|Delete) File: (.{1,400})|"
    r"\+\+\+ (?:b/)?(.{1,400})|--- .*|@@.*|diff --git .*)$",
    re.M,
)


class Replacement(Struct, frozen=True):
    """An edit that replaces the text `old` by `new` in a file, once or (`everywhere`) at all
    places."""

    old: str
    new: str
    everywhere: bool = False


def replacements_by_file(call: Call) -> Iterator[tuple[str, Replacement | None]]:
    """Yield (path, replacement) for each change that an edit call makes, in order. None as the
    replacement means that any line may have changed."""
    members = json_object(call.arguments)
    if call.page:  # a part of them: what a text of it replaces is not known
        yield from ((path, None) for path in _named_paths(call.arguments, members))
        return
    patch = first_text(members, PATCH_KEYS) if members else call.arguments
    if _PATCH.search(patch):
        yield from _patch_replacements(patch)
        return
    path = path_argument(members)
    pairs = first_list(members, PAIRS)
    for given in [members] if pairs is None else pairs:
        change = _replacement_in(given if isinstance(given, dict) else {})
        if path and (change is None or change.old != change.new):
            yield path, change


def _replacement_in(members: dict[str, Any]) -> Replacement | None:
    """Return the replacement that these arguments describe; None without an old text."""
    old, new = old_and_new_text(members) or ("", "")
    new = new or first_text(members, NEW_KEYS)
    return Replacement(old, new, any(members.get(k) is True for k in EVERYWHERE)) if old else None


def _named_paths(arguments: str, members: dict[str, Any]) -> Iterator[str]:
    """Yield the paths named in the arguments of a call. `members` are the parsed `arguments`."""
    if path := path_argument(members):
        yield path
    for head in _PATCH.finditer(first_text(members, PATCH_KEYS) if members else arguments):
        yield from (name.strip() for name in head.groups() if name)


def _patch_replacements(patch: str) -> Iterator[tuple[str, Replacement | None]]:
    """Yield (path, replacement) for each hunk of a patch; None for a hunk that only adds lines."""
    path, old, new = "", "", ""
    for line in [*patch.split("\n"), "@@"]:
        head = _PATCH.match(line)
        if not head and line[:1] in (" ", "-", "+", "") and not line.startswith("--- "):
            old += f"{line[1:]}\n" if line[:1] in (" ", "-") else ""
            new += f"{line[1:]}\n" if line[:1] in (" ", "+") else ""
            continue
        if path and old != new:
            yield path, Replacement(old, new) if old else None
        old = new = ""
        path = next((name.strip() for name in head.groups() if name), path) if head else path


def adjacent_runs(units: Sequence[EntryUnit]) -> Iterator[list[EntryUnit]]:
    """Yield lists of units (pieces of entries) that follow each other without a gap in a text."""
    run: list[EntryUnit] = []
    for unit in units:
        if run and not (run[-1].key[:2] == unit.key[:2] and run[-1].last + 1 == unit.first):
            yield run
            run = []
        run.append(unit)
    if run:
        yield run
