"""`loom report`: make one page, to open in a browser, on what Loom did with an agent's window."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from msgspec import structs

import loom
from loom.cli.address_mirrors import mirrored_address
from loom.cli.agents import AgentStatus, agent_tree
from loom.cli.exits import BAD, FINE, FOUND
from loom.cli.output import (
    AsJson,
    bytes_text,
    complain,
    console,
    fill_width,
    print_lines,
    print_result,
    with_addresses,
    wrapped_lines,
)
from loom.cli.replay import skipped_lines
from loom.cli.replay_jobs import job_session, replay_jobs
from loom.cli.scratch import progress_bar, scratch_folder
from loom.cli.session_choice import chosen_sessions
from loom.disk import plain_descriptor, replace_file
from loom.errors import BadInput, BadSession, LoomError
from loom.inputs import Session
from loom.opening import open_context
from loom.providers.prices import prices_of
from loom.redact import Redactor
from loom.reduce.lines import plural
from loom.replay.feed import RecordedClock, feed
from loom.replay.importers import find
from loom.replay.importers.loss_notes import loss_summary
from loom.replay.importers.recorded_facts import session_model
from loom.replay.lost import SessionLoss, losses
from loom.report.data import AgentRow, ReportData
from loom.report.html_page import is_report
from loom.report.loss_page import loss_page
from loom.report.page_fitting import page_within_limit
from loom.report.session_rows import AgentPlace, Watch, collect_report
from loom.session.archive.workspace import Workspace
from loom.sizes import WINDOW
from loom.text import escape_invisible, one_line
from loom_paging import PagingError

HEAD = 2_000  # bytes of a page in which it says what it is
CHANGED = (
    "not as they were sent any more (a page is damaged or gone, or an earlier Loom sent them in"
    " other words)"
)
MEGABYTE = 1_000_000
LIMIT_MB = 5.0
OUT = Path("report.html")
TITLE = 200  # characters of the titles of sessions, in that of the page


def report(
    places: Annotated[list[Path] | None, Parameter(name="DIR|FILE")] = None,
    /,
    *,
    latest: int | None = None,
    out: Annotated[Path, Parameter(name=["--out", "-o"])] = OUT,
    window: int = WINDOW,
    limit_mb: float = LIMIT_MB,
    force: bool = False,
    redact: Annotated[bool, Parameter(negative="--no-redact")] = True,
    json: AsJson = False,
) -> int:
    """Make one page to open in any browser: what a recorded session lost where its client compacted
    it, when, and what that cost; or what Loom did with an agent's window.

    Without DIR or FILE it lists the sessions that coding agents recorded on this machine, and asks
    which to take. Exit code 1: a request can no longer be made as it was sent, or an agent cannot
    be read; the page says which.

    Args:
        places: A workspace with the agents below it, a folder of workspaces, or recorded sessions,
            which are replayed first; each may be an address (s3://…). A file that is no session is
            skipped and reported; where no file is one, that is an error.
        latest: Take the newest N sessions recorded on this machine.
        out: The file of the page. A report that lies there is replaced; any other file is not.
        window: Tokens of the window recorded sessions are replayed in.
        limit_mb: Megabytes the page may take; above, texts of the oldest requests are left out, and
            the page says so.
        force: Replace whatever plain file lies at `out`.
        redact: For sessions that their clients compacted, show the losses alone, without home
            folders and mail addresses, so that the page can be passed on. With --no-redact each
            session is replayed too, and every text of it is in the page.
        json: Print the data instead, and write no page.
    """
    if not 0 < limit_mb <= 1_000:
        raise BadInput(f"--limit-mb {limit_mb:g}: give megabytes, above 0 and at most 1,000")
    if (places := chosen_sessions(places or [], latest, json=json)) is None:
        return BAD
    if not json:
        _check_out(places, out, force)
    skipped: list[BadSession] = []
    lost: list[SessionLoss] = []
    with scratch_folder("loom-report-") as folder, progress_bar() as watch:
        found = _collect_agents(places, folder, window, watch, skipped, lost, redact=redact)
        # The page says it tells of: the name of a folder or file, or an address.
        names = (p.name if mirrored_address(p) is None else with_addresses(str(p)) for p in places)
        data = collect_report(found, ", ".join(map(escape_invisible, names)), watch)
        if lost:
            shown = loss_page(lost, redact=redact)
            title = ", ".join(one.title for one in shown.sessions if one.compactions)
            data = structs.replace(data, lost=shown, source=escape_invisible(title[:TITLE]))
    code = FOUND if any(agent.differ or agent.why for agent in data.agents) else FINE
    if json:
        return print_result(data, (), json=True, code=code)
    made, data = page_within_limit(data, int(limit_mb * MEGABYTE))
    replace_file(out, made)
    print_lines(_summary_lines(data, out, len(made)))
    for text in (*_complaint_lines(data), *skipped_lines(skipped)):
        complain(text)
    return code


def _check_out(places: list[Path], out: Path, force: bool) -> None:
    """Raise BadInput if `out` is a folder, lies in a workspace, or (without `force`) is a file that
    is no report. Raise FileNotFoundError if the folder of `out` does not exist."""
    homes = (home.resolve() for place in places for home in _workspaces_at(place))
    if any(out.resolve().is_relative_to(home) for home in homes):
        raise BadInput(f"{out} lies in a workspace, whose files are its own: name another place")
    if out.is_dir():
        raise BadInput(f"{out} is a folder: name a file, such as {out / OUT}")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"{out}: there is no folder {out.parent}: make it first")
    if not os.path.lexists(out):
        return
    if not stat.S_ISREG(out.lstat().st_mode) and not out.is_symlink():
        raise BadInput(f"{out} is no plain file: name another place, --force or not")
    if not force:
        with os.fdopen(plain_descriptor(out), "rb") as file:
            if not is_report(file.read(HEAD)):
                raise BadInput(f"{out} is no report of Loom: name another file, or give --force")


def _summary_lines(data: ReportData, out: Path, size: int) -> Iterator[str]:
    """Yield lines on what compactions of the client lost, and a line on the page at `out` with its
    `size` in bytes."""
    if lost := data.lost:
        said = " ".join(filter(None, (lost.said, lost.names, lost.cost, lost.loom, lost.priced)))
        yield from wrapped_lines(escape_invisible(said), "", fill_width(console()), below="")
    turns = sum(turn.times > 0 for agent in data.agents for turn in agent.turns)
    cuts = sum(len(agent.cuts) for agent in data.agents)
    held = f"{plural(turns, 'request')}, {plural(cuts, 'cut')}, "
    yield f"wrote {out}: {held if data.agents else ''}{bytes_text(size)}"


def _complaint_lines(data: ReportData) -> Iterator[str]:
    """Yield lines on the faults of the page, such as texts left out of it."""
    for one in data.lost.sessions if data.lost and not data.agents else ():
        yield from (f"{one.title}: {text}" for text in one.recording)
    if (left := data.omitted).texts:
        yield (
            f"{plural(left.texts, 'text')} of {left.of:,} left out, of requests up to"
            f" {left.through}: give a larger --limit-mb for all of them"
        )
    for agent in data.agents:
        few = ", ".join(map(str, agent.differ[:5]))
        differ = f"{CHANGED}: requests {few}" if few else ""
        yield from (f"{agent.name}: {t}" for t in (agent.why, *agent.recording, differ) if t)


def _collect_agents(
    places: list[Path],
    folder: Path,
    window: int,
    watch: Watch,
    skipped: list[BadSession],
    lost: list[SessionLoss],
    *,
    redact: bool,
) -> list[AgentPlace]:
    """Return the agents of all workspaces, and an agent for each recorded session, which is
    replayed into a folder below `folder`.

    A file that is no session is added to `skipped`; BadSession is raised if there is nothing else.
    What sessions lost at compactions is added to `lost`. With `redact`, no session is replayed if
    any was compacted."""
    found: list[AgentPlace] = []
    for place in places:
        if not place.exists():
            raise FileNotFoundError(f"{place}: no such file or folder")
    homes = [home for place in places for home in _workspaces_at(place)]
    for home in homes:
        found += _agent_places(home, agent_tree(home), -1, len(found))
    if files := find([place for place in places if not _workspaces_at(place)]):
        jobs, bad = replay_jobs(files, alone=not found)
        skipped += bad
        told_of: dict[str, SessionLoss] = {}
        for done, job in enumerate(jobs, 1):
            session, home = job_session(job), folder / f"lost-{done}"
            try:
                told_of[job.folder] = losses(session, home, prices_of(session_model(session)))
            except PagingError:
                raise
            except LoomError as error:  # a text that no window of this size can hold
                skipped.append(BadSession(job.path, 0, f"{session.name}: {error}"))
            watch(f"compactions of {session.name}", done, len(jobs))
        lost += told_of.values() if any(one.compactions for one in told_of.values()) else ()
        if lost and redact and homes:
            raise BadInput(
                f"{homes[0]} is a workspace, whose texts would be on a page that is made to be"
                " passed on: report it alone, or give --no-redact"
            )
        for job in () if lost and redact else jobs:
            session, home = job_session(job), folder / job.folder
            _replay_session(session, home, window, watch)
            row = AgentRow(
                name=escape_invisible(
                    (lost and _session_title(told_of.get(job.folder))) or session.name
                ),
                folder="",
                above=-1,
                state="replayed",
                model=escape_invisible(session_model(session)),
                recording=tuple(map(escape_invisible, loss_summary(session.mended))),
            )
            found.append(AgentPlace(row, home))
    if not lost and not any(place.folder for place in found):
        for home in homes:
            Workspace.at_path(home, write=False)  # it says why it cannot be read
        names = ", ".join(map(str, places))
        raise BadInput(f"{names}: there is no workspace with a commit, and no recorded session")
    return found


def _session_title(loss: SessionLoss | None) -> str:
    """Return the title of a session on one line, with secrets replaced, or "" if `loss` is None."""
    return one_line(Redactor()(loss.title), TITLE) if loss else ""


def _workspaces_at(folder: Path) -> list[Path]:
    """Return the workspaces at a folder: the folder itself, else the workspaces directly in it,
    else the workspaces one level deeper. Return [] if there are none."""
    if (folder / "journal").is_dir() or (folder / "agents").is_dir():
        return [folder]
    found = (sorted(folder.glob(f"{depth}/journal")) for depth in ("*", "*/*"))
    homes = ([one.parent for one in each if one.is_dir()] for each in found)
    return next(filter(None, homes), [])


def _agent_places(root: Path, status: AgentStatus, above: int, number: int) -> list[AgentPlace]:
    """Return an agent and all agents below it, parents first. `number` is the agent's number in the
    report; the agents below get the next numbers. `above` is the parent's number (-1: no parent).
    """
    readable = status.commits > 0 and status.state not in ("damaged", "linked")
    row = AgentRow(
        name=escape_invisible(status.name),
        folder=escape_invisible(status.folder),
        above=above,
        state=status.state,
        why="" if readable else with_addresses(status.why),
    )
    made = [AgentPlace(row, root / status.folder if readable else None)]
    for child in status.agents:
        made += _agent_places(root, child, number, number + len(made))
    return made


def _replay_session(session: Session, home: Path, window: int, watch: Watch) -> None:
    """Make a workspace in the folder `home` by replaying a recorded session."""
    policy, now = structs.replace(loom.Policy(), own_tools=False), RecordedClock(session)
    with open_context(home, window=window, policy=policy, durable=False, clock=now) as ctx:
        for done, event in enumerate(session.events):
            if isinstance(event, loom.Reply):
                ctx.turn()
            now.reach(done)
            feed(ctx, event)
            watch(f"replay {session.name}", done + 1, len(session.events))
