"""The agents below a workspace folder, with the state that their files show. Nothing is locked or
written.

An agent's folder is its workspace. The folders of its children lie in `agents/` below it, the
folders of its forks in `forks/`, down to `DEPTH` generations. A child that cannot be read is listed
with the reason, and its own children are still searched for. Links are not followed. So nothing
outside the given folder is read and no folder is read twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from loom.cli.address_mirrors import check_mirrored_journal, mirrored_address
from loom.cli.exits import FINE, error_text, exit_code
from loom.errors import BadInput
from loom.inspect.sent_size import sent_size
from loom.inspect.tally import entry_counts
from loom.lazy import lazy_re
from loom.session.archive.half_purged import no_workspace_message
from loom.session.archive.workspace import Workspace
from loom.text import escape_invisible, one_line
from loom_paging import CorruptJournal, writer_of
from loom_paging.remote.lease import seconds_left
from loom_paging.remote.open_address import running_lease_at
from loom_partitions.message import Step

AGENTS, FORKS, JOURNAL = "agents", "forks", "journal"
DEPTH = 16  # generations below the folder that was given
GOAL_CHARS = 80
CHARS = 60  # of what a lease says of its holder, which anybody who can write there may have put
_PROCESS = lazy_re(r"process ([0-9]{1,10})\b")


def open_workspace(folder: Path) -> Workspace:
    """Return the workspace in a folder, opened for reading. Raises FileNotFoundError if there is no
    workspace, BadInput if it has no commit yet."""
    return require_commits(Workspace.at_path(folder, write=False), folder)


def require_commits(workspace: Workspace | None, folder: Path) -> Workspace:
    """Return the given workspace. Raises FileNotFoundError if it is None, and BadInput if it has no
    commit yet. `folder` is named in the errors."""
    if workspace is None:
        raise FileNotFoundError(no_workspace_message(folder))
    if not workspace.commits:
        raise BadInput(f"{folder} holds no commit yet; open it with loom.open first")
    return workspace


def read_workspace(folder: Path) -> Workspace | None:
    """Return the workspace in a folder, opened for reading, or None if the folder has no journal.
    Raises CorruptJournal."""
    if not (folder / JOURNAL).is_dir():
        return None
    # Read twice: a writer may just have replaced an incomplete last line.
    try:
        return Workspace.at_path(folder, write=False)
    except CorruptJournal:
        return Workspace.at_path(folder, write=False)


class LeaseHolder(Struct, frozen=True):
    """The process that has a workspace open. `process` is its id (0: unknown), `name` a text such
    as "process 4711". `lease_seconds` is the time until its lease on an address ends, None for a
    workspace in a folder."""

    process: int
    name: str
    lease_seconds: int | None = None

    @property
    def label(self) -> str:
        """The name of the process and the rest of its lease: "process 4711 on host, lease 21s"."""
        lease = "" if self.lease_seconds is None else f", lease {self.lease_seconds:,}s"
        return f"{self.name}{lease}"


def holder_at(folder: Path) -> LeaseHolder | None:
    """Return the process that has the workspace at a folder open, or None. The folder of a mirror
    stands for its address. Raises StoreUnreachable."""
    if (address := mirrored_address(folder)) is None:
        process = writer_of(folder)
        return None if process is None else LeaseHolder(process, f"process {process or '?'}")
    if (note := running_lease_at(address)) is None:
        return None
    number = _PROCESS.match(note.holder)
    name = escape_invisible(one_line(note.holder, CHARS)) or "somebody"
    return LeaseHolder(int(number[1]) if number else 0, name, seconds_left(note))


class AgentStatus(Struct, frozen=True):
    """The state of one agent. `folder` is relative to the first workspace.

    `state` is one of: running (another process has it open: `process` is its id, 0 if unknown,
    `holder` its name, `lease_seconds` the rest of its lease), finished, waiting (for results of
    calls), failed (its last step ended in an error), left (a spawned agent that was closed without
    a result), idle, empty (no commit yet), damaged (`why` says how), linked (a link, which is not
    followed; `why` says where it leads). `at` is the time of the last commit in milliseconds since
    1970. `code` is the exit code of a command for this folder alone. `deeper` counts children below
    `DEPTH`, which are not read."""

    name: str
    folder: str
    state: str
    process: int | None = None
    holder: str = ""
    lease_seconds: int | None = None
    rho: float = 0.0
    generation: int = 0
    turns: int = 0
    steps: int = 0
    pages: int = 0
    commits: int = 0
    at: int = 0
    finished: bool = False
    outcome: str = ""
    open_calls: tuple[str, ...] = ()
    errors: int = 0
    goal: str = ""
    why: str = ""
    code: int = FINE
    deeper: int = 0
    agents: tuple[AgentStatus, ...] = ()


def agent_tree(folder: Path) -> AgentStatus:
    """Return the status of the agent in `folder`, with all agents below it in the field `agents`.
    Raises FileNotFoundError if the folder has neither a journal nor a folder `agents`."""
    root = folder.resolve()
    if not _is_workspace_root(root):
        raise FileNotFoundError(no_workspace_message(folder))
    return _agent_status(root, root, root.name or str(root), 0)


def agent_trees_below(folder: Path) -> tuple[AgentStatus, ...]:
    """Return an AgentStatus for each workspace directly below a folder, sorted by name. Return ()
    if the folder is itself a workspace."""
    root = folder.resolve()
    if _is_workspace_root(root):
        return ()
    found = [
        path for path in _folders_in(root) if not path.is_symlink() and (path / JOURNAL).is_dir()
    ]
    return tuple(_agent_status(root, path, path.name, 0) for path in found)


def _is_workspace_root(folder: Path) -> bool:
    """Return True if the folder has a folder `journal` or `agents`."""
    return (folder / JOURNAL).is_dir() or (folder / AGENTS).is_dir()


def walk_agents(agent: AgentStatus) -> Iterator[AgentStatus]:
    """Yield an agent, then all agents below it, parents first."""
    yield agent
    for child in agent.agents:
        yield from walk_agents(child)


def _agent_status(root: Path, folder: Path, name: str, depth: int) -> AgentStatus:
    """Return the state of the agent `name` in `folder`, with the agents below it. `depth` is the
    number of generations above it."""
    at = folder.relative_to(root).as_posix()
    if folder != root and folder.is_symlink():
        return AgentStatus(name, at, "linked", why=_link_target_text(root, folder))
    writer, children = (
        holder_at(folder),
        [*_folders_in(folder / AGENTS), *_folders_in(folder / FORKS)],
    )
    deeper = len(children) if depth >= DEPTH else 0
    # The name of a fork has the folder it lies in, which says what it is.
    names = [f"{FORKS}/{c.name}" if c.parent.name == FORKS else c.name for c in children]
    below = () if deeper else zip(children, names, strict=True)
    agents = tuple(_agent_status(root, child, name, depth + 1) for child, name in below)
    try:
        facts = _status_fields(root, folder, writer)
    except Exception as error:  # whatever a file holds, the others are still told
        why = error_text(error) or type(error).__name__
        facts = {"state": "damaged", "why": why, "code": exit_code(error)}
    if writer is not None and facts["state"] != "linked":
        facts |= {"process": writer.process, "holder": writer.name}
        facts |= {"lease_seconds": writer.lease_seconds}
    return AgentStatus(name, at, **facts, deeper=deeper, agents=agents)


def _status_fields(root: Path, folder: Path, writer: LeaseHolder | None) -> dict[str, Any]:
    """Return a dict of the AgentStatus fields that follow from the agent's own folder. `writer` is
    the process that has it open. Raises the errors of reading a workspace."""
    check_mirrored_journal(folder)
    journal = folder / JOURNAL
    held = sorted(journal.iterdir()) if journal.is_dir() and not journal.is_symlink() else []
    if links := [path for path in (journal, *held) if path.is_symlink()]:
        why = f"{links[0].relative_to(folder)} is {_link_target_text(root, links[0])}"
        return {"state": "linked", "why": why}
    workspace = read_workspace(folder)
    if workspace is None or not workspace.commits:
        return {"state": "empty" if writer is None else "running", "why": "no commit yet"}
    window = workspace.window
    goal, last = window.working.goal, next(iter(window.history.stream.entries_back), None)
    states = {  # the first that holds
        "running": writer is not None,
        "finished": window.sent.finished or window.sent.delivered,
        "waiting": bool(window.history.open_calls),
        # Nothing came after a step that has an error among its results.
        "failed": isinstance(last, Step) and last.id in window.working.errors,
        "left": window.working.depth > 0,
        "idle": True,
    }
    return {
        "state": next(state for state, holds in states.items() if holds),
        "rho": sent_size(window).rho,
        "generation": window.sent.generation,
        "turns": window.sent.turn,
        "steps": entry_counts(workspace).steps,
        "pages": workspace.pages,
        "commits": workspace.commits,
        "at": workspace.at,
        "finished": window.sent.finished,
        "outcome": one_line(window.working.outcome, GOAL_CHARS),
        "open_calls": window.history.open_calls,
        "errors": len(window.working.errors),
        "goal": one_line((goal.body or goal.page) if goal else "", GOAL_CHARS),
    }


def _folders_in(folder: Path) -> list[Path]:
    """Return the folders and links in a folder, sorted by name, without names that begin with a
    dot. If the folder is itself a link, return only this link."""
    try:
        if folder.is_symlink():
            return [folder]
        # A folder whose name begins with a dot is still being made.
        found = [path for path in folder.iterdir() if not path.name.startswith(".")]
        return sorted(path for path in found if path.is_symlink() or path.is_dir())
    except OSError:
        return []


def _link_target_text(root: Path, link: Path) -> str:
    """Return a text that says where a link leads: to a path below `root`, or out of it."""
    to = link.resolve()
    if to.is_relative_to(root):
        return f"a link to {to.relative_to(root).as_posix()}, told there"
    return "a link that leads out of the folder, and is not followed"
