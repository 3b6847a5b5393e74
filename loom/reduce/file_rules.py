"""Rules for results of file tools: read, write, edit, list, search."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from loom.lazy import lazy_re
from loom.reduce.arguments import (
    ARGUMENTS,
    Scalar,
    first_list,
    first_present,
    first_text,
    integer_or_none,
    old_and_new_text,
    path_argument,
    short_path,
    small_path_argument,
    small_scalar,
)
from loom.reduce.hits import count_entries, count_matches
from loom.reduce.lines import human_size, plural
from loom.reduce.rule import Observation, ToolResult
from loom.text import one_line, utf8_size

ITEMS = 10  # entries of a listing that stay without a page
QUERY = 80  # characters of a pattern shown

RANGE_KEYS = (
    "offset", "limit", "view_range", "start_line", "end_line", "line_start", "line_end",
    "start", "end", "range", "lines", "line", "pages",
)  # fmt: skip
CONTENT_KEYS = ("content", "contents", "file_text", "text", "body", "data", "code", "new_source")
PATTERN_KEYS = ("pattern", "query", "regex", "glob", "search", "q", "glob_pattern", "name", "text")

TYPES: dict[str, str] = {
    "json": "JSON", "jsonl": "JSON lines", "py": "Python", "js": "JavaScript", "ts": "TypeScript",
    "tsx": "TypeScript", "jsx": "JavaScript", "go": "Go", "rs": "Rust", "java": "Java", "c": "C",
    "h": "C", "cpp": "C++", "rb": "Ruby", "sh": "shell", "md": "Markdown", "html": "HTML",
    "css": "CSS", "xml": "XML", "yaml": "YAML", "yml": "YAML", "toml": "TOML", "csv": "CSV",
    "sql": "SQL", "ipynb": "notebook", "png": "image", "jpg": "image", "pdf": "PDF",
}  # fmt: skip

# `     1→line` and `     1<tab>line`: line numbers a tool put before the file's own bytes.
_NUMBERED = lazy_re(r"\s{0,20}\d{1,9}[→\t]")
_NUMBER = lazy_re(r"^ {0,20}\d{1,9}[→\t]", re.MULTILINE)
_RANGE = lazy_re(r"\d{1,9}-\d{1,9}")
_WROTE = lazy_re(r"(\d{1,12}) (?:bytes|characters)")


def read_rule(given: ToolResult) -> Observation:
    """Return the observation (one-line summary) of a file read: path, size, type, content hash, and
    the lines of a partial read."""
    path = path_argument(given.arguments)
    content = _file_text(given)
    size = utf8_size(content)
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    asked = [key for key in RANGE_KEYS if key in given.arguments][: ARGUMENTS - 1]
    ranges = {key: _range_scalar(given.arguments[key]) for key in asked}
    subject = f"Read {short_path(path)}{_asked_lines_text(given.arguments)}"
    return Observation(
        subject=subject,
        text=f"{subject} ({size} bytes, {_file_type(path, given, content)}, sha {digest})",
        args=small_path_argument(path) | ranges,
        fields={"path": path or "?", "size": human_size(size)},
    )


def write_rule(given: ToolResult) -> Observation:
    """Return the observation (one-line summary) of a file write: path and number of bytes. The
    content is never included."""
    path = path_argument(given.arguments)
    subject = f"Wrote {short_path(path)}"
    content = first_present(given.arguments, CONTENT_KEYS)
    size = utf8_size(content) if isinstance(content, str) else _reported_bytes(given)
    return Observation(
        subject=subject,
        text=subject if size is None else f"{subject} ({size} bytes)",
        args=small_path_argument(path),
        fields={"path": path or "?"},
    )


def edit_rule(given: ToolResult) -> Observation:
    """Return the observation (one-line summary) of an edit: path, and how many lines were added and
    removed."""
    paths = patched_paths(given)
    path = path_argument(given.arguments) or (paths[0] if paths else "")
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    added, removed = line_delta(given)
    subject = f"Edited {short_path(path)}{more}"
    return Observation(
        subject=subject,
        text=f"{subject} (+{added} −{removed} lines)" if added or removed else subject,
        args=small_path_argument(path),
        fields={"path": (path or "?") + more},
    )


def listing_rule(given: ToolResult) -> Observation:
    """Return the observation (one-line summary) of a directory listing: path, and how many files
    and directories."""
    path = path_argument(given.arguments) or "."
    files, dirs = count_entries(given)
    count = files + dirs
    subject = f"Listed {short_path(path)}"
    held = f"{plural(files, 'file')}, {plural(dirs, 'dir')}"
    return Observation(
        subject=subject,
        text=f"{subject}: {plural(count, 'item')} ({held})",
        args=small_path_argument(path),
        fields={"path": path, "count": str(count)},
        page=count > ITEMS,
    )


def search_rule(given: ToolResult) -> Observation:
    """Return the observation (one-line summary) of a search: pattern, path, and how many matches
    and files."""
    pattern = first_text(given.arguments, PATTERN_KEYS)
    path = path_argument(given.arguments)
    found, files = count_matches(given)
    subject = f"Searched '{one_line(pattern, QUERY)}'" + (f" in {short_path(path)}" if path else "")
    where = f" in {plural(files, 'file')}" if files else ""
    count = f"{found} match" if found == 1 else f"{found} matches"
    return Observation(
        subject=subject,
        text=f"{subject}: {count}{where}",
        args={"pattern": pattern} | small_path_argument(path),
        fields={"query": pattern, "count": str(found)},
    )


def _file_text(given: ToolResult) -> str:
    """Return the file's text from the result of a read, without a JSON object around it and line
    numbers."""
    members = given.members
    inner = members.get("file")
    source = inner if isinstance(inner, dict) else members
    content = first_present(source, ("content", "contents", "text", "data"))
    # A file that is itself a JSON object may have such a member too; wrappers are small.
    if isinstance(content, str) and len(source) <= 6:
        return content
    return without_line_numbers(given.text)


def without_line_numbers(text: str) -> str:
    """Return a file's text without the line numbers that a tool wrote before its lines."""
    return _NUMBER.sub("", text) if _NUMBERED.match(text) else text


