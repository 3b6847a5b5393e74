"""What a person asks of a session from beside it: pins, and a compaction; done at its next turn.

A workspace has one writer, which may be a proxy or an agent that runs for days. So what is asked
waits in a folder of the workspace, a file each, put there whole; whoever has the workspace open
takes it. What cannot be done is an event of the session, for nobody waits for an answer.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from heapq import nsmallest
from pathlib import Path
from typing import Literal

from msgspec import Struct, json

from loom.context import changes, pins
from loom.disk import plain_descriptor, private_file, private_folder
from loom.engine import Engine
from loom.errors import LoomError
from loom.redact import Redactor
from loom.text import one_line

ASKED = "asked"
MOST = 65_536  # bytes of a file
LINE = 150  # characters of what failed
AT_ONCE = 64  # files done at a turn; the others wait for the next
OTHERS = f"{ASKED}-others"  # the event that tells of other entries, once in a workspace
TOLD = 3  # events of what failed that stand at a time
Deed = Literal["pin", "unpin", "compact"]


class AskedDeed(Struct, frozen=True):
    """The content of a file: what to do, and the entry or line it is about."""

    deed: Deed
    what: str = ""


def ask(folder: Path, deed: Deed, what: str = "") -> Path:
    """Leave what is asked of the workspace in a folder; takes no lock. Secrets are replaced."""
    place = folder / ASKED
    private_folder(place)
    name = f"{time.time_ns():020d}-{secrets.token_hex(4)}"
    partial = place / f".put-{name}"
    with os.fdopen(private_file(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(json.encode(AskedDeed(deed, Redactor()(what))))
    partial.replace(place / f"{name}.json")
    return place / f"{name}.json"


def waits(folder: Path) -> bool:
    """True while something asked of the workspace in a folder waits."""
    return any((folder / ASKED).glob("[!.]*.json"))


def take(engine: Engine) -> None:
    """Do what was asked, in its order, `AT_ONCE` of it at most. A compaction waits while calls are
    open."""
    folder = engine.folder
    if folder is None:
        return
    try:
        with os.scandir(folder / ASKED) as inside:
            held = [one for one in inside if one.name[0] != "."]
        found = nsmallest(AT_ONCE, (one.path for one in held if _is_asked(one)))
    except OSError:
        return
    if not all(map(_is_asked, held)) and ("events", OTHERS) not in engine.workspace.index.items:
        _tell(engine, OTHERS, f"{ASKED}/ holds what `loom pin` did not leave: it stays as it is")
    if found and not os.access(folder / ASKED, os.W_OK):  # it would be done at each turn
        _tell(
            engine,
            f"{ASKED}-locked",
            f"nothing can be taken out of {ASKED}/: make it writable",
        )
        return
    for path in map(Path, found):
        try:
            asked = _read(path)
            if asked.deed == "compact" and engine.window.history.open_calls:
                continue
            _DONE[asked.deed](engine, asked.what)
        except (
            LoomError,
            ValueError,
            OSError,
            RecursionError,
        ) as error:  # of a file that is none too
            _tell(engine, f"{ASKED}-{path.stem[:40]}", f"{error}")
        with suppress(OSError):
            path.unlink()


def _is_asked(found: os.DirEntry[str]) -> bool:
    """True for what `ask` may have left; folders and other files are somebody else's."""
    return found.name.endswith(".json") and not found.is_dir()


def _tell(engine: Engine, id: str, why: str) -> None:
    """Tell what cannot be done as an event, unless as many stand untouched: they take room."""
    waiting = sum(event.kind == ASKED for event in engine.window.working.events)
    if waiting < TOLD:
        with engine.lock, engine.atomic:
            text = one_line(engine.ingest.clean(f"asked from beside: {why}"), LINE)
            engine.commit(*engine.edits().signal(id, text, ASKED, "high"))


def _compact(engine: Engine) -> None:
    """Begin a fresh window, unless none was sent since the last was begun: an interrupt before the
    file is gone, or many of them, ask for the one that is there."""
    sent = engine.window.sent
    if not (sent.renewed and sent.cut_turn == sent.turn):
        changes.renew(engine, None)


def _read(path: Path) -> AskedDeed:
    with os.fdopen(plain_descriptor(path), "rb") as file:
        return json.decode(file.read(MOST), type=AskedDeed)


_DONE: dict[str, Callable[[Engine, str], None]] = {
    "pin": pins.pin,
    "unpin": pins.unpin,
    "compact": lambda engine, what: _compact(engine),
}
