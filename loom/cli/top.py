"""`loom top`: watch a workspace live while another process writes it; nothing is locked or written.

At each interval the new commits of the journal are read and applied to the window. Then a frame, a
dict of what to show, is made and drawn. The most important lines come first, since a low terminal
cuts off the last ones. If another journal has replaced the first, it is read from the beginning."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.text import Text

from loom.cli import output
from loom.cli.address_mirrors import refresh_mirror
from loom.cli.agents import read_workspace, require_commits
from loom.cli.exits import FINE
from loom.cli.log import local_time, record_kind, record_summary
from loom.cli.output import STYLES, Folder
from loom.cli.stat import rounded_pressure, size_text, workspace_facts
from loom.errors import BadInput
from loom.inspect.requests import RequestFold, request_bill
from loom.inspect.sent_size import CLIENT
from loom.reduce.lines import plural
from loom.session.archive.folded_journal import records_of
from loom.session.pressure import Pressure
from loom_paging import Commit
from loom_partitions.surfaces import URGENCIES, Event, Risk

INTERVAL = 0.5  # seconds between two looks
LONGEST = 3_600.0
POINTS = 200  # newest requests: a frame draws no more
CUTS, RECORDS = 4, 12  # newest ones of each
LABEL = 8  # columns of the first word of a row
URGENT = {"critical": "bold red", "high": "red", "normal": "yellow", "low": "dim"}
Line = tuple[str, str]  # a text and its style
Frame = dict[str, Any]  # the object `loom stat --json` prints, and more


def top(
    folder: Folder, /, *, interval: float = INTERVAL, once: bool = False, json: bool = False
) -> int:
    """Watch a workspace live while another process writes it; q or Ctrl-C ends.

    Without a terminal it prints one frame.

    Args:
        interval: Seconds between two looks at the workspace.
        once: Print one frame and end.
        json: Print a JSON object for each frame instead, that of `loom stat` and more: one with
            --once, else one a line whenever something changed.
    """
    if not 0 < interval <= LONGEST:
        raise BadInput(f"--interval {interval:g}: give seconds, above 0 and at most {LONGEST:,.0f}")
    watch, screen = WorkspaceWatch(folder), output.console()
    with suppress(KeyboardInterrupt):  # the way to end it
        if json and once:
            output.print_json(watch.look())
        elif json:  # a line for every frame that differs from the one before
            last: Frame | None = None
            while True:
                if (found := watch.look()) != last:
                    output.print_json_line(found)
                last = found
                time.sleep(interval)
        elif once or not (output.can_draw(screen) and screen.file.isatty()):  # a pipe has no end
            output.print_lines(frame_lines(watch.look(), output.fill_width(screen, output.WIDTH)))
        else:
            live = Live(console=screen, screen=True, auto_refresh=False)
            with pressed_keys() as pressed, live:
                quitting = False
                while not quitting:
                    texts = frame_lines(watch.look(), screen.width, screen.height)
                    for text in texts:
                        text.no_wrap, text.overflow = True, "crop"
                    live.update(Group(*texts), refresh=True)
                    quitting = "q" in pressed(interval).lower()
    return FINE


class WorkspaceWatch:
    """A watcher of one workspace. `look` reads the new commits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fold = RequestFold()
        self._records: list[Frame] = []
        self._last: Commit | None = None
        self._replaced = 0

    def look(self) -> Frame:
        """Read the new commits and return a frame. If the journal is gone, the frame shows the last
        state. Raises CorruptJournal, LoomError and BadInput."""
        refresh_mirror(self._folder)
        found, last = read_workspace(self._folder), self._last
        if last and (found is None or not found.commits):
            return self._make_frame("the journal is gone: waiting for another")
        self._workspace = found = require_commits(found, self._folder)
        if last and (found.commits < last.number or found.journal.read(last.number) != last):
            self._fold, self._records, self._last = RequestFold(), [], None
            self._replaced += 1
        for commit in found.journal.scan(self._last.number if self._last else 0):
            self._fold.read(commit)
            self._last = commit
            self._records += [
                {
                    "commit": commit.number,
                    "at": commit.at,
                    "kind": record_kind(r),
                    "text": record_summary(r),
                }
                for r in records_of(commit)[-RECORDS:]
            ]
        del self._records[:-RECORDS]
        again = f"the journal was replaced: read anew (×{self._replaced})"
        return self._make_frame(again if self._replaced else "")

    def _make_frame(self, note: str) -> Frame:
        """Return a frame (a dict of what to show). `note` says what happened to the journal."""
        fold, workspace = self._fold, self._workspace
        window, working, bill = fold.window, fold.window.working, request_bill(fold.rows)
        rows, facts = fold.rows[-POINTS:], workspace_facts(workspace, fold)
        bands = dict.fromkeys(name for row in rows for name in row.size.bands)
        series = {  # the newest requests, oldest first
            "turn": [row.turn for row in rows],
            "rho": [row.size.rho for row in rows],
            "sent": [row.size.sent for row in rows],
            "replied": [row.replied for row in rows],
            "tokens": {name: [row.size.bands.get(name, 0) for row in rows] for name in bands},
        }
        return {
            **facts,
            "folder": output.with_addresses(str(self._folder)),
            "pressure": rounded_pressure(window, facts["pages"]),
            "series": series,
            "newest": fold.cuts[-CUTS:],
            # The share of all tokens sent that stood at the front of the request before.
            "reuse": round(bill.reused / bill.sent, 4) if bill.sent else None,
            "replied": fold.replied,
            "events": working.events,
            "risks": working.risks,
            "plan": working.plan,
            "progress": working.progress,
            "records": self._records[:],  # as `loom log` tells them
            "torn": workspace.journal.torn,  # bytes at its end that are no whole commit yet
            "note": note,  # what befell the journal
        }


