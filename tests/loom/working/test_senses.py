"""What a running agent is told of the world: the inbox, the project, processes, timers."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from msgspec import json

import loom
from loom_partitions.working import Event

THREAD = "loom-heartbeat"
MACHINE = ("disk",)  # kinds of events where the machine that tests has little of them left


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


def beating() -> list[threading.Thread]:
    """Heartbeat threads that live."""
    return [thread for thread in threading.enumerate() if thread.name == THREAD]


# The heartbeat
def test_without_a_period_there_is_no_thread(tmp_path: Path) -> None:
    """Watches and reminders are looked at before a turn instead."""
    with loom.open(tmp_path / "w", goal="Wait.", durable=False) as ctx:
        ctx.events.remind(0.0, "t-1", "time is up")
        ctx.turn()
        ctx.user("go on")
        assert "time is up" in asked(ctx)
        assert beating() == [] and not ctx.events.heartbeat.running


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
