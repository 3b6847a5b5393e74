"""Opening a workspace: a new one is configured, an old one resumes where its journal ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import index
from os import PathLike
from pathlib import Path
from secrets import token_hex
from typing import Any

import msgspec
from msgspec.structs import replace

from loom.capabilities.memory.notes import Notes
from loom.capabilities.skills import SkillSet, discover
from loom.capabilities.toolbox import Toolbox
from loom.context import Context
from loom.engine import Engine
from loom.engine.archive.workspace import Workspace
from loom.engine.meter import prior
from loom.engine.tools.answer import OwnTool
from loom.engine.tools.own import check_names, offered
from loom.engine.working import Skills
from loom.errors import LoomError, OverCapacity
from loom.policy import PRESETS, Policy, policy_of, reply_for, resized
from loom.providers.counts import Sizes, counter_for
from loom.providers.counts.sizes import MESSAGE
from loom.providers.render.wording import RUN
from loom.providers.schema import ToolSchema, schemas_of
from loom.redact import SECRETS, Redactor, Rules
from loom.reduce.summarize import LIMIT
from loom.reduce.summary import Model
from loom_paging import Store
from loom_partitions.limits import Budget, Limits
from loom_partitions.records import Compressed, Opened, Renewed
from loom_partitions.skill import CATALOGUE

WINDOW = 128_000
LEAST_COMPACT = 200  # characters: with fewer a text cannot say what it leaves out and where


def open(
    path: str | PathLike[str] | Store,
    *,
    goal: str = "",
    model: str = "",
    window: int | None = None,
    reply: int | None = None,
    preset: str = "lazy",
    policy: Policy | None = None,
    encoding: str = "",
    tools: Sequence[ToolSchema | Mapping[str, Any]] = (),
    own_tools: bool = True,
    redact: Rules = SECRETS,
    on_cut: Callable[[Compressed | Renewed], bool | None] | None = None,
    durable: bool = True,
    project: str | PathLike[str] | None = None,
    memory: str | PathLike[str] | None = None,
    memory_engine: str = "sqlite",
    skills: Sequence[str | PathLike[str]] = (),
    toolbox: Toolbox | None = None,
    compact_above: int = 0,
    summarizer: Model | None = None,
    heartbeat: float = 0.0,
    budget: Budget | None = None,
    depth: int = 0,
) -> Context:
    """Open a workspace folder (or a store) and return its Context.

    `window` and `reply` are tokens; without them a new workspace has 128,000 and the reply the
    preset names. A known workspace resumes with the policy it was opened with; a `window` or
    `reply` that differs resizes it, and so does another `model`. Tokens are counted in `encoding`,
    or in the model's own, from the first opening on. `redact` is pairs of (kind, pattern); () keeps
    secrets.
    `durable=False` skips fsync, for replays that can be repeated.

    A `project` is the working folder: its AGENTS.md files stand in the memory partition, and are
    followed (`loom.capabilities.memory`). `memory` is a folder that outlives the workspace: the
    agent's notes stand in its `notes`, and the model keeps them with the tool `memory`; what is
    saved for later sessions rests there too, in SQLite or (`memory_engine="rocksdb"`) in RocksDB.
    `skills` are folders of Agent Skills, beside those of the project and of the user; the model
    uses them by `use_skill`.

    A `toolbox` holds tools in three levels (`loom.capabilities.toolbox`): those of level 1 are
    declared beside `tools`, the model looks for the others with `find_tool` and calls them with
    `call_tool`, and `Context.run` runs a call of any of them.

    A result over `compact_above` characters stands in the window as so many: by its structure, or
    in the words of a `summarizer`, the host's model, where these name nothing that the result does
    not (`loom.summarize`; without a number, over 4,000). The whole rests on its page.

    With a `heartbeat`, in seconds, a thread tells of changed files of the `project`, of memory and
    disk running low, and of what `watch`, `remind` and `loom signal` ask for, as events; without
    one the last three are looked at before each turn.

    `budget` and `depth` are those of an agent another has spawned (`Context.spawn`).

    Raises StoreLocked when another writer has the workspace, CorruptJournal, OverCapacity when
    window and reply leave no room.
    """
    redactor = Redactor(redact)
    fresh = policy or _preset(preset)
    above = _above(compact_above, summarizer)
    given = [schema for tool in tools for schema in schemas_of(tool)]
    given += toolbox.declared() if toolbox is not None else ()
    folder = Path(path) if isinstance(path, str | PathLike) else None
    held: Workspace | Context | None = None  # what an opening that fails or is interrupted lets go
    try:
        held = workspace = _workspace(path, durable)
        known = workspace.commits > 0
        chosen = policy_of(workspace.window) if known else fresh
        count = counter_for(
            workspace.window.config.model if known else model,
            workspace.window.config.encoding or encoding,
        )
        engine = Engine(workspace, chosen, count, redactor, on_cut)
        engine.at_hand.notes = _notes(memory, redactor)
        engine.at_hand.toolbox = toolbox
        engine.at_hand.summarizer = summarizer
        engine.at_hand.compact_above = above
        found = _skills(project, skills)
        if found.skills:
            engine.at_hand.skills = Skills(found.skills, chosen.skill_share, engine.free)
        offers = offered(engine.desk()) if own_tools else {}
        if not known:
            check_names(given, offers)  # before anything is written
        held = context = Context(engine)
        context.settle(folder if folder is not None else workspace.store, open)
        if known:
            _resized(context, window, reply, engine.ingest.clean(model))
        else:
            limits = _limits(engine.sizes, chosen, window, reply)
            engine.commit(replace(_opened(engine, limits, model), budget=budget, depth=depth))
        if goal:  # a goal that changed since is not set back by the script that opens again
            engine.commit(*engine.desk().goal(goal, again=False))
        workspace.acknowledge()
        _declare(context, offers, given, known)
        if found.skills or found.warnings or engine.window.skill.bodies.get(CATALOGUE) is not None:
            context.equip(found)
        if memory is not None:
            context.last(Path(memory), memory_engine)
        at = Path(project) if project is not None else None
        if at is not None:
            context.follow(at)
        context.attend(folder, at, heartbeat)
        return context
    except BaseException:
        if held is not None:
            held.close()
        raise


def _workspace(path: str | PathLike[str] | Store, durable: bool) -> Workspace:
    """The workspace in a folder, or in a store, open for writing."""
    if isinstance(path, str | PathLike):
        return Workspace.at_path(Path(path), durable=durable)
    return Workspace(path, write=True)


def _notes(memory: str | PathLike[str] | None, redactor: Redactor) -> Notes | None:
    """The agent's notes, where there is a folder for them."""
    return Notes(Path(memory) / "notes", redactor.patterns) if memory is not None else None


