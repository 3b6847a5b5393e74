"""The example that measures which facts are still seen: its table says what it claims."""

from __future__ import annotations

from pathlib import Path

from tests.kit.example_scripts import printed


def test_every_fact_is_in_reach(tmp_path: Path) -> None:
    """Loom has all forty in the request or a call away; a tail has lost the older ones."""
    first = printed("harness", tmp_path)
    rows = [line.split() for line in first.splitlines() if line.startswith(("loom", "tail"))]
    assert [(name, window) for name, window, *_ in rows] == [
        ("loom", "8,192"), ("tail", "8,192"), ("loom", "16,384"), ("tail", "16,384"),
    ]  # fmt: skip
    for name, _, here, near, gone, marks in rows:
        assert int(here) + int(near) + int(gone) == len(marks) == 40
        assert (marks.count("#"), marks.count("+")) == (int(here), int(near))
        assert (int(gone) == 0) is (name == "loom")
    again = printed("harness", tmp_path)
    assert len(again.splitlines()) == len(first.splitlines())
