"""The moments at which a capability is called, and what it brings to a context.

This is all the core knows of a capability; `loom.capability` adds the context that it serves."""

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
    """The outcome of a tool that Loom ran itself. `value` is for the caller of the tool. `told` is
    for the model: a text or a value that JSON can hold."""

    value: object
    told: object
    error: bool = False


class Moments:
    """A capability, as the core sees it. `loom.Capability` explains the fields."""

    name = ""
    rules: Mapping[str, Rule] = {}
    levels: Sequence[Level] = ()
    counter: Counter | None = None
    summarizes = False
    shared = False
    has_open_change = False
    refused: Sequence[str] = ()

    def _try_claim(self, holder: object) -> bool:
        """Claim the capability for `holder`. Return False when another holder has it."""
        # `setdefault` is atomic: two threads cannot both succeed.
        return self.shared or vars(self).setdefault("_holder", holder) is holder

    def _released(self, holder: object = None) -> None:
        """Free the capability for other holders; with `holder`, only if `holder` has it."""
        if holder is None or vars(self).get("_holder") is holder:
            vars(self).pop("_holder", None)

    @property
    def tools(self) -> Sequence[OwnTool]:
        """The tools that this capability answers itself, without the host."""
        return ()

    def opened(self) -> None:
        """Called when the workspace is open and this capability's tools are declared."""

    def before_turn(self) -> None:
        """Called before a request is made, without a lock. `context.turn()` raises Reentered."""

    def after_turn(self, turn: Turn) -> None:
        """Called after a request was made, without a lock. An error leaves the request valid."""

    def before_renewal(self) -> None:
        """Called before a renewal, which renders instructions, memory and skills again."""

    def goal_changed(self) -> None:
        """Called when the goal was set or changed."""

    def resized(self) -> None:
        """Called when the window's size has changed; called again if the call was interrupted."""

    def keep_or_undo(self, kept: bool) -> None:
        """Keep what the last call changed outside the journal, or undo the changes if `kept` is
        False.

        Called when the next call begins, and at the end, while `has_open_change` is True."""

    def recalled(self, query: str) -> Answer | None:
        """Return an answer to add to the answer of the tool `recall`; None for nothing."""
        return None

    def shortened(self, text: str, *, tool: str, objective: str, limit: int) -> str | None:
        """Return a large result in at most `limit` characters. None means that this capability
        shortens no results, "" that it could not shorten this result. Called without a lock."""
        return None

    def stopping(self) -> None:
        """Called before the context closes, to end threads. The lock is never held."""

    def closing(self) -> None:
        """Called when the context closes, to release files."""
