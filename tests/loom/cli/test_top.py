import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.cells import cell_len

import loom
from loom.cli.board import SECTIONS, drawn
from loom.cli.frame import PARTITIONS, Frame, frame
from loom.cli.records import LINES
from loom.cli.seen import CUTS, POINTS, RECORDS, RENEWALS, JournalSummary, noted
from loom.cli.show import WIDTH
from loom.cli.styled import spark
from loom.cli.top import WorkspaceWatch
from loom.replay.feed import replay
from loom_bench.sessions.generate import session
from loom_paging import Commit, FileStore, Journal
from loom_partitions import records as r
from loom_partitions.limits import Limits, Tokens
from loom_partitions.message import Said, Step, Text
from tests.kit.cases import all_cases
from tests.kit.command import COMMAND
from tests.kit.standins import work_of

Run = Callable[..., tuple[int, str, str]]
QUICK = ("--interval", "0.02")


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with many cuts, renewals, events, risks and a plan. Read it only."""
    folder = tmp_path_factory.mktemp("busy") / "w"
    with loom.open(
        folder, goal="Find the leak.", model="gpt-4o", window=6_000, durable=False
    ) as ctx:
        ctx.events.signal("low-1", "a wish", urgency="low")
        ctx.events.signal("ci-1", "the build broke", kind="ci", urgency="critical")
        ctx.events.signal("late-1", "it is late", urgency="high")
        ctx.events.acknowledge("late-1", "defer")
        ctx.working.plan([("look", "done"), ("fix", "doing"), "test"])
        for _ in replay(ctx, session(3, 40)):
            pass
    return folder


def step(ctx: loom.Context, text: str = "done") -> None:
    """One turn and a reply without calls."""
    ctx.user("Go on.")
    ctx.turn()
    ctx.reply(loom.Reply((loom.Speech(text),)))


# What is collected


def test_a_frame_says_what_stat_says(run: Run, busy: Path) -> None:
    """Numbers that other commands tell too are the same ones."""
    code, out, err = run("top", busy, "--once", "--json")
    assert (code, err) == (0, "")
    held = json.loads(out)
    stat = json.loads(run("stat", busy, "--json")[1])
    tools = stat["tokens"].pop("tools")  # a window counts them with its skills
    assert (
        tools > 0 and held["pressure"]["tokens"].pop("skill") == stat["tokens"].pop("skill") + tools
    )
    assert held["pressure"]["tokens"] == stat["tokens"]
    assert held["pressure"]["rho"] == pytest.approx(stat["rho"])
    assert held["levels"] == stat["cuts"] and held["levels"]["renewal"] == stat["renewals"] > 3
    for mine, theirs in (
        ("turn", "turns"), ("steps", "steps"), ("pages", "pages"), ("commits", "commits"),
        ("page_bytes", "page_bytes"), ("goal", "goal"), ("model", "model"), ("at", "at"),
    ):  # fmt: skip
        assert held[mine] == stat[theirs]


def test_series_and_cuts_are_those_of_the_journal(run: Run, busy: Path) -> None:
    """A column a request, and the newest cuts with the turn they were made for."""
    held = json.loads(run("top", busy, "--once", "--json")[1])
    series = held["series"]
    assert series["turn"] == list(range(1, held["turn"] + 1))
    assert series["sent"] == [sum(parts) for parts in zip(*series["tokens"].values(), strict=True)]
    assert sum(series["sent"]) == held["sent"] and sum(series["replied"]) == held["replied"] > 0
    records = json.loads(run("log", busy, "--json")[1])["records"]
    turn, cuts = 0, []
    for one in (each["record"] for each in records):
        turn = one.get("turn", turn) if one["type"] == "Turned" else turn
        if one["type"] in ("Compressed", "Renewed"):
            after = one["certificate"]["after"]
            cuts.append((turn + 1, one.get("level", "renewal"), sum(after.values())))
    assert [(c["turn"], c["level"], c["after"]) for c in held["cuts"]] == cuts[-CUTS:]
    renewals = [cut for cut in cuts if cut[1] == "renewal"][-RENEWALS:]
    assert [(c["turn"], c["level"], c["after"]) for c in held["renewals"]] == renewals
    last = held["cuts"][-1]
    assert held["pressure"]["level"] == (last["level"] if last["turn"] == held["turn"] else "")
    assert last["reusable"] < last["after"]
    assert [one["commit"] for one in held["records"]] == sorted(
        each["commit"] for each in records[-RECORDS:]
    )


def test_alerts_come_by_urgency(run: Run, busy: Path) -> None:
    """Pending events and risks together, the most urgent first, each with what became of it."""
    held = json.loads(run("top", busy, "--once", "--json")[1])
    told = [(one["urgency"], one["ids"], one["disposition"]) for one in held["alerts"]]
    assert told == [
        ("critical", ["ci-1"], ""),
        ("high", ["late-1"], "defer"),
        ("low", ["low-1"], ""),
    ]


def test_a_watch_sees_what_is_appended_and_reads_nothing_twice(tmp_path: Path) -> None:
    """Step by step the frames are those of a fresh reading, and each byte is read once."""
    with loom.open(tmp_path / "w", window=6_000, durable=False) as ctx:
        watch = WorkspaceWatch(tmp_path / "w")
        for at, _ in enumerate(replay(ctx, session(8, 30))):
            if at % 5 == 0:
                assert watch.look() == WorkspaceWatch(tmp_path / "w").look()
        found = watch.look()
    assert found.pressure.generation == ctx.window.sent.generation > 1  # segments were sealed
    assert found.pressure.tokens == ctx.window.tokens
    journal = tmp_path / "w" / "journal"
    assert watch.read == sum(file.stat().st_size for file in journal.iterdir())


def test_a_replaced_journal_is_read_anew(tmp_path: Path) -> None:
    """Gone: the last frame stays, with a note. Another in its place: its own numbers alone."""
    folder = tmp_path / "w"
    with loom.open(folder, goal="First.", durable=False) as ctx:
        step(ctx)
    watch = WorkspaceWatch(folder)
    before = watch.look()
    assert (before.goal, before.note) == ("First.", "")
    shutil.rmtree(folder)
    gone = watch.look()
    assert gone.commits == before.commits and "gone" in gone.note
    with loom.open(folder, goal="Second.", durable=False):
        pass
    after = watch.look()
    assert (after.goal, after.turn, after.steps, after.sent) == ("Second.", 0, 0, 0)
    assert "replaced" in after.note and after.commits < before.commits


def test_a_torn_tail_is_told_and_passed_over(run: Run, tmp_path: Path) -> None:
    """What a crash left at the end changes no number."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        step(ctx)
    whole = json.loads(run("top", tmp_path / "w", "--once", "--json")[1])
    segment = tmp_path / "w" / "journal" / "000001.jsonl"
    segment.write_bytes(segment.read_bytes() + b'{"crc":"12')
    torn = json.loads(run("top", tmp_path / "w", "--once", "--json")[1])
    assert torn.pop("torn") == 10 and whole.pop("torn") == 0 and torn == whole


