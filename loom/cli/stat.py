"""`loom stat`: what a workspace holds and how full its window is. No lock is taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from loom.cli.agents import LeaseHolder, holder_at, open_workspace
from loom.cli.log import local_time
from loom.cli.output import AsJson, Folder, bytes_text, dollars_text, print_result, share_bar
from loom.cli.redactions import RedactionCounts, redaction_counts, redaction_rows
from loom.cli.text_tables import label_value_lines
from loom.inspect.requests import RequestFold, folded_requests, request_bill
from loom.inspect.sent_size import CLIENT, sent_size
from loom.inspect.tally import entry_counts, page_tally
from loom.providers.counts import counter_for
from loom.providers.prices import prices_of
from loom.reduce.lines import plural
from loom.session.archive.workspace import Workspace
from loom.session.meter import is_counted_exactly, model_of
from loom.session.pressure import Pressure, pressure_of
from loom_partitions.limits import Tokens
from loom_partitions.window import Window

PARTITIONS = Tokens.__struct_fields__


def rounded_pressure(window: Window, pages: int) -> Pressure:
    """Return the pressure, with ρ rounded to four places, of the request that the window would make
    now. `pages` is the workspace's number of pages."""
    made = pressure_of(window, pages)
    return replace(made, rho=round(made.rho, 4))


def size_text(pressure: Pressure) -> str:
    """Return a text with the two numbers whose quotient is ρ: "812 of 8,192 tokens". The tokens of
    the client's own instructions and tools are named apart."""
    beside = f", beside {pressure.held:,} held for the client's own" if pressure.held else ""
    if not pressure.counted:
        return f"{pressure.tokens.total:,} of {pressure.capacity:,} tokens{beside}"
    said = f"at most {pressure.bound:,} of {pressure.room:,} tokens as the provider counts"
    return f"{said}{beside}"


def stat(folder: Folder, /, *, json: AsJson = False) -> int:
    """Show what a workspace holds and how full its window is."""
    workspace = open_workspace(folder)
    facts, holder = workspace_facts(workspace, folded_requests(workspace)), holder_at(folder)
    secrets = redaction_counts(workspace, folder)
    told = to_builtins(secrets)
    more = {
        "redaction_off": told.pop("off"),
        "process": holder and holder.process,
        "holder": holder.name if holder else "",
        "lease_seconds": holder and holder.lease_seconds,
    }
    return print_result(
        {**facts, **more, **told}, _stat_lines(workspace, facts, holder, secrets), json=json
    )


def _stat_lines(
    workspace: Workspace,
    facts: dict[str, Any],
    holder: LeaseHolder | None,
    secrets: RedactionCounts,
) -> Iterator[str]:
    window, whole = workspace.window, max(facts["capacity"] + workspace.window.sent.held, 1)
    pressure = rounded_pressure(window, workspace.pages)
    count = f"in {facts['encoding']} by {facts['counter']}"
    if facts["counter"] == "estimate":
        count = f"by an estimate from above: no vocabulary of {facts['encoding']} is here"
    elif not facts["exact"]:
        count += ": an estimate, its own encoding is not known"
    sent = f"{facts['sent']:,} tokens in all, {facts['largest']:,} in the largest request"
    again, users = plural(facts["sent_again"], "request"), plural(facts["users"], "message")
    secret = [*redaction_rows(secrets)]
    rows = [
        ("goal", facts["goal"] or "-"),
        ("model", facts["model"] or "-"),
        ("window", f"{facts['window']:,} tokens, {facts['reply']:,} kept for the reply"
         + _refusal_text(window)),
        ("counted", count),
        ("ρ", f"{pressure.rho:.2f}  {size_text(pressure)}"),
        ("tokens", f"{sum(facts['tokens'].values()):,} of {whole:,} as Loom counts them:"),
        *((f"  {name}", f"{share_bar(tokens / whole)} {tokens:,}")
          for name, tokens in facts["tokens"].items()),
        ("generation", f"{facts['generation']}"),
        ("cuts", ", ".join(f"{name} {times}" for name, times in facts["cuts"].items()) or "none"),
        ("renewals", f"{facts['renewals']}"),
        ("turns", f"{facts['turns']}"),
        ("sent", f"{sent}; input {dollars_text(facts['cost'])}"
         + f"; {again} sent again" * bool(facts["sent_again"])
         + f"; {facts['refused']} refused, not counted" * bool(facts["refused"])),
        ("steps", f"{facts['steps']}, {users} of the user"
         + f"; {facts['undone']} undone beside" * bool(facts["undone"])),
        ("pages", f"{facts['pages']}, {bytes_text(facts['page_bytes'])}"
         + f"; {facts['retired']} retired" * bool(facts["retired"])),
        ("open calls", ", ".join(facts["open_calls"]) or "none"),
        *([("open in", holder.label)] if holder else []),
        ("finished", (facts["outcome"] or "yes") if facts["finished"] else "no"),
        *secret,
        ("journal", f"{plural(facts['commits'], 'commit')},"
         f" the last at {local_time(facts['at'])}"),
    ]  # fmt: skip
    return label_value_lines(rows, whole={label for label, _ in secret})


def _refusal_text(window: Window) -> str:
    """Return a text on the provider's refusal that has set or reduced the window's size, and on
    what undoes the limit. Return "" if there was no such refusal."""
    limits, (request, wide, _) = window.limits, window.sent.limited
    at = f"the provider's refusal at request {request}"
    if limits.stated:
        was = f", {wide:,} before" if wide else ""
        return f"; set by {at}{was}: ctx.resize lifts it, and an answer to a larger request"
    return f"; less by {at}: ctx.resize lifts it" if limits.refused else ""


def partition_tokens(window: Window) -> dict[str, int]:
    """Return a dict from partition name to tokens. Tools are listed apart from skills, and the
    client's own instructions and tools come first."""
    tools, made = window.skill.tools.tokens, {CLIENT: window.sent.beside}
    for name in PARTITIONS:
        made[name] = getattr(window.tokens, name)
        if name == "skill":
            made |= {"skill": made["skill"] - tools, "tools": tools}
    return made if made[CLIENT] else {name: made[name] for name in made if name != CLIENT}


def workspace_facts(workspace: Workspace, fold: RequestFold) -> dict[str, Any]:
    """Return the dict that `loom stat --json` prints, without process and counts of secrets."""
    window, bill, entries = workspace.window, request_bill(fold.rows), entry_counts(workspace)
    cuts, times, limits = fold.levels, [row.size.times for row in fold.rows], window.limits
    model, kept = model_of(window), page_tally(workspace)
    counter = counter_for(window.config.model, window.config.encoding)
    return {
        "goal": (window.working.goal.body or "") if window.working.goal else "",
        "model": model,
        "window": limits.window + window.sent.held,
        "reply": limits.reply,
        "capacity": limits.capacity,
        "limited_at": window.sent.limited[0] if limits.stated or limits.refused else 0,
        "bound": limits.scale.bound(window.tokens.total),
        "room": limits.room,
        "encoding": counter.encoding,
        "counter": counter.source,
        "exact": is_counted_exactly(window, counter),
        "rho": sent_size(window).rho,
        "tokens": partition_tokens(window),
        "generation": window.sent.generation,
        "cuts": cuts,
        "renewals": cuts.get("renewal", 0),
        "turns": len(times) - times.count(0),
        "requests": bill.calls,
        "sent": bill.sent,
        "largest": bill.peak,
        "sent_again": bill.calls - len(times) + times.count(0),
        "refused": times.count(0),
        "cost": round(bill.cost(prices_of(model)), 6),
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
