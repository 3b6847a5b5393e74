"""Count the lines an edit added and removed, from its arguments alone.

Edits come as a pair of strings, as a list of such pairs, as inserted text, or as a patch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from loom.lazy import lazy_re
from loom.reduce.arguments import list_at, pick, swap_in
from loom.reduce.rule import ToolResult

PATCH_KEYS = ("patch", "diff", "input", "patch_text", "patchText")

COMPARED = 40_000  # pairs of lines that are compared; of more, all between head and tail counts
_MARKED = lazy_re(r"^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b/)?)(.{1,400})$", re.M)
_PATCH = lazy_re(r"^(?:\*\*\* Begin Patch|@@|--- |diff --git )", re.M)


def delta_of(given: ToolResult) -> tuple[int, int]:
    """Lines added and lines removed by an edit; (0, 0) when its arguments do not tell."""
    patch = _patch(given)
    if patch:
        return _patch_delta(patch)
    added = removed = 0
    for old, new in pairs_of(given.arguments):
        more, less = _pair_delta(old, new)
        added, removed = added + more, removed + less
    return added, removed


def patched_paths(given: ToolResult) -> list[str]:
    """The paths a patch touches, in order, without repeats; empty when there is no patch."""
    return list(dict.fromkeys(path.strip() for path in _MARKED.findall(_patch(given))))


def _patch(given: ToolResult) -> str:
    """The text of the patch a call carries, or "". Some tools take it bare, outside JSON."""
    text = pick(given.arguments, PATCH_KEYS) if given.arguments else given.raw
    return text if isinstance(text, str) and _PATCH.search(text) else ""


def pairs_of(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The (old, new) strings of an edit, one pair for each replacement."""
    for source in (arguments, *(list_at(arguments, ("edits", "changes", "replacements")) or ())):
        if isinstance(source, dict) and (pair := swap_in(source)) is not None:
            yield pair


def _pair_delta(old: str, new: str) -> tuple[int, int]:
    """Lines `new` adds and `old` loses."""
    before, after = old.splitlines(), new.splitlines()
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    gone, come = before[head : len(before) - tail], after[head : len(after) - tail]
    same = 0
    if len(gone) * len(come) <= COMPARED:
        # In one order, so that an edit and its undoing are told as large as each other.
        one, two = sorted((gone, come))
        matcher = SequenceMatcher(None, one, two, autojunk=False)
        same = sum(block.size for block in matcher.get_matching_blocks())
    return len(come) - same, len(gone) - same


def _patch_delta(patch: str) -> tuple[int, int]:
    """Lines a patch adds and removes; its file headers do not count."""
    added = removed = 0
    for line in patch.split("\n"):
        if line.startswith("+") and not line.startswith("+++ "):
            added += 1
        elif line.startswith("-") and not line.startswith("--- "):
            removed += 1
    return added, removed
