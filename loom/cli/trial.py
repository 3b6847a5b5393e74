"""Replay one recorded session through a window, check Loom's laws (rules for every window) at every
request, and return a row: the object that `loom replay --json` prints for the session."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

import loom
from loom.cli.redactions import redaction_counts
from loom.errors import BrokenLaw, LoomError
from loom.inputs import Reply, Session, Speech, ToolCall
from loom.inspect.requests import folded_requests, plain_list_run, request_bill
from loom.inspect.tally import PageTally, page_tally
from loom.opening import open_context
from loom.policy import choose_policy
from loom.providers.counts import counter_for
from loom.providers.prices import MILLION, Prices, prices_of
from loom.redact import Redactor
from loom.replay.audit import BROKEN, Audit
from loom.replay.cost import Bill, tally_compactions
from loom.replay.feed import Ingested, RecordedClock, feed
from loom.replay.importers.loss_notes import loss_summary
from loom.replay.importers.recorded_facts import session_model
from loom.replay.lost import losses
from loom.report.loss_page import loss_page
from loom.rewrite.reports import sum_counts
from loom.session.archive.workspace import Workspace
from loom.session.turn import Turn
from loom_paging import PagingError

NOTES = 20  # of what was mended in a session that are kept, of all that are counted
CENTS = 6  # decimals of an amount in dollars
Row = dict[str, Any]  # a trial or the total, as `--json` prints it


class ReplaySetting(Struct, frozen=True):
    """How sessions are replayed. `window` is the size of the window in tokens, `reply` the tokens
    reserved for the reply (None: the default). `preset` names the policy. `prices` is a function
    from a model's name to its prices."""

    window: int
    reply: int | None
    preset: str
    prices: Callable[[str], Prices] = prices_of


def run_trial(
    session: Session, folder: Path, setting: ReplaySetting, watch: Callable[[int, Turn], None]
) -> Row:
    """Replay a session into the workspace `folder`, check every law at every turn, and return the
    session's row.

    `watch(done, turn)` is called at each turn; `done` is the number of events done. An error of the
    engine becomes the `error` of the row. Errors of the disk, and StoreLocked, are raised.

    Members of the row: `rho` has one value for each turn. `ingested` counts the tokens of every
    text that went in, `replied` the tokens that the model wrote. `loom` has the figures of the
    requests with Loom, `plain` without Loom, `compactions` with the recording client's own
    compactions. `losses` is what these compactions lost. `reusable` is the share of the sent tokens
    that were in the previous request. `lost` tells which parts of the recording the session lacks.
    `restored` is the number of texts, out of `texts`, that came back unchanged after a reopen.
    `broken` counts broken laws by name."""
    start, count, steps, error, broken = time.perf_counter(), counter_for(), 0, "", {}
    audit, went, rho = Audit(count, Redactor()), list[Ingested](), list[float]()
    now, policy = RecordedClock(session), choose_policy(setting.preset)

    def turned(ctx: loom.Context, done: int) -> Turn:
        audit.before(ctx)
        turn = ctx.turn()
        audit.after(ctx, turn)
        rho.append(round(turn.pressure.rho, 4))
        watch(done, turn)
        return turn

    try:
        with open_context(
            folder,
            window=setting.window,
            reply=setting.reply,
            policy=replace(policy, own_tools=False),
            durable=False,
            on_cut=audit.cut,
            clock=now,
        ) as ctx:
            for done, event in enumerate(session.events):
                if isinstance(event, Reply):
                    turned(ctx, done)
                    steps += 1
                now.reach(done)
                if one := feed(ctx, event):
                    went.append(one)
            last = turned(ctx, len(session.events))
        again = loom.Policy(own_tools=False)
        with open_context(folder, policy=again, durable=False, clock=now) as ctx:
            audit.check_reopened(last, ctx.turn())
            audit.check_restores(ctx, went)
    except PagingError:
        raise
    except LoomError as refused:
        error = str(refused)
        broken = {"certificate": 1} if isinstance(refused, BrokenLaw) else {}
    found, model, requests, secrets = audit.findings, session_model(session), [], {}
    pages = PageTally(0, 0)
    if steps:  # what the workspace tells, as every command counts it
        workspace = Workspace.at_path(folder, write=False)
        requests, pages = folded_requests(workspace, plain=True).rows, page_tally(workspace)
        secrets = redaction_counts(workspace, folder).redacted
    # The last request no recorded reply answers.
    whole, bill, plain = (
        request_bill(requests),
        request_bill(requests[:steps]),
        plain_list_run(requests[:steps]),
    )
    prices, tally = setting.prices(model), tally_compactions(session.compactions, count)
    replied = sum(row.replied for row in requests)
    broken |= {law: getattr(found, law) for law in BROKEN if getattr(found, law)}
    return {
        "name": session.name,
        "source": session.source,
        "model": model,
        "turns": found.turns,
        "steps": steps,
        "peak": round(found.peak, 4),
        "levels": dict(sorted(found.levels.items())),
        "cuts": found.cuts,
        "renewals": found.renewals,
        "ingested": sum(count.many([*_ingested_texts(session)])),
        "replied": replied,
        "plain": {
            **_bill_row(plain.bill, prices),
            "overflow_turn": plain.overflow or None,
            "overflow_sent": plain.lawful.sent,
            "overflow_cost": round(plain.lawful.cost(prices), CENTS),
        },
        "compactions": {**to_builtins(tally), "cost": round(tally.cost(prices), CENTS)},
        "pages": pages.pages,
        "page_bytes": pages.bytes,
        "reusable": round(whole.reused / max(whole.sent, 1), 4),
        "texts": len(went),
        "restored": 0 if error else len(went) - found.unrestorable,
        "broken": broken,
        "details": found.details,
        "lost": [*loss_summary(session.mended)],
        "mended": len(session.mended),
        "notes": session.mended[:NOTES],
        "secrets": sum(secrets.values()),
        "seconds": round(time.perf_counter() - start, 2),
        "rho": rho,
        "error": error,
        "lawful": not broken,
        "sent": bill.sent,
        "prices": to_builtins(prices),
        "loom": _bill_row(bill, prices),
        "output": {"tokens": replied, "cost": round(prices.output * replied / MILLION, CENTS)},
        "losses": _losses_row(session, prices),
    }