def test_damage_is_a_finding(run: Run, tmp_path: Path) -> None:
    """A bad line before the tail: exit 1, and the segment is named."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        step(ctx)
    segment = tmp_path / "w" / "journal" / "000001.jsonl"
    segment.write_bytes(segment.read_bytes().replace(b"Go on", b"Go off", 1))
    code, out, err = run("top", tmp_path / "w", "--once")
    assert (code, out) == (1, "") and "000001.jsonl" in err


def test_a_record_of_a_newer_loom_is_said_to_be_one(run: Run, tmp_path: Path) -> None:
    """Exit 2, with the commit and what to do."""
    (tmp_path / "journal").mkdir()
    journal = Journal.open(FileStore(tmp_path, durable=False), write=True)
    journal.commit(b'[{"type":"Unheard"}]', [], 1)
    code, _, err = run("top", tmp_path, "--once")
    assert code == 2 and "commit 1" in err and "newer Loom" in err


# The cost of a frame


def seen_after(turns: int) -> JournalSummary:
    """The summary of a session of so many turns, with a cut in ten and pages in every commit."""
    limits = Limits(window=100_000, reply=1_000)
    seen, numbers = JournalSummary(), count(1)
    tokens = Tokens(history=90)
    certificate = r.Certificate({}, tokens, tokens, 1, 45, 1)

    def put(*records: r.Record) -> None:
        nonlocal seen
        raw = msgspec.Raw(msgspec.json.encode(records))
        seen = noted(seen, Commit(next(numbers), 1_000, (), raw))

    put(r.Opened(limits, {}))
    for turn in range(1, turns + 1):
        if turn % 10 == 0:
            level = ("snip", "micro", "auto")[turn // 10 % 3]
            put(r.Compressed(level, (), len(seen.window.history.stream), certificate))
        put(r.Turned(turn, None))
        put(r.Replied(Step(turn, (Said(Text(7, 4, "Yes.")),), 10)))
    return seen


def test_a_frame_costs_the_same_after_any_history() -> None:
    """Calls made to build and draw a frame do not grow with the turns behind it."""
    some, many = seen_after(2 * POINTS), seen_after(10 * POINTS)
    first, second = (
        work_of(lambda seen=seen: drawn(frame(seen, "w"), 100)) for seen in (some, many)
    )
    assert second < 1.05 * first
    sizes = [len(msgspec.json.encode(frame(seen, "w"))) for seen in (some, many)]
    assert sizes[1] < 1.2 * sizes[0]


# What is drawn


@pytest.fixture(scope="module")
def full(busy: Path) -> Frame:
    """A frame with something in every section."""
    return WorkspaceWatch(busy).look()


def test_an_empty_frame_can_be_drawn() -> None:
    """Before the first commit there is a frame of zeros, of any size."""
    nothing = frame(JournalSummary(), "w", note="no commit yet")
    for width in (1, 10, 40, 100):
        assert all(cell_len(text.plain) <= width for text in drawn(nothing, width))
    assert "no commit yet" in [text.plain for text in drawn(nothing, 80)]


@all_cases("width", [1, 20, 40, 80, 200])
@all_cases("height", [None, 0, 1, 8, 24, 60])
def test_a_frame_fits_any_terminal(full: Frame, width: int, height: int | None) -> None:
    """No line is wider than the terminal and there are no more of them than it holds."""
    lines = drawn(full, width, height)
    assert all(cell_len(text.plain) <= width for text in lines)
    assert height is None or len(lines) <= height


def test_a_low_terminal_keeps_what_is_most_telling(full: Frame) -> None:
    """ρ, the partitions and the alerts stay; plot and old records give way first."""
    low = "\n".join(text.plain for text in drawn(full, 80, 14))
    assert "ρ " in low and all(name in low for name in PARTITIONS) and "ci-1" in low
    assert "Returned" not in low and "turns" not in low
    high = "\n".join(text.plain for text in drawn(full, 80))
    assert "Returned" in high and "1 of 3 done" in high and "reusable" in high


def test_the_newest_value_is_the_rightmost() -> None:
    """Values are one block each from the right; more than fit leave on the left."""
    assert spark([], 1.0, 4) == "    "
    assert spark([0.0, 0.001, 0.5, 1.0], 1.0, 6) == "   ▁▄█"
    assert spark([0.1, 0.5, 1.0], 1.0, 2) == "▄█"
    assert spark([1.0], 1.0, 0) == ""


def test_every_section_says_something(full: Frame) -> None:
    """The busy workspace leaves no section empty, so the other tests draw all of them."""
    assert all(section.lines(full, 80) for section in SECTIONS)
    assert {told.kind for told in full.records} <= {kind.__name__ for kind in LINES}


def test_a_plain_frame_cannot_steer_a_terminal(run: Run, tmp_path: Path) -> None:
    """Off a terminal one frame of plain lines is printed, whatever the journal holds."""
    with loom.open(tmp_path / "w", goal="a\x1b[31mb", durable=False) as ctx:
        ctx.events.signal("e\x1b[2J", "s\x1b]0;x\x07\u202e", urgency="high")
        step(ctx, "\x1b[31mred")
    code, out, err = run("top", tmp_path / "w")
    assert (code, err) == (0, "") and "high" in out
    assert all(len(text) <= WIDTH and text.isprintable() for text in out.splitlines())


# The command


@pytest.mark.parametrize("given", [(), ("--once",), ("--once", "--json")])
def test_an_empty_workspace_is_told(run: Run, tmp_path: Path, given: tuple[str, ...]) -> None:
    """There is nothing to print one frame of: exit 2."""
    (tmp_path / "journal").mkdir()
    code, _, err = run("top", tmp_path, *given)
    assert code == 2 and "no commit" in err


@pytest.mark.parametrize("given", [(), ("--once",), ("--json",)])
def test_a_missing_workspace_is_exit_2(run: Run, tmp_path: Path, given: tuple[str, ...]) -> None:
    """A folder that is no workspace is named, and nothing is made there."""
    code, _, err = run("top", tmp_path / "none", *given)
    assert code == 2 and str(tmp_path / "none") in err and not (tmp_path / "none").exists()


def test_forced_colour_makes_no_terminal(
    run: Run, busy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the environment asks for colours a pipe gets one frame of them, and the end."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    code, out, _ = run("top", busy)
    assert code == 0 and out.count("loom top") == 1


@all_cases("interval", ["0", "-1", "nan", "inf", "1e9"])
def test_an_interval_is_some_time(run: Run, busy: Path, interval: str) -> None:
    """What cannot be waited for is a usage error that says what can."""
    code, out, err = run("top", busy, "--interval", interval)
    assert (code, out) == (2, "") and "--interval" in err


def test_nothing_is_written_and_no_lock_taken(run: Run, tmp_path: Path) -> None:
    """A workspace that is open for writing is watched without a trace."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        step(ctx)
        before = {file: file.stat() for file in sorted((tmp_path / "w").rglob("*"))}
        assert run("top", tmp_path / "w", "--once")[0] == 0
        after = {file: file.stat() for file in sorted((tmp_path / "w").rglob("*"))}
        assert [(f, s.st_mtime_ns, s.st_size) for f, s in before.items()] == [
            (f, s.st_mtime_ns, s.st_size) for f, s in after.items()
        ]
        step(ctx)


