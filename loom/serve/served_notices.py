"""What the proxy could not do for a conversation, or did otherwise than asked: said once.

A line on stderr the first time a conversation has something of a kind, and by person what
`/loom/health` and `loom doctor` tell: the kind, the last line of it, and how many requests.
"""

from __future__ import annotations

import sys
from threading import Lock

from msgspec import Struct

from loom.redact import Redactor
from loom.serve.recent_table import RecentTable
from loom.text import one_line

KNOWN = 4_096  # of conversations; of the one told longest ago it may be said again
KINDS = 16  # of a person that are told
CHARS = 300
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
    """What is told: its kind, whether requests went on unmanaged for it, the line, the requests."""

    kind: str
    unmanaged: bool
    text: str
    requests: int = 0


class ServedNotices:
    """All that was told, by who is told of it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._said = RecentTable[tuple[str, str, str], object](KNOWN)
        self._of = RecentTable[str, RecentTable[str, ServedNotice]](KNOWN)

    def tell(
        self, person: str, conversation: str, kind: str, text: str, *, unmanaged: bool = False
    ) -> None:
        """Count a request of a conversation, and say the line if it is the first of its kind."""
        with self._lock:
            first = object()
            new = self._said.seen((person, conversation, kind), first) is first
            own = self._of.seen(person, RecentTable(KINDS))
            held = own.seen(kind, ServedNotice(kind, unmanaged, text))
            held.text = one_line(SECRETS(text), CHARS)
            held.requests += 1
        if new:
            print_complaint(text)

    def of(self, person: str) -> list[ServedNotice]:
        """The notices for a person, the oldest kind first."""
        with self._lock:
            return [*self._of.get(person, {}).values()]


def print_complaint(text: str) -> None:
    """A line on stderr, without secrets."""
    print(f"loom serve: {one_line(SECRETS(text), CHARS)}", file=sys.stderr)
