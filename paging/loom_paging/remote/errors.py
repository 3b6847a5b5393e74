"""The error of a log on an object store that is damaged."""

from __future__ import annotations

from loom_paging.errors import CorruptJournal


def bad_batch(key: str, why: str) -> CorruptJournal:
    """The error for an object of the log that cannot be read."""
    return CorruptJournal(
        key,
        0,
        why,
        f"{key}: {why}; nothing was changed: restore it from the bucket's versions or a backup,"
        " or have `loom repair` save all that is whole",
    )
