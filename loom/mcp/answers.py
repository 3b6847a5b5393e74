"""What the tools answer: Loom's own tools, over a workspace whose window is another's.

`page_in` and `recall` read and record nothing. `working` is one commit, made with the writer's lock
held for as long as that takes; where another process holds it (a proxy for as long as it runs, a
hook for the moment of its call) nothing is kept, and the answer says so.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom.capabilities.memory.notes import Notes
from loom.capabilities.memory.tool import memory_tool
from loom.errors import LoomError
from loom.inputs import ToolCall
from loom.mcp.reading import attachment
from loom.policy import policy_of
from loom.providers.media.described import described
from loom.providers.media.payload import Attached
from loom.providers.render.neutral import neutral
from loom.redact import Redactor
from loom.session import Engine
from loom.session.archive.workspace import Workspace
from loom.session.opening import counter_of
from loom.session.tools.answer import Answer, OwnTool
from loom.session.tools.own import WORKING, answer
from loom.session.tools.retrieval import RETRIEVAL
from loom.session.working import WorkingEdits
from loom_paging import StoreLocked

# Characters of an answer, and a third as many tokens: Claude Code warns from 10,000 tokens on and
# refuses 25,000, Codex cuts at 10,000.
LIMIT = 30_000
MEDIA_BYTES = 3_500_000  # of an image or document in an answer: providers take 5 MB of base64
RECALLED = 8_000  # of what a recall tells: a search is made more often than a page is read
TRIES, PAUSE = 20, 0.05  # for the lock, and seconds between: a hook has it for a moment

READS = {tool.schema.name: tool for tool in RETRIEVAL}


class ToolText(Struct, frozen=True):
    """The answer of a tool: a text, and the image or document it brought back, if it is one."""

    text: str
    error: bool = False
    media: Attached | None = None


def read(engine: Engine, name: str, arguments: Mapping[str, Any]) -> ToolText:
    """The answer of `page_in` or `recall`. Raises what reading a workspace raises."""
    ref = str(arguments.get("ref") or "") if name == "page_in" else ""
    if ref and (media := _media(engine.workspace, ref)) is not None:
        return media
    # Whoever asks here need not see what the window shows, so nothing is refused as standing there.
    window = engine.window
    window = replace(window, history=replace(window.history, faults=()))
    edits = WorkingEdits(window, engine.ingest, engine.workspace, engine.attach)
    limit = RECALLED if name == "recall" else LIMIT
    return _told(engine, _answered(engine, edits, READS[name], arguments, limit))


def write(folder: Path, arguments: Mapping[str, Any]) -> ToolText:
    """Write on C_working of the workspace.

    Raises LoomError where another process writes it, and what opening a workspace raises.
    """
    workspace = _writer(folder)
    try:
        policy = policy_of(workspace.window)
        count = counter_of(workspace.window, "", policy, ())
        engine = Engine(workspace, policy, count, Redactor(), None, folder=folder)
        with engine.lock, engine.atomic:
            made = _answered(engine, engine.edits(), WORKING, arguments)
            engine.commit(*made.records)
        return _told(engine, made)
    finally:
        workspace.close()


def _writer(folder: Path) -> Workspace:
    """The workspace, open for writing. Raises LoomError where another process keeps its lock."""
    for _ in range(TRIES):
        try:
            return Workspace.at_path(folder)
        except StoreLocked as error:
            locked = error
            time.sleep(PAUSE)
    raise LoomError(
        f"nothing was kept: {locked.holder} writes this workspace, and it has one writer at a time;"
        " keep it in a file of your own, or try again when that has ended"
    )


def remember(engine: Engine, notes: Notes, arguments: Mapping[str, Any]) -> ToolText:
    """What `memory` answers: it works on the files of the notes, whoever writes the workspace."""
    made = _answered(engine, engine.edits(), memory_tool(notes), arguments)
    notes.undo() if made.error else notes.keep()
    return _told(engine, made)


def _answered(
    engine: Engine,
    edits: WorkingEdits,
    tool: OwnTool,
    arguments: Mapping[str, Any],
    limit: int = LIMIT,
) -> Answer:
    call = ToolCall("mcp", tool.schema.name, json.dumps(arguments))
    return answer(engine.ingest.clean, edits, tool, call, limit)


def _told(engine: Engine, made: Answer) -> ToolText:
    """The answer as a model may see it: without secrets, and without the session's mark but for
    Loom's own notes."""
    text = engine.ingest.clean(made.text)
    return ToolText(text if made.marked else neutral(text, engine.window.config.mark), made.error)


def _media(workspace: Workspace, ref: str) -> ToolText | None:
    """The image or document a name stands for, where it is one."""
    found = attachment(workspace, ref)
    if found is None:
        return None
    page, held = found
    line = neutral(described(held.media, page), workspace.window.config.mark)
    if held.data is None or len(held.data) > MEDIA_BYTES:
        return ToolText(f"{line} is not here, or too large to be shown", error=True)
    return ToolText(f"{line} follows", media=held)
