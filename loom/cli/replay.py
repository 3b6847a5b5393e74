"""`loom replay`: recorded sessions through a window, audited, summed up in a table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from msgspec import to_builtins

from loom.cli.exits import BAD, FINE, FOUND, BadUsage, text_of
from loom.cli.jobs import ReplayJob, SessionReader, check_free, jobs_of
from loom.cli.plot import plot
from loom.cli.progress import Tell, telling
from loom.cli.show import AsJson, Sheet, clip, emit, line, lines, sheet
from loom.cli.trial import ReplayTrial, Setting, trial
from loom.cli.workers import Ended, replayed
from loom.disk import private_folders
from loom.engine.turn import Turn
from loom.policy import WINDOW
from loom.replay.importers import BadSession, find

PLOTS_MAX = 3  # more sessions than these are told by the table alone
NAME_CHARS = 20
Row = dict[str, Any]  # a trial or the total, as `--json` prints it


def replay(
    files: Annotated[list[Path], Parameter(name="FILE")],
    /,
    *,
    window: int = WINDOW,
    reply: int | None = None,
    preset: Literal["lazy", "graduated", "eager"] = "lazy",
    out: Path | None = None,
    workers: int = 1,
    json: AsJson = False,
) -> int:
    """Replay recorded sessions through a window and check every law at every turn.

    Parameters
    ----------
    files
        Session files, or folders of them; each file may hold many sessions. A file that cannot be
        read is skipped and told, unless none can.
    window
        Tokens of the window.
    reply
        Tokens of it that are kept free for the model's reply.
    preset
        When detail is lowered: by pressure (lazy), or as soon as a step is no longer recent.
    out
        Keep the workspaces, one a session, in this folder.
    workers
        Processes that replay at the same time, 0 for one a processor. With more than one, a
        session that raises, or whose process is killed twice, is told as its failure, and the
        others go on.
    """
    if workers < 0:
        raise BadUsage(f"--workers {workers}: give 1 or more, or 0 for one a processor")
    jobs, skipped = jobs_of(find(files))
    setting = Setting(window, reply, preset)
    with _home(out) as home, telling(jobs) as tell:
        check_free(jobs, home)
        if workers == 1:
            ended = _in_turn(jobs, home, setting, tell)
        else:
            ended = replayed(jobs, home, setting, tell, workers=workers or cpus())
    trials = [one for one, _ in ended]
    if json:
        told = {"sessions": [_builtins(one) for one in trials], "total": total(trials)}
        emit({**told, "skipped": [_odd(error) for error in skipped]})
    else:
        _told(trials, skipped, out)
    return _code(ended)


def cpus() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _in_turn(jobs: Iterable[ReplayJob], home: Path, setting: Setting, tell: Tell) -> list[Ended]:
    """One session after the other, in this process; what one raises ends all."""
    reader = SessionReader()
    return [
        (trial(reader.session(job), home / job.folder, setting, _watch(job, tell)), FINE)
        for job in jobs
    ]


def _watch(job: ReplayJob, tell: Tell) -> Callable[[int, Turn], None]:
    return lambda done, turn: tell(job, done, turn.pressure)


@contextmanager
def _home(out: Path | None) -> Iterator[Path]:
    """The folder of the workspaces: the one asked for, or one that is removed at the end."""
    if out is not None:
        private_folders(out)
        yield out
        return
    with TemporaryDirectory(prefix="loom-replay-") as folder:
        yield Path(folder)


def total(trials: Sequence[ReplayTrial]) -> Row:
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


def _builtins(one: ReplayTrial) -> Row:
    return {**to_builtins(one), "lawful": one.lawful}


def _odd(error: BadSession) -> Row:
    return {"source": str(error.path), "line": error.line, "why": error.why}


def _told(trials: Sequence[ReplayTrial], skipped: Sequence[BadSession], out: Path | None) -> None:
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
    lines(f"skipped {text_of(error)}" for error in skipped)
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


def _code(ended: Sequence[Ended]) -> int:
    """A broken law or damage is a finding; another error is the caller's to mend."""
    if any(code == FOUND or not one.lawful for one, code in ended):
        return FOUND
    return BAD if any(one.error for one, _ in ended) else FINE
