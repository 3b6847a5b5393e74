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
    """These pages are `kept` for good, or their bytes are let go: their names stay taken, and
    reading one is an error.

    `why` is the reason: "expired" (their time was over), "quota" (the room on disk was needed),
    "damaged" (they could not be read any more). `freed` are the bytes on disk that go with them;
    bytes that another page holds too are not counted."""

    pages: tuple[str, ...]
    why: Why | Literal["kept"]
    freed: int = 0


class Remembered(Struct, frozen=True, omit_defaults=True, tag="Remembered"):
    """Memories that outlive the session were brought in: their ids. With a `source` one memory was
    made of that page or entry, under the `key`."""

    ids: tuple[int, ...]
    key: str = ""
    source: str = ""


class SyncedMessage(Struct, frozen=True, array_like=True, omit_defaults=True):
    """One message of a host's list: a hash of its content (`key`), its role, and its entry.

    `role` is system, user, assistant or tool. `size` counts its characters. `entry` is 0 for a
    message that became no entry. `id` is the host's name for the message, "" for none."""

    key: str
    role: str
    size: int = 0
    entry: int = 0
    id: str = ""


class Synced(Struct, frozen=True, tag="Synced"):
    """The host's list is now the first `keep` messages of the known list, then `messages`.

    After a compaction by the client, the last `kept` of the messages are those the client kept, and
    the messages before them replace others; -1 without a compaction."""

    keep: int
    messages: tuple[SyncedMessage, ...]
    kept: int = -1
