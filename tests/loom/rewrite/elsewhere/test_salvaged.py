"""A log on an object store of which objects are damaged, read as far as it can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

import loom
from loom_paging import MissingPage
from loom_paging.remote.opening import tree_at
from loom_paging.remote.tree import RemoteTree
from loom_paging.under import within
from tests.kit.cases import all_cases
from tests.loom.rewrite.elsewhere.test_commands import say
from tests.loom.rewrite.elsewhere.worker import work

NAME = "journal/000001.jsonl"


def checkpoint(place: str, note: bytes = b"") -> None:
    """Put a checkpoint of the store at an address: what lay in batches is merged."""
    store = tree_at(place, write=True)
    assert isinstance(store, RemoteTree)
    if note:
        store.put("notes/large.md", note)
    store.sweep_objects()
    store.close()


@all_cases("bad", [{0}, {1}, {0, 1}])
@all_cases("how", ["altered", "gone"])
def test_all_that_lies_in_sound_objects_is_read(bad: set[int], how: str, tmp_path: Path) -> None:
    """Of a damaged one as many zeros and a line end are left, and a repair goes on behind it."""
    place = f"file://{tmp_path}/objects/agent"
    for turns in (2, 4):
        work(place, turns)
        checkpoint(place)
    store = tree_at(f"{place}?cache=0", write=False)
    assert isinstance(store, RemoteTree)
    spans, expected = store._own._fold.cell(NAME).extents, b""
    keys = list(dict.fromkeys(span.key for span in spans))
    assert len(keys) >= 2
    for span, data in [(span, store._own._bytes(span)) for span in spans]:
        if keys.index(span.key) in bad:
            data = b"\0" * (span.length - 1) + b"\n"
            at = tmp_path / "objects/agent" / span.key
            at.write_bytes(b"other") if how == "altered" else at.unlink(missing_ok=True)
        expected += data
    found = tree_at(f"{place}?cache=0", write=False, salvage=True)
    expected += b"\n" * expected.endswith(b"\0\n")  # else the end would be a torn line, which no
    assert isinstance(found, RemoteTree) and found.salvaged(NAME) == expected  # call has written
    below = within(tree_at(f"file://{tmp_path}/objects/agent?cache=0", write=False), "agents/x")
    with pytest.raises(MissingPage):
        cast("Any", below).salvaged(NAME)
    assert loom.repair(f"{place}?cache=0", tmp_path / "new").lost


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
