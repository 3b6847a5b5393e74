"""A report: its rows, its lanes, a page that nothing breaks out of and that keeps its size."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.cli import main
from loom.inspect.remade_requests import request_at
from loom.report.data import AgentRow, ReportData
from loom.report.html_page import SCRIPTS, STYLES, asset_text, report_html
from loom.report.page_fitting import page_within_limit
from loom.session.archive.workspace import Workspace
from tests.loom.report.conftest import HOSTILE, data_of, told


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


def test_bands_are_the_window(both: tuple[Path, ReportData]) -> None:
    """To the token: what fills a request, by what it is, is what it holds by partition."""
    [agent] = both[1].agents
    for turn in agent.turns:
        assert sum(turn.bands.values()) == turn.tokens.total
    found = {name for turn in agent.turns for name in turn.bands}
    assert {"instructions", "user", "model", "reads"} <= found


def test_last_use_is_told_by_request(session: Path) -> None:
    """What a file's only read brought in was last used by the reply to the request before it."""
    [agent] = data_of(session).agents
    came = {lane.entry: lane.spans[0].first for lane in agent.lanes}
    used = [
        (row.score.used, came[row.entry] - 1)
        for cut in agent.cuts for row in cut.left
        if row.score and row.title.startswith("read src/") and row.entry in came
    ]  # fmt: skip
    assert len(used) > 20 and all(told == known for told, known in used)


def test_bytes_that_begin_as_before(both: tuple[Path, ReportData]) -> None:
    """Between cuts a request begins with the whole of the one before; behind a cut with less."""
    [agent] = both[1].agents
    before = 0
    for turn in agent.turns:
        assert 0 <= turn.reused <= min(before, turn.sent)
        assert turn.cuts or turn.reused == before
        before = turn.sent


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


def test_the_oldest_texts_leave_first(session: Path) -> None:
    """The page is within the size, of older requests less is there than of newer ones, and what is
    left out is told to the character. In no room at all every request, cut and lane is told."""
    data = data_of(session)
    smallest, bare = page_within_limit(data, 1)
    assert (bare.agents, bare.messages) == (data.agents, data.messages)
    limit = (len(report_html(data)) + len(smallest)) // 2
    made, less = page_within_limit(data, limit)
    assert len(made) <= limit and made == report_html(less)
    gone = [number for number, text in enumerate(less.texts) if text is None]
    left = less.omitted
    assert 0 < left.texts == len(gone) < left.of == len(data.texts)
    assert left.characters == sum(less.lengths[number] for number in gone)
    assert [less.lengths[number] for number in gone] == [len(data.texts[n] or "") for n in gone]
    assert 0 < left.through < data.agents[0].turns[-1].turn
    newest = [data.messages[id] for id in data.agents[0].turns[-1].new]
    assert all(less.texts[block.text] is not None for one in newest for block in one.blocks)


def test_a_lane_has_no_gap(session: Path, family: Path) -> None:
    """From the request a text came in for to the last one, each request is in one span."""
    for folder in (session, family):
        [agent] = data_of(folder).agents
        last = agent.turns[-1].turn
        for lane in agent.lanes:
            covered = [t for span in lane.spans for t in range(span.first, span.last + 1)]
            assert covered == list(range(lane.spans[0].first, last + 1))


def test_what_is_read_ahead_and_recalled(folder: Path) -> None:
    """Both bring a text back, each in its own way, and a cut takes it out again."""
    with loom.open(folder, window=6_000, durable=False) as ctx:
        ctx.user("Look.")
        for number in range(30):
            ctx.turn()
            path = "a.py" if number % 8 == 0 else f"b_{number}.py"
            call = loom.ToolCall(f"c{number}", "read", json.dumps({"path": path}))
            ctx.reply(loom.Reply((loom.Speech("On."), call)))
            text = "".join(f"def f_{number}_{at}(): pass\n" for at in range(90))
            ctx.result(call.id, f"zebra {number}\n{text}")
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("r", "recall", '{"query": "zebra 3"}'),)))
        ctx.turn()
    [agent] = data_of(folder).agents
    ways = {way for lane in agent.lanes for _, way in lane.came}
    assert "recall" in ways
    last = agent.turns[-1].turn
    assert {turn for lane in agent.lanes for turn, way in lane.came if way == "recall"} == {last}
    for lane in agent.lanes:
        for before, after in pairwise(lane.spans):
            assert before.last + 1 == after.first and before.state != after.state
            if after.state == "out":
                assert agent.cuts[after.cut].turn == after.first


DATA = re.compile(rb'<script type="([^"]+)" id="data">([^<]*)</script>')


def read_again(made: bytes) -> object:
    """The data of a page."""
    found = DATA.search(made)
    assert found is not None
    if found[1] == b"application/json":
        return json.loads(found[2])
    return json.loads(gzip.decompress(b64decode(found[2], validate=True)))


def small(*texts: str) -> ReportData:
    """Data of few texts, which a page holds as they are."""
    row = AgentRow(name=texts[0], folder=".", above=-1, state="idle")
    return ReportData("0", texts[0], (row,), (), (), texts)


def test_hostile_texts_end_nothing() -> None:
    """None of their signs is in the page as it is, and all come back."""
    texts = [text.replace("\ud800", "?")[:500] for text in HOSTILE]
    made = report_html(small(*texts))
    assert read_again(made)["texts"] == texts  # type: ignore[index]
    assert made.count(b"</script>") == made.count(b"<script") == 2
    shown = DATA.search(made)
    assert shown is not None and not re.search(rb"[<>&\x00]|\xe2\x80[\xa8\xa9]", shown[2])
    assert b"<title>Loom report \xc2\xb7 &lt;/script&gt;" in made
    made = report_html(small("@SCRIPT@ @DATA@ @STYLE@"))  # what is called as its own places are
    assert "<title>Loom report · @SCRIPT@ @DATA@ @STYLE@</title>" in made.decode()


def test_only_its_own_script_and_style_act() -> None:
    """The policy names both by their sha256 as they stand in the page, and nothing else."""
    made = report_html(small("a")).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', made)
    assert policy is not None
    for tag, name in (("style", "style-src"), ("script", "script-src")):
        inner = re.findall(rf"<{tag}>(.*?)</{tag}>", made, re.DOTALL)
        assert len(inner) == 1
        digest = b64encode(sha256(inner[0].encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}';" in policy[1]
    assert policy[1].startswith("default-src 'none';") and "connect-src 'none'" in policy[1]
    assert "unsafe" not in policy[1] and not re.search(r'(?:src|href)="(?!#)', made)


def test_assets_put_text_in_as_text() -> None:
    """No script makes elements of a text, or runs one; no style names an address."""
    scripts, styles = asset_text(*SCRIPTS), asset_text(*STYLES)
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "fetch("):
        assert word not in scripts
    assert "url(" not in styles and "@import" not in styles and "</" not in scripts
