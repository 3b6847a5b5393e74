"""Tools that are run here: the host's toolbox, for the calls that wait.

A tool may take a minute, so nothing is locked while it runs: the call stays open, as it is while a
host runs it, and a process that dies meanwhile leaves a lawful journal.
"""

from __future__ import annotations

from typing import Any

from loom.capabilities.toolbox import NoRunner, Ran, Toolbox
from loom.context.results import Results
from loom.errors import LoomError, UnknownCall
from loom.inputs import ToolCall
from loom.reduce import parse
from loom.text import one_line
from loom_partitions.message import Call

WHY = 2_000  # characters of what a tool raised


class Running(Results):
    """What a Context offers to run tools."""

    @property
    def toolbox(self) -> Toolbox | None:
        """The tools the context was opened with."""
        return self._engine.at_hand.toolbox

    def run(self, call: Call | ToolCall | str) -> object:
        """Run an open call by the toolbox, take its result, and return what the tool gave.

        What the tool refuses or raises is the call's result, as an error the model can act on; what
        is returned then is the exception. Raises UnknownCall when no such call waits, UnknownTool
        and NoRunner for a tool that is the host's to run, BadResult for what JSON cannot hold, and
        AnsweredCall when another gave a result while the tool ran: what this one gave is dropped.
        """
        id = self._engine.ingest.clean(call if isinstance(call, str) else call.id)
        waiting = {one.id: one for one in self.calls}
        if id not in waiting:
            raise UnknownCall(id, self._engine.window.history.open_calls)
        return self._done(waiting[id])

    def _done(self, call: Call) -> object:
        box = self.toolbox
        if box is None:
            raise NoRunner(call.name)
        if box.get(call.name).run is None:
            raise NoRunner(call.name)
        try:
            rules = self._engine.redactor.patterns
            given = box.run(call.name, _arguments(call.arguments), rules)
        except LoomError as error:
            self.result(call, str(error), error=True)
            return error
        except Exception as error:  # a tool may raise anything, and the model must be told
            said = self._engine.ingest.clean(f"{type(error).__name__}: {error}")
            why = one_line(said, WHY)  # cut, a secret may no longer be known
            self.result(call, f"{call.name} failed: {why}", error=True)
            return error
        failed = isinstance(given, Ran) and not given.ok
        self.result(call, given.text if isinstance(given, Ran) else given, error=failed)
        return given


def _arguments(given: str) -> dict[str, Any]:
    """The arguments of a call. Raises LoomError for what is no JSON object."""
    found = parse(given) if given.strip() else {}
    if not isinstance(found, dict):
        raise LoomError(f"the arguments are no JSON object: {one_line(given, 200)}")
    return found
