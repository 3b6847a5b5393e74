"""The namespaces of a Context for `async` code; their signatures are those of the Context's."""

from __future__ import annotations

from loom.aio.threads import AsyncNamespace, on_namespace
from loom.capabilities.events import Heartbeat
from loom.capabilities.memory import Memory
from loom.capabilities.skills import Skills
from loom.context.history import Archive
from loom.context.tools import DeclaredTools
from loom.context.working import WorkingSurfaces


class AsyncWorking(AsyncNamespace[WorkingSurfaces]):
    """Methods of `ctx.working`, awaited."""

    as_dict = on_namespace(WorkingSurfaces.as_dict)
    set_goal = on_namespace(WorkingSurfaces.set_goal)
    plan = on_namespace(WorkingSurfaces.plan)
    progress = on_namespace(WorkingSurfaces.progress)
    scratch = on_namespace(WorkingSurfaces.scratch)
    note = on_namespace(WorkingSurfaces.note)
    ask = on_namespace(WorkingSurfaces.ask)
    answered = on_namespace(WorkingSurfaces.answered)
    evidence = on_namespace(WorkingSurfaces.evidence)


class AsyncMemory(AsyncNamespace[Memory]):
    """Methods of `ctx.memory`, awaited."""

    remember = on_namespace(Memory.remember)
    forget = on_namespace(Memory.forget)
    save = on_namespace(Memory.save)
    promote = on_namespace(Memory.promote)
    query = on_namespace(Memory.query)
    use_embedder = on_namespace(Memory.use_embedder)


class AsyncSkills(AsyncNamespace[Skills]):
    """Methods of `ctx.skills`, awaited."""

    activate = on_namespace(Skills.activate)
    drop = on_namespace(Skills.drop)
    use = on_namespace(Skills.use)


class AsyncTools(AsyncNamespace[DeclaredTools]):
    """Methods of `ctx.tools`, awaited."""

    declare = on_namespace(DeclaredTools.declare)
    schemas = on_namespace(DeclaredTools.schemas)
    without_own = on_namespace(DeclaredTools.without_own)
    answer = on_namespace(DeclaredTools.answer)


class AsyncEvents(AsyncNamespace[Heartbeat]):
    """Methods of `ctx.events`, awaited."""

    signal = on_namespace(Heartbeat.signal)
    acknowledge = on_namespace(Heartbeat.acknowledge)
    watch = on_namespace(Heartbeat.watch)
    remind = on_namespace(Heartbeat.remind)


class AsyncHistory(AsyncNamespace[Archive]):
    """Methods of `ctx.history`, awaited."""

    restore = on_namespace(Archive.restore)
    payload = on_namespace(Archive.payload)
    undo = on_namespace(Archive.undo)
    gc = on_namespace(Archive.gc)
    promote = on_namespace(Archive.promote)
