"""`loom fit`: K and λ from recorded sessions, with labels beside them or without."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import loom
from tests.kit.cases import each_value
from tests.kit.labelled import labelled_session
from tests.loom.cli.conftest import Run


@pytest.mark.parametrize(("labels", "ageing"), each_value([True, False], ["log", "steps"]))
def test_a_policy_comes_of_it(run: Run, tmp_path: Path, labels: bool, ageing: str) -> None:
    """What it prints is a policy a context opens with; other constants stay as they are."""
    for name in ("one", "two"):
        path = labelled_session(tmp_path, name, filler=14)
        if not labels:
            path.with_name(f"{name}.labels.jsonl").unlink()
    given = ("fit", str(tmp_path), "--capacity", "8000", "--rounds", "1", "--ageing", ageing)
    code, out, _ = run(*given, "--json")
    report = json.loads(out)
    assert code == 0 and report["sessions"] == 2 and set(report["policy"]) == {
        "ageing", "decay", "kind_weights",
    }  # fmt: skip
    policy = loom.Policy(**report["policy"])
    with loom.open(tmp_path / "w", policy=policy, durable=False) as ctx:
        assert ctx.window.config.policy["ageing"] == ageing
    code, out, _ = run(*given)
    assert code == 0 and out.startswith(f"loom.Policy(ageing={ageing!r}, decay=")
    assert eval(out.splitlines()[0]) == policy
