"""Signals, timers, and what is measured of the machine."""

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.events.poller import Signal, occurred
from loom.capabilities.events.sources import SHARE, Shortage, Timers, disk, memory
from loom.errors import BadInput, LoomError
from loom_partitions.working import URGENCIES
from tests.kit.cases import all_cases

Clock = Any


def test_timers_fire_in_the_order_they_are_due(clock: Clock) -> None:
    """Several in one look come as they were due, not as they were set."""
    timers = Timers(clock)
    for seconds in (3, 1, 2):
        timers.at(seconds, f"t{seconds}", "x")
    clock.now += 10
    assert [signal.id.split("#")[0] for signal in timers.look()] == ["t1", "t2", "t3"]


@given(
    st.floats(0, 1e9),
    st.floats(0.001, 1e9),
    st.lists(st.floats(0, 1e9), min_size=1, max_size=20),
)
def test_a_repeating_timer_fires_at_most_once_a_look(
    first: float, every: float, steps: list[float]
) -> None:
    """Whatever the times, ids are new and a second look at one time finds nothing."""
    now = 0.0
    timers = Timers(lambda: now)
    timers.at(first, "t", "x" * 200, every=every)
    ids = []
    for step in steps:
        now += step
        ids += [signal.id for signal in timers.look()]
        assert timers.look() == []
    assert len(ids) == len(set(ids))


@all_cases(
    ("seconds", "every"),
    [(-1.0, 0.0), (float("nan"), 0.0), (float("inf"), 0.0), (1.0, -1.0), (1.0, 1e-9)],
)
def test_times_that_are_none_are_refused(clock: Clock, seconds: float, every: float) -> None:
    """A time is 0 or more; a rhythm is not endlessly fast."""
    with pytest.raises(ValueError, match="seconds"):
        Timers(clock).at(seconds, "t", "x", every=every)


BAD = [
    *((field, text) for field in ("id", "kind", "summary") for text in ("", "\t \x1b[0m")),
    ("urgency", "urgent"),
]


@all_cases(("field", "value"), BAD)
def test_what_could_not_be_shown_is_no_signal(field: str, value: str) -> None:
    """An id, kind or summary without a letter, and an unknown urgency, are refused."""
    with pytest.raises(BadInput) as raised:
        Signal(**{"id": "a", "kind": "files", "summary": "a", "urgency": "low", field: value})
    assert isinstance(raised.value, LoomError)


@given(st.text(st.characters(), max_size=400), st.sampled_from(URGENCIES))
def test_any_text_of_an_occurrence_makes_a_signal(text: str, urgency: str) -> None:
    """A summary is cut and cleaned until it is a lawful one."""
    made = occurred("files", text, urgency, text)
    assert 1 <= len(made.summary) <= 200 and made.urgency == urgency


@given(st.lists(st.floats(0, 3), max_size=60))
def test_between_two_edges_the_quantity_was_cleared(ratios: list[float]) -> None:
    """No two edges without a recovery between them, and no fall from clear air untold."""
    mark, armed = Shortage("memory", lambda: (ratio, "memory is short")), True
    ids = []
    for ratio in ratios:
        told = mark.look()
        assert bool(told) == (armed and ratio < 1)
        armed = ratio >= 1.25 or (armed and ratio >= 1)
        ids += [signal.id for signal in told]
    assert len(ids) == len(set(ids))


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
    assert memory(tmp_path)[0] == share / SHARE


def test_a_group_seen_from_inside_a_container_counts(tmp_path: Path) -> None:
    """Its place lies outside of what is mounted; the limit is at the root of the mount."""
    _proc(tmp_path, 1_000, 500)
    _group(tmp_path, "", "1000", 900, 0)
    (tmp_path / "proc" / "self" / "cgroup").write_text("0::/docker/abc\n")
    assert memory(tmp_path)[0] == 0.1 / SHARE


def test_a_disk_below_its_threshold_is_told_once(tmp_path: Path) -> None:
    """A condition that stays is told no more; a disk that is not there raises."""
    small = Shortage("disk", partial(disk, tmp_path, shutil.disk_usage(tmp_path).total * 2))
    assert Shortage("disk", partial(disk, tmp_path, 1)).look() == []
    (told,) = small.look()
    assert (told.kind, told.urgency) == ("disk", "high") and "bytes left" in told.summary
    assert small.look() == []
    with pytest.raises(FileNotFoundError):
        Shortage("disk", partial(disk, tmp_path / "none")).look()
