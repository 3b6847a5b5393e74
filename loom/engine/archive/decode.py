"""From a commit of the journal to its records, whichever Loom wrote them."""

from __future__ import annotations

from msgspec import MsgspecError, convert, json

from loom.errors import NewerWorkspace, UnreadableCommit
from loom_paging import Commit
from loom_partitions.migrations import SCHEMA, migrated
from loom_partitions.records import Record

_DECODER = json.Decoder(list[Record])


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
