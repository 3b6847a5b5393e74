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
    """Garbage collection decided on these pages: they are `kept` for good, or their bytes are
    removed. A removed page keeps its name, and reading it is an error.

    `why` is "kept", or the reason of the removal: "expired" (their time was over), "quota" (the
    room on disk was needed), "damaged" (they could not be read). `freed` are the bytes on disk that
    this frees; bytes that another page has too are not counted."""

    pages: tuple[str, ...]
    why: Why | Literal["kept"]
    freed: int = 0


class Remembered(Struct, frozen=True, omit_defaults=True, tag="Remembered"):
    """Memories that outlive the session came into the window: their `ids`. With a `source`, one
    memory was made from that page or entry, under the `key`."""

    ids: tuple[int, ...]
    key: str = ""
    source: str = ""


class SyncedMessage(Struct, frozen=True, array_like=True, omit_defaults=True):
    """One message of a host's list: a hash of its content (`key`), its role, and the id of its
    entry.

    `role` is system, user, assistant or tool. `size` counts its characters. `entry` is 0 for a
    message that became no entry. `id` is the host's name for the message, "" for none."""

    key: str
    role: str
    size: int = 0
    entry: int = 0
    id: str = ""


class Synced(Struct, frozen=True, tag="Synced"):
    """A host gave its list of messages again. The list is now the first `keep` messages of the
    earlier list, followed by `messages`.

    After a compaction by the client, the last `kept` of `messages` are old messages that the client
    kept, and the others replace what it removed; -1 without a compaction."""

    keep: int
    messages: tuple[SyncedMessage, ...]
    kept: int = -1
