"""Notices of the proxy, for the user: what it could not do for a conversation, or did otherwise
than asked.

A line is printed to stderr for the first notice of each kind in a conversation. `/loom/health` and
`loom doctor` show a person their notices: of each kind the last line, and how many requests it
concerned."""

from __future__ import annotations

import sys
from logging import getLogger
from threading import Lock

from msgspec import Struct

from loom.redact import Redactor
from loom.serve.recent_table import RecentTable
from loom.text import one_line

KNOWN = 4_096  # of conversations; of the one told longest ago it may be said again
KINDS = 16  # of a person that are told
CHARS = 300
LOG = getLogger("loom")
SECRETS = Redactor()
REPEATED = "the provider repeats the ids of its replies: each is given one of its own here"
CUT = (
    "the server reports {:,} tokens of input while requests grow: it leaves out the rest unsaid;"
    " give it a larger context, or start `loom serve --window` with what it takes"
)
EDITED = (
    "each request changes messages near the head of its list, so it is taken in anew each time and"
    " no cache holds it (a gateway that repeats ids, a client that writes the time there)"
)


class ServedNotice(Struct):
    """All notices of one kind for one person: the `text` of the last notice, and the number of
    `requests`. `unmanaged` is True if these requests were passed on unchanged."""

    kind: str
    unmanaged: bool
    text: str
    requests: int = 0


class ServedNotices:
    """The notices of the proxy, kept for each person who uses it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._said = RecentTable[tuple[str, str, str], object](KNOWN)
        self._of = RecentTable[str, RecentTable[str, ServedNotice]](KNOWN)

    def tell(
        self, person: str, conversation: str, kind: str, text: str, *, unmanaged: bool = False
    ) -> None:
        """Add a notice for a person about one request of a conversation. Print the first notice of
        its kind for this conversation."""
        with self._lock:
            first = object()
            new = self._said.seen((person, conversation, kind), first) is first
            own = self._of.seen(person, RecentTable(KINDS))
            held = own.seen(kind, ServedNotice(kind, unmanaged, text))
            held.text = one_line(SECRETS(text), CHARS)
            held.requests += 1
            line = held.text
        if new:
            print_complaint(text)
            LOG.info("proxy, %s: %s", kind, line)

    def of(self, person: str) -> list[ServedNotice]:
        """Return a person's notices, one for each kind, the newest last."""
        with self._lock:
            return [*self._of.get(person, {}).values()]


def print_complaint(text: str) -> None:
    """Print a text as one line to stderr, with secrets replaced."""
    print(f"loom serve: {one_line(SECRETS(text), CHARS)}", file=sys.stderr)
