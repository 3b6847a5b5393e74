"""`loom ps`: list the agents under a workspace folder as a tree, whichever process runs them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.cells import cell_len
from rich.text import Text

from loom.cli.agents import (
    DEPTH,
    AgentStatus,
    LeaseHolder,
    agent_tree,
    agent_trees_below,
    walk_agents,
)
from loom.cli.exits import BAD, FINE, FOUND
from loom.cli.output import WIDTH, can_draw, console, fill_width, print_result, shorten
from loom.reduce.lines import plural
from loom.session.archive.workspace import milliseconds_now
from loom.text import escape_invisible

INDENT = 2
NAME_COLUMNS = 32  # indent and name together; a longer name is cut
STYLES = {
    "running": "green", "finished": "blue", "waiting": "yellow", "failed": "red",
    "damaged": "bold red", "idle": "",
}  # fmt: skip
UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))  # seconds, the largest first
STATE_COLUMNS = max(map(len, STYLES))


def ps(folder: Path, /, *, json: bool = False) -> int:
    """List agents and forks under a workspace folder as a tree: their state, how full each is.

    Where the place is no workspace, and workspaces lie directly below it, each
    of them is listed. At an address, a running agent is shown with the holder
    of its lease and the seconds the lease still runs. The command takes no lock
    and writes nothing.

    Args:
        folder: The workspace of the first agent: a folder, or an address (s3://…). Its children are
            in its folder agents, its forks in its folder forks, and so on below.
        json: Print one JSON object instead, nested as the agents are; for several workspaces a
            list.
    """
    fleet = agent_trees_below(folder)
    roots = fleet or (agent_tree(folder),)
    # Damage is a finding; what cannot be read for another reason is the caller's to mend.
    codes = {agent.code for root in roots for agent in walk_agents(root)}
    code = FOUND if FOUND in codes else BAD if BAD in codes else FINE
    column = min(max(map(_name_width, roots)), NAME_COLUMNS)
    told = (one for root in roots for one in _tree_lines(root, column))
    return print_result(fleet or roots[0], told, json=json, code=code)


def _name_width(agent: AgentStatus, depth: int = 0) -> int:
    """Return the width in columns of the longest indented name among an agent and the agents below
    it."""
    own = depth * INDENT + cell_len(escape_invisible(agent.name))
    return max([own, *(_name_width(child, depth + 1) for child in agent.agents)])


def _tree_lines(agent: AgentStatus, column: int, depth: int = 0) -> Iterator[Text]:
    """Yield a line for an agent at `depth` and each agent below it, indented below its parent. The
    states begin at column `column`."""
    screen, indent = console(), " " * (INDENT * depth)
    fit = shorten if can_draw(screen) else (lambda text, width: escape_invisible(text))
    name = fit(indent + escape_invisible(agent.name), column)
    name += " " * (column - cell_len(name))
    room = fill_width(screen, WIDTH) - cell_len(name) - 2
    rest = fit(f"{agent.state:<{STATE_COLUMNS}}  {_status_text(agent)}", room)
    made = Text.assemble((name, "bold"), "  ", rest.rstrip())
    made.stylize(STYLES.get(agent.state, "dim"), len(name) + 2, len(name) + 2 + len(agent.state))
    yield made
    for child in agent.agents:
        yield from _tree_lines(child, column, depth + 1)
    if agent.deeper:
        more = f"… {agent.deeper:,} more, deeper than {DEPTH}: loom ps that folder"
        yield Text(f"{indent}{' ' * INDENT}{more}", style="dim")


def _status_text(agent: AgentStatus) -> str:
    """Return the last part of an agent's line: ρ, counts, age and goal, or why it has no
    commits."""
    # Who has the lease of an agent elsewhere; a lock in a folder is told by the state.
    held = LeaseHolder(agent.process or 0, agent.holder, agent.lease_seconds).label
    parts = [escape_invisible(held) if agent.lease_seconds is not None else ""]
    if agent.commits:
        calls = len(agent.open_calls)
        parts += [
            f"ρ {agent.rho:.2f}",
            f"gen {agent.generation}",
            plural(agent.steps, "step"),
            plural(agent.pages, "page"),
            f"{plural(calls, 'call')} open" if calls else "",
            f"{age_text(milliseconds_now() - agent.at)} ago",
            agent.outcome or agent.goal,
        ]
    else:
        parts.append(escape_invisible(agent.why))
    return " · ".join(filter(None, parts))


def age_text(milliseconds: int) -> str:
    """Return a duration in its largest whole unit: `4s`, `3m`, `2h`, `5d`."""
    seconds = max(milliseconds, 0) // 1_000
    size, unit = next(((size, unit) for size, unit in UNITS if seconds >= size), UNITS[-1])
    return f"{seconds // size:,}{unit}"
