"""Answers of Loom's own tools, over a workspace whose window belongs to another process.

`page_in` and `recall` read and record nothing. `working` is one commit, made with the writer's lock
held for that commit alone; where another process holds the lock (a proxy for as long as it runs, a
hook for the moment of its call) nothing is kept, and the answer says so."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom.capabilities.memory.notes import Notes
from loom.capabilities.memory.notes_tool import memory_tool
from loom.errors import LoomError
from loom.inputs import ToolCall
from loom.policy import recorded_policy
from loom.providers.counts import counter_for
from loom.providers.media.media_line import media_line
from loom.providers.media.payload import Attached
from loom.providers.render.neutral import neutral
from loom.redact import Redactor
from loom.session import Engine
from loom.session.archive.page_in_by_name import resolve_page_name
from loom.session.archive.page_reader import UNREADABLE
from loom.session.archive.workspace import Workspace
from loom.session.attachments import page_attachment
from loom.session.tools.answer import Answer, OwnTool
from loom.session.tools.own_tools import WORKING, answer_call
from loom.session.tools.retrieval import RETRIEVAL
from loom.session.working_edits import WorkingEdits
from loom.session.workspace_opening import workspace_counter
from loom_paging import StoreLocked

# Characters of an answer, and a third as many tokens: Claude Code warns from 10,000 tokens on and
# refuses 25,000, Codex cuts at 10,000.
LIMIT = 30_000
MEDIA_BYTES = 3_500_000  # of an image or document in an answer: providers take 5 MB of base64
RECALLED = 8_000  # of what a recall tells: a search is made more often than a page is read
TRIES, PAUSE = 20, 0.05  # for the lock, and seconds between: a hook has it for a moment

READS = {tool.schema.name: tool for tool in RETRIEVAL}


class ToolText(Struct, frozen=True):
    """A tool's answer. `error` is True if the call failed. `media` is an image or document, or
    None."""

    text: str
    error: bool = False
    media: Attached | None = None


class FreshReader:
    """Keeps a workspace open for reading, and opens it anew when the journal has changed."""

    def __init__(self) -> None:
        self._seen: tuple[object, ...] = ()
        self._engine: Engine | None = None

    def of(self, folder: Path) -> Engine:
        """Return an Engine on the workspace `folder` as it is now. Raises as `open_reader`."""
        states = ((one, one.stat()) for one in sorted((folder / "journal").glob("*")))
        now = (folder, *((one, at.st_ino, at.st_size, at.st_mtime_ns) for one, at in states))
        if self._engine is None or now != self._seen:
            self.close()
            self._engine, self._seen = open_reader(folder), now
        return self._engine

    def close(self) -> None:
        """Close the workspace that is open, if any."""
        if self._engine is not None:
            self._engine.workspace.close()
            self._engine = None


def open_reader(folder: Path) -> Engine:
    """Return an Engine that only reads the workspace `folder`, without a lock. Raises the errors of
    opening a workspace, and LoomError for a workspace without a commit."""
    workspace = Workspace.at_path(folder, write=False)
    if not workspace.commits:
        workspace.close()
        raise LoomError(f"{folder} holds nothing yet; ask again when its session has begun")
    policy, known = recorded_policy(workspace.window), workspace.window.config
    # Not `counter_of`: where a capability counted, an estimate will do to bound an answer.
    count = counter_for(known.model, known.encoding or policy.encoding)
    redactor = Redactor(()) if workspace.window.sent.unredacted else Redactor()
    return Engine(workspace, policy, count, redactor, None, folder=folder)


def media_of_page(workspace: Workspace, ref: str, most: int) -> tuple[str, Attached] | None:
    """Return the page name and the image or document of the page that `ref` names; None for a page
    of text and for an unknown `ref`. Raises LoomError for more than `most` bytes or missing bytes.
    """
    try:
        page = resolve_page_name(workspace, ref)
        found = page_attachment(page, workspace.payload(page))
    except (*UNREADABLE, LookupError):
        return None
    if found is not None and (found.data is None or len(found.data) > most):
        raise LoomError(f"{page} is not here, or holds more than {most:,} bytes")
    return None if found is None else (page, found)


def answer_reading(engine: Engine, name: str, arguments: Mapping[str, Any]) -> ToolText:
    """Return the answer of the tool `name`, "page_in" or "recall". Raises errors of reading a
    workspace."""
    ref = str(arguments.get("ref") or "") if name == "page_in" else ""
    if ref and (found := media_of_page(engine.workspace, ref, MEDIA_BYTES)) is not None:
        line = neutral(media_line(found[1].media, found[0]), engine.window.config.mark)
        return ToolText(f"{line} follows", media=found[1])
    # Whoever asks here need not see what the window shows, so nothing is refused as standing there.
    window = replace(engine.window, history=replace(engine.window.history, faults=()))
    edits = WorkingEdits(window, engine.ingest, engine.workspace, engine.attach)
    limit = RECALLED if name == "recall" else LIMIT
    return _tool_text(engine, _run_tool(engine, edits, READS[name], arguments, limit))


def answer_working(folder: Path, arguments: Mapping[str, Any]) -> ToolText:
    """Run the tool `working` on the workspace in `folder`, commit the change and return the answer.
    Raises LoomError if another process holds the lock, and the errors of opening a workspace."""
    for _ in range(TRIES):
        try:
            workspace = Workspace.at_path(folder)
            break
        except StoreLocked as error:
            locked = error
            time.sleep(PAUSE)
    else:
        raise LoomError(
            f"nothing was kept: {locked.holder} writes this workspace, and it has one writer at a"
            " time; keep it in a file of your own, or try again when that has ended"
        )
    try:
        policy = recorded_policy(workspace.window)
        count = workspace_counter(workspace.window, "", policy, ())
        engine = Engine(workspace, policy, count, Redactor(), None, folder=folder)
        with engine.lock, engine.atomic:
            made = _run_tool(engine, engine.edits(), WORKING, arguments)
            engine.commit(*made.records)
        return _tool_text(engine, made)
    finally:
        workspace.close()


def answer_memory(engine: Engine, notes: Notes, arguments: Mapping[str, Any]) -> ToolText:
    """Run the tool `memory` on the files of `notes` and return its answer. Changes of a failed call
    are undone."""
    made = _run_tool(engine, engine.edits(), memory_tool(notes), arguments)
    notes.undo() if made.error else notes.keep()
    return _tool_text(engine, made)


def _run_tool(
    engine: Engine,
    edits: WorkingEdits,
    tool: OwnTool,
    arguments: Mapping[str, Any],
    limit: int = LIMIT,
) -> Answer:
    """Return the answer of `tool` to `arguments`, at most `limit` characters."""
    call = ToolCall("mcp", tool.schema.name, json.dumps(arguments))
    return answer_call(engine.ingest.clean, edits, tool, call, limit)


def _tool_text(engine: Engine, answered: Answer) -> ToolText:
    """Return an answer as the model may see it: secrets replaced, and the session's mark (a sign by
    which the model recognises Loom's own words) removed from texts that Loom did not write."""
    text = engine.ingest.clean(answered.text)
    return ToolText(
        text if answered.marked else neutral(text, engine.window.config.mark), answered.error
    )