@contextmanager
def watching(folder: Path, *given: str) -> Iterator[subprocess.Popen[str]]:
    """`loom top --json` in another process, interrupted at the end."""
    command = [*COMMAND, "top", str(folder), "--json", *QUICK, *given]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()  # a frame that nobody reads would be another way to end


def frames(process: subprocess.Popen[str], until: Callable[[Any], bool]) -> dict[str, Any]:
    """The first frame of which something holds."""
    assert process.stdout is not None
    for text in process.stdout:
        if until(held := json.loads(text)):
            return dict(held)
    raise AssertionError("the stream ended")


def test_a_stream_follows_another_process(tmp_path: Path) -> None:
    """From an empty journal on, through commits and a renewal's seal; Ctrl-C is exit 0."""
    (tmp_path / "w" / "journal").mkdir(parents=True)
    with watching(tmp_path / "w") as process:
        assert frames(process, lambda held: True)["note"] == "no commit yet"
        with loom.open(tmp_path / "w", window=6_000, durable=False) as ctx:
            ctx.user("Go.")
            assert frames(process, lambda held: held["commits"] >= 2)["turn"] == 0
            for _ in replay(ctx, session(3, 20)):
                pass
            generation, turns = ctx.window.sent.generation, ctx.window.sent.turn
            held = frames(process, lambda held: held["turn"] == turns)
        assert held["pressure"]["generation"] == generation > 1
        assert held["series"]["turn"] == list(range(1, turns + 1))
    assert process.returncode == 0


