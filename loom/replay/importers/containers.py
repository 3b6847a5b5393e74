"""Reads sessions from a folder of events, an archive, or a database.

OpenHands writes a file for each event: `event-00000-ID.json`, in older releases `0.json`. The
number gives the order. An `.eval` archive of inspect is a zip file with a header and samples. Newer
ones are compressed with Zstandard, which Python's zip module can read from version 3.14. The
database `opencode.db` is only read. The path `PATH/opencode.db/SESSION` names one session in it."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from copy import copy
from functools import partial
from pathlib import Path
from urllib.parse import quote
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from loom.disk import plain_descriptor
from loom.errors import BadSession
from loom.replay.importers.loss_notes import left_out_note
from loom.replay.importers.rows import (
    EVENTS,
    LARGEST,
    JsonRow,
    decode_utf8,
    file_head,
    json_row,
    read_rows,
    unreadable_error,
)

ARCHIVE, DATABASE = b"PK\x03\x04", b"SQLite format 3\0"  # how these files begin
_EVENT = re.compile(r"(?:event-)?(\d{1,18})(?:-[0-9a-fA-F-]+)?\.json")
_SAMPLES = "samples/"
_HEADERS = ("header.json", "_journal/start.json")  # the second of a run that did not end
_ZSTANDARD = 93  # the number of the method in the zip format
_INSTALL = (
    "it is compressed with Zstandard: install the package `zstandard` beside Loom, "
    "or write it as JSON with `inspect log convert --to json`"
)
_TABLES = frozenset({"session", "message", "part"})
_FOUND = """
    SELECT s.id, coalesce(s.parent_id, ''), s.directory, s.title, s.time_updated FROM session s
    WHERE EXISTS (SELECT 1 FROM message WHERE session_id = s.id) ORDER BY s.time_created, s.id
