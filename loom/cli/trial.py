"""One recorded session through a window, audited: what `loom replay` measures of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

import loom
from loom.cli.redactions import redactions
from loom.engine.archive.workspace import Workspace
from loom.engine.turn import Turn
from loom.errors import BrokenLaw, LoomError
from loom.inputs import Event, Reply, Session, Speech, ToolCall
from loom.inspect.requests import RequestRow, billed, folded, plain_run
from loom.opening import opened
from loom.policy import chosen
from loom.providers.counts import Counter, counter_for
from loom.redact import Redactor
from loom.replay.audit import BROKEN, Audit, Findings
from loom.replay.cost import Bill, CompactionTally, PlainRun, tallied
from loom.replay.feed import Ingested, RecordedClock, feed
from loom.replay.importers.losses import told
from loom.replay.plain import model_of
from loom_paging import PagingError

NOTES = 20  # of what was mended in a session that are kept, of all that are counted


class Setting(Struct, frozen=True):
    """The window a session is replayed in; None stands for the engine's default."""

    window: int
    reply: int | None
    preset: str


class ReplayTrial(Struct, frozen=True):
    """The findings of one replay. Tokens are recounted outside the engine, `rho` is of each turn.

    `ingested` is tokens of every text that went in, `replied` of what the model wrote. `bill` is of
    the requests Loom sent, one before each recorded reply, `plain` of those a client without it
    would have, both as `loom report` counts them; `compactions` of the recording client's own.
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


class _TrialRun:
    """A trial while it runs."""

    def __init__(self, session: Session, folder: Path, setting: Setting) -> None:
        self.session, self.folder, self.setting = session, folder, setting
        self.count = counter_for()
        self.clean = Redactor()
        self.audit = Audit(self.count, self.clean)
        self.ingested: list[Ingested] = []
        self.rho: list[float] = []
        self.texts = self.steps = self.pages = self.page_bytes = self.secrets = 0
        self.error = ""
        self.refused = False  # a cut failed its certificate

    def play(self, watch: Callable[[int, Turn], None]) -> None:
        """Feed every event, a turn before each reply and one at the end; then the reopen."""
        setting, now = self.setting, RecordedClock(self.session)
        with opened(
            self.folder,
            window=setting.window,
            reply=setting.reply,
            policy=replace(chosen(setting.preset), own_tools=False),
            durable=False,
            on_cut=self.audit.cut,
            clock=now,
        ) as ctx:
            for done, event in enumerate(self.session.events):
                if isinstance(event, Reply):
                    turn = self._turn(ctx)
                    watch(done, turn)
                    self.steps += 1
                now.reach(done)
                went = feed(ctx, event)
                self.ingested += [went] if went else []
            last = self._turn(ctx)
            watch(len(self.session.events), last)
            self._pages(ctx)
        again = loom.Policy(own_tools=False)
        with opened(self.folder, policy=again, durable=False, clock=now) as ctx:
            self.audit.reopened(last, ctx.turn())
            self.audit.restores(ctx, self.ingested)
        held = redactions(Workspace.at_path(self.folder, write=False), self.folder).redacted
        self.secrets = sum(sum(kinds.values()) for kinds in held.values())

    def _turn(self, ctx: loom.Context) -> Turn:
        self.audit.before(ctx)
        turn = ctx.turn()
        self.audit.after(ctx, turn)
        self.rho.append(round(turn.pressure.rho, 4))
        return turn

    def _pages(self, ctx: loom.Context) -> None:
        self.pages = ctx.pressure.pages
        outputs = self.folder / "outputs"
        if outputs.is_dir():
            # Equal bytes are one file under several names.
            held = {(at.st_dev, at.st_ino): at.st_size for at in map(Path.stat, outputs.iterdir())}
            self.page_bytes = sum(held.values())

    def _rows(self) -> list[RequestRow]:
        """Every request, as `loom report` counts it; the last one no recorded reply answers."""
        if not self.steps:
            return []
        return folded(Workspace.at_path(self.folder, write=False), plain=True).rows

    def trial(self, seconds: float) -> ReplayTrial:
        """Return the findings."""
        found, all = self.audit.findings, self._rows()
        rows, whole = all[: self.steps], billed(all)
        return ReplayTrial(
            name=self.session.name,
            source=self.session.source,
            model=model_of(self.session),
            turns=found.turns,
            steps=self.steps,
            peak=round(found.peak, 4),
            levels=dict(sorted(found.levels.items())),
            cuts=found.cuts,
            renewals=found.renewals,
            ingested=tokens_of(self.session.events, self.count),
            replied=sum(row.replied for row in rows),
            bill=billed(rows),
            plain=plain_run(rows),
            secrets=self.secrets,
            compactions=tallied(self.session.compactions, self.count),
            pages=self.pages,
            page_bytes=self.page_bytes,
            reusable=round(whole.reused / max(whole.sent, 1), 4),
            texts=len(self.ingested),
            restored=0 if self.error else len(self.ingested) - found.unrestorable,
            broken=broken_in(found) | ({"certificate": 1} if self.refused else {}),
            details=tuple(found.details),
            lost=tuple(told(self.session.mended)),
            mended=len(self.session.mended),
            notes=self.session.mended[:NOTES],
            seconds=round(seconds, 2),
            rho=tuple(self.rho),
            error=self.error,
        )


def trial(
    session: Session, folder: Path, setting: Setting, watch: Callable[[int, Turn], None]
) -> ReplayTrial:
    """Replay a session into the workspace `folder`, with the audit at every turn.

    `watch(events done, turn)` is called at each turn. What the engine refuses is the `error` of
    the trial, a window that is too small for one; errors of the disk are raised, StoreLocked
    among them.
    """
    run = _TrialRun(session, folder, setting)
    start = time.perf_counter()
    try:
        run.play(watch)
    except PagingError:
        raise
    except LoomError as error:
        run.error = str(error)
        run.refused = isinstance(error, BrokenLaw)
    return run.trial(time.perf_counter() - start)


def broken_in(found: Findings) -> dict[str, int]:
    """The laws that were broken, by name."""
    return {law: getattr(found, law) for law in BROKEN if getattr(found, law)}


def tokens_of(events: Iterable[Event], count: Counter) -> int:
    """Tokens of every text of a session that goes into a window."""
    texts: list[str] = []
    for event in events:
        if not isinstance(event, Reply):
            texts.append(event.text)
            continue
        texts += [part.text for part in event.parts if isinstance(part, Speech)]
        texts += [part.arguments for part in event.parts if isinstance(part, ToolCall)]
    return sum(count.many(texts))
