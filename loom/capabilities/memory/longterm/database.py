"""The SQLite file of a long-term memory: how it is opened, its schema, and the check that it is
Loom's; and the errors of stores, none of which harms anything stored."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from loom.disk import make_private_folders, open_private_file
from loom.errors import NewerWorkspace, PagingError, StoreLocked, StoreUnreachable
from loom.search.index import VERSION as TERMS

VERSION = 1  # of the schema
APPLICATION = 0x4C6F6F6D  # "Loom", in the file's header
SETTINGS = (
    "journal_mode = DELETE",
    "synchronous = EXTRA",
    "fullfsync = ON",  # of macOS, where a sync leaves bytes in the drive's cache
    "secure_delete = ON",
)
HELD = """CREATE VIRTUAL TABLE held USING fts5 (
    names, words, content='', tokenize='porter ascii', detail=full
)"""
SCHEMA = (
    """CREATE TABLE memories (
        id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, key TEXT NOT NULL,
        kind TEXT NOT NULL, source TEXT NOT NULL, agent TEXT NOT NULL, saved REAL NOT NULL,
        expires REAL NOT NULL, replaces INTEGER NOT NULL, replaced_by INTEGER NOT NULL,
        digest BLOB NOT NULL
    )""",
    "CREATE INDEX by_key ON memories (key, id) WHERE key != ''",
    "CREATE INDEX by_digest ON memories (digest, id) WHERE replaced_by = 0",
    "CREATE INDEX by_expiry ON memories (expires) WHERE expires > 0",
    "CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
    "CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    f"INSERT INTO state VALUES ('terms', '{TERMS}'), ('embedder', '')",
    HELD,
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)


def connect(path: Path, wait: float) -> sqlite3.Connection:
    """Return a connection to the SQLite file at `path`. A missing file is created (mode 0600), a
    file that cannot be written is opened read-only. Statements wait up to `wait` seconds for other
    processes. Raises PagingError."""
    mode = "rw"
    try:
        make_private_folders(path.parent)
        os.close(open_private_file(path, os.O_RDWR | os.O_CREAT))
    except OSError as error:
        if not (path.is_file() and os.access(path, os.R_OK)):
            raise failed_store(str(path), str(error)) from error
        mode = "ro"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(
        uri, uri=True, timeout=wait, isolation_level=None, check_same_thread=False
    )


def has_tables(db: sqlite3.Connection, path: str) -> bool:
    """Return True if the database has Loom's tables, False if it is empty. Raises NewerWorkspace
    for a database of a newer Loom, PagingError for a database of another program."""
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if not tables and not application and not version:
        return False
    if application != APPLICATION:
        raise corrupt_store(path, "it is the database of another program")
    if version > VERSION:
        raise newer_store(path, version, VERSION)
    return True


def busy_store(path: str, seconds: float) -> StoreLocked:
    """Return the error for a store that another process kept open for `seconds`."""
    said = (
        f"{path} is in use by another process and did not come free in {seconds:g} s; nothing"
        " was changed: try again, or close it there"
    )
    return StoreLocked(path, "another process", said)


def read_only_store(path: str) -> StoreUnreachable:
    """Return the error for a write to a store that can only be read."""
    hint = "give its owner the right to write, or copy it to where you have it"
    return StoreUnreachable(path, "write", "it may only be read", hint)


def corrupt_store(path: str, why: str) -> PagingError:
    """Return the error for a store that is damaged or not Loom's; `why` says how."""
    return PagingError(
        f"{path} cannot be read as long-term memory ({why}); it was left as it is: restore it"
        " from a backup, or move it away and a new one is made"
    )


def newer_store(path: str, version: int, known: int) -> NewerWorkspace:
    """Return the error for a store written by a newer Loom: `version` is above the `known` one."""
    return NewerWorkspace(
        f"{path} has version {version} and this Loom knows {known}; it was left as it is:"
        " update loom-window to open it",
        version,
    )


def failed_store(path: str, why: str) -> PagingError:
    """Return the error for a read or write that the operating system refused."""
    return PagingError(
        f"{path}: {why}; what was acknowledged is kept: put that right, then call again"
    )