def frame_lines(frame: Frame, width: int, height: int | None = None) -> list[Text]:
    """Return at most `height` lines (None: all) of at most `width` columns that show a frame."""
    made = [
        Text(output.shorten(text, width), style)
        for section in (_heading_lines, _partition_lines, _alert_lines, _figure_lines, _plan_lines)
        for text, style in section(frame, width)
    ]
    return made if height is None else made[: max(height, 0)]


def _heading_lines(frame: Frame, width: int) -> Iterator[Line]:
    pressure: Pressure = frame["pressure"]
    yield f"loom top · {frame['folder']}", "bold"
    parts = [
        f"ρ {pressure.rho:.2f}",
        pressure.level,
        size_text(pressure),
        f"generation {pressure.generation}",
        f"turn {max(frame['series']['turn'], default=0)}",
        frame["model"],
    ]
    if pressure.counted:  # by the provider: how its reports lead from Loom's count to its own
        unseen = f" + {pressure.hidden:,} it adds unseen" if pressure.hidden else ""
        own = f"{pressure.tokens.total:,} as Loom counts, {pressure.estimate:,} expected"
        parts.append(f"{own}, ×{pressure.ratio:.2f} for each more{unseen}")
    style = "bold red" if pressure.rho >= 0.8 else "bold green"
    yield from ((text, style) for text in output.wrap_parts(parts, width))
    waits = len(frame["open_calls"])
    told = (
        f"finished: {frame['outcome']}" if frame["finished"] else "",
        f"waits for {plural(waits, 'result')}" if waits else "",
        f"{frame['torn']} bytes at the journal's end are no whole commit" if frame["torn"] else "",
        frame["note"],
    )
    yield from ((text, "yellow") for text in told if text)


def _partition_lines(frame: Frame, width: int) -> Iterator[Line]:
    """Yield a line for each partition: a curve of its part of ρ over the newest requests, and its
    tokens and part of ρ now."""
    pressure, rhos, held = frame["pressure"], frame["series"]["rho"], frame["series"]["tokens"]
    columns, top = max(width - LABEL - 18, 0), max(1.0, *rhos, 0.0)
    totals = [sum(each) or 1 for each in zip(*held.values(), strict=True)]
    for name, tokens in held.items():
        rows = zip(rhos, tokens, totals, strict=True)
        curve = output.spark_line([rho * each / total for rho, each, total in rows], top, columns)
        now = pressure.client if name == CLIENT else getattr(pressure.tokens, name)
        share = pressure.rho * now / (pressure.tokens.total or 1)
        label = "skill+" if name == "skill" else name  # a window counts its tools with its skills
        yield f"{label:<{LABEL}} {curve} {now:>9,}  {share:4.2f}", STYLES[name]


