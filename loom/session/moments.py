"""The moments at which what an agent has beside its window is asked, and what it brings.

What the core knows of a capability: `loom.capability` adds the context that it serves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from loom.compress.ladder import Level
    from loom.providers.counts import Counter
    from loom.reduce.rule import Rule
    from loom.session.tools.answer import Answer, OwnTool
    from loom.session.turn import Turn


class Executed(Struct, frozen=True):
    """What came of a tool that was run here: the `value` its caller gets, and what the model is
    told, a text or anything JSON can hold."""

    value: object
    told: object
    error: bool = False


class Moments:
    """Something an agent has beside its window; `loom.Capability` tells what the fields are."""

    name = ""
    rules: Mapping[str, Rule] = {}
    levels: Sequence[Level] = ()
    counter: Counter | None = None
    summarizes = False
    shared = False
    unsettled = False
    refused: Sequence[str] = ()

    def _claimed(self, holder: object) -> bool:
        """True when nobody but `holder` has it. One step: nothing comes between."""
        return self.shared or vars(self).setdefault("_holder", holder) is holder

    def _released(self, holder: object = None) -> None:
        """Let others have it; with a `holder`, only where that one has it."""
        if holder is None or vars(self).get("_holder") is holder:
            vars(self).pop("_holder", None)

    @property
    def tools(self) -> Sequence[OwnTool]:
        """The tools this capability answers itself; their calls never reach the host."""
        return ()

    def opened(self) -> None:
        """The workspace is open and its tools are declared."""

    def before_turn(self) -> None:
        """A request is about to be made. No lock is held. `context.turn()` raises Reentered."""

    def after_turn(self, turn: Turn) -> None:
        """A request was made, and stands whatever this raises. No lock is held."""

    def before_renewal(self) -> None:
        """The context is about to be renewed: instructions, memory and skills are rendered anew."""

    def goal_changed(self) -> None:
        """The goal was set, or changed."""

    def resized(self) -> None:
        """The window has another size. Asked again where it was interrupted."""

    def settle(self, kept: bool) -> None:
        """Keep what the last call changed outside the journal, or undo it: it did not return.

        Asked when the next call begins, and at the end, while `unsettled`.
        """

    def recalled(self, query: str) -> Answer | None:
        """An answer that is added to that of the tool `recall`; None for nothing."""
        return None

    def shortened(self, text: str, *, tool: str, objective: str, limit: int) -> str | None:
        """A large result in at most `limit` characters; None when it makes none short, "" when it
        could not make this one short. Not locked: it may take its time."""
        return None

    def stopping(self) -> None:
        """The context is about to close: let threads end. Never called with a lock held."""

    def closing(self) -> None:
        """The context closes: let go of files."""
