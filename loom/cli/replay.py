"""`loom replay`: recorded sessions through a window, audited, summed up in a table."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from msgspec import to_builtins
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Column

from loom.cli.errors import BAD, FINE, FOUND, BadUsage
from loom.cli.plot import plot
from loom.cli.show import Sheet, clip, console, emit, line, lines, lively, sheet, speaks
from loom.cli.trial import Setting, Trial, trial
from loom.engine.turn import Turn
from loom.importers import find, load
from loom.inputs import Session
from loom.opening import WINDOW
from loom.pressure import Pressure

PLOTS_MAX = 3  # more sessions than these are told by the table alone
NAME_CHARS = 20
SHORT = {"system": "sys", "memory": "mem", "skill": "skl", "history": "his", "working": "wrk"}
Row = dict[str, Any]  # a trial or the total, as `--json` prints it

# Called with (events done, turn) while a session is replayed.
Watch = Callable[[int, Turn], None]


def replay(
    files: Annotated[list[Path], Parameter(name="FILE")],
    /,
    *,
    window: int = WINDOW,
    reply: int | None = None,
    preset: Literal["lazy", "eager"] = "lazy",
    out: Path | None = None,
    json: bool = False,
) -> int:
    """Replay recorded sessions through a window and check every law at every turn.

    Parameters
    ----------
    files
        Session files, or folders of them; each file may hold many sessions.
    window
        Tokens of the window.
    reply
        Tokens of it that are kept free for the model's reply.
    preset
        When detail is lowered: by pressure (lazy), or as soon as a step is no longer recent.
    out
        Keep the workspaces, one a session, in this folder.
    json
        Print one JSON object instead.
    """
    counted = _counted(find(files))
    setting = Setting(window, reply, preset)
    with _home(out) as home, _watching(sum(counted.values())) as watching:
        folders = Folders(home)
        trials = [
            trial(session, folders.of(session), setting, watching(session))
            for session in _sessions(counted)
        ]
    if json:
        emit({"sessions": [_builtins(one) for one in trials], "total": total(trials)})
    else:
        _told(trials, out)
    return _code(trials)


def _counted(files: Iterable[Path]) -> dict[Path, int]:
    """Events by file. Everything is read once before anything is replayed: a file that cannot be
    read is told at once, and the progress bar knows its end.
    """
    counted = {path: sum(len(session.events) for session in load(path)) for path in files}
    if not counted:
        raise BadUsage("no session files there; sessions are .jsonl or .json files")
    return counted


def _sessions(files: Iterable[Path]) -> Iterator[Session]:
    for path in files:
        yield from load(path)


@contextmanager
def _home(out: Path | None) -> Iterator[Path]:
    """The folder of the workspaces: the one asked for, or one that is removed at the end."""
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        yield out
        return
    with TemporaryDirectory(prefix="loom-replay-") as folder:
        yield Path(folder)


class Folders:
    """A workspace folder of its own for each session."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._given: set[str] = set()

    def of(self, session: Session) -> Path:
        """A folder named after the session; BadUsage when it holds a workspace already."""
        stem = re.sub(r"[^\w.-]+", "_", session.name).strip("._")[:80] or "session"
        name, more = stem, 2
        while name.casefold() in self._given:
            name, more = f"{stem}-{more}", more + 1
        self._given.add(name.casefold())
        folder = self._home / name
        if (folder / "journal").exists():
            raise BadUsage(f"{folder} holds a workspace already; choose another --out")
        return folder


@contextmanager
def _watching(events: int) -> Iterator[Callable[[Session], Watch]]:
    """What is told on the way: a bar and a live line of ρ on a terminal, else nothing."""
    screen = console(sys.stderr)
    if not lively(screen):
        yield lambda session: lambda done, turn: None
        return
    columns = (
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TextColumn("{task.description}", table_column=Column(no_wrap=True)),
    )
    with Progress(*columns, console=screen, transient=True) as progress:
        task = progress.add_task("", total=events)
        finished = 0

        def watching(session: Session) -> Watch:
            start, name = finished, clip(session.name, 12)

            def watch(done: int, turn: Turn) -> None:
                nonlocal finished
                finished = start + done
                told = f"{name} {live(turn.pressure)}"
                progress.update(task, completed=finished, description=told)

            return watch

        yield watching