def _file_type(path: str, given: ToolResult, content: str) -> str:
    """Return a file's type: "Python", "JSON", "binary", "text"."""
    known = TYPES.get(path[-12:].rpartition(".")[2].lower()) if "." in path else None
    if known:
        return known
    if "\0" in content[:8192]:
        return "binary"
    return "JSON" if given.payload is not None and content is given.text else "text"


def _range_scalar(value: Any) -> Scalar:
    """Return the value of a line range argument made small: [10, 59] → "10-59"."""
    if isinstance(value, list) and len(value) == 2:
        return f"{small_scalar(value[0])}-{small_scalar(value[1])}"
    return small_scalar(value)


def _asked_lines_text(arguments: dict[str, Any]) -> str:
    """Return the lines that a read asked for: " lines 10-59", " from line 10"; "" for all."""
    span = arguments.get("view_range")
    if isinstance(span, list) and len(span) == 2:
        return " " + one_line(f"lines {_range_scalar(span)}", 40)
    start = integer_or_none(first_present(arguments, ("offset", "start_line", "line_start")))
    last = integer_or_none(first_present(arguments, ("end_line", "line_end")))
    limit = integer_or_none(arguments.get("limit"))
    if start is None:
        return f" lines 1-{limit}" if limit is not None else ""
    if limit is not None and last is None:
        last = start + limit - 1
    return f" from line {start}" if last is None else f" lines {start}-{last}"


def partial_read_range(kept: Mapping[str, Any]) -> str:
    """Return the line range of a partial read: "10-59", or "10-" without an end; "" for a whole
    file. `kept` are the read's reduced arguments."""
    span = kept.get("view_range")
    if isinstance(span, str):
        return span if _RANGE.fullmatch(span) else ""
    said = _asked_lines_text(dict(kept))
    start = said.removeprefix(" from line ")
    return said.removeprefix(" lines ") if start == said else f"{start}-"


def _reported_bytes(given: ToolResult) -> int | None:
    """Return how many bytes a write's result says were written; None if unknown."""
    number = integer_or_none(
        first_present(given.members, ("bytes_written", "bytes", "size", "written"))
    )
    if number is not None:
        return number
    said = _WROTE.search(given.text[:2000])
    return int(said[1]) if said else None


PATCH_KEYS = ("patch", "diff", "input", "patch_text", "patchText")

COMPARED = 40_000  # pairs of lines that are compared; of more, all between head and tail counts
_MARKED = lazy_re(r"^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b/)?)(.{1,400})$", re.M)
_PATCH = lazy_re(r"^(?:\*\*\* Begin Patch|@@|--- |diff --git )", re.M)


def line_delta(given: ToolResult) -> tuple[int, int]:
    """Return (lines added, lines removed) by an edit; (0, 0) if unknown."""
    patch = _patch_text(given)
    if patch:
        return _patch_delta(patch)
    added = removed = 0
    for old, new in replacement_pairs(given.arguments):
        more, less = _pair_delta(old, new)
        added, removed = added + more, removed + less
    return added, removed


def patched_paths(given: ToolResult) -> list[str]:
    """Return the paths of the files that a patch changes, in order; [] for no patch."""
    return list(dict.fromkeys(path.strip() for path in _MARKED.findall(_patch_text(given))))


def _patch_text(given: ToolResult) -> str:
    """Return the patch in the arguments of a call; "" if there is none."""
    text = first_present(given.arguments, PATCH_KEYS) if given.arguments else given.raw
    return text if isinstance(text, str) and _PATCH.search(text) else ""


def replacement_pairs(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (old text, new text) for each replacement in the arguments of an edit."""
    for source in (arguments, *(first_list(arguments, ("edits", "changes", "replacements")) or ())):
        if isinstance(source, dict) and (pair := old_and_new_text(source)) is not None:
            yield pair


def _pair_delta(old: str, new: str) -> tuple[int, int]:
    """Return (lines added, lines removed) when `old` is replaced by `new`."""
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
    """Return (lines added, lines removed) by a patch."""
    lines = patch.split("\n")
    added = sum(one[:1] == "+" and not one.startswith("+++ ") for one in lines)
    return added, sum(one[:1] == "-" and not one.startswith("--- ") for one in lines)
