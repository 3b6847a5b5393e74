"""The list of messages a host keeps, as far as it was taken in: told for the journal's sake.

A host that owns its list gives it whole each time. What of it is known is told beside the entries
it became, so that no message is taken in twice, whoever was restarted in between.
"""

from __future__ import annotations

from msgspec import Struct


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
