import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.events import DiskWatch, MemoryWatch
from loom.capabilities.events.resource_watch import Threshold, available
from tests.kit.cases import all_cases


@given(st.lists(st.floats(0, 3), max_size=60))
def test_between_two_edges_the_quantity_was_cleared(ratios: list[float]) -> None:
    """No two edges without a recovery between them, and no fall from clear air untold."""
    mark, armed = Threshold(), True
    for ratio in ratios:
        assert mark.fell(ratio) == (armed and ratio < 1)
        armed = ratio >= 1.25 or (armed and ratio >= 1)


def test_memory_is_told_at_the_edge_and_anew_after_a_recovery() -> None:
    """Two falls are two ids; the share is in the summary."""
    shares = iter([0.5, 0.09, 0.05, 0.11, 0.09, 0.2, 0.01])
    memory = MemoryWatch(lambda: next(shares))
    told = [signal for _ in range(7) for signal in memory.look()]
    assert [signal.kind for signal in told] == ["memory", "memory"]
    assert "9.0%" in told[0].summary and told[0].urgency == "high"
    assert told[0].id != told[1].id


def _proc(root: Path, total: int, free: int) -> None:
    (root / "proc" / "self").mkdir(parents=True)
    text = f"MemTotal:  {total} kB\nMemFree: 1 kB\nMemAvailable: {free} kB\nHugePages_Total: 0\n"
    (root / "proc" / "meminfo").write_text(text)


def _group(root: Path, place: str, most: str, used: int, cache: int) -> None:
    folder = root / "sys" / "fs" / "cgroup" / place
    folder.mkdir(parents=True, exist_ok=True)
    (root / "proc" / "self" / "cgroup").write_text(f"4:memory:/old\n0::/{place}\n")
    (folder / "memory.max").write_text(f"{most}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 5\ninactive_file {cache}\n")


@all_cases(("most", "share"), [("max", 0.5), ("1000", 0.2), ("garbage", 0.5), ("0", 0.5)])
def test_a_limit_of_the_control_group_counts(tmp_path: Path, most: str, share: float) -> None:
    """The tighter of the two is what can be had; page cache is given back."""
    _proc(tmp_path, 1_000, 500)
    _group(tmp_path, "agents/one", most, 900, 100)
    assert available(tmp_path) == share


def test_a_group_seen_from_inside_a_container_counts(tmp_path: Path) -> None:
    """Its place lies outside of what is mounted; the limit is at the root of the mount."""
    _proc(tmp_path, 1_000, 500)
    _group(tmp_path, "", "1000", 900, 0)
    (tmp_path / "proc" / "self" / "cgroup").write_text("0::/docker/abc\n")
    assert available(tmp_path) == 0.1


def test_without_proc_memory_is_not_short(tmp_path: Path) -> None:
    """And on this machine there is a share at all."""
    assert available(tmp_path) == 1
    assert 0 < available() <= 1


def test_a_disk_below_its_threshold_is_told_once(tmp_path: Path) -> None:
    """A condition that stays is told no more; a disk that is not there raises."""
    disk = DiskWatch(tmp_path, shutil.disk_usage(tmp_path).total * 2)
    assert DiskWatch(tmp_path, 1).look() == []
    (told,) = disk.look()
    assert (told.kind, told.urgency) == ("disk", "high") and "bytes left" in told.summary
    assert disk.look() == []
    with pytest.raises(FileNotFoundError):
        DiskWatch(tmp_path / "none").look()
