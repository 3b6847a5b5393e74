"""One recorded session through a window, audited: what `loom replay` measures of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

import loom
from loom.cli.redactions import redactions
from loom.errors import BrokenLaw, LoomError
from loom.inputs import Reply, Session, Speech, ToolCall
from loom.inspect.requests import billed, folded, plain_run
from loom.inspect.tally import kept_pages
from loom.opening import opened
from loom.policy import choose_policy
from loom.providers.counts import counter_for
from loom.providers.prices import Prices, prices_of
from loom.redact import Redactor
from loom.replay.audit import BROKEN, Audit
from loom.replay.cost import Bill, CompactionTally, PlainRun, tallied
from loom.replay.feed import Ingested, RecordedClock, feed
from loom.replay.importers.facts import model_of
from loom.replay.importers.losses import told
from loom.replay.lost import SessionLoss, losses
from loom.session.archive.workspace import Workspace
from loom.session.turn import Turn
from loom_paging import PagingError

NOTES = 20  # of what was mended in a session that are kept, of all that are counted


class Setting(Struct, frozen=True):
    """The window a session is replayed in; None stands for the engine's default."""

    window: int
    reply: int | None
    preset: str
    prices: Callable[[str], Prices] = prices_of


class ReplayTrial(Struct, frozen=True):
    """The findings of one replay. Tokens are recounted outside the engine, `rho` is of each turn.

    `ingested` is tokens of every text that went in, `replied` of what the model wrote. `bill` is of
    the requests Loom sent, one before each recorded reply, `plain` of those a client without it
    would have, both as `loom report` counts them; `compactions` of the recording client's own, and
    `losses` what these lost, None without one.
    `reusable` is the share of what was sent that stood in the request before, as `loom top` shows.
    `lost` says what of the recording is not in the session, and where. `restored` of `texts` came
    back byte for byte after a reopen. `broken` counts laws by name;
    `error` says why a session could not be replayed to its end.
    """

    name: str
    source: str
    model: str = ""
    turns: int = 0
    steps: int = 0
    peak: float = 0.0
    levels: dict[str, int] = {}
    cuts: int = 0
    renewals: int = 0
    ingested: int = 0
    replied: int = 0
    bill: Bill = field(default_factory=Bill)
    plain: PlainRun = field(default_factory=lambda: PlainRun(Bill(), Bill()))
    compactions: CompactionTally = CompactionTally()
    losses: SessionLoss | None = None
    pages: int = 0
    page_bytes: int = 0
    reusable: float = 0.0
    texts: int = 0
    restored: int = 0
    broken: dict[str, int] = {}
    details: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    mended: int = 0
    notes: tuple[str, ...] = ()
    secrets: int = 0
    seconds: float = 0.0
    rho: tuple[float, ...] = ()
    error: str = ""

    @property
    def lawful(self) -> bool:
        """True when no law was broken."""
        return not self.broken


def trial(
    session: Session, folder: Path, setting: Setting, watch: Callable[[int, Turn], None]
) -> ReplayTrial:
    """Replay a session into the workspace `folder`, with the audit at every turn.

    `watch(events done, turn)` is called at each turn. What the engine refuses is the `error` of
    the trial, a window that is too small for one; errors of the disk are raised, StoreLocked
    among them.
    """
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
        with opened(
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
        with opened(folder, policy=again, durable=False, clock=now) as ctx:
            audit.reopened(last, ctx.turn())
            audit.restores(ctx, went)
    except PagingError:
        raise
    except LoomError as refused:
        error = str(refused)
        broken = {"certificate": 1} if isinstance(refused, BrokenLaw) else {}
    found = audit.findings
    return ReplayTrial(
        name=session.name,
        source=session.source,
        model=model_of(session),
        turns=found.turns,
        steps=steps,
        peak=round(found.peak, 4),
        levels=dict(sorted(found.levels.items())),
        cuts=found.cuts,
        renewals=found.renewals,
        ingested=sum(count.many([*_texts(session)])),
        compactions=tallied(session.compactions, count),
        losses=_losses(session, setting),
        texts=len(went),
        restored=0 if error else len(went) - found.unrestorable,
        broken={law: getattr(found, law) for law in BROKEN if getattr(found, law)} | broken,
        details=tuple(found.details),
        lost=tuple(told(session.mended)),
        mended=len(session.mended),
        notes=session.mended[:NOTES],
        seconds=round(time.perf_counter() - start, 2),
        rho=tuple(rho),
        error=error,
        **(_kept(folder, steps) if steps else {}),
    )


def _texts(session: Session) -> Iterator[str]:
    """Every text of a session that goes into a window."""
    for event in session.events:
        if not isinstance(event, Reply):
            yield event.text
            continue
        yield from (part.text for part in event.parts if isinstance(part, Speech))
        yield from (part.arguments for part in event.parts if isinstance(part, ToolCall))


def _losses(session: Session, setting: Setting) -> SessionLoss | None:
    """The losses at the client's compactions; None without one."""
    if not session.compactions:
        return None
    with TemporaryDirectory(prefix="loom-lost-") as home:
        return losses(session, Path(home) / "w", setting.prices(model_of(session)))


def _kept(folder: Path, steps: int) -> dict[str, Any]:
    """What the workspace tells of its requests and pages, as every command counts them. The last
    request no recorded reply answers."""
    workspace = Workspace.at_path(folder, write=False)
    rows, pages = folded(workspace, plain=True).rows, kept_pages(workspace)
    whole, secrets = billed(rows), redactions(workspace, folder).redacted.values()
    return {
        "replied": sum(row.replied for row in rows),
        "bill": billed(rows[:steps]),
        "plain": plain_run(rows[:steps]),
        "secrets": sum(sum(kinds.values()) for kinds in secrets),
        "reusable": round(whole.reused / max(whole.sent, 1), 4),
        "pages": pages.pages,
        "page_bytes": pages.bytes,
    }
