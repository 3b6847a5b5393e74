"""Waiting for the results of agents below: until they come, or nobody is left who could give one.

Nothing tells that an agent ended without a result: its process may have been killed. A store in a
folder shows whether anybody has it open; of another one it is known only where this process opened
it. An agent nobody has open may be about to be opened by a worker, so it is given up for this wait
alone, and after a while: `child` opens it again, `give_up` and `join` settle it for good.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from weakref import ReferenceType

from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.family import Family, NotDelivered, Overdue
from loom.capabilities.agents.place import home_of
from loom.capabilities.agents.result import AgentResult
from loom.context import Context
from loom_paging import writer_of

LOOK = 0.02  # seconds between two looks for a result
WHYS = {
    "unborn": "it was never run, or its folder is gone",
    "at work": "it was closed or killed before it gave a result",
}
ENDED = (
    "{why}: ctx.agents.child({name!r}) opens it again, give_up({name!r}, why) and join settle it"
)


class Watch:
    """What one wait knows of agents that nobody has open: since when.

    `opened` are the contexts of children this process opened, by name.
    """

    def __init__(
        self, family: Family, opened: Mapping[str, ReferenceType[Context]], idle: float
    ) -> None:
        self._family = family
        self._opened = opened
        self._idle = idle
        self._since: dict[str, float] = {}

    def ended(self, name: str) -> AgentResult | None:
        """The result of an agent nobody has had open for long enough, None of any other."""
        if self._attended(name):
            self._since.pop(name, None)
            return None
        now = time.monotonic()
        if now - self._since.setdefault(name, now) < self._idle:
            return None
        why = WHYS.get(self._family.state(name))
        if why is None:  # a result came meanwhile
            return None
        said = ENDED.format(why=why, name=name)
        return AgentResult(name, agent_results.LOST, error=said)

    def closed(self, name: str) -> bool:
        """True for an agent that was at work, and that nobody has open."""
        return not self._attended(name) and self._family.state(name) == "at work"

    def _attended(self, name: str) -> bool:
        """True for an agent that somebody may be working on."""
        here = self._opened[name]() if name in self._opened else None
        if here is not None and not here._engine.workspace.closed:
            return True
        home = home_of(self._family.home, name)
        if isinstance(home, Path):
            return writer_of(home) is not None
        return name not in self._opened


def waited(
    join: Callable[[str], AgentResult],
    wanted: Sequence[str],
    watch: Watch,
    *,
    first: bool,
    timeout: float | None,
) -> tuple[AgentResult, ...]:
    """Join agents as their results come: all, or with `first` whichever come first. Raises Overdue
    after `timeout` seconds; what came is joined."""
    until = None if timeout is None else time.monotonic() + timeout
    found: dict[str, AgentResult] = {}
    while True:
        for name in _missing(wanted, found):
            with suppress(NotDelivered):
                found[name] = join(name)
        if not found or not first:
            for name in _missing(wanted, found):
                if (ended := watch.ended(name)) is not None:
                    found[name] = ended
        if len(found) == len(wanted) or (first and found):
            return tuple(found[name] for name in wanted if name in found)
        if until is not None and time.monotonic() >= until:
            missing = _missing(wanted, found)
            raise Overdue(missing, timeout or 0.0, [one for one in missing if watch.closed(one)])
        time.sleep(LOOK)


def _missing(wanted: Sequence[str], found: Collection[str]) -> list[str]:
    return [name for name in wanted if name not in found]
