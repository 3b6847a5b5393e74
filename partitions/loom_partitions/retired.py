"""Pages that were let go, and pages that never are: told for the journal's sake, no window changes.

A page is retired by a decision of garbage collection: the record is durable before its file is
removed, so whatever reads the journal can tell a page that was let go from one that was lost.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Why = Literal["expired", "quota", "damaged"]


class Retired(Struct, frozen=True, tag="Retired"):
    """The bytes of these pages are let go: their names stay taken, and reading one is an error.

    `why`: "expired", their time was over; "quota", the room on disk was needed; "damaged", they
    could not be read any more. `freed` are the bytes on disk that go with them: equal bytes that
    another page still holds are not among them.
    """

    pages: tuple[str, ...]
    why: Why
    freed: int = 0


class Promoted(Struct, frozen=True, tag="Promoted"):
    """These pages are kept for good: garbage collection never retires them."""

    pages: tuple[str, ...]
