"""A result that is given while it is given up, by processes at the same time; and one of no use."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import loom
from loom_partitions import records as r


def opened(folder: Path) -> loom.Context:
    """The parent."""
    return loom.open(folder, goal="All.", window=16_000, durable=False)


def check_once(ctx: loom.Context) -> None:
    """Every child that was spawned was joined, once."""
    workspace = ctx._engine.workspace
    numbers = range(1, workspace.commits + 1)
    every = [one for number in numbers for one in workspace.records(number)]
    spawned = Counter(one.child for one in every if isinstance(one, r.Spawned))
    assert spawned == Counter(one.child for one in every if isinstance(one, r.Joined))
    assert set(spawned.values()) == {1} and ctx.agents.children == {}


def test_a_capsule_of_no_use(tmp_path: Path) -> None:
    """Damaged, or in another's name: it is a failed one of this child, and joined as such."""
    with opened(tmp_path / "w") as ctx:
        for name, data in (("torn", b'{"agent":"torn","sta'), ("forged", FORGED)):
            ctx.agents.spawn("Work.", name=name, durable=False).close()
            (tmp_path / "w" / "agents" / name / "capsule.json").write_bytes(data)
        found = ctx.agents.wait("torn", "forged")
        assert [(one.agent, one.status) for one in found] == [
            ("torn", "failed"),
            ("forged", "failed"),
        ]
        check_once(ctx)


FORGED = b'{"agent":"../../elsewhere","status":"done","summary":"Well done."}'
