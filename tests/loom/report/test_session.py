"""The rows of a report say what the journal says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loom.cli import main
from loom.engine.archive.workspace import Workspace
from loom.inspect.sent_again import request_at
from loom.report.data import ReportData
from tests.loom.report.conftest import data_of, told


@pytest.fixture(scope="module", params=["session", "family", "hostile"])
def both(request: pytest.FixtureRequest) -> tuple[Path, ReportData]:
    """A workspace and its data."""
    folder = request.getfixturevalue(request.param)
    return folder, data_of(folder)


def shown(data: ReportData, number: int) -> list[dict[str, Any]]:
    """A request as the page puts it together: role and texts of each message."""
    [agent] = data.agents
    ids: tuple[int, ...] = ()
    for turn in agent.turns:
        ids = (*ids[: turn.shared], *turn.new)
        if turn.turn == number:
            break
    made = [data.messages[id] for id in ids]
    return [
        {"role": one.role, "texts": [data.texts[block.text] for block in one.blocks]}
        for one in made
    ]


def test_requests_are_those_of_the_log(
    both: tuple[Path, ReportData], capfd: pytest.CaptureFixture[str]
) -> None:
    """Number, commit, time, size, ρ, level and sha256 of each, and the cuts before it."""
    folder, data = both
    [agent] = data.agents
    logged = told(capfd, "log", folder, "--turns")["requests"]
    ours = [
        {
            "turn": turn.turn,
            "commit": turn.commit,
            "at": turn.at,
            "tokens": turn.tokens.total,
            "rho": turn.rho,
            "level": turn.level,
            "sha256": turn.sha256,
            "cuts": [agent.cuts[number].level for number in turn.cuts],
            "undone": turn.undone,
        }
        for turn in agent.turns
    ]
    assert ours == [{key: one[key] for key in ours[0]} for one in logged]
    assert all(turn.found == turn.sha256 for turn in agent.turns) and not agent.differ


def test_bytes_that_begin_as_before(both: tuple[Path, ReportData]) -> None:
    """Between cuts a request begins with the whole of the one before; behind a cut with less."""
    [agent] = both[1].agents
    before = 0
    for turn in agent.turns:
        assert 0 <= turn.reused <= min(before, turn.sent)
        assert turn.cuts or turn.reused == before
        before = turn.sent


def test_every_text_stands_once(both: tuple[Path, ReportData]) -> None:
    """However often it is shown."""
    texts = both[1].texts
    assert len(set(texts)) == len(texts)


def test_a_damaged_page_is_told(session: Path, tmp_path: Path) -> None:
    """Its requests are made with a stand-in, as `loom show` makes them, and named."""
    import shutil

    place = Path(shutil.copytree(session, tmp_path / "w"))
    page = place / "outputs" / "read_0001.txt"
    page.chmod(0o600)
    page.write_text("other", "utf-8")
    data = data_of(place)
    [agent] = data.agents
    workspace = Workspace.at_path(place, write=False)
    asked = [turn.turn for turn in agent.turns[:6]]
    assert agent.differ and set(agent.differ) >= {
        number for number in asked if request_at(workspace, number).differs
    }
    for turn in agent.turns[:6]:
        assert turn.found == request_at(workspace, turn.turn).turn.sha256
    assert main(["report", str(place), "-o", str(tmp_path / "r.html")]) == 1
