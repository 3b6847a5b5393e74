"""`loom stat` and `loom log`: a workspace as it stands, read without its lock."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from loom.cli.agents import holder_at
from loom.cli.columns import pairs
from loom.cli.exits import FINE
from loom.cli.records import KINDS, kind_of, telling, when
from loom.cli.redactions import lines_of, redactions
from loom.cli.requests import told_requests
from loom.cli.show import AsJson, Folder, bar, clip, dollars, emit, fitting, line, sized
from loom.errors import BadInput
from loom.inspect.requests import RequestFold, billed, folded
from loom.inspect.sent_size import CLIENT, sent_size
from loom.inspect.tally import entry_counts, kept_pages
from loom.providers.counts import counter_for
from loom.providers.prices import prices_of
from loom.reduce.lines import counted
from loom.session.archive.folded import records_of
from loom.session.archive.half_purged import no_workspace
from loom.session.archive.workspace import Workspace
from loom.session.meter import counted_exactly, model_of
from loom.session.pressure import Pressure, pressure_of
from loom.text import visible
from loom_paging import Commit
from loom_partitions.limits import Tokens
from loom_partitions.records import Record
from loom_partitions.window import Window

PARTITIONS = Tokens.__struct_fields__


def opened(folder: Path) -> Workspace:
    """A workspace for reading; FileNotFoundError when there is none, BadInput for an empty one."""
    return committed(Workspace.at_path(folder, write=False), folder)


def committed(workspace: Workspace | None, folder: Path) -> Workspace:
    """The workspace; FileNotFoundError when it is none, BadInput when nothing was committed."""
    if workspace is None:
        raise FileNotFoundError(no_workspace(folder))
    if not workspace.commits:
        raise BadInput(f"{folder} holds no commit yet; open it with loom.open first")
    return workspace


def rounded(window: Window, pages: int) -> Pressure:
    """ρ of a request the window would make now, to four places."""
    made = pressure_of(window, pages)
    return replace(made, rho=round(made.rho, 4))


def told_size(pressure: Pressure) -> str:
    """What ρ is the quotient of, in words; by the provider's count once it reported any. What is
    held for a client's part is in neither."""
    beside = f", beside {pressure.held:,} held for the client's own" if pressure.held else ""
    if not pressure.counted:
        return f"{pressure.tokens.total:,} of {pressure.capacity:,} tokens{beside}"
    said = f"at most {pressure.bound:,} of {pressure.room:,} tokens as the provider counts"
    return f"{said}{beside}"


def stat(folder: Folder, /, *, json: AsJson = False) -> int:
    """Show what a workspace holds and how full its window is."""
    workspace = opened(folder)
    facts, holder = facts_of(workspace, folded(workspace)), holder_at(folder)
    secrets = redactions(workspace, folder)
    if json:
        told_of = to_builtins(secrets)
        facts["redaction_off"] = told_of.pop("off")
        facts["process"] = holder and holder.process
        facts["holder"] = holder.name if holder else ""
        facts["lease_seconds"] = holder and holder.lease_seconds
        emit({**facts, **told_of})
        return FINE
    window, size = workspace.window, sent_size(workspace.window)
    whole = window.limits.capacity + window.sent.held
    pressure = rounded(window, workspace.pages)
    count = f"in {facts['encoding']} by {facts['counter']}"
    if facts["counter"] == "estimate":
        count = f"by an estimate from above: no vocabulary of {facts['encoding']} is here"
    elif not facts["exact"]:
        count += ": an estimate, its own encoding is not known"
    sent = f"{facts['sent']:,} tokens in all, {facts['largest']:,} in the largest request"
    again, users = counted(facts["sent_again"], "request"), counted(facts["users"], "message")
    told = lines_of(secrets)
    rows = [
        ("goal", facts["goal"] or "-"),
        ("model", facts["model"] or "-"),
        ("window", f"{facts['window']:,} tokens, {facts['reply']:,} kept for the reply"
         + _refusal(window)),
        ("counted", count),
        ("ρ", f"{pressure.rho:.2f}  {told_size(pressure)}"),
        ("tokens", f"{size.counted:,} of {whole:,} as Loom counts them:"),
        *((f"  {name}", f"{bar(tokens / max(whole, 1))} {tokens:,}")
          for name, tokens in facts["tokens"].items()),
        ("generation", f"{facts['generation']}"),
        ("cuts", ", ".join(f"{name} {times}" for name, times in facts["cuts"].items()) or "none"),
        ("renewals", f"{facts['renewals']}"),
        ("turns", f"{facts['turns']}"),
        ("sent", f"{sent}; input {dollars(facts['cost'])}"
         + f"; {again} sent again" * bool(facts["sent_again"])
         + f"; {facts['refused']} refused, not counted" * bool(facts["refused"])),
        ("steps", f"{facts['steps']}, {users} of the user"
         + f"; {facts['undone']} undone beside" * bool(facts["undone"])),
        ("pages", f"{facts['pages']}, {sized(facts['page_bytes'])}"
         + f"; {facts['retired']} retired" * bool(facts["retired"])),
        ("open calls", ", ".join(facts["open_calls"]) or "none"),
        *([("open in", holder.told)] if holder else []),
        ("finished", (facts["outcome"] or "yes") if facts["finished"] else "no"),
        *told,
        ("journal", f"{counted(facts['commits'], 'commit')}, the last at {when(facts['at'])}"),
    ]  # fmt: skip
    pairs(rows, whole={label for label, _ in told})
    return FINE


