from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.cli import main
from loom.report.data import AgentRow, ReportData
from loom.report.session_rows import AgentPlace, collect_report
from tests.kit.browser import Browser, browsing
from tests.kit.opened import plain
from tests.kit.rich_workspace import rich

TURNS = 90
HOSTILE = (
    "</script><script>window.owned = 1</script>",
    "<!-- <script> --><img src=x onerror='window.owned = 2'>",
    "\u2028 \u2029 \u202e turned \u2066 hidden \u200b",
    "NUL \x00 and \x1b[31m",
    "a lone \ud800 surrogate",
    "@SCRIPT@ @DATA@ @STYLE@ &lt;b&gt;",
    "one line " + "x" * 1_000_000,
)


def data_of(folder: Path) -> ReportData:
    """The data of one workspace."""
    row = AgentRow(name="w", folder=".", above=-1, state="idle")
    return collect_report([AgentPlace(row, folder)], "w", lambda *_: None)


def written(folder: Path, *names: str) -> Path:
    """The page of a workspace, in a file beside it."""
    out = folder.parent / f"{folder.name}.html"
    assert main(["report", str(folder), "-o", str(out), *names]) == 0
    return out


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of 90 requests in a window of 6,000 tokens: `config.json` is read early, leaves,
    and is paged in by the model. Read it only."""
    folder = tmp_path_factory.mktemp("report") / "session"
    names = ["config.json", *(f"src/part_{number}.py" for number in range(TURNS))]
    policy = loom.Policy(tuning=loom.Tuning(ahead_tokens=0))  # so that nothing comes back unasked
    with loom.open(folder, window=6_000, goal="Read all.", policy=policy, durable=False) as ctx:
        ctx.user("Read all of it.")
        for number in range(TURNS - 1):
            ctx.turn()
            asks = number == TURNS - 10
            given = {"ref": "outputs/read_0001.txt"} if asks else {"path": names[number]}
            call = loom.ToolCall(f"c{number}", "page_in" if asks else "read", json.dumps(given))
            ctx.reply(loom.Reply((loom.Speech(f"Next: {names[number]}."), call)))
            if not asks:
                ctx.result(call.id, _text(names[number], 60 if number == 0 else 25))
        ctx.turn()
    return folder


def _text(name: str, lines: int) -> str:
    return "".join(f"{name} line {at}: value {at * 7}\n" for at in range(lines)) + "end\n" * 250


@pytest.fixture(scope="session")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with everything one may hold: agents, a fork, an undoing. Read it only."""
    return rich(tmp_path_factory.mktemp("report") / "family")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace whose texts and names try to break out of a page. Read it only."""
    folder = tmp_path_factory.mktemp("report") / "hostile"
    with plain(folder, window=600_000, goal=HOSTILE[0]) as ctx:
        ctx.system(HOSTILE[0])
        for number, text in enumerate(HOSTILE):
            ctx.user(text)
            ctx.turn()
            call = loom.ToolCall(f"c{number}", "read", json.dumps({"path": text[:200]}))
            ctx.reply(loom.Reply((loom.Speech(text), call)))
            ctx.result(call.id, text)
        ctx.turn()
    return folder


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A window of a browser, for all tests of this folder."""
    with browsing(tmp_path_factory.mktemp("browser")) as made:
        yield made


def told(capfd: pytest.CaptureFixture[str], *tokens: str | Path) -> Any:
    """What a command prints as JSON."""
    capfd.readouterr()
    main([str(token) for token in (*tokens, "--json")])
    return json.loads(capfd.readouterr().out)
