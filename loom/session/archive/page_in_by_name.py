"""Page in by name: a page, or an entry made again from the journal, whole or in part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from itertools import accumulate

from msgspec.structs import replace

from loom.errors import BadInput
from loom.lazy import lazy_re
from loom.providers.render.neutral import neutral
from loom.providers.render.wording import SINCE, UNDONE_SINCE
from loom.reduce.arguments import parse_json
from loom.reduce.preview import PREVIEW, preview
from loom.session.archive.file_changes import name_stem
from loom.session.archive.full_surfaces import surface_name, surface_text
from loom.session.archive.page_reader import full_text as whole_text
from loom.session.archive.page_reader import stand_in
from loom.session.archive.restore import (
    ReadText,
    entry_id_in_name,
    restore_entry,
    restored_json,
    restored_text,
)
from loom.session.archive.workspace import Workspace
from loom.text import encodable
from loom_paging import Expired, MissingPage, Slice, by_grep, by_lines, by_pointer
from loom_paging.lookup import split_lines, whole_slice
from loom_partitions.message import Text
from loom_partitions.working import Working

WAYS: Mapping[str, Callable[..., Slice]] = {
    "lines": by_lines,
    "grep": by_grep,
    "pointer": by_pointer,
}
AROUND = (80, 40, 20, 10, 5)  # lines behind a hit, and half as many before it
HEADING = 200  # characters of an answer's heading
OMITTED = 120  # characters of the line that says which lines were left out
NUMBER = lazy_re(r"(?:.*/)?[a-z0-9-]+_(\d{1,15})(?:\.[a-z0-9]+)*")
EARLIER = "outputs/earlier_"
ADVICE = (
    "it is of the session this one carries on from, rests in that session's workspace and did not"
    " come along; what that session left is in {page}"
)


def slice_by_name(
    workspace: Workspace, ref: str, working: Working | None = None, /, **ways: str
) -> tuple[Slice, str]:
    """Return (slice, full name): the wanted part of a page, an entry or a surface, and its full
    name.

    `ref` names a page (`outputs/read_0007.json`, `read_0007`), an entry (`step_0012`) or a surface
    of C_working (`working/events.md`). `ways` has at most one of lines, grep and pointer; without
    `ways` the slice is the whole text. Raises MissingPage, CorruptPage, BadInput."""
    text, name = _named_text(workspace, ref, working, ways)
    shown = whole_slice(text)
    for way, value in ways.items():
        shown = WAYS[way](text, value)
    since = workspace.index.file_history.changes_note(name, "", workspace.read)
    return replace(shown, note="; ".join(filter(None, (shown.note, since)))), name


def _named_text(
    workspace: Workspace,
    ref: str,
    working: Working | None,
    ways: Mapping[str, str],
    read: ReadText | None = None,
) -> tuple[str, str]:
    """Return (whole text, full name) of a page, entry or surface. `read(workspace, text)` returns
    what to show of a message or result within an entry; None shows all of it."""
    unknown = [way for way in ways if way not in WAYS]
    odd = [way for way, value in ways.items() if not isinstance(value, str)]
    if odd:
        raise BadInput(f"{odd[0]}={ways[odd[0]]!r}: give a text")
    if unknown:
        near = get_close_matches(unknown[0], WAYS, 1)
        meant = f": did you mean {near[0]}=" if near else ""
        raise BadInput(f"there is no {unknown[0]}={meant}; a part is {', '.join(WAYS)}")
    if len(ways) > 1:
        raise BadInput(f"{', '.join(ways)}: one of {', '.join(WAYS)} at a time")
    surface, entry = surface_name(ref), entry_id_in_name(ref)
    if surface is not None:
        text = surface_text(workspace, surface, working or workspace.window.working)
        return encodable(text), f"working/{surface}.md"
    if entry is None:
        name = resolve_page_name(workspace, ref)
        return workspace.read(name), name
    restored = restore_entry(workspace, entry, read)
    as_asked = restored_json if "pointer" in ways and restored.reply is not None else restored_text
    return as_asked(restored), f"history/{restored.name}.json"


def page_in(
    workspace: Workspace, ref: str, limit: int, working: Working | None = None, /, **ways: str
) -> tuple[str, str]:
    """Return (the text that a model gets for the name `ref`, the full name). The text is a heading
    that gives the line numbers, and the wanted lines, shortened to `limit` characters.

    For grep, each matching line comes with the lines around it. A pattern that matches nothing
    brings the whole text. If the shown file has changed since, a line above the heading tells about
    the change. The mark that begins Loom's own lines is removed from the text."""
    text, name = _named_text(workspace, ref, working, ways, _text_or_stand_in)
    above = changes_line(workspace, name)
    if above:
        text, limit = neutral(text, workspace.window.config.mark), limit - len(above)
    shown = whole_slice(text)
    for way, value in ways.items():
        shown = (
            _grep_slice(text, value, limit - HEADING) if way == "grep" else WAYS[way](text, value)
        )
    where = f"lines {shown.first}–{shown.last} of {shown.total}" if shown.first else ""
    note = f" ({shown.note})" if shown.note else ""
    heading = f"[{name}{' ' + where if where else ''}{note}]"
    room = max(limit - len(heading) - 1, 200)
    in_order = shown.first if not shown.matches else 0
    return f"{above}{heading}\n{_shorten_lines(shown.text, room, name, in_order)}", name


