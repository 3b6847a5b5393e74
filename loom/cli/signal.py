"""`loom signal`: leave a message for an agent that runs, in another process or not yet."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from loom.capabilities.events.inbox import INBOX, put
from loom.cli.exits import FINE
from loom.cli.show import AsJson, clip, emit, fitting, line
from loom.engine.archive.half_purged import no_workspace

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
        One line of at most 200 characters.
    urgency
        low and normal wait in the queue, high requests attention, critical interrupts.
    id
        What the event is called; a message of an id that was told already is not told again.
    """
    if not (folder / "journal").is_dir():
        raise FileNotFoundError(no_workspace(folder))
    put_id = put(folder, text, urgency, id)
    if json:
        emit({"id": put_id, "urgency": urgency, "inbox": str(folder / INBOX)})
    else:
        line(clip(f"{put_id} ({urgency}) waits in {folder / INBOX}", fitting()))
    return FINE
