"""An index spoilt in any way: it is thrown away and made again, and recall answers as before."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.search.index import SearchIndex
from loom.session.archive import recall as recalling
from loom.session.archive.recall_index import INDEX, catch_up, index_state
from loom.session.archive.workspace import Workspace
from tests.kit.cases import all_cases
from tests.kit.standins import Letters

QUERIES = ("kraken", "row 287", "cat", "4711", "auth/login.py", "compass", "run_enable_interactive")


def told(ctx: loom.Context) -> list[str]:
    """What recall says of all queries, in little room and in much."""
    return of_queries(ctx.recall, ctx.window.config.mark)


def of_queries(recall: Callable[[str, int], str], mark: str) -> list[str]:
    """The answers to all queries, whatever the session's mark."""
    rooms = [(query, room) for query in QUERIES for room in (4_000, 16_000)]
    return [recall(query, room).replace(mark, "zx73") for query, room in rooms]


def forget(ctx: loom.Context, path: Path, sound: Path | None = None) -> None:
    """Let recall find no index, or a copy of a whole one, as if nothing had happened."""
    for file in path.parent.glob(f"{INDEX}*"):
        file.unlink()
    if sound:
        shutil.copyfile(sound, path)
    index_state(ctx._engine.workspace).index = None


@pytest.fixture(scope="module")
def ctx(standing: loom.Context) -> loom.Context:
    """A context that lived."""
    standing.memory.use_embedder(Letters())
    return standing


@pytest.fixture(scope="module")
def before(ctx: loom.Context) -> list[str]:
    """What its recalls say while nothing is spoilt."""
    return told(ctx)


@pytest.fixture(scope="module")
def place(ctx: loom.Context) -> Path:
    """Where its index lies."""
    return ctx._engine.workspace.store.root / INDEX


