"""One session through one window, audited at every turn, closed and reopened on the way.

A replay is interrupted twice: in the middle of the session and at its end. Both times a fresh
context must make the request the old one would have sent.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

import loom
from benchmarks.measures.swept.busy import work
from benchmarks.measures.swept.project import act, make
from benchmarks.measures.swept.tally import Replayed
from loom.context import Context
from loom.errors import OverCapacity
from loom.inputs import Reply, Session
from loom.policy import PRESETS, Policy
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.audit import Audit
from loom.replay.audit.sdk_types import SdkTypes, available
from loom.replay.feed import Ingested, feed

RULE = "rule "  # one token


class SweepSetting(Struct, frozen=True):
    """What a session is replayed in: the window and the policy, and what else stands in it.

    `working` keeps C_working busy all along, `project` C_memory and C_skill: the session is that of
    a project whose guides and skills are three times what the window has for them. `head` is the
    share of the capacity that instructions take.
    """

    window: int
    policy: Policy = PRESETS["lazy"]
    working: bool = False
    project: bool = False
    head: float = 0.0


def drive(session: Session, setting: SweepSetting) -> Replayed:
    """Replay a session in a folder of its own.

    What goes wrong in a replay is in the answer, never raised.
    """
    window, head = setting.window, setting.head
    audit = Audit(counter_for(), Redactor(), types=SdkTypes if available() else None)
    failed = refused = ""
    with TemporaryDirectory(prefix="loom-sweep-") as folder:
        try:
            run = _SessionDriver(Path(folder), session, setting, audit)
        except OverCapacity as error:
            found, refused = audit.findings, error.partition
            return Replayed(session.name, session.source, window, found, refused=refused, head=head)
        try:
            run.whole()
        except OverCapacity as error:
            refused = error.partition
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            failed = f"event {run.at}: {type(error).__name__}: {error} ({where})"
        finally:
            run.context.close()
    return Replayed(
        session.name,
        session.source,
        window,
        audit.findings,
        tokens=sum(audit.tokens),
        counted=len(audit.tokens),
        failed=failed,
        refused=refused,
        working=run.shown,
        shown=run.whole_tokens,
        head=head,
    )


class _SessionDriver:
    """The replay while it runs; `at` is the number of the event at hand."""

    def __init__(self, folder: Path, session: Session, setting: SweepSetting, audit: Audit) -> None:
        self.audit = audit
        self.at = 0
        self.shown = self.whole_tokens = 0  # tokens of C_working, and of whole requests
        self._busy = setting.working
        self._events = session.events
        self._ingested: list[Ingested] = []
        self._project = make(folder / "project", setting.window) if setting.project else None
        self._open: Callable[..., Context] = partial(
            loom.open,
            folder / "workspace",
            policy=replace(setting.policy, own_tools=setting.working),
            durable=False,
            on_cut=audit.cut,
            project=self._project,
        )
        self.context = self._open(window=setting.window)
        words = int(setting.head * self.context.window.limits.capacity)
        if words:
            self.context.system(RULE * words)

    def whole(self) -> None:
        """Every event, both interruptions, and every text asked for again."""
        middle = len(self._events) // 2
        interrupted = False
        for at, event in enumerate(self._events):
            self.at = at
            if isinstance(event, Reply):
                self._turn()
                if at >= middle and not interrupted:
                    self._reopen()
                    interrupted = True
            ingested = feed(self.context, event)
            if ingested is not None:
                self._ingested.append(ingested)
        self._turn()
        self._reopen()
        self.audit.restores(self.context, self._ingested)

    def _turn(self) -> None:
        if self._busy and not self.context.window.sent.turned:
            work(self.context, self.context.window.sent.turn + 1)
        if self._project is not None and not self.context.window.sent.turned:
            act(self.context, self._project, self.context.window.sent.turn + 1)
        self.audit.before(self.context)
        turn = self.context.turn()
        self.audit.after(self.context, turn)
        self.shown += turn.pressure.tokens.working
        self.whole_tokens += turn.pressure.tokens.total

    def _reopen(self) -> None:
        """Close, open again, compare. The auditor then watches the fresh context.

        Its requests count their versions from one again, so the auditor has to see the first of
        them; as it is the same request, it is not counted a second time.
        """
        found, tokens = self.audit.findings, list(self.audit.tokens)
        before = self.context.turn()
        self.context.close()
        self.context = self._open()
        self.audit.reopened(before, self.context.turn())
        counted = found.turns, found.sent, found.reused
        self._turn()
        found.turns, found.sent, found.reused = counted
        self.audit.tokens[:] = tokens
