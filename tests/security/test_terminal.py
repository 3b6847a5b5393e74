"""What the commands print of hostile workspaces, projects and sessions, byte by byte."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Struct
from rich.text import Text

from benchmarks import show as benchmarks_show
from benchmarks.__main__ import app as benchmarks_app
from loom.cli import main, output, scratch, text_tables
from loom_bench.tables import table
from tests.kit.cases import all_cases
from tests.kit.hostile import (
    DRAWN,
    EVIL,
    NAME,
    SIGNS,
    hostile_project,
    hostile_session,
    hostile_workspace,
    unseen,
)
from tests.kit.terminals import commands_of, terminal


class HostilePlaces(Struct, frozen=True):
    """Where the hostile things of one test session lie."""

    home: Path
    workspace: Path
    damaged: Path
    project: Path
    session: Path


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> HostilePlaces:
    """Everything hostile, made once. Read it only."""
    home = tmp_path_factory.mktemp("hostile")
    project = hostile_project(home)
    workspace = hostile_workspace(home, project)
    damaged = Path(shutil.copytree(workspace, home / f"d{NAME}", symlinks=True))
    (damaged / "outputs" / "shell_0001.log").write_text(EVIL, "utf-8")
    with next((damaged / "journal").iterdir()).open("ab") as log:
        log.write(f"deadbeef {EVIL}\n{EVIL}\n".encode())
    return HostilePlaces(home, workspace, damaged, project, hostile_session(home))


HOSTILE_PARTS = """
def evil(script):
    script.system("You are careful.")
    at = script.user(EVIL)
    script.fact(EVIL, EVIL, at)
    script.work(tokens=6_000)


def raises(budget):
    raise RuntimeError(EVIL)
