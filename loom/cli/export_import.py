"""`loom export` and `loom import`: write a workspace to a file, or make one from a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from msgspec import json as jsons
from msgspec import to_builtins

from loom.cli.address_mirrors import unreadable_names
from loom.cli.agents import open_workspace
from loom.cli.output import AsJson, Folder, bytes_text, complain, print_result
from loom.cli.sent_requests import Shape
from loom.errors import BadInput
from loom.reduce.lines import plural
from loom.replay.importers import load
from loom.replay.importers.loss_notes import loss_summary
from loom.rewrite.archive import import_session, is_archive, unpack_archive
from loom.rewrite.export import LOOKS, MovedFiles, export_bytes
from loom.rewrite.export import export as packed
from loom.rewrite.homes import homes_in
from loom.rewrite.new_folder import damaged_workspace_error
from loom.rewrite.session_document import count_undone, session_document
from loom.sizes import WINDOW
from loom_paging import MissingPage

AsIs = Annotated[bool, Parameter(help="Take it although pages or journal lines are damaged.")]
# What a session leaves out, and in which words that is said.
LEFT = {
    "undone": "entries that were undone are left out: {}",
    "retired": "pages that were let go: {}; a line stands for the text of each",
    "below": "agents and forks below are left out: {}; export the folder of each",
}


def export(
    folder: Folder,
    out: Annotated[Path, Parameter(name="OUT")],
    /,
    *,
    format: Shape | None = None,
    as_is: AsIs = False,
    json: AsJson = False,
) -> int:
    """Write a workspace to one archive, byte for byte; or its session as a provider's messages.

    The archive is a plain tar of the workspace with the agents below it, forks, bus and memory,
    without lock and search index. An agent may be at work meanwhile. OUT must not exist yet.

    Args:
        format: Write every entry in full as messages of this provider, one JSON document, which
            `loom import` and `loom replay` read."""
    unread = unreadable_names(folder)
    if unread and not as_is:
        raise damaged_workspace_error(folder, unread)
    for problem in unread:
        complain(f"left out: {problem.where}: {problem.what}")
    if format is None:
        return _print_moved("exported", out, packed(folder, out, as_is=as_is), json)
    document, messages, undone, retired = _read_document(folder, format)
    export_bytes(jsons.format(jsons.encode(document), indent=1), folder, out)
    left = {"undone": undone, "retired": retired, "below": len([*homes_in(folder)]) - 1}
    notes = [LEFT[what].format(many) for what, many in left.items() if many]
    said = f"exported {plural(messages, 'message')} to {out}"
    found = {"out": str(out), "messages": messages, **left}
    return print_result(found, _lines_with_notes([said], notes), json=json)


def _read_document(folder: Path, format: Shape) -> tuple[Any, int, int, int]:
    """Return (document, messages, undone, removed): the session in the provider's format, and the
    numbers of messages, undone entries and removed pages."""

    def now() -> tuple[Any, int, int, int]:
        workspace = open_workspace(folder)
        retired = sum(name.startswith("outputs/") for name in workspace.pager.retired)
        return (*session_document(workspace, format), count_undone(workspace), retired)

    for _ in range(LOOKS - 1):
        with suppress(MissingPage):
            return now()
    return now()


def import_(
    file: Annotated[Path, Parameter(name="FILE")],
    folder: Annotated[Path, Parameter(name="DIR")],
    /,
    *,
    window: int | None = None,
    as_is: AsIs = False,
    json: AsJson = False,
) -> int:
    """Make a workspace of an archive, every file as it was; or of a recorded session.

    DIR must not exist yet, or be empty. It holds the whole workspace at the end, or is not made.

    Args:
        window: Tokens of the window for a recorded session; an archive has its own window."""
    if is_archive(file):
        if window is not None:
            raise BadInput(f"--window {window}: {file} is an archive, which has its own window")
        return _print_moved("imported", folder, unpack_archive(file, folder, as_is=as_is), json)
    sessions = load(file)
    if len(sessions) > 1:
        raise BadInput(
            f"{file} holds {len(sessions)} sessions: give a file of one, or use"
            " `loom replay --out`, which makes a workspace of each"
        )
    requests = import_session(sessions[0], folder, WINDOW if window is None else window)
    mended = list(sessions[0].mended)
    said = f"imported {sessions[0].name} to {folder}: {plural(requests, 'request')}"
    found = {"folder": str(folder), "requests": requests, "mended": mended}
    return print_result(
        found, _lines_with_notes([said], [*loss_summary(mended), *mended]), json=json
    )


def _print_moved(done: str, place: Path, moved: MovedFiles, json: bool) -> int:
    said = [f"{done} {plural(moved.files, 'file')}, {bytes_text(moved.bytes)}, to {place}"]
    below = {"agent": moved.agents, "fork": moved.forks}
    if came := [plural(many, what) for what, many in below.items() if many]:
        said.append(f"{' and '.join(came)} below it came along")
    if moved.retired:
        gone = plural(moved.retired, "page")
        said.append(f"{gone} had been let go before: their bytes are nowhere")
    notes = [f"taken as it is: {one.where}: {one.what}" for one in moved.problems]
    return print_result(
        {"place": str(place), **to_builtins(moved)}, _lines_with_notes(said, notes), json=json
    )


def _lines_with_notes(said: list[str], notes: list[str]) -> Iterator[str]:
    """Yield the lines `said`, for stdout, and print each note on stderr."""
    yield from said
    for note in notes:
        complain(note)