def log(
    folder: Folder,
    /,
    *,
    limit: int | None = None,
    kind: tuple[str, ...] = (),
    turns: bool = False,
    json: bool = False,
) -> int:
    """Show the journal, a line for each record, oldest first; or the requests that were made.

    Parameters
    ----------
    limit
        Only the newest so many.
    kind
        Only records of this kind (Replied, Compressed, …); may be given more than once.
    turns
        A line for each request instead: its number, its commit, when it was made, its size and ρ
        (by the provider's count where it reported one), the level of the cut that came with it, and
        its sha256. `loom show --turn` shows one of them.
    json
        Print one JSON object instead: the records whole.
    """
    wanted = {_known(name) for name in kind}
    if limit is not None and limit < 1:
        raise BadInput(f"--limit {limit}: give 1 or more")
    if turns and kind:
        raise BadInput("--turns and --kind: requests have no kinds; give one of the two")
    if turns:
        return told_requests(opened(folder), limit, json=json)
    told: Iterable[tuple[Commit, Record]] = (
        (commit, record)
        for commit in opened(folder).journal.scan()
        for record in records_of(commit)
        if not wanted or kind_of(record) in wanted
    )
    told = told if limit is None else deque(told, maxlen=limit)
    if json:
        rows = [{"commit": one.number, "at": one.at, "record": record} for one, record in told]
        emit({"records": rows})
        return FINE
    width, head = fitting(), ""
    for commit, record in told:
        head = f"{commit.number:5}  {when(commit.at)}  {kind_of(record):<14}  "
        line(clip(visible(head + telling(record)), width))
    if not head:
        line(f"none of its records is {' or '.join(sorted(wanted))}")
    return FINE


def _refusal(window: Window) -> str:
    """Who made the window smaller, and what makes it larger again."""
    limits, (request, wide, _) = window.limits, window.sent.limited
    at = f"the provider's refusal at request {request}"
    if limits.stated:
        was = f", {wide:,} before" if wide else ""
        return f"; set by {at}{was}: ctx.resize lifts it, and an answer to a larger request"
    return f"; less by {at}: ctx.resize lifts it" if limits.refused else ""


def sizes(window: Window) -> dict[str, int]:
    """Tokens by partition, tools told apart from skills as `loom context` does; for ρ they are of
    the partition skill. What a client sends beside them stands first, where there is any."""
    held = {name: getattr(window.tokens, name) for name in PARTITIONS}
    tools = window.skill.tools.tokens
    parts = {**held, "skill": held["skill"] - tools}
    order = [*PARTITIONS[: PARTITIONS.index("skill") + 1], "tools", *PARTITIONS]
    made = {name: tools if name == "tools" else parts[name] for name in dict.fromkeys(order)}
    return ({CLIENT: window.sent.beside} if window.sent.beside else {}) | made


def facts_of(workspace: Workspace, fold: RequestFold) -> dict[str, Any]:
    """The object `stat --json` prints."""
    window, bill, entries = workspace.window, billed(fold.rows), entry_counts(workspace)
    cuts, times = fold.levels, [row.size.times for row in fold.rows]
    counter = counter_for(window.config.model, window.config.encoding)
    kept = kept_pages(workspace)
    return {
        "goal": (window.working.goal.body or "") if window.working.goal else "",
        "model": model_of(window),
        "window": window.limits.window + window.sent.held,
        "reply": window.limits.reply,
        "capacity": window.limits.capacity,
        "limited_at": window.sent.limited[0]
        if window.limits.stated or window.limits.refused
        else 0,
        "bound": window.limits.scale.bound(window.tokens.total),
        "room": window.limits.room,
        "encoding": counter.encoding,
        "counter": counter.source,
        "exact": counted_exactly(window, counter),
        "rho": sent_size(window).rho,
        "tokens": sizes(window),
        "generation": window.sent.generation,
        "cuts": cuts,
        "renewals": cuts.get("renewal", 0),
        "turns": len(times) - times.count(0),
        "requests": bill.calls,
        "sent": bill.sent,
        "largest": bill.peak,
        "sent_again": bill.calls - len(times) + times.count(0),
        "refused": times.count(0),
        "cost": round(bill.cost(prices_of(model_of(window))), 6),
        "steps": entries.steps,
        "users": entries.users,
        "undone": entries.undone,
        "pages": kept.pages,
        "page_bytes": kept.bytes,
        "retired": kept.retired,
        "open_calls": list(window.history.open_calls),
        "finished": window.sent.finished,
        "outcome": window.working.outcome,
        "commits": workspace.commits,
        "at": workspace.at,
    }


def _known(kind: str) -> str:
    """A record kind by its name in any case."""
    if kind.lower() not in KINDS:
        raise BadInput(
            f"--kind {kind}: there is no such record; one of {', '.join(KINDS.values())}"
        )
    return KINDS[kind.lower()]
