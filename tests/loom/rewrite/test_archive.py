"""A workspace made of an archive: hostile ones make nothing, and so does an interrupt."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from loom.rewrite.archive import unpack_archive
from loom.rewrite.export import export
from tests.kit.cases import all_cases
from tests.kit.journal import files
from tests.kit.opened import plain
from tests.kit.step import step


def small(folder: Path) -> Path:
    """A workspace with one page."""
    with plain(folder, window=8_192) as ctx:
        ctx.user("Port it.")
        ctx.turn()
        step(ctx, 200)
        ctx.turn()
    return folder


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of it. Read it only."""
    folder = tmp_path_factory.mktemp("archive")
    export(small(folder / "w"), folder / "a.tar")
    return folder / "a.tar"


def added(archive: Path, out: Path, **about: object) -> Path:
    """An archive with one member more, its header as said."""
    data = about.pop("data", b"x")
    assert isinstance(data, bytes)
    with tarfile.open(archive) as old, tarfile.open(out, "w", format=tarfile.PAX_FORMAT) as new:
        for member in old:
            new.addfile(member, old.extractfile(member))
        more = tarfile.TarInfo("outputs/more.json")
        more.size = len(data)
        for name, value in about.items():
            setattr(more, name, value)
        new.addfile(more, io.BytesIO(data) if more.size else None)
    return out


NAMES = [
    "/etc/passwd", "../up", "outputs/../../up", "outputs/..", ".", "outputs//x", "./outputs/x",
    "a\\b", "C:/x", "C:x", "outputs/.tmp-1", ".tmp-import/x", "LOCK", "lock", "agents/a/LOCK",
    "agents/a/Lock/x", "index.db", "INDEX.DB-wal", "forks/f/index.db", "x" * 300, "a/" * 600 + "x",
    "outputs/" + "é" * 200,
]  # fmt: skip


@all_cases("name", NAMES)
def test_names_that_no_store_gives(archive: Path, tmp_path: Path, name: str) -> None:
    """Absolute, upward, kept back, too long: refused, and nothing is made."""
    hostile = added(archive, tmp_path / "h.tar", name=name)
    refused(hostile, tmp_path)


@all_cases(
    "about",
    [
        {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd", "size": 0},
        {"type": tarfile.LNKTYPE, "linkname": "journal/000001.jsonl", "size": 0},
        {"type": tarfile.FIFOTYPE, "size": 0},
        {"type": tarfile.CHRTYPE, "size": 0},
        {"type": tarfile.BLKTYPE, "size": 0},
        {"type": tarfile.CONTTYPE},
        {"type": tarfile.GNUTYPE_SPARSE},
        {"type": b"Z"},
        {"type": tarfile.DIRTYPE, "name": "../up", "size": 0},
        {"pax_headers": {"GNU.sparse.major": "1"}},
        {"pax_headers": {"linkpath": "/etc/passwd"}},
    ],
)
def test_members_that_are_no_plain_files(
    archive: Path, tmp_path: Path, about: dict[str, object]
) -> None:
    """Links, pipes, devices, sparse files, and headers that say more than a name."""
    refused(added(archive, tmp_path / "h.tar", **about), tmp_path)


@all_cases(
    "names",
    [
        ("outputs/x", "outputs/x/y"),
        ("outputs/x/y", "outputs/x"),
        ("journal/000001.jsonl",),
    ],
)
def test_names_that_collide(archive: Path, tmp_path: Path, names: tuple[str, ...]) -> None:
    """Two files, or a file and a folder, that the file system takes for one."""
    hostile = archive
    for number, name in enumerate(names):
        hostile = added(hostile, tmp_path / f"h{number}.tar", name=name)
    refused(hostile, tmp_path)


def test_sizes_that_lie(archive: Path, tmp_path: Path) -> None:
    """More than the file holds, more than a store reads, and less than none."""
    data = archive.read_bytes()
    for size in (b"77777777777\0", b"00000777777\0", b"-0000000001\0", b"\xff" * 12):
        head = bytearray(data[:512])
        head[124:136] = size
        head[148:156] = b" " * 8
        head[148:156] = b"%06o\0 " % sum(head)
        (tmp_path / "h.tar").write_bytes(bytes(head) + data[512:])
        refused(tmp_path / "h.tar", tmp_path)


@settings(suppress_health_check=list(HealthCheck), max_examples=60, deadline=None)
@given(at=st.integers(0, 40_000), cut=st.booleans(), flip=st.integers(1, 255))
def test_any_damage(
    archive: Path, tmp_path_factory: pytest.TempPathFactory, at: int, cut: bool, flip: int
) -> None:
    """Cut off or altered anywhere: a typed error and nothing made, or a workspace that is whole."""
    folder = tmp_path_factory.mktemp("damage")
    data = bytearray(archive.read_bytes())
    at %= len(data)
    if cut:
        del data[at:]
    else:
        data[at] ^= flip
    (folder / "h.tar").write_bytes(bytes(data))
    try:
        unpack_archive(folder / "h.tar", folder / "w")
    except (loom.BadInput, loom.errors.CorruptJournal):
        assert [path.name for path in folder.iterdir()] == ["h.tar"]
    else:
        plain(folder / "w").close()


def refused(hostile: Path, folder: Path) -> None:
    """The archive is refused, and nothing is made of it: not where it was to be, nor elsewhere."""
    before = files(folder)
    with pytest.raises(loom.BadInput, match="is no archive"):
        unpack_archive(hostile, folder / "w")
    assert files(folder) == before and not (folder / "w").exists()


def test_packed_again_by_another_program(archive: Path, tmp_path: Path) -> None:
    """Owners, times and folders of its own do no harm; files and folders are private all the
    same."""
    with (
        tarfile.open(archive) as old,
        tarfile.open(tmp_path / "b.tar", "w", format=tarfile.GNU_FORMAT) as new,
    ):
        folder = tarfile.TarInfo("journal")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o777
        new.addfile(folder)
        for member in old:
            member.mode, member.mtime, member.uname = 0o4777, 12345, "somebody"
            new.addfile(member, old.extractfile(member))
    unpack_archive(tmp_path / "b.tar", tmp_path / "w")
    for path in (tmp_path / "w", *(tmp_path / "w").rglob("*")):
        assert path.stat().st_mode & 0o7777 == (0o700 if path.is_dir() else 0o600)


@pytest.mark.parametrize("last", [True, False])
def test_an_archive_without_the_end_of_a_journal(tmp_path: Path, last: bool) -> None:
    """Segments that were taken out of an archive are missed, of a workspace that syncs nothing
    too."""
    with plain(tmp_path / "w", window=8_192) as ctx:
        for number in range(40):
            step(ctx, 40)
            if number % 10 == 9:
                ctx.renew()
    export(tmp_path / "w", tmp_path / "a.tar")
    with tarfile.open(tmp_path / "a.tar") as tar:
        held = [one for one in tar.getmembers() if one.name.startswith("journal/") and one.size]
        gone = [one.name for one in (held[-1:] if last else held)]
        with tarfile.open(tmp_path / "b.tar", "w", format=tarfile.PAX_FORMAT) as out:
            for member in tar.getmembers():
                data = b"" if member.name in gone else tar.extractfile(member).read()  # type: ignore[union-attr]
                member.size = len(data)
                out.addfile(member, io.BytesIO(data))
    with pytest.raises(loom.errors.CorruptJournal, match="it has 0 bytes, and had"):
        unpack_archive(tmp_path / "b.tar", tmp_path / "again")