def _ingested_texts(session: Session) -> Iterator[str]:
    """Yield every text of a session that enters a window."""
    for event in session.events:
        if not isinstance(event, Reply):
            yield event.text
            continue
        yield from (part.text for part in event.parts if isinstance(part, Speech))
        yield from (part.arguments for part in event.parts if isinstance(part, ToolCall))


def _losses_row(session: Session, prices: Prices) -> Row | None:
    """Return what a session lost at its client's compactions, as a report page shows it. Return
    None without compactions, or if a text is too long for the window."""
    if not session.compactions:
        return None
    with TemporaryDirectory(prefix="loom-lost-") as home:
        try:
            shown = loss_page([losses(session, Path(home) / "w", prices)])
        except PagingError:
            raise
        except LoomError:  # a text that no window of this size can hold
            return None
    return {**to_builtins(shown.sessions[0]), "bands": shown.bands}


def _bill_row(bill: Bill, prices: Prices) -> Row:
    """Return a dict with the requests, tokens and cost of a bill."""
    return {
        "requests": bill.calls,
        "sent": bill.sent,
        "read": bill.reused,
        "written": bill.written,
        "peak": bill.peak,
        "cost": round(bill.cost(prices), CENTS),
    }


SUMMED = (
    "turns", "steps", "cuts", "renewals", "ingested", "replied", "pages", "page_bytes", "texts",
    "restored", "mended", "secrets",
)  # fmt: skip
# Member → what it takes of the rows of sessions that ran to their end, for the total.
ADDED = {
    "loom": ("requests", "sent", "read", "written", "cost"),
    "plain": ("requests", "sent", "read", "written", "cost", "overflow_sent", "overflow_cost"),
    "output": ("tokens", "cost"),
    "compactions": ("count", "read", "wrote", "rewritten", "cost"),
}


def total_row(rows: Sequence[Row]) -> Row:
    """Return the row of all sessions together: sums, the highest peak, and the reusable share
    weighted by the tokens sent. Costs and tokens sent are summed only over sessions replayed to
    their end."""
    # The part of a stopped session with Loom cannot be compared with all of it without Loom.
    whole = [row for row in rows if not row["error"]]
    stopped, sent = len(rows) - len(whole), sum(row["sent"] for row in rows) or 1
    turns = [turn for row in whole if (turn := row["plain"]["overflow_turn"])]
    made: Row = {
        "sessions": len(rows),
        **{name: sum(row[name] for row in rows) for name in SUMMED},
        "peak": max((row["peak"] for row in rows), default=0.0),
        "levels": sum_counts(row["levels"] for row in rows),
        "reusable": round(sum(row["reusable"] * row["sent"] for row in rows) / sent, 4),
        "broken": sum_counts(row["broken"] for row in rows),
        "error": f"{stopped} stopped" if stopped else "",
        "seconds": round(sum(row["seconds"] for row in rows), 2),
    }
    for member, names in ADDED.items():
        made[member] = {n: round(sum(row[member][n] for row in whole), CENTS) for n in names}
    for member in ("loom", "plain"):
        made[member]["peak"] = max((row[member]["peak"] for row in whole), default=0)
    made["losses"] = [row["losses"] for row in rows if row["losses"]]
    made["sent"] = made["loom"]["sent"]
    made["plain"] |= {"overflowed": len(turns), "overflow_turn": min(turns, default=None)}
    return made