def _text_or_stand_in(workspace: Workspace, text: Text) -> str:
    """Return a text in full, or a line that says that the text's page was let go."""
    try:
        return whole_text(workspace, text)
    except Expired as error:
        return stand_in(text.page, error, workspace.window)


def changes_line(workspace: Workspace, name: str) -> str:
    """Return a line that says whether the entry or page `name` was undone, or its file changed
    since; "" if neither happened."""
    mark = workspace.window.config.mark
    since = workspace.index.file_history.changes_note(name, mark, workspace.read)
    if (entry := entry_id_in_name(name)) is not None and workspace.index.is_undone(entry):
        since = "; ".join(filter(None, (UNDONE_SINCE, since)))
    return SINCE.format(name=name_stem(name), mark=mark, since=since) if since else ""


def _grep_slice(text: str, pattern: str, room: int) -> Slice:
    """Return the lines that match a pattern with as many lines around each as fit in `room`
    characters, or the whole text when nothing matches.

    Consecutive lines form a block under a heading such as `[lines 10–40]`."""
    found = by_grep(text, pattern)
    if not found.matches:
        return replace(whole_slice(text), note=found.note)
    lines = split_lines(text)
    shown = by_grep(text, pattern, 0).text.split("\n")
    hits = [int(hit.partition(":")[0]) for hit in shown if hit != "--"]
    for context in AROUND:
        runs = _line_ranges(hits, context // 2, context, len(lines))
        parts = [f"[lines {a}–{b}]\n{''.join(lines[a - 1 : b])}" for a, b in runs]
        if sum(map(len, parts)) <= room:
            return replace(found, text="\n".join(parts), first=runs[0][0], last=runs[-1][1])
    return found


def _line_ranges(
    hits: Iterable[int], before: int, behind: int, total: int
) -> list[tuple[int, int]]:
    """Return ranges (first line, last line) that cover each hit with `before` lines above and
    `behind` lines below, touching ranges merged. `total` is the number of lines."""
    runs: list[tuple[int, int]] = []
    for hit in hits:
        start, end = max(hit - before, 1), min(hit + behind, total)
        if runs and start <= runs[-1][1] + 1:
            start = runs.pop()[0]
        runs.append((start, end))
    return runs


def _shorten_lines(text: str, limit: int, ref: str, first: int) -> str:
    """Return a text in at most `limit` characters: its first and last lines, and between them a
    line that says which lines page_in `ref` can bring back.

    `first` is the line number of the text's first line, 0 for a text with gaps."""
    lines = split_lines(text)
    room = limit - OMITTED
    if len(text) <= limit or not first or parse_json(text) is not None:
        return preview(text, limit, ref)
    head = _count_fitting(lines, room * PREVIEW[0] // sum(PREVIEW))
    tail = _count_fitting(lines[:head:-1], room - sum(map(len, lines[:head])))
    if not head or not tail:  # of very long lines
        return preview(text, limit, ref)
    rest = f"{first + head}-{first + len(lines) - tail - 1}"
    return "".join(
        (*lines[:head], f"[more: page_in {ref} lines={rest}]\n", *lines[len(lines) - tail :])
    )


def _count_fitting(lines: Iterable[str], room: int) -> int:
    """Return how many lines, counted from the first, fit in `room` characters together."""
    return sum(size <= room for size in accumulate(map(len, lines)))


def resolve_page_name(workspace: Workspace, ref: str) -> str:
    """Return a page's full name: `read_0007` → `outputs/read_0007.json`. Raises MissingPage."""
    try:
        return workspace.pager.resolve(ref).name
    except MissingPage as error:
        match = NUMBER.fullmatch(ref.strip())
        left = [name for name in workspace.pager.table if name.startswith(EARLIER)]
        if match is None or not left:
            raise
        page = max(left, key=_page_number)
        if int(match[1]) >= _page_number(page):
            raise
        raise MissingPage(error.name, error.where, ADVICE.format(page=page)) from None


def _page_number(name: str) -> int:
    """Return the number in a page's name; 0 if the name has no number."""
    match = NUMBER.fullmatch(name)
    return int(match[1]) if match else 0
