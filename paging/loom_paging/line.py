"""One journal line: a commit, and the checksum that makes it whole or nothing.

    {"crc":"9f3c2a10","commit":12,"schema":2,"at":1737382912345,"pages":[…],"records":[…]}

The crc is CRC-32 (as in zlib, 8 lower-case hex digits) over the bytes after its own field, from
`"commit"` up to the end of the line, so a line can be checked without being parsed. Earlier writers
that did not sync each line wrote `"durable":9` after the schema: commits through 9 were durable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from zlib import crc32

import msgspec

from loom_paging.errors import CorruptJournal
from loom_paging.page import PageRef

HEAD = re.compile(rb'\{"crc":"([0-9a-f]{8})",')
_HEAD_SIZE = 18


class Commit(msgspec.Struct, frozen=True, rename={"number": "commit"}):
    """One commit: its number, its time, the `pages` it names, and its `records`, a JSON array.

    `number` counts from 1 over the whole journal. `at` is in milliseconds since 1970 (UTC).
    `schema` is the version of the records. `durable` is None when everything before this commit was
    durable as its line was written, else the number of the last commit that was durable by then."""

    number: int
    at: int
    pages: tuple[PageRef, ...]
    records: msgspec.Raw
    schema: int = 1
    durable: int | None = None


def bad_line_error(why: str, *, torn: bool = False) -> CorruptJournal:
    """Return the error for a line that is no valid commit; `why` says what is wrong. `torn` is True
    when a write that was cut short could have left the line."""
    return CorruptJournal("", 0, why, why, torn=torn)


def encode(
    number: int, at: int, pages: Sequence[PageRef], records: bytes, schema: int = 1
) -> bytes:
    """Return a commit as a line with newline. Raises ValueError if `records` is no JSON array."""
    try:
        msgspec.json.decode(records, type=list[msgspec.Raw])
    except msgspec.MsgspecError as error:
        raise ValueError(f"the records of a commit must be one JSON array: {error}") from error
    if b"\n" in records:  # between values; within a string JSON escapes it
        records = msgspec.json.format(records, indent=-1)
    refs = msgspec.json.encode(tuple(pages))
    head = b'"commit":%d,"schema":%d,"at":%d' % (number, schema, at)
    body = b'%b,"pages":%b,"records":%b}' % (head, refs, records)
    return b'{"crc":"%08x",%b\n' % (crc32(body), body)


def decode(line: bytes) -> Commit:
    """Return the commit in a line. Raises CorruptJournal if it is incomplete or altered."""
    if not line.endswith(b"\n"):
        raise bad_line_error("the line is not complete", torn=True)
    head = HEAD.match(line)
    if head is None:
        raise bad_line_error("the line does not begin with its crc", torn=True)
    if crc32(memoryview(line)[_HEAD_SIZE:-1]) != int(head[1], 16):
        raise bad_line_error("the crc does not match the line", torn=True)
    try:
        return msgspec.json.decode(line, type=Commit)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise bad_line_error(
            f"the crc matches and the line is no commit: {error}", torn=False
        ) from error


def holds_commit(line: bytes) -> bool:
    """Return True when a bad line ends in a valid commit, as when a newline was lost."""
    return next(commits_in(line, 1), None) is not None


def commits_in(line: bytes, start: int = 0) -> Iterator[Commit]:
    """Yield each valid commit that begins at byte `start` or later and reaches to the end of the
    line."""
    for head in HEAD.finditer(line, start):
        with suppress(CorruptJournal):
            yield decode(line[head.start() :])
