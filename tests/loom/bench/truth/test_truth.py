"""The command: from a folder of sessions to tables, a JSON line and an exit code."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.truth import truth
from loom.bench.truth.replay import JudgedReplay, TruthJob, judged
from loom.bench.truth.report import BOUNDS, FIGURES, examples, missed_bounds, truth_figures
from tests.kit.cases import all_cases


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session that edits a file and then looks at other things for long."""
    said: list[dict[str, Any]] = [{"role": "user", "content": "Mend the parser of this project."}]
    given = {"file_path": "/repo/parser.go", "old_string": "a\nb", "new_string": "c\nd"}
    work = [("Edit", given, "done")]
    work += [
        ("Bash", {"command": f"make animal-{n}"}, f"line {n} of the zoo is here\n" * 90)
        for n in range(16)
    ]
    for n, (name, arguments, text) in enumerate(work):
        call = {"id": f"c{n}", "name": name, "arguments": arguments}
        said.append({"role": "assistant", "content": "", "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": f"c{n}", "content": text})
    path = tmp_path / "one.jsonl"
    path.write_text("".join(json.dumps({"i": i, **m}) + "\n" for i, m in enumerate(said)), "utf-8")
    return path


def test_tail_forgets_the_edit(session: Path) -> None:
    """A tail that cuts tells the edit no more; where nothing is cut nothing is judged."""
    small, large = judged(TruthJob(session, (("tail", 4_000), ("tail", 100_000))))
    assert small.sums["cuts"] > 0
    assert small.faults["untold", "/repo/parser.go"] > 0
    assert large.sums["cuts"] == 0
    assert not large.faults


def test_truth(session: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A table for each capacity, figures on the last line, each fault in the details."""
    details = tmp_path / "details.jsonl"
    code = truth(sessions=[session], capacity="4000", strategy=["tail"], workers=1, details=details)
    out = capsys.readouterr().out
    assert code == 0  # only Loom is held to the bounds
    assert "After a cut at 4,000" in out
    found = json.loads(out.splitlines()[-1])["4000"]["tail"]
    assert set(FIGURES) <= set(found)
    assert set(BOUNDS) <= set(found)
    lines = [json.loads(line) for line in details.read_text("utf-8").splitlines() if line]
    assert {"kind": "untold", "text": "/repo/parser.go"}.items() <= lines[0].items()


def test_hostile_reaches_the_strategy(session: Path) -> None:
    """The planted lines are fed, and a tail shows them only where they belong."""
    [found] = judged(TruthJob(session, (("tail", 4_000),), hostile=True))
    assert found.sums["cuts"] > 0
    assert found.sums["forged"] == 0


@pytest.mark.parametrize(
    "given", [{"capacity": "few"}, {"strategy": ["nobody"]}, {"sessions": [Path("/nowhere")]}]
)
def test_refused(session: Path, given: dict[str, Any]) -> None:
    """What cannot be measured is refused, with a word on stderr."""
    asked: dict[str, Any] = {"sessions": [session], "json": True, **given}
    assert truth(**asked) == 2


@all_cases("name", BOUNDS)
def test_bounds(name: str) -> None:
    """Each bound is missed by one fault of its kind, and kept by none."""
    clean = JudgedReplay("s", "loom", 1)
    clean.sums.update(characters=100, twice=2)
    assert missed_bounds(truth_figures([clean])) == []
    clean.sums[name] += 1
    clean.failed = "error" if name == "failed" else ""
    assert missed_bounds(truth_figures([clean])) == [name]


def test_examples() -> None:
    """The commonest faults of each kind come first, five at most."""
    replay = JudgedReplay("s", "loom", 1)
    replay.faults.update({("stale", str(n)): n for n in range(1, 9)})
    assert examples(replay.faults) == {"stale": [[str(n), n] for n in (8, 7, 6, 5, 4)]}
