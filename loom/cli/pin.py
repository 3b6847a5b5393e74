"""`loom pin`, `loom compact`: what a host does by `ctx.pin` and `ctx.renew`, asked from beside."""

from __future__ import annotations

from pathlib import Path

from loom.cli.exits import FINE
from loom.cli.show import AsJson, clip, emit, fitting, line
from loom.compress.worth.units import path_of
from loom.context.asked import ask
from loom.engine.archive.restore import UnknownEntry, entry_of
from loom.engine.archive.workspace import Workspace
from loom.home import home
from loom.mcp.sessions import JOURNAL
from loom.mcp.sessions import session as session_of
from loom.text import one_line
from loom_partitions.message import Step, name_of
from loom_partitions.window import Window

SHOWN = 60  # characters of a line


def pin(folder: Path, what: str, /, *, unpin: bool = False, json: AsJson = False) -> int:
    """Keep an entry, a file's text or a line in the window of a session, whatever leaves.

    It is done at the session's next turn, by whoever has it open: an agent, `loom serve`, a hook.

    Parameters
    ----------
    folder
        The workspace; or a session of `loom serve` or `loom hook` by its name in the state folder.
    what
        An entry (step_0007); the path of a file, for the newest entry that shows it; or a line.
    unpin
        Let go of it.
    """
    place = workspace_of(folder)
    window = _window(place)
    entry = entry_of(what)
    if entry is None:
        found = _showing(window, what)
    else:
        standing = {one.id: name_of(one) for one in window.history.stream.entries}
        if entry not in standing and not unpin:
            raise UnknownEntry(what, window.history.next_id - 1, "it stands in the window no more")
        found = standing.get(entry, what)
    asked = found or what
    ask(place, "unpin" if unpin else "pin", asked)
    said = found if found else f"the line “{one_line(asked, SHOWN)}”"
    return _told(place, f"{said} is {'let go of' if unpin else 'pinned'}", json, what=asked)


def compact(folder: Path, /, *, json: AsJson = False) -> int:
    """Have a session begin a fresh window at its next request; what leaves rests on pages.

    Parameters
    ----------
    folder
        The workspace; or a session of `loom serve` or `loom hook` by its name in the state folder.
    """
    place = workspace_of(folder)
    ask(place, "compact")
    return _told(place, "a fresh window is begun", json)


def workspace_of(folder: Path) -> Path:
    """A workspace by its folder, or by the name of its session in the state folder. Raises
    LoomError where there is neither."""
    return folder if (folder / JOURNAL).is_dir() else session_of(home(), str(folder)).folder


def _told(place: Path, text: str, json: bool, **more: str) -> int:
    if json:
        emit({"folder": str(place), **more})
    else:
        line(clip(f"{text} at the next turn of {place}", fitting()))
    return FINE


def _window(place: Path) -> Window:
    workspace = Workspace.at_path(place, write=False)
    try:
        return workspace.window
    finally:
        workspace.close()


def _showing(window: Window, path: str) -> str:
    """The newest entry whose call names a file; "" for none."""
    for entry in window.history.stream.entries_back:
        if isinstance(entry, Step):
            for call in entry.calls:
                named = path_of(call)
                if named and (named == path or named.endswith(f"/{path.removeprefix('./')}")):
                    return name_of(entry)
    return ""