"""
_SIZE = "SELECT coalesce(sum(length(data)), 0) FROM part WHERE session_id = ?"
_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT message_id, data FROM part WHERE session_id = ? ORDER BY message_id, id"
VALUE = 1 << 26  # bytes of one value: a message or a part of one
_BUSY = 2.0  # seconds to wait for a writer


def stored_rows(path: Path) -> list[JsonRow]:
    """Return the JSON values of a plain file, a folder of events, an archive, or a database. Raises
    BadSession."""
    if is_event_folder(path):
        return _event_rows(path)
    if is_in_database(path):
        return _database_rows(path.parent, path.name)
    head = file_head(path, len(DATABASE))
    if head == DATABASE:
        return _database_rows(path)
    return _archive_rows(path) if head.startswith(ARCHIVE) else read_rows(path)


def _readable_rows(
    named: Iterable[tuple[str, Callable[[], JsonRow]]], notes: list[str]
) -> Iterator[tuple[str, JsonRow]]:
    """Call the function of each (name, function) pair and yield (name, returned row). A row whose
    function raises BadSession is left out, and `notes` gets a note."""
    for name, read_it in named:
        try:
            row = read_it()
        except BadSession as error:
            notes.append(left_out_note(error, f"{name}: "))
        else:
            notes.extend(row.notes)
            yield name, row


def is_event_folder(folder: Path) -> bool:
    """Return True for a folder of OpenHands events: named "events", with an event file."""
    try:
        return folder.name == EVENTS and folder.is_dir() and any(_event_files(folder))
    except OSError:
        return False


def _event_files(folder: Path) -> Iterator[tuple[int, Path, int]]:
    """Yield (number, path, size in bytes) for each event file in a folder. Links are skipped."""
    with os.scandir(folder) as entries:
        for entry in entries:
            match = _EVENT.fullmatch(entry.name)
            if match and not entry.is_symlink():
                yield int(match[1]), Path(entry.path), entry.stat(follow_symlinks=False).st_size


def _event_rows(folder: Path) -> list[JsonRow]:
    """Return the events of a folder as rows whose `line` counts the events from 1. Raises
    BadSession."""
    events = sorted(_event_files(folder))
    if sum(size for *_, size in events) > LARGEST:
        raise BadSession(folder, 0, f"its events are more than {LARGEST:,} bytes together")

    def event(line: int, path: Path) -> JsonRow:
        first, *more = read_rows(path)
        if more:
            raise BadSession(path, 0, "it holds more than one event")
        return JsonRow(line, first.value, first.notes)

    notes: list[str] = []
    named = ((path.name, partial(event, line, path)) for line, (_, path, _) in enumerate(events, 1))
    found = [row for _, row in _readable_rows(named, notes)]
    if not found:
        raise BadSession(folder, 0, f"none of its events can be read: {notes[0]}")
    return [JsonRow(row.line, row.value, tuple(notes)) for row in found]


def _archive_rows(path: Path) -> list[JsonRow]:
    """Return the log in an archive as a single row with all its samples. Raises BadSession."""
    try:
        with os.fdopen(plain_descriptor(path), "rb") as file, ZipFile(file) as archive:
            members = {info.filename: info for info in archive.infolist()}
            samples = [name for name in members if name.startswith(_SAMPLES)]
            header = next((name for name in _HEADERS if name in members), "")
            if not samples or not header:
                raise BadSession(path, 0, "an archive without samples, so no log of inspect")
            size = sum(members[name].file_size for name in (header, *samples))
            if size > LARGEST:
                raise BadSession(path, 0, f"{size:,} bytes unpacked, more than {LARGEST:,}")
            packed = {
                name: _member_bytes(path, archive, members[name]) for name in (header, *samples)
            }
    except OSError as error:
        raise unreadable_error(path, error) from error
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise BadSession(path, 0, f"a damaged archive: {error}") from error

    def member(name: str) -> JsonRow:  # scores may be NaN, which inspect writes as it is
        return json_row(path, 0, decode_utf8(packed[name]), unsaid=True)

    told, notes = member(header).value, list[str]()
    values = [
        row.value for _, row in _readable_rows(((it, partial(member, it)) for it in samples), notes)
    ]
    if not values:
        raise BadSession(path, 0, notes[0])
    log = told if isinstance(told, dict) else {}
    return [JsonRow(0, {**log, "samples": values}, tuple(notes))]


def _member_bytes(path: Path, archive: ZipFile, info: ZipInfo) -> bytes:
    """Return the unpacked bytes of one file in an archive, at most as many as the archive declares.
    Raises BadSession if Zstandard is not installed, BadZipFile for damaged data."""
    if info.compress_type != _ZSTANDARD or sys.version_info >= (3, 14):
        with archive.open(info) as member:
            return member.read(info.file_size)
    try:
        import zstandard
    except ImportError:
        raise BadSession(path, 0, _INSTALL) from None
    packed = copy(info)  # as if it were stored as it is, and without a checksum
    packed.compress_type, packed.file_size = ZIP_STORED, info.compress_size
    del packed.CRC
    try:
        with archive.open(packed) as member:
            data = zstandard.ZstdDecompressor().stream_reader(member).read(info.file_size)
    except zstandard.ZstdError as error:
        raise BadZipFile(f"{info.filename}: {error}") from error
    if zlib.crc32(data) != info.CRC:
        raise BadZipFile(f"{info.filename}: its checksum differs")
    return data


def is_in_database(path: Path) -> bool:
    """Return True if a path, such as `opencode.db/SESSION`, names a session in an SQLite file."""
    return file_head(path.parent, len(DATABASE)) == DATABASE


def database_sessions(path: Path) -> list[tuple[str, str, str, float]]:
    """Return (id, project folder, title, time of the last change in seconds since the epoch) for
    each session with messages. Raises BadSession."""
    with _open_database(path) as database:
        return [
            (str(id), str(folder), str(title), updated / 1000)
            for id, _, folder, title, updated in database.execute(_FOUND)
        ]


def _database_rows(path: Path, only: str = "") -> list[JsonRow]:
    """Return a row for each session with messages, oldest first, or only for the session with the
    id `only`. Raises BadSession if the database is damaged or not opencode's, if the session does
    not exist, or if the sessions have more than LARGEST bytes in total."""
    with _open_database(path) as database:
        found = [one for one in database.execute(_FOUND) if only in ("", one[0])]
        if not found:
            why = f"no session {only} with messages" if only else "it holds no messages"
            raise BadSession(path, 0, f"a database of opencode: {why}")
        size = sum(database.execute(_SIZE, one[:1]).fetchone()[0] for one in found)
        if size > LARGEST:
            why = f"{size:,} bytes of sessions, more than {LARGEST:,}: name one as {path}/SESSION"
            raise BadSession(path, 0, why)
        return [_session_row(path, database, *one[:4]) for one in found]


def _session_row(
    path: Path, database: sqlite3.Connection, id: str, parent: str, folder: str, title: str
) -> JsonRow:
    """Return one session in the format of `opencode export`. Values that are not JSON are left out,
    with a note on each."""
    notes: list[str] = []

    def values(query: str) -> Iterator[tuple[str, object]]:
        found = database.execute(query, (id,))
        named = ((f"a part of {of}", partial(json_row, path, 0, data)) for of, data in found)
        yield from ((name, row.value) for name, row in _readable_rows(named, notes))

    parts: dict[str, list[object]] = {}
    for message, value in values(_PARTS):
        parts.setdefault(message, []).append(value)
    messages = [{"info": it, "parts": parts.get(message, [])} for message, it in values(_MESSAGES)]
    info = {"id": id, "parentID": parent, "directory": folder, "title": title}
    return JsonRow(0, {"id": id, "info": info, "messages": messages}, tuple(notes))


@contextmanager
def _open_database(path: Path) -> Iterator[sqlite3.Connection]:
    """Return a context manager that opens an opencode database for reading. Database errors inside
    the `with` block are raised as BadSession."""
    if not is_in_database(path / "any"):  # SQLite would wait for a pipe
        raise BadSession(path, 0, "cannot be read, or it is no database")
    try:
        with closing(_connect(path)) as database:
            found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not {str(name) for (name,) in found} >= _TABLES:
                raise BadSession(path, 0, "a database without the tables of opencode's sessions")
            yield database
    except sqlite3.Error as error:
        raise BadSession(path, 0, f"a database that cannot be read: {error}") from error
    except (TypeError, ValueError) as error:
        why = f"a database with other values than opencode's: {error}"
        raise BadSession(path, 0, why) from error


def _connect(path: Path) -> sqlite3.Connection:
    """Return a read-only connection that runs no code defined in the database."""
    name = f"file:{quote(str(path.absolute()))}?mode=ro"
    database = sqlite3.connect(name, uri=True, timeout=_BUSY)
    try:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    # A database that cannot be opened as usual is opened as a file that does not change.
    except sqlite3.OperationalError:
        database.close()
        database = sqlite3.connect(f"{name}&immutable=1", uri=True)
    database.execute("PRAGMA trusted_schema = OFF")
    # A column that is computed, or says so, may be of any length before it is asked for its length.
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE)
    return database
