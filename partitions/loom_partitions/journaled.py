"""Records that change no window and are kept in the journal alone.

Sifted: pages that are let go, and pages that never are. A page is let go by a decision of garbage
collection: the record is durable before its file is removed, so a reader of the journal can tell a
page that was let go from a page that was lost.

Remembered: memories that outlive the session.

Synced: the list of messages that a host keeps, as far as it was taken in. A host that owns its list
gives the whole list each time. The record stands beside the entries that the messages became, so
that no message is taken in twice, whoever was restarted in between."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Why = Literal["expired", "quota", "damaged"]


class Sifted(Struct, frozen=True, omit_defaults=True, tag="Sifted"):
    """Garbage collection decided about `pages`: they are kept for good, or their bytes are removed.
    Reading a removed page raises an error.

    `why` is "kept", or the reason for the removal: "expired" (their time was over), "quota" (disk
    space was needed), "damaged" (they could not be read). `freed` is how many bytes were freed on
    disk."""

    pages: tuple[str, ...]
    why: Why | Literal["kept"]
    freed: int = 0


class Remembered(Struct, frozen=True, omit_defaults=True, tag="Remembered"):
    """Memories that outlive the session, with these `ids`, came into the window. With a `source`, a
    single memory was made from the page or entry of this name, and stored under `key`."""

    ids: tuple[int, ...]
    key: str = ""
    source: str = ""


class SyncedMessage(Struct, frozen=True, array_like=True, omit_defaults=True):
    """One message of the list that a host gave. `key` is a hash of its content, `role` is system,
    user, assistant or tool, `size` is its number of characters. `entry` is the id of the entry that
    the message became, 0 for none. `id` is the host's name for the message, "" for none."""

    key: str
    role: str
    size: int = 0
    entry: int = 0
    id: str = ""


class Synced(Struct, frozen=True, tag="Synced"):
    """A host gave its whole list of messages again: the first `keep` messages of the earlier list,
    and then `messages`.

    `kept` is -1 unless the host has compacted the list. After a compaction, `messages` begins with
    the host's summary of what it removed, and ends with `kept` messages that the earlier list had.
    """

    keep: int
    messages: tuple[SyncedMessage, ...]
    kept: int = -1