"""
# Every command of `loom` → how it is called on what is hostile. A command without a line fails.
CASES: dict[str, Callable[[HostilePlaces], list[list[str | Path]]]] = {
    "demo": lambda at: [[f"--{EVIL}"]],  # it reads Loom's own sources alone
    "replay": lambda at: [
        [at.session],
        [at.session, "--json"],
        [at.session, "--out", at.home / f"o{NAME}"],
        [at.session, "--out", at.home / f"o{NAME}"],  # it is there already
        [at.session, at.workspace / "outputs" / NAME],
    ],
    "bench": lambda at: [
        ["list"],
        ["run", EVIL],
        ["run", f"{_scenario(at)}:evil", "--strategy", f"{_scenario(at)}:raises", "--json",
         "--seeds", "1", "--out", at.home / f"b{NAME}", "--html", at.home / f"p{NAME}"],
        ["compare", at.home / f"b{NAME}", at.home / f"b{NAME}", "--all"],
        ["replay", "--sessions", at.session, "--window", "8192"],
    ],
    "stat": lambda at: _looks(at, ["--json"]),
    "context": lambda at: _looks(at, ["--json"], ["--all"]),
    "top": lambda at: _looks(at, ["--once"], ["--once", "--json"])[3:],  # without, it goes on
    "ps": lambda at: _looks(at, ["--json"]),
    "log": lambda at: _looks(at, ["--json"], ["--kind", EVIL], ["--limit", EVIL]),
    "pages": lambda at: _looks(at, ["--json"]),
    "cat": lambda at: [
        *_looks(at, ["step_0002", "--json"], ["step_0002"], [EVIL])[3:],
        [at.workspace, "shell_0001", "--grep", f"({EVIL}"],
    ],
    "memory": lambda at: [[at.project, *more] for more in ([], ["--json"], ["--for", NAME])],
    "skills": lambda at: [[at.project], [at.project, "--json"], [at.project, "--strict"]],
    "check": lambda at: _looks(at, ["--json"]),
    "pin": lambda at: [[at.home / f"none{NAME}", EVIL]],
    "compact": lambda at: [[at.home / f"none{NAME}"]],
    "fit": lambda at: [[at.home / f"none{NAME}"], [at.session, "--ageing", EVIL]],
    "statusline": lambda at: [[EVIL]],
    "show": lambda at: _looks(at, ["--json"], ["--turn", EVIL], ["--format", "gemini"]),
    "diff": lambda at: [[at.workspace, "1", "1"], [at.damaged, "1", "99", "--json"]],
    "gc": lambda at: _looks(at, ["--json"], ["--ttl", EVIL]),  # shown only
    "export": lambda at: [
        [folder, at.home / f"x{NAME}{number}{len(more)}", *more]
        for number, folder in enumerate((at.workspace, at.damaged))
        for more in ([], ["--format", "openai", "--json"], ["--as-is"])
    ],
    "report": lambda at: [
        [place, *more]
        for number, place in enumerate((at.workspace, at.damaged, at.session, at.home))
        for more in (["-o", at.home / f"h{NAME}{number}.html"], ["--json"])
    ],
    "import": lambda at: [
        [file, at.home / f"i{NAME}{number}"]
        for number, file in enumerate((at.session, at.home / f"none{NAME}", _values(at)))
    ],
    "mcp": lambda at: [[f"--{EVIL}"]],  # what it serves is a protocol, for no terminal
    "serve": lambda at: [["--port", EVIL], [f"--{EVIL}"]],
    "hook": lambda at: [["--scope", EVIL], [f"--{EVIL}"]],
    "doctor": lambda at: [[], ["--json"], ["--port", EVIL]],
    "signal": lambda at: [[at.workspace, EVIL], [at.workspace, "told", "--id", EVIL, "--json"]],
    "purge": lambda at: [
        [folder, "--from", _values(at), *more]  # shown only: what is shared here stays as it is
        for folder in (at.workspace, at.damaged)
        for more in ([], ["--json"], ["--rules", "--json"])
    ],
    "repair": lambda at: [
        [folder, at.home / f"r{NAME}" / f"{number}{len(more)}", *more]
        for number, folder in enumerate((at.workspace, at.damaged))
        for more in ([], ["--json"])
    ],
}  # fmt: skip
# What hands bytes on to a pipe as they are.
RAW = {"cat"}


def _scenario(at: HostilePlaces) -> Path:
    """A file with a scenario, and with a strategy that raises, whose texts are hostile."""
    path = at.home / f"s{NAME}.py"
    path.write_text(HOSTILE_PARTS.replace("EVIL", repr(EVIL)), "utf-8")
    return path


def _values(at: HostilePlaces) -> Path:
    """A file with values that stand in what is hostile."""
    path = at.home / f"v{NAME}"
    path.write_text("make evil\nmakeevil\nuser_0002\nowned\x07x\x1b[97;41m\n", "utf-8")
    return path


def _looks(at: HostilePlaces, *options: list[str | Path]) -> list[list[str | Path]]:
    """A command on the workspace, a damaged one and none, first bare and then with each option."""
    folders = (at.workspace, at.damaged, at.home / f"none{NAME}")
    return [[folder, *more] for more in ([], *options) for folder in folders]


def test_every_command_has_a_case() -> None:
    """A new command comes with the way it is tried here."""
    assert sorted(CASES) == commands_of("loom")


def steered(drawn: str) -> list[str]:
    """What is wrong with what a terminal was sent, beside what rich draws with."""
    sent = [repr(sign) for sign in SIGNS if len(sign) > 1 and sign in drawn]
    return sent + unseen(DRAWN.sub("", drawn))


SAYS: dict[str, Callable[[], object]] = {
    "a line": lambda: output.print_line(EVIL),
    "an error": lambda: output.complain(EVIL),
    "a traceback": lambda: output.print_traceback(EVIL),
    "a page": lambda: output.print_bytes(EVIL.encode()),
    "an object": lambda: output.print_json({EVIL: EVIL}),
    "objects": lambda: output.print_json_line({EVIL: EVIL}),
    "a styled line": lambda: output.print_lines([Text(EVIL, "bold")]),
    "a long one": lambda: output.print_lines([Text(EVIL * 9)], wrap=True),
    "labels": lambda: output.print_lines(
        text_tables.label_value_lines([("a", EVIL * 9), ("b", EVIL * 9)], ["b"])
    ),
    "a table": lambda: output.print_lines(
        text_tables.table_lines((EVIL, "b>"), [(EVIL, EVIL)], (EVIL, EVIL))
    ),
    "a ranked one": lambda: text_tables.print_ranked_table(
        EVIL,
        [text_tables.RankedColumn("b", 0, "b")],
        [text_tables.RankedRow(EVIL, {"b": EVIL})],
        80,
    ),
    "a bar": lambda: _draw_a_bar(),
}


def _draw_a_bar() -> None:
    with scratch.progress_bar() as watch:
        watch(EVIL, 1, 2)


@all_cases("door", SAYS)
def test_a_terminal_is_sent_nothing_hostile(monkeypatch: pytest.MonkeyPatch, door: str) -> None:
    """Each door by which all commands print (`test_visible` holds that there is no other) sends no
    sign but what is seen and what rich draws with."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    with terminal() as told:
        SAYS[door]()
    assert told[0].strip() and not steered(told[0])


