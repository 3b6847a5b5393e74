"""The tools a context declares when it opens: Loom's own, the toolbox's, and the host's."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from loom.capabilities.toolbox.registry import Toolbox
from loom.capability import Capability
from loom.errors import BadInput, LoomWarning, OverCapacity
from loom.policy import Policy
from loom.providers.schema import ToolGiven, ToolSchema, tool_schemas_of
from loom.session import Engine
from loom.session.head import declare_tools, own_tool_names
from loom.session.tools.answer import OwnTool


def declared_schemas(
    tools: Sequence[ToolGiven], capabilities: Sequence[Capability]
) -> list[ToolSchema]:
    """Return the schemas of the host's `tools`, then those of the level 1 tools of each Toolbox."""
    if not isinstance(tools, Iterable):
        raise BadInput(f"tools={tools!r}: give a list of tool schemas")
    given = [schema for tool in tools for schema in tool_schemas_of(tool)]
    boxes = (one for one in capabilities if isinstance(one, Toolbox))
    return [*given, *(schema for box in boxes for schema in box.declared())]


def offered_tools(engine: Engine, policy: Policy, *, resumed: bool) -> dict[str, OwnTool]:
    """Return Loom's own tools that the policy allows, by name; {} if the workspace is `resumed` and
    had none of them. Warns with LoomWarning of earlier tools that the policy leaves out. Raises
    BadInput if the policy's `own_tools` has an unknown name."""
    there, named = own_tool_names(engine), policy.own_tools
    chosen = named if isinstance(named, tuple) else [*engine.tools] if named else []
    if stay := sorted(there.difference(chosen)):
        said = f"own_tools leaves out {', '.join(stay)}: what was declared stays in a workspace"
        warnings.warn(LoomWarning(f"{said}; open a new one for fewer", "policy"), stacklevel=4)
    if resumed and not there:
        return {}
    if unknown := set(chosen) - engine.tools.keys():
        known = ", ".join(engine.tools)
        raise BadInput(f"own_tools names {min(unknown)!r}, which is none of {known}")
    return {name: engine.tools[name] for name in chosen if engine.tools[name].offered}


def declare_all_tools(
    engine: Engine, offers: Mapping[str, OwnTool], given: Sequence[ToolSchema], known: bool
) -> None:
    """Declare Loom's own tools `offers` that are not declared yet, then the host's tools `given`.
    If `known` is True (the workspace existed before), Loom's tools without room in the window are
    skipped."""
    taken = {held.key for held in engine.window.skill.tools.current}
    for name, tool in offers.items():
        if name not in taken:
            with suppress(*([OverCapacity] if known else [])):  # a full window resumes without it
                declare_tools(engine, tool.schema)
    declare_tools(engine, *given)
