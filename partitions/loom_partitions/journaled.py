"""What is told for the journal's sake: records that change no window.

Pages that are let go, and pages that never are. A page is let go by a decision of garbage
collection: the record is durable before its file is removed, so whatever reads the journal can tell
a page that was let go from one that was lost.

Memories that outlive the session.

The list of messages a host keeps, as far as it was taken in. A host that owns its list gives it
whole each time. What of it is known is told beside the entries it became, so that no message is
taken in twice, whoever was restarted in between.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Why = Literal["expired", "quota", "damaged"]


class Sifted(Struct, frozen=True, omit_defaults=True, tag="Sifted"):
    """These pages are `kept` for good, or their bytes are let go: their names stay taken, and
    reading one is an error.

    `why` they go: "expired", their time was over; "quota", the room on disk was needed; "damaged",
    they could not be read any more. `freed` are the bytes on disk that go with them: equal bytes
    that another page still holds are not among them.
    """

    pages: tuple[str, ...]
    why: Why | Literal["kept"]
    freed: int = 0


class Remembered(Struct, frozen=True, omit_defaults=True, tag="Remembered"):
    """Memories that outlive the session were brought in; with a `source` one was made of that, and
    has the `key`."""

    ids: tuple[int, ...]
    key: str = ""
    source: str = ""


class SyncedMessage(Struct, frozen=True, array_like=True, omit_defaults=True):
    """One message of a host's list: a hash of what it says, whose it is, and its entry.

    `role`: system, user, assistant or tool. `size` are the characters of it, `entry` is 0 for one
    that became no entry, `id` is what the host calls it, "" where it has no name.
    """

    key: str
    role: str
    size: int = 0
    entry: int = 0
    id: str = ""


class Synced(Struct, frozen=True, tag="Synced"):
    """Of the list as it was known the first `keep` messages stand, and these follow.

    Where a client compacted, the last `kept` of them are those it kept, and those before stand in
    the place of others; -1 where it did not.
    """

    keep: int
    messages: tuple[SyncedMessage, ...]
    kept: int = -1
