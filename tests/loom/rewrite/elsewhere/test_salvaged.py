"""A log on an object store of which objects are damaged, read as far as it can be."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loom.rewrite.mirror import CHUNK, salvaged
from loom_paging import CorruptPage, FileStore
from loom_paging.remote.opening import tree_at
from loom_paging.remote.tree import RemoteTree
from tests.loom.rewrite.elsewhere.test_commands import say
from tests.loom.rewrite.elsewhere.worker import work

NAME = "journal/000001.jsonl"


class DamagedObjects(FileStore):
    """A store whose log lies in objects of these sizes, of which some are damaged."""

    def lay(self, sizes: list[int], bad: set[int]) -> bytes:
        """Write the log, and damage objects by their number."""
        data = b"".join(bytes([65 + at % 26]) * size for at, size in enumerate(sizes))
        self.append(NAME, data)
        self.ends = list(accumulate(sizes))
        self.bad, self.asked = bad, 0
        return data

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Bytes of the log; CorruptPage when one of the objects that have them is damaged."""
        self.asked += 1
        begin = 0
        for at, end in enumerate(self.ends):
            if at in self.bad and begin < offset + length and offset < end:
                raise CorruptPage(f"merged/{at}", "a" * 64, "b" * 64)
            begin = end
        return super().read(name, offset, length)


@given(
    sizes=st.lists(st.integers(1, 3 * CHUNK), min_size=1, max_size=9),
    bad=st.sets(st.integers(0, 8)),
)
@example(sizes=[1, 1, 1, 1], bad={0, 1, 3})
@example(sizes=[100, 1, 100], bad={0, 2})
def test_all_that_lies_in_sound_objects_is_read(
    sizes: list[int], bad: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each damaged one is as many zeros and a line end, however they lie beside one another."""
    store = DamagedObjects(tmp_path_factory.mktemp("store"), durable=False)
    data = store.lay(sizes, bad)
    found, begin = salvaged(store, NAME), 0
    assert len(found) == len(data)
    for at, end in enumerate(store.ends):
        lost = b"\0" * (end - begin - 1) + b"\n"
        assert found[begin:end] == (lost if at in bad else data[begin:end])
        begin = end
    damaged = len([at for at in bad if at < len(sizes)])
    assert store.asked <= 2 * (len(data) // CHUNK + 1) + 80 * damaged


def checkpoint(place: str, note: bytes = b"") -> None:
    """Put a checkpoint of the store at an address: what lay in batches is merged."""
    store = tree_at(place, write=True)
    assert isinstance(store, RemoteTree)
    if note:
        store.put("notes/large.md", note)
    store.sweep_objects()
    store.close()


def test_repair_tells_a_file_that_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside the journal and its pages: it is named, and not left out in silence."""
    place = f"file://{tmp_path}/objects/agent"
    work(place, 2)
    checkpoint(place, note=b"a note\n" * 9_000)
    page = max((tmp_path / "objects/agent/pages").iterdir(), key=lambda at: at.stat().st_size)
    page.write_bytes(b"other")
    code, told = say(capsys, "repair", f"{place}?cache=0", f"{tmp_path}/saved")
    assert code == 1 and "lost: notes/large.md" in told and "1 file" in told
