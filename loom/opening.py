"""Opens a workspace: sets up a new one, or continues a known one where its journal ends."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from loom.capabilities.agents.capability import Agents
from loom.capabilities.events.capability import Heartbeat
from loom.capabilities.memory.capability import Memory
from loom.capabilities.refused_files import refused_files_warning
from loom.capabilities.skills.capability import Skills
from loom.capabilities.tool_declarations import declare_all_tools, declared_schemas, offered_tools
from loom.capabilities.toolbox.registry import Toolbox
from loom.capability import Capability
from loom.context.opening_arguments import checked_opening_arguments, checked_token_number
from loom.errors import BadInput, LoomWarning
from loom.exposed import check_no_other_files, exposure_reasons, exposure_warning, keep_from_git
from loom.lazy import lazy_modules
from loom.live import Context
from loom.policy import Policy, choose_policy, recorded_fields, recorded_policy
from loom.providers.render.wording import mark_explanation, run_heading
from loom.providers.schema import ToolGiven
from loom.redact import SECRETS, Redactor, Rules, SecretRule
from loom.session import Engine
from loom.session.archive.workspace import Workspace
from loom.session.head import update_page_in_ways, with_page_in_ways
from loom.session.meter import prior_scale
from loom.session.tools.own_tools import check_names
from loom.session.workspace_opening import (
    ignored_policy_warning,
    index_and_pack,
    open_workspace,
    warn_when_disk_full,
    workspace_counter,
)
from loom.sizes import new_limits, resized_limits
from loom_paging import Store
from loom_paging.remote.address import is_valid_address
from loom_partitions.limits import Budget, Limits
from loom_partitions.records import Compressed, Opened, Redacted, Renewed

if TYPE_CHECKING:
    from loom.context import carry
else:
    lazy_modules("loom.context", "carry", globals())


INNER = ("budget", "depth", "clock")  # arguments of `open_context` that `open` does not take


def open(
    path: str | PathLike[str] | Store,
    *,
    goal: str = "",
    model: str = "",
    window: int | None = None,
    reply: int | None = None,
    tools: Sequence[ToolGiven] = (),
    project: str | PathLike[str] | None = None,
    policy: Literal["lazy", "graduated", "eager"] | Policy | None = None,
    capabilities: Sequence[Capability] = (),
    redact: Rules = SECRETS,
    on_cut: Callable[[Compressed | Renewed], bool | None] | None = None,
    durable: bool = True,
    snapshot: str | PathLike[str] | bytes | None = None,
) -> Context:
    """Open a workspace and return its Context. `path` is a folder, a store's address, or a store.

    `window` and `reply` are tokens. A new workspace has by default the policy "lazy", a window of
    128,000 (or that of `model` if it is smaller) and the policy's reply. A known workspace keeps
    its recorded policy. LoomWarning warns if another is given. It is resized if `window`, `reply`
    or `model` differs from the recorded value. Tokens are always counted in the encoding of the
    first model. What a method has done is on disk when it returns; in an object store, when `turn`
    returns. `durable=False` skips fsync and is for replays.

    `redact` lists rules for secrets, which are replaced by `[redacted:kind]`. A rule is a pair
    (kind, regular expression) or a `loom.SecretRule`. `loom.Allowed(pattern)` names values that are
    no secret. The list replaces the usual rules; `[*loom.SECRETS, …]` adds to them. () turns
    redaction off: secrets are then stored and sent.

    `project` is the working folder. Its AGENTS.md files are put into the memory partition and read
    again when they change. Its skills and the user's are listed.

    `capabilities` are what the agent has beside its window: `Memory(folder)`, `Skills(folder, …)`,
    a `Toolbox`, `Summarizer(model)`, `Heartbeat(seconds)`, or your own (`loom.Capability`).
    `on_cut` is called with the record of each cut or renewal. If it returns False, the cut is not
    made.

    `snapshot` is another workspace's snapshot, as a path or bytes. A new workspace continues from
    it, with the model and window given here. C_working, pinned lines and readable pages are
    copied. One observation replaces the rest. Opened again with it, the workspace just resumes.

    Raises StoreLocked if another writer has the workspace, OverCapacity if window and reply leave
    no room, CorruptJournal, NewerWorkspace and BadInput. Warns with LoomWarning; see its `kind`.

        >>> with loom.open("memory://first", goal="Mend the parser.", window=16_000) as ctx:
        ...     ctx.window.limits.window
        16000"""
    return open_context(**locals())


def open_context(
    path: str | PathLike[str] | Store,
    *,
    goal: str = "",
    model: str = "",
    window: int | None = None,
    reply: int | None = None,
    tools: Sequence[ToolGiven] = (),
    project: str | PathLike[str] | None = None,
    policy: Literal["lazy", "graduated", "eager"] | Policy | None = None,
    capabilities: Sequence[Capability] = (),
    redact: Rules = SECRETS,
    on_cut: Callable[[Compressed | Renewed], bool | None] | None = None,
    durable: bool = True,
    snapshot: str | PathLike[str] | bytes | None = None,
    budget: Budget | None = None,
    depth: int = 0,
    clock: Callable[[], int] | None = None,
) -> Context:
    """Open a workspace like `open`. `budget` is a spawned agent's. `depth` is the number of agents
    above the agent. `clock` returns milliseconds since the epoch for each commit."""
    arguments = {name: one for name, one in locals().items() if name not in INNER}
    asked: tuple[Capability, ...] = checked_opening_arguments("open", arguments)["capabilities"]
    redactor = Redactor(redact)
    earlier = None if snapshot is None else carry.read_snapshot(snapshot)
    given = choose_policy("lazy" if policy is None else policy)
    window, reply = checked_token_number("window", window), checked_token_number("reply", reply)
    holder = object()  # who claims them
    folder = Path(path) if isinstance(path, str | PathLike) and not is_valid_address(path) else None
    held: Workspace | Context | None = None  # what an opening that fails or is interrupted lets go
    try:
        has = _claimed_capabilities(asked, holder)
        if folder is not None and not depth:
            check_no_other_files(folder)
        held = workspace = open_workspace(path, durable, clock)
        known = workspace.commits > 0
        if folder is not None and not depth:  # what is below is as safe as what is above
            _warn_if_exposed(folder, known)
        carried = known and earlier is not None and carry.is_carried_already(workspace, earlier)
        engine = Engine(
            workspace,
            recorded_policy(workspace.window, given) if known else given,
            workspace_counter(workspace.window if known else None, model, given, has),
            redactor,
            on_cut,
            has,
            folder,
            Path(project) if project is not None else None,
        )
        held = context = Context(engine, has)
        schemas = declared_schemas(tools, has)
        offers = offered_tools(engine, given, resumed=known and policy is None)
        if not known:
            check_names(schemas, offers)  # before anything is written
            limits = new_limits(given, window, reply, model)
            deep = max(depth, earlier.snapshot.dashboard.depth if earlier else 0)
            made = replace(_opened_record(engine, limits, model), budget=budget, depth=deep)
            engine.commit(with_page_in_ways(engine, made, offers), *_redaction_off_record(engine))
        else:
            with warn_when_disk_full(engine, known=known):
                _resize_if_changed(context, window, reply, engine.ingest.clean(model))
            # A Policy() may be given for the sake of what is said anew at each opening.
            usual = recorded_fields(Policy())
            bare = isinstance(policy, Policy) and recorded_fields(given) == usual
            _warn_of_differences(engine, engine.policy if policy is None or bare else given)
            context._calls.resumed()
        if earlier is not None and not carried:
            carry.carry_on(engine, earlier)
        with warn_when_disk_full(engine, known=known):
            _set_goal_and_tools(
                engine, goal, lambda: declare_all_tools(engine, offers, schemas, known)
            )
        engine.resized = False
        _start_capabilities(engine, has, depth, known=known)
        return context
    except BaseException:
        try:
            if held is not None:
                held.close()
        finally:
            for capability in asked:
                capability._released(holder)
        raise


def _set_goal_and_tools(engine: Engine, goal: str, declare: Callable[[], None]) -> None:
    """Commit the goal if it was not set before. Then call `declare`."""
    if goal:  # a goal that changed since is not set back by the script that opens again
        engine.commit(*engine.edits().goal(goal, again=False))
    engine.workspace.acknowledge()
    declare()


def _warn_of_differences(engine: Engine, given: Policy) -> None:
    """Warn if the `given` policy or the newest snapshot contradicts what is recorded."""
    from loom.session.archive.snapshot_document import snapshot_disagreement

    wanted, kept = recorded_fields(given), recorded_fields(engine.policy)
    if wanted != kept:
        warnings.warn(ignored_policy_warning(wanted, kept), stacklevel=4)
    if (doubt := snapshot_disagreement(engine.workspace)) is not None:
        warnings.warn(LoomWarning(str(doubt), "snapshot"), stacklevel=4)


def _start_capabilities(
    engine: Engine, capabilities: Sequence[Capability], depth: int, *, known: bool
) -> None:
    """Call `opened` of each capability. Warn of files that were not loaded, except in a spawned
    agent (`depth` above 0). `known` is True if the workspace was opened before."""
    with warn_when_disk_full(engine, known=known):
        update_page_in_ways(engine)
        with engine.lock, engine.atomic:
            engine.commit(*_redaction_off_record(engine))
    engine.workspace.on_sealed = partial(index_and_pack, engine, depth)
    for capability in capabilities:
        with warn_when_disk_full(engine, known=known):
            capability.opened()
    if not depth and (told := refused_files_warning(engine.project, capabilities)) is not None:
        warnings.warn(told, stacklevel=4)


def _warn_if_exposed(folder: Path, known: bool) -> None:
    """Warn if others can read or change the workspace. If it is new, also make git ignore it."""
    if not known:
        keep_from_git(folder)
    if found := exposure_reasons(folder):
        warnings.warn(exposure_warning(str(folder), found), stacklevel=4)


def _claimed_capabilities(given: Sequence[Capability], holder: object) -> tuple[Capability, ...]:
    """Return the given capabilities and Loom's missing ones, claimed for `holder`. Raises BadInput
    for a bad name or level, and for a capability that serves another open context."""
    for one in given:
        for level in one.levels:
            if isinstance(level.mark, str) and not hasattr(Policy(), level.mark):
                raise BadInput(f"level {level.name!r}: a policy has no field {level.mark!r}")
    usual = {
        one.name: one for one in (Skills(), Memory(), Toolbox(), Heartbeat(), Agents(open_context))
    }
    names = [one.name for one in given]
    for one in given:
        if not (isinstance(one.name, str) and one.name) or names.count(one.name) > 1:
            raise BadInput(f"capability {one.name!r}: each needs a name, and has it alone")
        if one.name in usual and not isinstance(one, type(usual[one.name])):
            raise BadInput(f"{one.name!r} is the name of Loom's own: give your capability another")
    for one in given:
        if not one._try_claim(holder):
            raise BadInput(f"capability {one.name!r} serves an open context: make another")
    return tuple((usual | {one.name: one for one in given}).values())


def _opened_record(engine: Engine, limits: Limits, model: str) -> Opened:
    """Return the first record of a new workspace."""
    sizes = engine.sizes
    made = Opened(
        replace(limits, scale=prior_scale(model)),
        recorded_fields(engine.policy),
        engine.ingest.clean(model),
        encoding=sizes.count.encoding,
        key=f"loom-{token_hex(8)}",
    )
    # The limits include the tokens of two lines that Loom itself writes into requests.
    head, heading = (
        sizes.message(mark_explanation(made.mark)),
        sizes.message(run_heading(made.mark)),
    )
    return replace(made, limits=replace(made.limits, head=head, run=heading))


def _redaction_off_record(engine: Engine) -> tuple[Redacted, ...]:
    """Return the record that redaction is off, in a tuple, or () if redaction is on or the record
    exists."""
    rules = any(isinstance(one, SecretRule) for one in engine.redactor.patterns)
    known = engine.workspace.commits and engine.window.sent.unredacted
    return () if rules or known else (Redacted({}, off=True),)


def _resize_if_changed(context: Context, window: int | None, reply: int | None, model: str) -> None:
    """Resize the workspace if `window`, `reply` or `model` differs from the recorded value."""
    known, preset = context.window, context._engine.policy.preset
    size = known.limits.window if window is None else window
    if known.limits.stated and not (model and model != known.config.model):
        size = min(size, known.limits.stated)  # what the provider said outlives the script
        reply = None if reply == known.limits.named else reply  # it gave way to that
    other = size if size != known.limits.window else None
    wanted = resized_limits(known.limits, other, reply, preset)
    if wanted != known.limits or (model and model != known.config.model):
        context.resize(size, reply, model or None)
