"""Strategies by name: built in, or a file's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.__main__ import app
from loom_bench.errors import BadBench
from loom_bench.recorded.named import known

OWN = """
def newest(budget):
    def shorten(messages):
        kept = list(messages)
        while kept and (budget.count(kept) > budget.room or kept[0]["role"] == "tool"):
            del kept[0]
        return kept
    return shorten


def orphans(budget):
    return lambda messages: [one for one in messages if one["role"] == "tool"][-4:]
"""


@pytest.fixture
def own(tmp_path: Path) -> str:
    """The path of a file with two strategies."""
    path = tmp_path / "mine.py"
    path.write_text(OWN, "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("tale", "there are loom"),
        ("none.py:newest", "there is no file none.py"),
        ("{own}:other", "has no other"),
    ],
)
def test_a_name_of_none_is_refused(own: str, name: str, why: str) -> None:
    """It says what there is."""
    with pytest.raises(BadBench, match="strategy") as caught:
        known([name.replace("{own}", own)])
    assert why in str(caught.value)


def test_a_file_that_fails_is_told(tmp_path: Path) -> None:
    """With what it raised."""
    (tmp_path / "bad.py").write_text("1 / 0", "utf-8")
    with pytest.raises(BadBench, match="ZeroDivisionError"):
        known([f"{tmp_path / 'bad.py'}:make"])


def test_one_s_own_is_asked_beside_the_others(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`ask` takes it in its processes too; what it breaks is mended before it is judged."""
    names = [f"{own}:newest", f"{own}:orphans", "tail"]
    given = [
        "ask",
        "--seeds",
        "1",
        "--first",
        "5",
        "--workers",
        "1",
        "--capacity",
        "8192",
        "--json",
    ]
    app(
        [*given, *(part for name in names for part in ("--strategy", name))],
        result_action="return_value",
    )
    told = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    shown = json.dumps(told)
    assert all(name in shown for name in names)
