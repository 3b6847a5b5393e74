"""What a running agent is told of the world: the inbox, the project, processes, timers."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import json

import loom
from loom.capabilities.events import put
from loom_partitions.working import Event
from tests.kit.cases import all_cases

ROOT = Path(__file__).parent.parent.parent.parent
THREAD = "loom-heartbeat"
MACHINE = ("memory", "disk")  # kinds of events where the machine that tests has little of them left
PUT = """
import sys
from pathlib import Path
from loom.capabilities.events import put
put(Path(sys.argv[1]), *sys.argv[2:])
"""
SIGNAL = "import sys; from loom.cli import main; sys.argv[0] = 'loom'; main()"
KILLED = """
import os, signal, sys, loom
from pathlib import Path
from loom.capabilities.events import put
path, when = sys.argv[1:]
ctx = loom.open(path, goal="Wait.", durable=False)
ctx.turn()
put(Path(path), "the deploy failed", "critical", "d-1")
if when == "told":
    assert "d-1" in str(ctx.turn().request("openai"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Another process of Python."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)


def asked(ctx: loom.Context) -> str:
    """The messages of the next request, which tells the most urgent event: not the machine's."""
    for event in ctx.window.working.events:
        if event.kind in MACHINE:
            ctx.events.acknowledge(event.ids[0], "ignore")
    return json.encode(ctx.turn().request("openai")["messages"]).decode()


def events(ctx: loom.Context) -> list[Event]:
    """The pending events but the machine's."""
    return [one for one in ctx.window.working.events if one.kind not in MACHINE]


def pending(ctx: loom.Context) -> list[str]:
    """Ids of the pending events, one for each time they are there."""
    return [id for event in events(ctx) for id in event.ids]


def beaten(ctx: loom.Context, holds: Callable[[], bool]) -> bool:
    """Beat until something holds; the limit is generous."""
    wait = threading.Event()
    for _ in range(6_000):
        ctx.events.heartbeat.beat()
        if holds():
            return True
        wait.wait(0.03)
    return False


def waited(holds: Callable[[], bool]) -> bool:
    """Wait for the thread alone; the limit is generous."""
    wait = threading.Event()
    return any(holds() or wait.wait(0.03) for _ in range(6_000))


def beating() -> list[threading.Thread]:
    """Heartbeat threads that live."""
    return [thread for thread in threading.enumerate() if thread.name == THREAD]


# The inbox


def test_an_empty_inbox_tells_nothing(tmp_path: Path) -> None:
    """The no-op: no event, no thread, the same request."""
    with loom.open(tmp_path / "w", goal="Wait.", durable=False) as ctx:
        first = ctx.turn()
        assert ctx.turn() is first or ctx.turn().sha256 == first.sha256
        assert pending(ctx) == [] and beating() == []


@all_cases("urgency", ["low", "normal", "high", "critical"])
def test_another_process_is_heard_in_the_next_turn(tmp_path: Path, urgency: str) -> None:
    """Without a heartbeat: once, and with the urgency it was sent with."""
    path = tmp_path / "w"
    with loom.open(path, goal="Wait.", durable=False) as ctx:
        ctx.turn()
        assert run(PUT, str(path), "the deploy failed", urgency, "d-1").returncode == 0
        text = asked(ctx)
        assert "the deploy failed" in text and "d-1" in text
        assert pending(ctx) == ["d-1"]
        (event,) = events(ctx)
        assert event.urgency == urgency
        assert ctx.window.working.interrupt == (urgency in ("high", "critical"))
        assert asked(ctx) == text and pending(ctx) == ["d-1"]
        assert beating() == []


def test_the_command_line_is_the_same_door(tmp_path: Path) -> None:
    """`loom signal DIR TEXT` while the workspace is open elsewhere."""
    path = tmp_path / "w"
    with loom.open(path, goal="Wait.", durable=False) as ctx:
        ctx.turn()
        sent = run(SIGNAL, "signal", str(path), "look at CI", "--urgency", "high", "--id", "ci-1")
        assert sent.returncode == 0, sent.stderr
        assert "look at CI" in asked(ctx)
        assert pending(ctx) == ["ci-1"]


def test_messages_of_one_id_are_one_event(tmp_path: Path) -> None:
    """Put twice before the turn, and again while it is pending: one event."""
    path = tmp_path / "w"
    with loom.open(path, goal="Wait.", durable=False) as ctx:
        ctx.turn()
        for _ in range(2):
            put(path, "the deploy failed", "normal", "d-1")
        ctx.turn()
        put(path, "the deploy failed", "normal", "d-1")
        ctx.user("go on")
        ctx.turn()
        assert pending(ctx) == ["d-1"]


def test_many_messages_all_come(tmp_path: Path) -> None:
    """Fifty between two turns, in order, each once."""
    path = tmp_path / "w"
    with loom.open(path, goal="Wait.", durable=False) as ctx:
        ctx.turn()
        ids = [put(path, f"message {number}", "normal", f"m-{number:02d}") for number in range(50)]
        ctx.turn()
        page = ctx.page_in("working/events.md").text
        assert re.findall(r"m-\d\d", page) == ids == [f"m-{number:02d}" for number in range(50)]
        assert sorted(pending(ctx)) == ids


@pytest.mark.parametrize("when", ["told", "put"])
def test_a_message_survives_a_kill(tmp_path: Path, when: str) -> None:
    """Killed right after it was told, or before it was read: it is pending once, and shown once."""
    path = tmp_path / "w"
    assert run(KILLED, str(path), when).returncode == -signal.SIGKILL
    with loom.open(path, durable=False) as ctx:
        text = asked(ctx)
        assert pending(ctx) == ["d-1"]
        assert text.count("the deploy failed") == 1
        ctx.events.acknowledge("d-1", "ignore")
        ctx.user("go on")
        ctx.turn()
        assert pending(ctx) == []


def test_a_message_left_behind_by_a_crash_is_not_told_again(tmp_path: Path) -> None:
    """The file came back, as if the process had died before it could remove it: one event."""
    path, kept = tmp_path / "w", tmp_path / "kept"
    with loom.open(path, goal="Wait.", durable=False) as ctx:
        ctx.turn()
        put(path, "the deploy failed", "normal", "d-1")
        shutil.copytree(path / "inbox", kept)
        asked(ctx)
    shutil.copytree(kept, path / "inbox", dirs_exist_ok=True)
    with loom.open(path, durable=False) as ctx:
        ctx.user("go on")
        assert asked(ctx).count("the deploy failed") == 1
        assert pending(ctx) == ["d-1"]


def test_a_message_left_behind_is_not_raised_after_its_decision(tmp_path: Path) -> None:
    """The same, and the event was decided on before the inbox was read again."""
    path, kept = tmp_path / "w", tmp_path / "kept"
    with loom.open(path, goal="Wait.", durable=False) as ctx:
        ctx.turn()
        put(path, "the deploy failed", "normal", "d-1")
        shutil.copytree(path / "inbox", kept)
        ctx.turn()
        ctx.events.acknowledge("d-1", "ignore")
    shutil.copytree(kept, path / "inbox", dirs_exist_ok=True)
    with loom.open(path, durable=False) as ctx:
        ctx.user("go on")
        ctx.turn()
        assert pending(ctx) == []


# The heartbeat


def test_without_a_period_there_is_no_thread(tmp_path: Path) -> None:
    """Watches and reminders are looked at before a turn instead."""
    with loom.open(tmp_path / "w", goal="Wait.", durable=False) as ctx:
        ctx.events.remind(0.0, "t-1", "time is up")
        ctx.turn()
        ctx.user("go on")
        assert "time is up" in asked(ctx)
        assert beating() == [] and not ctx.events.heartbeat.running


def test_close_stops_the_thread(tmp_path: Path) -> None:
    """However long the period: gone when close() returns, and again on the second close."""
    ctx = loom.open(
        tmp_path / "w", goal="Wait.", capabilities=[loom.Heartbeat(3_600)], durable=False
    )
    assert len(beating()) == 1 and ctx.events.heartbeat.running
    ctx.close()
    assert beating() == []
    ctx.close()


def test_a_changed_file_of_the_project_is_told(tmp_path: Path) -> None:
    """Its name, within a few beats; what was there before is no change."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "old.py").write_text("a = 1\n")
    with loom.open(
        tmp_path / "w",
        goal="Wait.",
        project=project,
        capabilities=[loom.Heartbeat(3_600)],
        durable=False,
    ) as ctx:
        ctx.turn()
        ctx.events.heartbeat.beat()
        assert pending(ctx) == []

        def changed() -> bool:
            (project / "fresh.py").write_text(f"b = {os.urandom(8).hex()!r}\n")
            return bool(pending(ctx))

        assert beaten(ctx, changed)
        (event, *_) = events(ctx)
        assert "fresh.py" in event.summary and "old.py" not in event.summary
        assert event.ids[0] in asked(ctx)


def test_an_ended_process_is_told(tmp_path: Path) -> None:
    """By the name it was watched under, once, and how it ended."""
    with loom.open(
        tmp_path / "w", goal="Wait.", capabilities=[loom.Heartbeat(3_600)], durable=False
    ) as ctx:
        ctx.turn()
        with subprocess.Popen([sys.executable, "-c", "input(); raise SystemExit(3)"],
                              stdin=subprocess.PIPE) as child:  # fmt: skip
            ctx.events.watch(child, "the build")
            ctx.events.heartbeat.beat()
            assert pending(ctx) == []
            child.communicate(b"\n")
        assert beaten(ctx, lambda: bool(pending(ctx)))
        (event,) = events(ctx)
        assert "the build" in event.summary and "exit code 3" in event.summary
        assert event.ids[0] in asked(ctx)
        for _ in range(5):
            ctx.events.heartbeat.beat()
        assert len(pending(ctx)) == 1


def test_the_line_says_what_the_sense_saw(tmp_path: Path) -> None:
    """Not only that something did: the name of the process and how it ended are in the request."""
    with loom.open(
        tmp_path / "w", goal="Wait.", capabilities=[loom.Heartbeat(3_600)], durable=False
    ) as ctx:
        ctx.turn()
        with subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]) as child:
            ctx.events.watch(child, "the build")
        assert beaten(ctx, lambda: bool(pending(ctx)))
        text = asked(ctx)
        assert "the build" in text and "exit code 3" in text


def test_a_timer_is_told_by_the_thread_alone(tmp_path: Path) -> None:
    """Nobody beats: the thread does, and the next turn shows it."""
    with loom.open(
        tmp_path / "w", goal="Wait.", capabilities=[loom.Heartbeat(0.05)], durable=False
    ) as ctx:
        ctx.turn()
        ctx.events.remind(0.05, "t-1", "look at the clock")
        assert waited(lambda: "t-1" in "".join(pending(ctx)))
        assert "look at the clock" in asked(ctx)


def test_a_repeating_timer_is_a_new_event_each_time(tmp_path: Path) -> None:
    """Each occurrence has its own identity, so deciding on one leaves the next."""
    with loom.open(
        tmp_path / "w", goal="Wait.", capabilities=[loom.Heartbeat(3_600)], durable=False
    ) as ctx:
        ctx.turn()
        ctx.events.remind(0.01, "t-1", "again", every=0.01)
        assert beaten(ctx, lambda: len(pending(ctx)) >= 3)
        assert len(set(pending(ctx))) == len(pending(ctx))


def test_the_inbox_is_heard_by_the_thread(tmp_path: Path) -> None:
    """A critical message asks for an interrupt before any turn is made."""
    path = tmp_path / "w"
    with loom.open(path, goal="Wait.", capabilities=[loom.Heartbeat(0.05)], durable=False) as ctx:
        ctx.turn()
        assert pending(ctx) == []
        put(path, "stop at once", "critical", "s-1")
        assert waited(lambda: pending(ctx) == ["s-1"])
        assert ctx.window.working.interrupt
        ctx.working.set_goal("Wait longer.")
        assert "interrupt requested" in asked(ctx)


def test_the_thread_tells_while_a_call_is_open(tmp_path: Path) -> None:
    """Between a call and its result too; the turn after the result shows it, calls paired."""
    with loom.open(
        tmp_path / "w", goal="Wait.", capabilities=[loom.Heartbeat(3_600)], durable=False
    ) as ctx:
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("c", "Bash", "{}"),)))
        ctx.events.remind(0.0, "t-1", "time is up")
        assert beaten(ctx, lambda: bool(pending(ctx)))
        assert [call.id for call in ctx.calls] == ["c"]
        ctx.result("c", "done")
        assert "time is up" in asked(ctx)


def test_the_last_beat_is_on_the_dashboard(tmp_path: Path) -> None:
    """As a time of day, and `ctx.events.heartbeat.last` moves with each beat."""
    with loom.open(
        tmp_path / "w", goal="Wait.", capabilities=[loom.Heartbeat(3_600)], durable=False
    ) as ctx:
        ctx.events.heartbeat.beat()
        before = ctx.events.heartbeat.last
        assert before > 1e9
        assert re.search(r"heartbeat \d\d:\d\d:\d\d", asked(ctx))
        ctx.events.heartbeat.beat()
        assert ctx.events.heartbeat.last >= before


def test_threads_and_the_host_lose_nothing(tmp_path: Path) -> None:
    """While the thread tells, the host signals and turns: every id is there once."""
    path = tmp_path / "w"
    with loom.open(path, goal="Wait.", capabilities=[loom.Heartbeat(0.01)], durable=False) as ctx:
        for number in range(60):
            put(path, "from outside", "low", f"o-{number:02d}")
            ctx.events.signal(f"h-{number:02d}", "from the host")
            ctx.user("go on")
            ctx.turn()
        assert waited(lambda: len(pending(ctx)) >= 120)
        assert sorted(pending(ctx)) == sorted(f"{a}-{n:02d}" for a in "ho" for n in range(60))
    with loom.open(path, durable=False) as ctx:
        assert len(set(pending(ctx))) == len(pending(ctx)) == 120