@pytest.fixture(scope="module")
def sound(place: Path, before: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of its index while nothing is spoilt."""
    return shutil.copyfile(place, tmp_path_factory.mktemp("sound") / "index")


@pytest.fixture
def path(ctx: loom.Context, place: Path, sound: Path) -> Path:
    """Where its index lies, which is whole."""
    forget(ctx, place, sound)
    return place


@contextmanager
def unguarded(path: Path) -> Iterator[sqlite3.Connection]:
    """The index as a table takes anything: no NOT NULL while the block runs, and again after it."""

    @contextmanager
    def changed() -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA synchronous = OFF")
            db.execute("PRAGMA writable_schema = ON")
            with db:
                yield db

    with changed() as db:
        before = db.execute("SELECT sql, name FROM sqlite_master WHERE type = 'table'").fetchall()
        db.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '')")
    with changed() as db:
        db.execute("PRAGMA writable_schema = OFF")
        yield db
    with changed() as db:
        db.executemany("UPDATE sqlite_master SET sql = ? WHERE name = ?", before)


def whole(ctx: loom.Context, path: Path) -> bool:
    """Whether the file is the index again: nothing stands in memory, and nothing is to be added."""
    with SearchIndex.at(path) as index:
        return (
            index_state(ctx._engine.workspace).index is None
            and catch_up(ctx._engine.workspace, index) == 0
        )


COLUMNS = {
    "units": ("name", "source", "entry", "start", '"end"', "first", "last"),
    "state": ("done", "mark", "embedder", "units"),
    "vectors": ("vector",),
    "held_data": ("block",),
    "held_docsize": ("sz",),
}
ODD = st.sampled_from(
    (None, -1, -(1 << 63), (1 << 63) - 1, 1 << 40, 0.5, -1e300, "", "odd", "\0", b"", b"odd\xff")
)
SPOILING = st.sampled_from([(table, name) for table in COLUMNS for name in COLUMNS[table]])


@settings(max_examples=settings.default.max_examples // 3)
@given(spoilings=st.lists(st.tuples(SPOILING, ODD, st.integers(1, 4)), min_size=1, max_size=3))
def test_any_value_in_any_column(
    ctx: loom.Context,
    place: Path,
    sound: Path,
    before: list[str],
    spoilings: list[tuple[tuple[str, str], object, int]],
) -> None:
    """Whatever stands where a number, a text or a vector should, recall says what it said.

    Of what FTS5 keeps for itself only that it answers: an empty block is an empty index to it.
    """
    forget(ctx, place, sound)
    with unguarded(place) as db:
        for (table, column), value, every in spoilings:
            with suppress(sqlite3.IntegrityError):
                db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid % ? = 0", (value, every))
    own = any(table.startswith("held") for (table, _), _, _ in spoilings)
    assert told(ctx) == before or own


IN_ITS_PLACE: dict[str, Callable[[Path], object]] = {
    "a folder that holds something": lambda path: (path / "a" / "b").mkdir(parents=True),
    "a link": lambda path: path.symlink_to("journal"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a pipe": lambda path: os.mkfifo(path),
    "a file nobody may read": lambda path: path.touch(0),
    "a folder for its journal": lambda path: path.with_name(f"{INDEX}-journal").mkdir(),
}


@all_cases("kind", IN_ITS_PLACE)
def test_what_stands_in_its_place(
    lived: loom.Context, tmp_path: Path, before: list[str], kind: str
) -> None:
    """What is no file, or no file that can be used, leaves recall as it was."""
    IN_ITS_PLACE[kind](tmp_path / "w" / INDEX)
    lived.memory.use_embedder(Letters())
    assert told(lived) == before


def test_a_file_that_may_not_be_written(
    ctx: loom.Context, path: Path, sound: Path, before: list[str]
) -> None:
    """Neither a file nor a folder that is read-only silences recall, whole or spoilt."""
    for spoil in ("SELECT 1", "DELETE FROM units"):
        forget(ctx, path, sound)
        with closing(sqlite3.connect(path)) as db:
            db.executescript(spoil)
        path.chmod(0o400)
        path.parent.chmod(0o500)
        try:
            assert told(ctx) == before
        finally:
            path.parent.chmod(0o700)


def test_a_full_disk(lived: loom.Context, tmp_path: Path, before: list[str]) -> None:
    """Where the file cannot grow the index is in memory, and nothing is indexed twice."""
    lived.memory.use_embedder(Letters())
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, limits[1]))
    try:
        lived.recall("kraken")
        index = index_state(lived._engine.workspace).index
        added = index.added
        assert told(lived) == before
        assert index_state(lived._engine.workspace).index is index and index.added == added > 0
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_reader_of_a_spoilt_file(ctx: loom.Context, path: Path, before: list[str]) -> None:
    """Who holds no lock leaves the spoilt file alone, and answers from memory."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript("DELETE FROM units WHERE id > 2; UPDATE units SET start = 'odd'")
    spoilt = path.read_bytes()
    reader = Workspace.at_path(path.parent, write=False)
    index_state(reader).embedder = Letters()
    mark = reader.window.config.mark
    found = of_queries(lambda *asked: recalling.recall(reader, *asked)[0], mark)
    assert found == before and path.read_bytes() == spoilt


def test_another_journal_is_noticed(tmp_path: Path) -> None:
    """An index that came from another workspace, or knows of a future, is emptied."""
    for name, word in (("a", "kraken"), ("b", "leviathan")):
        with loom.open(tmp_path / name, durable=False) as ctx:
            ctx.user(word)
            ctx.recall(word)
    (tmp_path / "a" / INDEX).replace(tmp_path / "b" / INDEX)
    with loom.open(tmp_path / "b", durable=False) as ctx:
        assert "user_0001" in ctx.recall("leviathan")
        assert "nothing holds" in ctx.recall("kraken")
        with SearchIndex.at(tmp_path / "b" / INDEX) as index:
            index.add([], 10_000, "mark")
        assert "user_0001" in ctx.recall("leviathan")


BY_SQL = [
    "DELETE FROM units",
    "DELETE FROM units WHERE id = 1",
    "DELETE FROM units; INSERT INTO held(held) VALUES ('delete-all')",
    "INSERT INTO held(held) VALUES ('delete-all')",
    "DELETE FROM held_data",
    "DELETE FROM held_docsize",
    "UPDATE units SET id = id + 1000",
    "UPDATE units SET name = 'outputs/none_0099.txt'",
    "UPDATE units SET name = '../../etc/passwd'",
    "UPDATE units SET entry = entry + 90",
    'UPDATE units SET start = "end" + 400',
    "UPDATE units SET first = first + 1",
    "UPDATE units SET last = last + 1",
    "DELETE FROM state",
    "INSERT INTO state SELECT * FROM state",
    "UPDATE state SET done = done - 1",
    "UPDATE vectors SET vector = zeroblob(50)",
    "UPDATE vectors SET vector = replace(hex(zeroblob(13)), '00', 'ÿÿÿÿ')",
    "UPDATE vectors SET id = id + 1000",
    "DELETE FROM vectors",
    *(f"DROP TABLE {table}" for table in ("state", "units", "held", "vectors")),
    *(f"ALTER TABLE {table} ADD COLUMN more" for table in ("state", "units", "vectors")),
    "ALTER TABLE units RENAME COLUMN start TO begun",
    "DROP INDEX by_entry",
    "DROP TABLE units; CREATE VIEW units AS SELECT 1 AS id",
    "CREATE TRIGGER t AFTER INSERT ON units BEGIN DELETE FROM units; END",
    "CREATE TABLE mine (a)",
    "PRAGMA user_version = 99",
    "PRAGMA journal_mode = WAL; UPDATE units SET name = 'x'",
]


@all_cases("sql", BY_SQL)
def test_rows_and_tables_that_are_wrong(
    ctx: loom.Context, path: Path, before: list[str], sql: str
) -> None:
    """Rows, columns, tables that are gone or say what cannot be: the index is made again."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(sql)
    assert told(ctx) == before
    assert whole(ctx, path)
