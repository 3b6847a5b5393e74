"""`loom pin`, `loom compact` and `loom signal`: ask for something in a session that another process
has open."""

from __future__ import annotations

import os.path
import shlex
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from loom.capabilities.events.inbox import INBOX, put_message
from loom.cli.output import AsJson, clip, line_width, print_result
from loom.compress.worth.entry_units import path_of_call
from loom.context.pins import (
    check_entry_can_be_pinned,
    check_pinned_lines_fit,
    checked_pin_line,
    is_deed_waiting,
    leave_asked_deed,
)
from loom.errors import LoomError
from loom.home import home
from loom.mcp.served_sessions import JOURNAL, session_list
from loom.mcp.served_sessions import choose_session as session_of
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.session.archive.full_surfaces import pinned_lines
from loom.session.archive.half_purged import no_workspace_message
from loom.session.archive.restore import entry_id_in_name
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

    The pin takes effect at the session's next turn, in the process that has the session open: an
    agent, `loom serve`, a hook. A pin that the session as it stands does not allow is refused here.

    Args:
        folder: The workspace; or a session of `loom serve` or `loom hook` by its name in the state
            folder.
        what: An entry (step_0007); the path of a file, for the newest entry that shows it; or a
            line. One word is the name of an entry or a file.
        unpin: Remove the pin.
        line: Keep the words themselves, also where they name an entry or a file.
    """
    place = session_folder(folder)
    workspace = Workspace.at_path(place, write=False)
    try:
        asked = (_target_to_unpin if unpin else _target_to_pin)(workspace, place, what, line=line)
    finally:
        workspace.close()
    leave_asked_deed(place, "unpin" if unpin else "pin", asked)
    said = asked if entry_id_in_name(asked) is not None else f"the line “{one_line(asked, SHOWN)}”"
    return _print_pending(
        place, f"{said} is {'let go of' if unpin else 'pinned'}", json, what=asked
    )


def _target_to_pin(workspace: Workspace, place: Path, what: str, *, line: bool) -> str:
    """Return the name of the entry that `what` means, or `what` itself if it is a line to pin.
    Raises the errors of `ctx.pin`, and LoomError for a single word that names nothing in the
    window."""
    window, lies = workspace.window, shlex.quote(str(place))
    name = ("" if line else _newest_entry_showing(window, what)) or what
    entry = None if line else entry_id_in_name(name)
    again = (  # how what left the window is kept, in commands
        f"`loom cat {lies} {name}` shows it; keep what matters of it by"
        f" `loom pin {lies} --line 'the words'`, or have the agent read it again and pin that step"
    )
    if entry is not None:
        check_entry_can_be_pinned(window, entry, name, again)
        return name_of(next(one for one in window.history.stream.entries if one.id == entry))
    kept = checked_pin_line(Redactor()(what), again)
    if not line and (len(what.split()) == 1 or os.path.exists(what)):  # noqa: PTH110  raises nothing
        raise LoomError(
            f"no entry in the window is or shows {what!r:.80}: bring it back first (page_in, or"
            " have it read again), or give --line to keep these words themselves"
        )
    count = counter_for(window.config.model, window.config.encoding)
    check_pinned_lines_fit(window, [*pinned_lines(workspace, window), kept], count)
    return what


def _target_to_unpin(workspace: Workspace, place: Path, what: str, *, line: bool) -> str:
    """Return the name of the entry that `what` means, or `what` itself if it is a line to unpin.
    Raises LoomError for a target that is not pinned, unless waiting requests may pin the target."""
    window, waiting = workspace.window, is_deed_waiting(place)  # it may be asked to be pinned
    pinned = {id for id, until in window.history.pins if until == FOREVER}
    entry = None if line else entry_id_in_name(what)
    found = "" if line or entry is not None else _newest_entry_showing(window, what, pinned)
    if not (line or entry is not None or found) and waiting:
        found = _newest_entry_showing(window, what)
    clean = Redactor()(what)
    lines = pinned_lines(workspace, window)
    if not (entry in pinned or found or one_line(clean, len(clean)) in lines or waiting):
        raise LoomError(f"{what!r:.80} is not pinned; `loom context` shows what the window holds")
    return found or what


def _newest_entry_showing(window: Window, path: str, among: Collection[int] | None = None) -> str:
    """Return the name of the newest entry, among the ids in `among` (None: all), with a tool call
    on the file `path`. Return "" if there is none."""
    for entry in window.history.stream.entries_back:
        if isinstance(entry, Step) and (among is None or entry.id in among):
            for named in map(path_of_call, entry.calls):
                if named and (named == path or named.endswith(f"/{path.removeprefix('./')}")):
                    return name_of(entry)
    return ""


def compact(folder: Path, /, *, json: AsJson = False) -> int:
    """Have a session begin a fresh window at its next request; what leaves the window rests on
    pages.

    Args:
        folder: The workspace; or a session of `loom serve` or `loom hook` by its name in the state
            folder.
    """
    place = session_folder(folder)
    if place.parent == home() / "hook":
        raise LoomError(
            f"{place.name} is a session of `loom hook`, which manages no window: give /compact in"
            " Claude Code; the hook then tells the model what is held"
        )
    Workspace.at_path(place, write=False).close()  # nothing waits for a turn that cannot come
    leave_asked_deed(place, "compact")
    return _print_pending(place, "a fresh window is begun", json)


def session_folder(folder: Path) -> Path:
    """Return the folder of a workspace, given by its path or by the name of a session in Loom's
    state folder. Raises LoomError if `folder` is neither."""
    if (folder / JOURNAL).is_dir():
        return folder
    try:
        return session_of(home(), str(folder)).folder
    except LoomError as error:
        names = ", ".join(one.name for one in session_list(home())[:NAMED])
        lie = f"the last used there are {names}" if names else "none is there yet"
        raise LoomError(
            f"{str(folder)!r:.80} is no workspace, and no session in {home()} has that name: {lie}"
        ) from error


def _print_pending(place: Path, text: str, json: bool, **more: str) -> int:
    """Print `text`, which says what the session in `place` will do next. Return the exit code."""
    said = clip(f"{text} at the next turn of {place}", line_width())
    return print_result({"folder": str(place), **more}, [said], json=json)


Urgency = Literal["low", "normal", "high", "critical"]


def signal(
    folder: Path, text: str, /, *, urgency: Urgency = "normal", id: str = "", json: AsJson = False
) -> int:
    """Put a message in the inbox of a workspace; the heartbeat of its agent passes the message on.

    Args:
        folder: The workspace; it may be open in another process.
        text: What happened; a text of more than 200 characters rests whole on a page.
        urgency: low and normal wait in the queue, high requests attention, critical interrupts.
        id: The name of the event; a message whose id was told before is not told again."""
    if not (folder / "journal").is_dir():
        raise FileNotFoundError(no_workspace_message(folder))
    Workspace.at_path(folder, write=False).close()  # an inbox nobody can read is told
    put_id = put_message(folder, text, urgency, id)
    said = clip(f"{put_id} ({urgency}) waits in {folder / INBOX}", line_width())
    found = {"id": put_id, "urgency": urgency, "inbox": str(folder / INBOX)}
    return print_result(found, [said], json=json)
