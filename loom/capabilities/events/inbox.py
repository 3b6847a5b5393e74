"""The inbox: a folder of the workspace where anyone may leave a message for the agent.

A message is one JSON file, put under its name whole or not at all, named so that names sort by
time. It is removed when the sink has taken its signal, never before, so it is told at every look
until then, under one id. What is no message stays where it is and is told once as a fault; since
not every writer renames, a file is judged bad only when it has not changed since the look before.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path

from msgspec import DecodeError, Struct, json

from loom.capabilities.events.poller import Signal, check, checked_text, fingerprint, occurred
from loom.capabilities.plain_file import contents
from loom.disk import flush, private_file, private_folder, sync_folder
from loom.redact import SECRETS, Redactor, Rules
from loom.text import cut

INBOX = "inbox"
FILE_BYTES = 65_536  # the largest file that is read
A_LOOK = 256  # messages told in one look
SHOWN, SHOWN_CHARS = 2, 64  # bad files named in a fault, and characters of each

_puts = count()  # of this process, whose clock may stand still from one to the next


class InboxMessage(Struct, frozen=True):
    """The content of an inbox file; an id that is missing is made from the file's name."""

    text: str
    urgency: str = "normal"
    id: str = ""


def put(folder: Path, text: str, urgency: str = "normal", id: str = "") -> str:
    """Leave a message in the inbox of the workspace `folder` and return its id; takes no lock.

    Secrets are replaced. A message of an id that was told already is taken and not told again.
    Raises BadInput for a text that is empty or longer than a signal, a bad urgency or a bad id;
    FileNotFoundError when there is no such workspace.
    """
    clean = Redactor(SECRETS)
    name = f"{time.time_ns():020d}-{next(_puts):06d}-{secrets.token_hex(4)}"
    message = InboxMessage(checked_text(clean(text)), urgency, clean(id) or _id_of(name))
    check(message.id, urgency)
    inbox = folder / INBOX
    _make_folder(inbox)
    # Not the prefix of the store's own temporaries: its next writer sweeps those away.
    making = inbox / f".put-{name}"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(private_file(making, flags), "wb") as file:
            file.write(json.encode(message))
            file.flush()
            flush(file.fileno())
        making.replace(inbox / f"{name}.json")
        sync_folder(inbox)
    finally:
        making.unlink(missing_ok=True)
    return message.id


class Inbox:
    """Signals for the messages in the inbox of the workspace `folder`, in the order of names."""

    name = "inbox"

    def __init__(self, folder: Path, redact: Rules = SECRETS) -> None:
        self._redact = Redactor(redact)  # before a text is one line, which hides a secret
        self._inbox = folder / INBOX
        # Size and time of files that were no message, and whether that was told.
        self._odd: dict[str, tuple[tuple[int, int], bool]] = {}

    def look(self) -> list[Signal]:
        """The messages that are there, then one fault for the files that are none."""
        made: list[Signal] = []
        bad: list[tuple[str, str, tuple[int, int]]] = []
        odd: dict[str, tuple[tuple[int, int], bool]] = {}
        for name in self._names():
            if len(made) >= A_LOOK:
                break
            try:
                made.append(self._read(name))
            except FileNotFoundError:
                continue
            except (OSError, ValueError, DecodeError, RecursionError) as error:
                state = self._state(name)
                before, told = self._odd.get(name, (None, False))
                odd[name] = state, before == state
                if before == state and not told:
                    bad.append((name, str(error), state))
        self._odd = odd
        if bad:
            named = [self._redact(f"{name}: {why}") for name, why, _ in bad[:SHOWN]]
            shown = "; ".join(cut(one, SHOWN_CHARS) for one in named)
            summary = f"{self.name}: {len(bad)} × no message: {shown}"
            made.append(occurred("heartbeat", summary, "high", self.name, *bad))
        return made

    def _names(self) -> list[str]:
        try:
            names = [path.name for path in self._inbox.iterdir()]
        except FileNotFoundError:
            return []
        return sorted(name for name in names if not name.startswith("."))

    def _read(self, name: str) -> Signal:
        path = self._inbox / name
        message = json.decode(contents(path, FILE_BYTES), type=InboxMessage)
        id = self._redact(message.id) or _id_of(name.removesuffix(".json"))
        text = checked_text(self._redact(message.text))
        return Signal(id, "inbox", text, message.urgency, partial(path.unlink, missing_ok=True))

    def _state(self, name: str) -> tuple[int, int]:
        try:
            found = (self._inbox / name).lstat()
        except OSError:
            return 0, 0
        return (0 if stat.S_ISDIR(found.st_mode) else found.st_size), found.st_mtime_ns


def _make_folder(folder: Path) -> None:
    """Make a folder that lasts; one whose parent could not be synced is taken away again."""
    if not private_folder(folder):
        return
    try:
        sync_folder(folder.parent)
    except BaseException:
        with suppress(OSError):  # another writer has it in use
            folder.rmdir()
        raise


def _id_of(name: str) -> str:
    return fingerprint("inbox", name)
