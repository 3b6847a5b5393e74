"""Page in by name: a page, or an entry brought back from the journal, whole or in part."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loom.engine.archive.restore import as_json, as_text, entry_of, restore
from loom.engine.archive.surfaces import surface_of, surface_text
from loom.engine.archive.workspace import Workspace
from loom.reduce import preview
from loom.text import printable
from loom_paging import BadLookup, Slice, by_grep, by_lines, by_pointer
from loom_paging.lookup import whole
from loom_partitions.working import Working

WAYS: Mapping[str, Callable[..., Slice]] = {
    "lines": by_lines,
    "grep": by_grep,
    "pointer": by_pointer,
}


def fault(
    workspace: Workspace, ref: str, working: Working | None = None, /, **ways: str
) -> tuple[Slice, str]:
    """The slice asked for, and the name of what it came from.

    `ref` names a page (`outputs/read_0007.json`, `read_0007`), an entry (`step_0012`) or a surface
    of C_working (`working/events.md`); `ways` is at most one of lines, grep and pointer. An entry
    comes as text to be read, and as JSON to a pointer.

    Raises MissingPage, CorruptPage, BadLookup, UnknownEntry.
    """
    unknown = [way for way in ways if way not in WAYS]
    odd = [way for way, value in ways.items() if not isinstance(value, str)]
    if odd:
        raise BadLookup(f"{odd[0]}={ways[odd[0]]!r}: give a text")
    if unknown or len(ways) > 1:
        raise BadLookup(f"{', '.join(unknown or ways)}: one of {', '.join(WAYS)} at a time")
    surface, entry = surface_of(ref), entry_of(ref)
    if surface is not None:
        name, text = (
            f"working/{surface}.md",
            printable(surface_text(workspace, surface, working or workspace.window.working)),
        )
    elif entry is None:
        name = workspace.pager.resolve(ref).name
        text = workspace.read(name)
    else:
        restored = restore(workspace, entry)
        name = f"history/{restored.name}.json"
        as_asked = as_json if "pointer" in ways and restored.reply is not None else as_text
        text = as_asked(restored)
    shown = whole(text)
    for way, value in ways.items():
        shown = WAYS[way](text, value)
    return shown, name


def page_in(
    workspace: Workspace, ref: str, limit: int, working: Working | None = None, /, **ways: str
) -> tuple[str, str]:
    """The text a model gets: a heading that says which lines, and at most `limit` characters."""
    shown, name = fault(workspace, ref, working, **ways)
    where = f"lines {shown.first}–{shown.last} of {shown.total}" if shown.first else ""
    note = f" ({shown.note})" if shown.note else ""
    heading = f"[{name}{' ' + where if where else ''}{note}]"
    body = preview(shown.text, max(limit - len(heading) - 1, 200), name)
    return f"{heading}\n{body}", name
