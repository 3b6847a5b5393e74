"""Between records and the commits of the journal, whichever Loom wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import MsgspecError, convert, json

from loom.errors import LoomError, NewerWorkspace, bad_record
from loom_paging import Commit
from loom_partitions.migrations import SCHEMA, migrated
from loom_partitions.records import Record, Sifted

# What is raised for a value JSON cannot hold, or not this deep.
UNWRITABLE = (TypeError, ValueError, OverflowError, RecursionError, BufferError)
_DECODER = json.Decoder(list[Record])


def encoded(records: Sequence[Record]) -> bytes:
    """Records as a commit holds them. Raises BadInput for a value that could not be read back."""
    try:
        data = json.encode(records)
        _DECODER.decode(data)
    except (MsgspecError, *UNWRITABLE) as error:
        raise bad_record(str(error)) from error
    return data


def records_of(commit: Commit) -> list[Record]:
    """The records of a commit. Raises NewerWorkspace; nothing is changed."""
    if commit.schema > SCHEMA:
        raise NewerWorkspace(
            f"commit {commit.number} of the journal is of schema {commit.schema}, and this version"
            f" reads up to {SCHEMA}: a newer Loom wrote it; open it with that one. Nothing was"
            " changed",
            commit.schema,
        )
    try:
        if commit.schema == SCHEMA:
            return _DECODER.decode(commit.records)
        return convert(migrated(json.decode(commit.records), commit.schema), list[Record])
    except (MsgspecError, KeyError, TypeError, AttributeError) as error:
        raise NewerWorkspace(
            f"commit {commit.number} of the journal holds a record this version cannot read"
            f" ({error}); it was written by a newer Loom, or one before 0.1.0: open it with that"
            " one. Nothing was changed"
        ) from error


def retired_by(commit: Commit) -> Iterator[str]:
    """Yield the pages a commit retires; none of one that cannot be read."""
    with suppress(LoomError):
        for record in records_of(commit):
            if isinstance(record, Sifted) and record.why != "kept":
                yield from record.pages
