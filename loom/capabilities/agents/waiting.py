"""Waiting for the results of agents below: until they come, or nobody is left who could give one.

Nothing tells that an agent ended without a result: its process may have been killed. A store in a
folder shows whether anybody has it open; of another one it is known only where this process opened
it. An agent nobody has open may be about to be opened by a worker, so it is given up for this wait
alone, and after a while: `child` opens it again, `give_up` and `join` settle it for good.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from loom.capabilities.agents.family import Family
from loom.capabilities.agents.place import home_of
from loom.capabilities.agents.result import LOST, AgentResult
from loom.context import Loop
from loom.errors import Overdue
from loom_paging import writer_of

WAY_ON = "ctx.agents.child(name) opens one again, give_up(name, why) and join settle it"
LOOK = 0.02  # seconds between two looks for a result
WHYS = {
    "unborn": "it was never run, or its folder is gone",
    "at work": "it was closed or killed before it gave a result",
}
ENDED = (
    "{why}: ctx.agents.child({name!r}) opens it again, give_up({name!r}, why) and join settle it"
)
Opened = Mapping[str, Callable[[], Loop | None]]  # children this process opened, by name


def waited(
    family: Family,
    opened: Opened,
    join: Callable[[str], AgentResult],
    wanted: Sequence[str],
    *,
    first: bool,
    timeout: float | None,
    idle: float,
) -> tuple[AgentResult, ...]:
    """Join agents as their results come: all, or with `first` whichever come first.

    One that nobody has had open for `idle` seconds is returned as lost. Raises Overdue after
    `timeout` seconds; what came is joined.
    """
    began = time.monotonic()
    found: dict[str, AgentResult] = {}
    attended = dict.fromkeys(wanted, began)  # when somebody was last seen to have each open
    while True:
        missing = [name for name in wanted if name not in found]
        for name in missing:
            with suppress(Overdue):
                found[name] = join(name)
        now = time.monotonic()
        for name in [name for name in missing if name not in found and not (found and first)]:
            if _open(family, opened, name):
                attended[name] = now
            elif now - attended[name] >= idle and (why := WHYS.get(family.state(name))):
                found[name] = AgentResult(name, LOST, error=ENDED.format(why=why, name=name))
        if len(found) == len(wanted) or (first and found):
            return tuple(found[name] for name in wanted if name in found)
        if timeout is not None and now - began >= timeout:
            left = [name for name in wanted if name not in found]
            idle_ones = (name for name in left if not _open(family, opened, name))
            closed = [name for name in idle_ones if family.state(name) == "at work"]
            said = f"; nobody has {', '.join(closed)} open: " + WAY_ON if closed else ""
            told = f"no result of {', '.join(left)} within {timeout:g} s{said}"
            raise Overdue(told, left, closed)
        time.sleep(LOOK)


def _open(family: Family, opened: Opened, name: str) -> bool:
    """True for an agent that somebody may be working on."""
    here = opened[name]() if name in opened else None
    if here is not None and not here._engine.workspace.closed:
        return True
    home = home_of(family.home, name)
    return writer_of(home) is not None if isinstance(home, Path) else name not in opened