def _alert_lines(frame: Frame, width: int) -> Iterator[Line]:
    """Yield a line for each event and risk, the most urgent first. Merged events share a line."""
    alerts: list[Event | Risk] = [*frame["events"], *frame["risks"]]
    ranks = {urgency: -at for at, urgency in enumerate(URGENCIES)}
    for one in sorted(alerts, key=lambda one: ranks.get(one.urgency, 0)):
        if isinstance(one, Event):
            many = f" ×{one.count}" if one.count > 1 else ""
            told = f"{one.kind}{many} {one.ids[-1]}: {one.summary}"
        else:
            told = f"risk {one.id} ({one.disposition}): {one.summary}"
        yield f"{one.urgency:<{LABEL}} {told}", URGENT.get(one.urgency, "yellow")


def _figure_lines(frame: Frame, width: int) -> Iterator[Line]:
    for label, text in (("goal", frame["goal"]), ("progress", frame["progress"])):
        if text:
            yield f"{label:<{LABEL}} {text}", "italic"
    disk = (
        f"{'disk':<{LABEL}} {plural(frame['pages'], 'page')},"
        f" {output.bytes_text(frame['page_bytes'])}",
        plural(frame["commits"], "commit"),
        plural(frame["steps"], "step"),
        f"{frame['sent']:,} tokens in, {frame['replied']:,} out",
        f"largest {frame['largest']:,}",
        f"last {local_time(frame['at'])}",
    )
    yield from ((text, "") for text in output.wrap_parts(disk, width))
    fired = [f"{level} {count}" for level, count in frame["cuts"].items()] or ["none yet"]
    cuts = (f"{'cuts':<{LABEL}} {fired[0]}", *fired[1:])
    yield from ((text, "yellow") for text in output.wrap_parts(cuts, width))
    if frame["reuse"] is not None:
        yield f"cache    {frame['reuse']:.1%} of all tokens sent stood in the request before", ""
    for cut in reversed(frame["newest"]):
        size = f"{cut.before:,} → {cut.after:,} tokens, {cut.reuse:.0%} reusable"
        fresh = f", generation {cut.generation}" if cut.generation else ""
        yield f"  turn {cut.turn} {cut.level} {size}{fresh}", "dim"


def _plan_lines(frame: Frame, width: int) -> Iterator[Line]:
    """Yield the plan and the newest records, the newest first."""
    plan, todo = frame["plan"], [item for item in frame["plan"] if item.state != "done"]
    if plan:
        done = len(plan) - len(todo)
        yield f"plan     {output.share_bar(done / len(plan), 10)} {done} of {len(plan)} done", ""
    for item in sorted(todo, key=lambda item: item.state != "doing"):
        yield f"  [{'>' if item.state == 'doing' else ' '}] {item.text}", "dim"
    # The newest first: a low terminal cuts off the last lines.
    for told in reversed(frame["records"]):
        yield f"{told['commit']:>{LABEL}} {told['kind']:<12} {told['text']}", "dim"


@contextmanager
def pressed_keys() -> Iterator[Callable[[float], str]]:
    """Yield a function `pressed(seconds)` that waits up to `seconds` for keys typed on stdin and
    returns them, "" for none. Typed keys are not shown. Without a terminal, the function only
    waits."""
    try:
        import termios
        import tty

        keyboard = sys.stdin.fileno()
        before = termios.tcgetattr(keyboard)
    except Exception:  # no stdin, none that is a terminal (termios.error), no such module
        yield _wait_without_keys
        return

    def pressed(seconds: float) -> str:
        ready, _, _ = select.select([keyboard], [], [], seconds)
        typed = os.read(keyboard, 64).decode("utf-8", "replace") if ready else ""
        return (
            _wait_without_keys(seconds) if ready and not typed else typed
        )  # "" there: the terminal is gone

    tty.setcbreak(keyboard, termios.TCSADRAIN)
    try:
        yield pressed
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def _wait_without_keys(seconds: float) -> str:
    """Wait for a number of seconds and return "", for no key typed."""
    time.sleep(seconds)
    return ""
