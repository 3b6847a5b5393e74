"""Between records and the commits of the journal, whichever Loom wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import MsgspecError, convert, json

from loom.errors import BadRecord, LoomError, NewerWorkspace, UnreadableCommit
from loom_paging import Commit
from loom_partitions.migrations import SCHEMA, migrated
from loom_partitions.records import Record, Retired

# What is raised for a value JSON cannot hold, or not this deep.
UNWRITABLE = (TypeError, ValueError, OverflowError, RecursionError, BufferError)
_DECODER = json.Decoder(list[Record])


def encoded(records: Sequence[Record]) -> bytes:
    """Records as a commit holds them. Raises BadRecord for a value that could not be read back."""
    try:
        data = json.encode(records)
        _DECODER.decode(data)
    except (MsgspecError, *UNWRITABLE) as error:
        raise BadRecord(str(error)) from error
    return data


def records_of(commit: Commit) -> list[Record]:
    """The records of a commit. Raises NewerWorkspace and UnreadableCommit; nothing is changed."""
    if commit.schema > SCHEMA:
        raise NewerWorkspace(commit.number, commit.schema, SCHEMA)
    try:
        if commit.schema == SCHEMA:
            return _DECODER.decode(commit.records)
        return convert(migrated(json.decode(commit.records), commit.schema), list[Record])
    except (MsgspecError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableCommit(commit.number, str(error)) from error


def retired_by(commit: Commit) -> Iterator[str]:
    """Yield the pages a commit retires; none of one that cannot be read."""
    with suppress(LoomError):
        for record in records_of(commit):
            if isinstance(record, Retired):
                yield from record.pages
