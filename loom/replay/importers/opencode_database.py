"""The database of opencode, `opencode.db`: its sessions, as `opencode export` writes them.

Opened to read alone. `PATH/opencode.db/SESSION` names one session in it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from loom.errors import BadSession
from loom.replay.importers.rows import LARGEST, JsonRow, head_of, row_of

MAGIC = b"SQLite format 3\0"
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


def inside(path: Path) -> bool:
    """Tell whether a path names something in a database: its folder is a file that begins so."""
    return head_of(path.parent, len(MAGIC)) == MAGIC


def rows(path: Path, only: str = "") -> list[JsonRow]:
    """Return a row for each session that has messages, the eldest first, or for the one named.

    Each is an object with `id`, `info` and `messages`, a message one with `info` and `parts`.
    Raises BadSession for a database of something else or damaged, for a session that is not there,
    and for more than LARGEST bytes: then one session may be named.
    """
    with _opened(path) as database:
        found = [one for one in database.execute(_FOUND) if only in ("", one[0])]
        if not found:
            why = f"no session {only} with messages" if only else "it holds no messages"
            raise BadSession(path, 0, f"a database of opencode: {why}")
        size = sum(database.execute(_SIZE, one[:1]).fetchone()[0] for one in found)
        if size > LARGEST:
            why = f"{size:,} bytes of sessions, more than {LARGEST:,}: name one as {path}/SESSION"
            raise BadSession(path, 0, why)
        return [_session(path, database, *one[:4]) for one in found]


def listed(path: Path) -> list[tuple[str, str, str, float]]:
    """Return (id, project, title, seconds since the epoch when it changed last) of the sessions
    that have messages, none of them read. Raises BadSession."""
    with _opened(path) as database:
        return [
            (str(id), str(folder), str(title), updated / 1000)
            for id, _, folder, title, updated in database.execute(_FOUND)
        ]


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The database, read only; BadSession for what goes wrong with it within the block."""
    if not inside(path / "any"):  # SQLite would wait for a pipe
        raise BadSession(path, 0, "cannot be read, or it is no database")
    try:
        with closing(_connection(path)) as database:
            found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not {str(name) for (name,) in found} >= _TABLES:
                raise BadSession(path, 0, "a database without the tables of opencode's sessions")
            yield database
    except sqlite3.Error as error:
        raise BadSession(path, 0, f"a database that cannot be read: {error}") from error
    except (TypeError, ValueError) as error:
        raise BadSession(
            path, 0, f"a database with other values than opencode's: {error}"
        ) from error


def _connection(path: Path) -> sqlite3.Connection:
    """A connection that runs nothing the database defines; beside a log nobody may write, as is."""
    name = f"file:{quote(str(path.absolute()))}?mode=ro"
    database = sqlite3.connect(name, uri=True, timeout=_BUSY)
    try:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        database.close()
        database = sqlite3.connect(f"{name}&immutable=1", uri=True)
    database.execute("PRAGMA trusted_schema = OFF")
    # A column that is computed, or says so, may be of any length before it is asked for its length.
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE)
    return database


def _session(
    path: Path, database: sqlite3.Connection, id: str, parent: str, folder: str, title: str
) -> JsonRow:
    """One session as `opencode export` writes it; what is no JSON in it is noted and left out."""
    notes: list[str] = []
    parts: dict[str, list[object]] = {}
    for message, value in _values(path, database.execute(_PARTS, (id,)), notes):
        parts.setdefault(message, []).append(value)
    messages = [
        {"info": info, "parts": parts.get(message, [])}
        for message, info in _values(path, database.execute(_MESSAGES, (id,)), notes)
    ]
    info = {"id": id, "parentID": parent, "directory": folder, "title": title}
    return JsonRow(0, {"id": id, "info": info, "messages": messages}, tuple(notes))


def _values(
    path: Path, found: Iterable[tuple[str, str]], notes: list[str]
) -> Iterator[tuple[str, object]]:
    for id, data in found:
        try:
            row = row_of(path, 0, data)
        except BadSession as error:
            notes.append(f"a part of {id}: {error.why}: it was left out")
            continue
        notes.extend(row.notes)
        yield id, row.value