def test_a_stream_survives_a_writer_killed_in_the_middle(tmp_path: Path) -> None:
    """A torn line, then the next writer, who cuts it off and goes on: the stream goes on too."""
    folder = tmp_path / "w"
    with loom.open(folder, durable=False) as ctx:
        step(ctx)
    segment = folder / "journal" / "000001.jsonl"
    segment.write_bytes(segment.read_bytes() + b'{"crc":"12345678","commit":')
    with watching(folder) as process:
        assert frames(process, lambda held: held["torn"])["turn"] == 1
        with loom.open(folder, durable=False) as ctx:
            step(ctx)
        assert frames(process, lambda held: held["turn"] == 2)["torn"] == 0
    assert process.returncode == 0


def live(folder: Path, key: bytes = b"", **environment: str) -> tuple[str, int]:
    """What `loom top` draws on a terminal until it has shown a second turn, and its exit code.

    It is ended by a key, or interrupted. The terminal has to be as it was then.
    """
    termios = pytest.importorskip("termios", reason="no terminals on this platform")
    pty = pytest.importorskip("pty", reason="no pseudo-terminals on this platform")
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "LINES": "30", **environment}
    env = {name: value for name, value in env.items() if name != "NO_COLOR" or value}
    command = [*COMMAND, "top", str(folder), *QUICK]
    with loom.open(folder, goal="Watch me.", durable=False) as ctx:
        step(ctx)
        before = termios.tcgetattr(theirs)
        process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
        try:
            shown = read(ours, "turn 1")
            step(ctx)
            shown += read(ours, "turn 2")
            if key:
                os.write(ours, key)
            else:
                process.send_signal(signal.SIGINT)
            code = process.wait()
            assert termios.tcgetattr(theirs) == before
            os.close(theirs)
            return shown + read(ours), code
        finally:
            process.kill()
            os.close(ours)


