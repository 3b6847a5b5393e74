"""The table of what recorded compactions lost."""

import json
from pathlib import Path

import pytest

from benchmarks.lost import lost
from tests.kit.compacted import compacted_log


def test_a_row_for_each_compaction(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """And the total; kinds of what was lost, and what Loom would have kept."""
    compacted_log(tmp_path)
    assert lost(sessions=[tmp_path], workers=1, json=True) == 0
    made = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert (made["compactions"], made["things"], made["lost"]) == (1, 5, 4)
    assert made["kinds"]["file"] == {"n": 2, "lost": 1}
    own, large, small = made["beside"]
    assert own["places"] == [1, 0, 0, 4] and large["places"] == small["places"] == [5, 0, 0, 0]
    assert (own["back"], large["back"], small["back"]) == (0, 2, 2) and made["again"] > 0


def test_without_a_compaction_there_is_no_table(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It says so."""
    (tmp_path / "a.jsonl").write_text('{"role": "user", "content": "Go.", "thinking": ""}\n')
    assert lost(sessions=[tmp_path], workers=1) == 2
    assert "none was compacted" in capfd.readouterr().err
