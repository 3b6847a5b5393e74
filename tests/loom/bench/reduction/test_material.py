"""Which results are measured, and which needles stood in them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from loom.bench.reduction.material import large, needles
from loom.replay.importers.unreadable import BadSession


def test_nothing(recording: Callable[..., Path]) -> None:
    """Without sessions, or with results that are small enough, there is nothing to reduce."""
    assert large([], 10) == []
    assert large([recording()], 1_000_000) == []
    assert needles([]) == {}


def test_large_results(recording: Callable[..., Path]) -> None:
    """Results above the limit in order, each with its page, objective and kind."""
    found = large([recording()], 2_000)
    assert [one.json for one in found] == [False, True]
    assert [one.objective for one in found] == ["Read the log."] * 2
    assert len({one.ref for one in found}) == 2
    assert all(len(one.text) > 2_000 for one in found)


def test_needles(recording: Callable[..., Path]) -> None:
    """A needle is in each result that held it before the call; one of a short result is in none."""
    log, document = large([recording()], 2_000)
    assert [needle.label[1] for needle in log.needles] == [0, 1, 2]
    assert [needle.label[1] for needle in document.needles] == [1]
    assert len(needles([log, document])) == 3


def test_sessions_without_labels(recording: Callable[..., Path]) -> None:
    """They are measured too, without needles."""
    found = large([recording(labels=False)], 2_000)
    assert len(found) == 2 and not needles(found)


def test_labels_of_two_sessions(tmp_path: Path) -> None:
    """Labels beside a file of two sessions cannot be told apart: it is refused."""
    path = tmp_path / "two.json"
    path.write_text('[{"traj": [{"role": "user", "content": "a"}]}, {"traj": []}]', "utf-8")
    path.with_name("two.labels.jsonl").write_text("", "utf-8")
    with pytest.raises(BadSession):
        large([path], 10)