@all_cases("command", commands_of("loom"))
def test_a_pipe_is_sent_nothing_hostile(
    places: HostilePlaces, capfdbinary: pytest.CaptureFixture[bytes], command: str
) -> None:
    """Neither is a pipe, but for the bytes of a page; and every `--json` is read back as it was."""
    for given_ in CASES[command](places):
        capfdbinary.readouterr()
        main([command, *map(str, given_)])
        out, err = capfdbinary.readouterr()
        as_json = "--json" in given_
        assert out.strip() or err.strip(), given_
        assert not unseen(err.decode()), given_
        if command not in RAW or as_json:
            assert not unseen(out.decode()), given_
        if as_json and out:
            json.loads(out)


def test_a_page_goes_through_a_pipe_as_it_is(
    places: HostilePlaces, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """`loom cat` gives a pipe every byte of a page; only a terminal gets it escaped."""
    assert main(["cat", str(places.workspace), "shell_0001"]) == 0
    assert capfdbinary.readouterr().out == (EVIL * 60).encode()


def test_an_error_nobody_expected_steers_nothing(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    """Its traceback keeps its lines, and its text is escaped."""

    def broken(*_: object) -> None:
        raise RuntimeError(EVIL)

    monkeypatch.setattr("loom.cli.ps.agent_tree", broken)
    assert main(["ps", str(tmp_path)]) == 1
    err = capfdbinary.readouterr().err.decode()
    assert err.startswith("Traceback") and r"RuntimeError: evilx\x1b]0;owned" in err
    assert not unseen(err)


@all_cases("command", commands_of("benchmarks"))
def test_a_benchmark_refuses_without_being_steered(
    command: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Each command tells of an option it does not know, and of one that is out of range."""
    with pytest.raises(SystemExit):
        benchmarks_app([command, f"--{EVIL}", EVIL])
    out, err = capfdbinary.readouterr()
    assert err and not unseen((out + err).decode())


def test_what_a_benchmark_says_is_escaped(
    places: HostilePlaces, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Tables, bars, lines and the JSON object of any of them."""
    with benchmarks_show.Bar(EVIL, 2) as bar:
        bar.describe(EVIL)
        bar.advance(text=EVIL, loud=True)
    benchmarks_show.on_stderr(EVIL)
    benchmarks_show.end({"said": EVIL}, [table("t", ["a", "b"], [[EVIL, 1]])], EVIL)
    out, err = capfdbinary.readouterr()
    assert not unseen((out + err).decode())
    assert json.loads(out.decode().splitlines()[-1]) == {"said": EVIL}
    with terminal() as told, benchmarks_show.Bar(EVIL, 2) as bar:
        bar.describe(EVIL)
        bar.advance(text=EVIL, loud=True)
    assert not steered(told[0])
