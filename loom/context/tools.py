"""`ctx.tools`: the tools the model is told of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from loom.engine import Engine
from loom.engine.head import declare, own
from loom.providers.schema import ToolSchema

if TYPE_CHECKING:  # its type alone: the core imports no capability
    from loom.capabilities.toolbox import Toolbox


class DeclaredTools:
    """The tools of a context: the host's, those that are answered here, and its toolbox."""

    def __init__(self, engine: Engine, toolbox: Toolbox | None) -> None:
        self._engine = engine
        self._toolbox = toolbox

    def __repr__(self) -> str:
        return f"<ctx.tools: {', '.join(self.declared)}>"

    def declare(self, *tools: ToolSchema | Mapping[str, Any]) -> None:
        """Declare host tools, in the plain shape or any provider's; a no-op when known.

        Raises BadTool, OverCapacity when they leave no room for a history, OverPart over theirs.
        """
        declare(self._engine, *tools)

    @property
    def declared(self) -> tuple[str, ...]:
        """Names of all tools the model is told of."""
        return tuple(held.key for held in self._engine.workspace.shown.skill.tools.current)

    @property
    def own(self) -> set[str]:
        """Names of the tools that are answered here: their calls never reach the host."""
        return own(self._engine)

    @property
    def toolbox(self) -> Toolbox | None:
        """The toolbox the context was opened with."""
        return self._toolbox