def read(terminal: int, until: str = "") -> str:
    """What is written to a terminal until a text was, or until the other end closes."""
    shown = ""
    while not until or until not in shown:
        try:
            more = os.read(terminal, 65_536)
        except OSError:  # the other end is closed
            more = b""
        if not more:
            assert not until, f"it ended before {until}: {shown}"
            break
        shown += more.decode(errors="replace")
    return shown


@pytest.mark.parametrize("columns", ["40", "160"])
def test_a_terminal_is_drawn_on_and_given_back(tmp_path: Path, columns: str) -> None:
    """Live frames on the alternate screen; Ctrl-C ends with 0, cursor and screen as they were."""
    shown, code = live(tmp_path / "w", COLUMNS=columns, NO_COLOR="")
    assert code == 0
    assert "\x1b[?1049h" in shown and shown.rindex("\x1b[?1049l") > shown.rindex("turn 2")
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    assert "\x1b[36m" in shown and "history" in shown  # the colour of the history
    assert "Traceback" not in shown and "interrupted" not in shown


@pytest.mark.parametrize("key", [b"Q", b"xq"])
def test_a_key_ends_it_quietly(tmp_path: Path, key: bytes) -> None:
    """`q` ends with 0, nothing echoed, screen, cursor and echo as they were; other keys do not."""
    shown, code = live(tmp_path / "w", key, COLUMNS="80")
    assert code == 0 and shown.rindex("\x1b[?1049l") > shown.rindex("turn 2")
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    assert "Traceback" not in shown and "q" not in shown[shown.rindex("\x1b[?1049l") :]


def test_no_color_is_honoured_live(tmp_path: Path) -> None:
    """With NO_COLOR set nothing is coloured, on a terminal either."""
    shown, code = live(tmp_path / "w", COLUMNS="80", NO_COLOR="1")
    assert code == 0 and "history" in shown
    assert not any(f"\x1b[3{colour}" in shown or f"\x1b[9{colour}" in shown for colour in range(8))