def live(pressure: Pressure) -> str:
    """ρ and its parts on one short line: `ρ 0.83 sys .02 mem .00 skl .01 his .78 wrk .02 snip`."""
    rho = "ρ" if speaks(sys.stderr, "ρ") else "rho"
    shares = (
        f"{short} {getattr(pressure.tokens, name) / pressure.capacity:.2f}".replace(" 0.", " .")
        for name, short in SHORT.items()
    )
    return f"{rho} {pressure.rho:.2f} {' '.join(shares)} {pressure.level}".rstrip()


def total(trials: Sequence[Trial]) -> Row:
    """The totals row: sums, the highest peak, and reuse weighted by what was sent."""
    sums = {
        name: sum(getattr(one, name) for one in trials)
        for name in (
            "turns", "steps", "cuts", "renewals", "ingested", "sent", "pages", "page_bytes",
            "texts", "restored",
        )
    }  # fmt: skip
    sent = sums["sent"] or 1
    stopped = sum(bool(one.error) for one in trials)
    return {
        "sessions": len(trials),
        **sums,
        "peak": max((one.peak for one in trials), default=0.0),
        "levels": _added(one.levels for one in trials),
        "reusable": round(sum(one.reusable * one.sent for one in trials) / sent, 4),
        "broken": _added(one.broken for one in trials),
        "error": f"{stopped} stopped" if stopped else "",
        "seconds": round(sum(one.seconds for one in trials), 2),
    }


def _added(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    added: dict[str, int] = {}
    for each in counts:
        for name, count in each.items():
            added[name] = added.get(name, 0) + count
    return dict(sorted(added.items()))


def _builtins(one: Trial) -> Row:
    return {**to_builtins(one), "lawful": one.lawful}


def _told(trials: Sequence[Trial], out: Path | None) -> None:
    """The shape of each session when they are few, then the tables, then what was found."""
    for one in trials if len(trials) <= PLOTS_MAX else ():
        line(f"{one.name}: ρ over {one.turns} turns")
        lines(plot(one.rho))
        line()
    rows = [(clip(one.name, NAME_CHARS), _builtins(one)) for one in trials]
    if len(trials) > 1:
        rows.append(("total", total(trials)))
    for columns in (COLUMNS, FIRINGS):
        cells = tuple((name, *(show(of) for show in columns.values())) for name, of in rows)
        many = len(trials) > 1
        last = cells[-1] if many else ()
        sheet(Sheet(("session", *columns), cells[:-1] if many else cells, last))
        line()
    for one in trials:
        lines(f"{one.name}: {detail}" for detail in (*one.details, one.error) if detail)
    if out is not None:
        line(f"workspaces kept in {out}")


def _laws(of: Row) -> str:
    if of["broken"]:
        return f"{sum(of['broken'].values())} broken"
    return "stopped" if of["error"] else "kept"


def _fired(level: str) -> Callable[[Row], str]:
    return lambda of: f"{of['levels'].get(level, 0)}"


# Column → what it shows of a trial or of the total: they have the same names.
COLUMNS: dict[str, Callable[[Row], str]] = {
    "turns>": lambda of: f"{of['turns']}",
    "peak ρ>": lambda of: f"{of['peak']:.2f}",
    "ingested>": lambda of: f"{of['ingested']:,}",
    "sent>": lambda of: f"{of['sent']:,}",
    "pages>": lambda of: f"{of['pages']}",
    "reusable>": lambda of: f"{of['reusable']:.1%}",
    "recovered>": lambda of: f"{of['restored']}/{of['texts']}",
    "laws": _laws,
}
FIRINGS: dict[str, Callable[[Row], str]] = {
    "cuts>": lambda of: f"{of['cuts']}",
    "renewals>": lambda of: f"{of['renewals']}",
    **{f"{level}>": _fired(level) for level in ("step", "snip", "micro", "collapse", "auto")},
}


def _code(trials: Sequence[Trial]) -> int:
    if any(not one.lawful for one in trials):
        return FOUND
    return BAD if any(one.error for one in trials) else FINE