def _above(given: int, summarizer: Model | None) -> int:
    """The characters over which a result is reduced; 0 for no such number. Raises LoomError."""
    if 0 < given < LEAST_COMPACT:
        raise LoomError(f"compact_above={given}: give {LEAST_COMPACT} characters or more")
    return given or (LIMIT if summarizer else 0)


def _declare(
    context: Context, offers: Mapping[str, OwnTool], given: Sequence[ToolSchema], known: bool
) -> None:
    """Declare Loom's tools and the host's; one of the host's under a name of Loom's stays his."""
    taken = {held.key for held in context.window.skill.tools.current}
    for name, tool in offers.items():
        if name not in taken:
            with suppress(*([OverCapacity] if known else [])):  # a full window resumes without it
                context.declare(tool.schema)
    context.declare(*given)


def _opened(engine: Engine, limits: Limits, model: str) -> Opened:
    """The first record of a workspace."""
    return Opened(
        replace(limits, scale=prior(model)),
        msgspec.to_builtins(engine.policy),
        engine.ingest.clean(model),
        encoding=engine.sizes.count.encoding,
        key=f"loom-{token_hex(8)}",
    )


def _skills(project: str | PathLike[str] | None, given: Sequence[str | PathLike[str]]) -> SkillSet:
    """The skills of the given folders, and with a project those of it and of the user."""
    if project is None and not given:
        return SkillSet((), ())
    home = None
    if project is not None:
        with suppress(RuntimeError):
            home = Path.home()
    return discover(Path(project) if project else None, [Path(one) for one in given], home)


def _preset(name: str) -> Policy:
    if name not in PRESETS:
        raise LoomError(f"no preset {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]


def _limits(sizes: Sizes, policy: Policy, window: int | None, reply: int | None) -> Limits:
    size = index(window or WINDOW)
    kept = reply_for(size, policy.preset) if reply is None else index(reply)
    limits = Limits(
        window=size,
        reply=kept,
        head=MESSAGE,
        run=sizes.message(RUN),
        low_water=policy.low_water,
        enough=policy.enough,
        served=policy.served,
    )
    return resized(limits, size, kept)


def _resized(context: Context, window: int | None, reply: int | None, model: str) -> None:
    """A window, reply or model that differs from the recorded one resizes the workspace."""
    known = context.window
    size = window or known.limits.window
    if known.limits.stated and not (model and model != known.config.model):
        size = min(size, known.limits.stated)  # what the provider said outlives the script
    wanted = resized(known.limits, size if size != known.limits.window else None, reply)
    if wanted != known.limits or (model and model != known.config.model):
        context.resize(size, wanted.reply, model or None)
