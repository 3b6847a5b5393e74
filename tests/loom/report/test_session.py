"""The rows of a report say what the journal says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

import loom
from loom.cli import main
from loom.compress.worth.worth import Worths
from loom.engine.archive.workspace import Workspace
from loom.engine.sent_again import request_at
from loom.report.data import ReportData
from loom_partitions.message import Digest
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


def test_messages_are_those_that_were_sent(
    both: tuple[Path, ReportData], capfd: pytest.CaptureFixture[str]
) -> None:
    """Each request's messages are, text by text, those `loom show --turn` prints."""
    folder, data = both
    [agent] = data.agents
    every = [turn.turn for turn in agent.turns]
    for number in (*every[::9], every[-1]):
        sent = told(capfd, "show", folder, "--turn", str(number))
        texts = [
            {"role": one["role"], "texts": [_said(block) for block in one["blocks"]]}
            for one in sent["messages"]
        ]
        assert shown(data, number) == texts
        turn = next(turn for turn in agent.turns if turn.turn == number)
        assert [data.texts[at] for at in data.tools[turn.tools]] == sent["tools"]
        assert turn.tokens.total == sent["tokens"]["total"]


def _said(block: dict[str, Any]) -> str:
    kinds = {"call": "arguments", "thought": "opaque", "media": "page"}
    return block[kinds.get(block["type"], "text")]


def test_tokens_of_messages_come_to_the_request(both: tuple[Path, ReportData]) -> None:
    """Those of its messages and of its tools are those of its partitions together."""
    folder, data = both
    workspace = Workspace.at_path(folder, write=False)
    [agent] = data.agents
    ids: tuple[int, ...] = ()
    for turn in agent.turns:
        ids = (*ids[: turn.shared], *turn.new)
        if turn.turn % 10 == 1:
            tools = request_at(workspace, turn.turn).window.skill.tools.tokens
            assert sum(data.messages[id].tokens for id in ids) + tools == turn.tokens.total


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


def test_a_plain_list_only_grows(session: Path) -> None:
    """By what came in, however much left the window."""
    [agent] = data_of(session).agents
    plain = [turn.plain for turn in agent.turns]
    assert plain == sorted(plain) and plain[-1] > 3 * agent.turns[-1].capacity
    assert agent.turns[agent.plain_over - 1].plain > agent.turns[0].capacity
    assert agent.turns[agent.plain_over - 2].plain <= agent.turns[0].capacity


def test_scores_are_those_of_the_engine(folder: Path) -> None:
    """Worked out again they are what the engine had when it made the cut."""
    live: dict[int, dict[str, float]] = {}

    def watch(cut: Any) -> None:
        engine = ctx._engine
        catalog, policy = engine.survey.catalog(), engine.policy
        from loom.compress.worth.fitted import constants_of

        window = engine.window
        worths = Worths(
            catalog, window.working, constants_of(policy), window.limits.capacity, policy.ageing
        )
        live[len(live)] = {
            f"step_{entry.id:04d}": max((worths.of(u.key) for u in catalog.of(entry)), default=0.0)
            for entry in window.history.stream.entries
            if not isinstance(entry, Digest)
        }

    with loom.open(
        folder, window=6_000, policy=loom.Policy(own_tools=False), on_cut=watch, durable=False
    ) as ctx:
        ctx.user("Read.")
        for number in range(40):
            ctx.turn()
            call = loom.ToolCall(f"c{number}", "read", f'{{"path": "a_{number % 7}.py"}}')
            ctx.reply(loom.Reply((loom.Speech("On."), call)))
            ctx.result(call.id, "".join(f"a_{number} {at}\n" for at in range(150)))
        ctx.turn()
    [agent] = data_of(folder).agents
    assert len(agent.cuts) == len(live) > 3
    compared = 0
    for cut in agent.cuts:
        for row in cut.left:
            if row.score is not None and row.entry in live[agent.cuts.index(cut)]:
                found = live[agent.cuts.index(cut)][row.entry]
                assert row.score.worth == pytest.approx(found, abs=1e-5)
                compared += 1
    assert compared > 10


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


def test_rows_are_plain(session: Path) -> None:
    """All of it becomes JSON, and the same data twice."""
    assert to_builtins(data_of(session)) == to_builtins(data_of(session))
