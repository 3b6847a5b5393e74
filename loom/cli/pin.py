"""`loom pin`, `compact` and `signal`: what a host does by its context, asked from beside."""

from __future__ import annotations

import os.path
import shlex
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from loom.capabilities.events.inbox import INBOX, put
from loom.cli.exits import FINE
from loom.cli.show import AsJson, clip, emit, fitting
from loom.cli.show import line as say
from loom.compress.worth.units import path_of
from loom.context.pins import ask, check_entry, check_lines, checked_line, waits
from loom.errors import LoomError
from loom.home import home
from loom.mcp.sessions import JOURNAL, sessions
from loom.mcp.sessions import session as session_of
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.session.archive.half_purged import no_workspace
from loom.session.archive.restore import entry_of
from loom.session.archive.surfaces import pinned_lines
from loom.session.archive.workspace import Workspace
from loom.text import one_line
from loom_partitions.history import FOREVER
from loom_partitions.message import Step, name_of
from loom_partitions.window import Window

SHOWN = 60  # characters of a line
NAMED = 3  # sessions that are named where none has the name that was given


def pin(
    folder: Path,
    what: str,
    /,
    *,
    unpin: bool = False,
    line: bool = False,
    json: AsJson = False,
) -> int:
    """Keep an entry, a file's text or a line in the window of a session, whatever leaves.

    It is done at the session's next turn, by whoever has it open: an agent, `loom serve`, a hook.
    What could not be done as the session stands is refused here.

    Parameters
    ----------
    folder
        The workspace; or a session of `loom serve` or `loom hook` by its name in the state folder.
    what
        An entry (step_0007); the path of a file, for the newest entry that shows it; or a line. One
        word is the name of an entry or a file.
    unpin
        Let go of it.
    line
        Keep the words themselves, whatever they name.
    """
    place = workspace_of(folder)
    workspace = Workspace.at_path(place, write=False)
    try:
        asked = (_pinned if unpin else _pinnable)(workspace, place, what, line=line)
    finally:
        workspace.close()
    ask(place, "unpin" if unpin else "pin", asked)
    said = asked if entry_of(asked) is not None else f"the line “{one_line(asked, SHOWN)}”"
    return _told(place, f"{said} is {'let go of' if unpin else 'pinned'}", json, what=asked)


def _pinnable(workspace: Workspace, place: Path, what: str, *, line: bool) -> str:
    """The entry or the line to pin. Raises what `ctx.pin` would, and LoomError for a word that
    names nothing in the window."""
    window = workspace.window
    found = "" if line else _showing(window, what)
    entry = None if line else entry_of(found or what)
    if entry is not None:
        check_entry(window, entry, found or what, _again(place, found or what))
        return name_of(next(one for one in window.history.stream.entries if one.id == entry))
    kept = checked_line(Redactor()(what), _again(place, what))
    if not line and (len(what.split()) == 1 or os.path.exists(what)):  # noqa: PTH110  raises nothing
        raise LoomError(
            f"no entry in the window is or shows {what!r:.80}: bring it back first (page_in, or"
            " have it read again), or give --line to keep these words themselves"
        )
    count = counter_for(window.config.model, window.config.encoding)
    check_lines(window, [*pinned_lines(workspace, window), kept], count)
    return what


def _again(place: Path, name: str) -> str:
    """How what left the window is kept, in commands."""
    lies = shlex.quote(str(place))
    return (
        f"`loom cat {lies} {name}` shows it; keep what matters of it by"
        f" `loom pin {lies} --line 'the words'`, or have the agent read it again and pin that step"
    )


def _pinned(workspace: Workspace, place: Path, what: str, *, line: bool) -> str:
    """The entry or the line to let go of. Raises LoomError for what is not pinned, nor asked to
    be."""
    window = workspace.window
    pinned = {id for id, until in window.history.pins if until == FOREVER}
    entry = None if line else entry_of(what)
    waiting = waits(place)  # it may be asked to be pinned
    found = ""
    if not line and entry is None:
        found = _showing(window, what, pinned) or (_showing(window, what) if waiting else "")
    clean = Redactor()(what)
    lines = pinned_lines(workspace, window)
    held = entry in pinned or found or one_line(clean, len(clean)) in lines
    if not held and not waiting:
        raise LoomError(f"{what!r:.80} is not pinned; `loom context` shows what the window holds")
    return found or what


def compact(folder: Path, /, *, json: AsJson = False) -> int:
    """Have a session begin a fresh window at its next request; what leaves rests on pages.

    Parameters
    ----------
    folder
        The workspace; or a session of `loom serve` or `loom hook` by its name in the state folder.
    """
    place = workspace_of(folder)
    if place.parent == home() / "hook":
        raise LoomError(
            f"{place.name} is a session of `loom hook`, which manages no window: give /compact in"
            " Claude Code; the hook then tells the model what is held"
        )
    _check_journal(place)
    ask(place, "compact")
    return _told(place, "a fresh window is begun", json)


def workspace_of(folder: Path) -> Path:
    """A workspace by its folder, or by the name of its session in the state folder. Raises
    LoomError where there is neither."""
    if (folder / JOURNAL).is_dir():
        return folder
    try:
        return session_of(home(), str(folder)).folder
    except LoomError as error:
        names = ", ".join(one.name for one in sessions(home())[:NAMED])
        lie = f"the last used there are {names}" if names else "none is there yet"
        raise LoomError(
            f"{str(folder)!r:.80} is no workspace, and no session in {home()} has that name: {lie}"
        ) from error


def _check_journal(place: Path) -> None:
    """Raise what opening a workspace would: nothing waits for a turn that cannot come."""
    Workspace.at_path(place, write=False).close()


def _told(place: Path, text: str, json: bool, **more: str) -> int:
    if json:
        emit({"folder": str(place), **more})
    else:
        say(clip(f"{text} at the next turn of {place}", fitting()))
    return FINE


def _showing(window: Window, path: str, among: Collection[int] | None = None) -> str:
    """The newest entry whose call names a file, of those `among`; "" for none."""
    for entry in window.history.stream.entries_back:
        if isinstance(entry, Step) and (among is None or entry.id in among):
            for call in entry.calls:
                named = path_of(call)
                if named and (named == path or named.endswith(f"/{path.removeprefix('./')}")):
                    return name_of(entry)
    return ""


Urgency = Literal["low", "normal", "high", "critical"]


def signal(
    folder: Path, text: str, /, *, urgency: Urgency = "normal", id: str = "", json: AsJson = False
) -> int:
    """Put a message in the inbox of a workspace; its agent's heartbeat tells it.

    Parameters
    ----------
    folder
        The workspace; it may be open in another process.
    text
        What happened; of more than 200 characters the whole rests on a page.
    urgency
        low and normal wait in the queue, high requests attention, critical interrupts.
    id
        What the event is called; a message of an id that was told already is not told again.
    """
    if not (folder / "journal").is_dir():
        raise FileNotFoundError(no_workspace(folder))
    _check_journal(folder)
    put_id = put(folder, text, urgency, id)
    if json:
        emit({"id": put_id, "urgency": urgency, "inbox": str(folder / INBOX)})
    else:
        say(clip(f"{put_id} ({urgency}) waits in {folder / INBOX}", fitting()))
    return FINE
