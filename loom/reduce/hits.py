"""Count what a listing or a search brought: entries, matches, files.

Tools answer with JSON of several shapes, with `ls` or tree output, with `path:line:text`, or with
bare paths. Every text is passed over once, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from loom.lazy import lazy_re
from loom.reduce.arguments import (
    PATH_KEYS,
    first_list,
    first_present,
    first_text,
    integer_or_none,
    path_argument,
)
from loom.reduce.rule import ToolResult

ENTRY_KEYS = ("entries", "items", "files", "children", "results", "contents", "list")
DIR_KEYS = ("dirs", "directories", "folders")
MATCH_KEYS = ("matches", "results", "hits", "files", "filenames", "paths", "items")
COUNT_KEYS = ("match_count", "total_matches", "num_matches", "numMatches", "total", "count")

# ls -l: the type letter, nine permission letters, perhaps an attribute mark.
_LONG = lazy_re(r"([-dlbcps])[rwxsStT-]{9}[@+.]?\s")
_TREE = lazy_re(r"^[\s│|├└─`]*(?:[-*+] |── )?")
_CHROME = lazy_re(
    r"total \d+$|found \d+ |\d+ director(?:y|ies)\b|\[showing |note:|--$|\(results are truncated",
    re.IGNORECASE,
)
_NOTHING = lazy_re(
    r"\s*\(?(?:no (?:files|matches|results|entries|items|output)\b|empty\b|nothing found)",
    re.IGNORECASE,
)
_LOCATED = lazy_re(r"((?:[A-Za-z]:)?[^:\n]{1,300}):(\d{1,9})(?::|$)")
_CONTEXT = lazy_re(r"(?:\S{1,300}-)?\d{1,9}-")
_BARE = lazy_re(r"(\d{1,9}):")
_NAMED = lazy_re(r"([^:\s]{1,200}[./][^:\s]{1,100}):")
_PATH = lazy_re(r"([^\s:]{1,400})$")


def count_entries(given: ToolResult) -> tuple[int, int]:
    """Return (number of files, number of directories) in a directory listing."""
    if given.payload is None:
        return _count_listed(given.text)
    items = _result_items(given, ENTRY_KEYS)
    apart = first_list(given.members, DIR_KEYS) or []
    dirs = sum(_is_dir(item) for item in items)
    return len(items) - dirs, dirs + len(apart)


def count_matches(given: ToolResult) -> tuple[int, int]:
    """Return (number of matches, number of files with matches) of a search, 0 files if unknown."""
    if given.payload is None:
        return _count_matched(given.text, bool(path_argument(given.arguments)))
    items = _result_items(given, MATCH_KEYS)
    count = integer_or_none(first_present(given.members, COUNT_KEYS))
    files = {path for path in map(_path_of_item, items) if path}
    return (len(items) if count is None else count), len(files)


def _result_items(given: ToolResult, keys: Iterable[str]) -> list[Any]:
    """Return the list of results in a JSON payload: the payload itself or its list under one of
    `keys`; [] for none."""
    held = given.payload if isinstance(given.payload, list) else first_list(given.members, keys)
    return held or []


def _content_lines(text: str) -> Iterable[str]:
    """Yield the lines with entries or matches, without sentences such as "Found 3 files"."""
    if _NOTHING.match(text):
        return
    for line in text.split("\n"):
        if line.strip() and not _CHROME.match(line.strip()):
            yield line.rstrip()


def _count_listed(text: str) -> tuple[int, int]:
    """Return (number of files, number of directories) in the output of `ls` or a list of paths."""
    files = dirs = 0
    for line in _content_lines(text):
        long = _LONG.match(line)
        name = line if long else _TREE.sub("", line, count=1)
        if not name or name.endswith((" .", " ..")) or name in (".", ".."):
            continue
        if (long and long[1] == "d") or name.endswith(("/", "\\")):
            dirs += 1
        else:
            files += 1
    return files, dirs


def _count_matched(text: str, one_file: bool) -> tuple[int, int]:
    """Return (number of matches, number of files) in grep-like output. With `one_file` True, lines
    without a path count as one file."""
    count = 0
    files: set[str] = set()
    for line in _content_lines(text):
        located = _LOCATED.match(line)
        if not located and _CONTEXT.match(line):
            continue
        count += 1
        found = located or _NAMED.match(line) or _PATH.match(line.strip())
        if found and not _BARE.match(line):
            files.add(found[1])
    return count, len(files) or int(one_file and count > 0)


def _is_dir(item: Any) -> bool:
    """Return True if an item of a listing is a directory."""
    if isinstance(item, dict):
        kind = first_present(item, ("type", "kind"))
        flag = first_present(item, ("is_dir", "isDirectory", "is_directory", "directory"))
        name = first_present(item, ("name", "path"))
        return kind in ("dir", "directory", "folder", "tree") or flag is True or _is_dir(name)
    return isinstance(item, str) and item.endswith(("/", "\\"))


def _path_of_item(item: Any) -> str:
    """Return the path in an item of a search result; "" if there is none."""
    if isinstance(item, dict):
        return first_text(item, PATH_KEYS)
    if not isinstance(item, str):
        return ""
    located = _LOCATED.match(item)
    return located[1] if located else item[:400]
