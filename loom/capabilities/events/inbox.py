"""The inbox: a folder of the workspace where anyone may leave a message for the agent.

A message is one JSON file, put under its name whole or not at all, named so that names sort by
time. The file is removed only when the sink has taken its signal; until then each look returns the
message, under one id. A file that is no message stays where it is and is reported once as a fault.
As not every writer renames, a file counts as bad only when it has not changed since the look
before."""

from __future__ import annotations

import secrets
import time
from functools import partial
from itertools import count
from pathlib import Path

from msgspec import DecodeError, Struct, json

from loom.capabilities.events.poller import Signal, make_signal, occurrence_id
from loom.capabilities.plain_file import read_whole
from loom.errors import BadInput
from loom.redact import SECRETS, Redactor, Rules
from loom.text import clip_text, encodable
from loom_paging import FileStore

INBOX = "inbox"
FILE_BYTES = 65_536  # the largest file that is read
A_LOOK = 256  # messages told in one look
SHOWN, SHOWN_CHARS = 2, 64  # bad files named in a fault, and characters of each

_puts = count()  # of this process, whose clock may stand still from one to the next
_State = tuple[int, int]  # size and time of a file


class InboxMessage(Struct, frozen=True):
    """The content of an inbox file. `id` "" stands for an id made from the file's name."""

    text: str
    urgency: str = "normal"
    id: str = ""


def put_message(folder: Path, text: str, urgency: str = "normal", id: str = "") -> str:
    """Put a message into the inbox of the workspace `folder` and return the message's id. No lock
    is needed. Secrets are replaced. A message is not shown if an earlier message had the same id.

    Raises BadInput for an empty or too large text, a bad urgency or a bad id; MissingPage if
    `folder` does not exist."""
    clean = Redactor(SECRETS)
    name = f"{time.time_ns():020d}-{next(_puts):06d}-{secrets.token_hex(4)}"
    said = encodable(clean(text)), urgency, encodable(clean(id)) or occurrence_id(INBOX, name)
    message = InboxMessage(*said)
    Signal(message.id, INBOX, message.text, urgency)  # raises BadInput
    data = json.encode(message)
    if len(data) > FILE_BYTES:
        raise BadInput(
            f"a message has at most {FILE_BYTES:,} bytes: put it in a file and name that"
        )
    FileStore(folder, create=False).put(f"{INBOX}/{name}.json", data)
    return message.id


class Inbox:
    """A source of signals for messages in the inbox of the workspace `folder`."""

    name = "inbox"

    def __init__(self, folder: Path, redact: Rules = SECRETS) -> None:
        self._redact = Redactor(redact)  # before a name is cut, which hides a secret
        self._inbox = folder / INBOX
        self._odd: dict[str, _State] = {}  # files that were no message at the look before
        self._told: dict[str, _State] = {}  # those of them that were told

    def look(self) -> list[Signal]:
        """Return a signal for each message in the inbox, at most A_LOOK, and one more signal if
        some files are no messages."""
        made, before, self._odd = list[Signal](), self._odd, {}
        bad: list[tuple[str, str, _State]] = []
        for name in self._message_names():
            if len(made) >= A_LOOK:
                break
            try:
                made.append(self._read_signal(name))
            except FileNotFoundError:
                continue
            except (OSError, ValueError, DecodeError, RecursionError) as error:
                state = self._odd[name] = self._file_state(name)
                if state == before.get(name) != self._told.get(name):
                    bad.append((name, str(error), state))
                    self._told[name] = state
        if bad:
            named = [self._redact(f"{name}: {why}") for name, why, _ in bad[:SHOWN]]
            shown = "; ".join(clip_text(one, SHOWN_CHARS) for one in named)
            summary = f"{self.name}: {len(bad)} × no message: {shown}"
            made.append(make_signal("heartbeat", summary, "high", self.name, *bad))
        return made

    def _message_names(self) -> list[str]:
        """Return the sorted names of the files in the inbox, hidden files left out."""
        try:
            return sorted(one.name for one in self._inbox.iterdir() if not one.name.startswith("."))
        except FileNotFoundError:
            return []

    def _read_signal(self, name: str) -> Signal:
        """Return the signal for the message file `name`; the signal's `taken` deletes the file."""
        path = self._inbox / name
        message = json.decode(read_whole(path, FILE_BYTES), type=InboxMessage)
        id = message.id or occurrence_id(INBOX, name.removesuffix(".json"))
        return Signal(
            id, INBOX, message.text, message.urgency, partial(path.unlink, missing_ok=True)
        )

    def _file_state(self, name: str) -> _State:
        """Return the size of a file in bytes and its time in nanoseconds; (0, 0) if it is gone."""
        try:
            found = (self._inbox / name).lstat()
        except OSError:
            return 0, 0
        return found.st_size, found.st_mtime_ns
