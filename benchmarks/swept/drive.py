"""One replay of a sweep: a session through a window, in a project if asked.

The project is made from the size of the window and used by the number of the turn alone, so a
replay can be repeated.

A replay is interrupted twice: in the middle of the session and at its end. Both times a fresh
context must make the request the old one would have sent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

import loom
from benchmarks.driven import said
from loom.errors import OverCapacity
from loom.inputs import Reply, Session
from loom.live import Context
from loom.policy import PRESETS, Policy
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.audit import Audit, Findings
from loom.replay.feed import Ingested, feed
from loom_bench.laws.lawful import Lawful
from loom_bench.laws.sdk_types import SdkTypes, available
from loom_bench.sessions.material import Material

TIMES = 3  # their budgets
DEEP = ("services", "billing", "ledger")  # the working folder; one further down is edited
SKILLS = 9
PACE, EDITS = 5, 20  # turns between two uses of a skill, and between two edits of a guide
CHARS = 3  # of a token, at least: the texts are English


def make(root: Path, window: int) -> Path:
    """Make the project below `root`, and return the working folder."""
    policy, chance = Policy(), Random(window)
    material = Material(chance)
    whole = window * TIMES * CHARS
    at = root
    (root / ".git").mkdir(parents=True)
    for name in ("", *DEEP):
        at = at / name
        at.mkdir(exist_ok=True)
        size = int(whole * policy.tuning.memory_share / (len(DEEP) + 1))
        (at / "AGENTS.md").write_text(_guide(material, name or "project", size), "utf-8")
    for number in range(SKILLS):
        folder = root / ".agents" / "skills" / f"skill-{number}"
        folder.mkdir(parents=True)
        size = int(whole * policy.tuning.skill_share / SKILLS)
        text = _guide(material, f"skill {number}", size)
        heading = f"---\nname: skill-{number}\ndescription: {material.sentence()}\n---\n"
        (folder / "SKILL.md").write_text(heading + text, "utf-8")
    return at


def act(ctx: loom.Context, folder: Path, turn: int) -> None:
    """Use a skill, or edit a guide, when the turn is one for it."""
    if turn % PACE == 0:
        ctx.skills.use(f"skill-{turn // PACE * 4 % SKILLS}")
    if turn % EDITS == 0:
        above = turn // EDITS % (len(DEEP) + 1)
        path = [folder, *folder.parents][above] / "AGENTS.md"
        path.write_text(f"{path.read_text('utf-8')}\nAs of turn {turn}: keep the ledger open.\n")


def _guide(material: Material, name: str, size: int) -> str:
    lines = [f"# Working on {name}", ""]
    while sum(map(len, lines)) < size:
        lines += [f"## Part {len(lines) // 4}", "", material.prose(6), ""]
    return "\n".join(lines)


RULE = "rule "  # one token


class SweepSetting(Struct, frozen=True):
    """What a session is replayed in: the window and the policy, and what else stands in it.

    `project` keeps C_memory and C_skill busy all along: the session is that of a project whose
    guides and skills are three times what the window has for them. `head` is the share of the
    capacity that instructions take.
    """

    window: int
    policy: Policy = PRESETS["lazy"]
    project: bool = False
    head: float = 0.0


class Replayed(Struct, frozen=True):
    """One session through one window.

    `failed` says what was raised, "" when nothing was; `refused` names the partition the window
    was too small for. `tokens` and `counted` are the sum and the number of recounted requests;
    `head` is the share of the capacity that instructions took.
    """

    session: str
    source: str
    window: int
    findings: Findings
    tokens: int = 0
    counted: int = 0
    failed: str = ""
    refused: str = ""
    head: float = 0.0

    @property
    def column(self) -> str:
        """The window, and the share of it that instructions took."""
        return f"{self.window}+{self.head:g}" if self.head else str(self.window)


def drive(session: Session, setting: SweepSetting) -> Replayed:
    """Replay a session in a folder of its own.

    What goes wrong in a replay is in the answer, never raised.
    """
    audit = Audit(counter_for(), Redactor(), sent=Lawful(SdkTypes if available() else None).check)
    failed = refused = ""
    run = None
    with TemporaryDirectory(prefix="loom-sweep-") as folder:
        try:
            run = _SessionDriver(Path(folder), session, setting, audit)
            run.whole()
        except OverCapacity as error:
            refused = error.partition
        except Exception as error:
            failed = said(error, run.at if run else 0)
        finally:
            if run:
                run.context.close()
    return Replayed(
        session.name,
        session.source,
        setting.window,
        audit.findings,
        tokens=sum(audit.tokens),
        counted=len(audit.tokens),
        failed=failed,
        refused=refused,
        head=setting.head,
    )


class _SessionDriver:
    """The replay while it runs; `at` is the number of the event at hand."""

    def __init__(self, folder: Path, session: Session, setting: SweepSetting, audit: Audit) -> None:
        self.audit = audit
        self.at = 0
        self._events = session.events
        self._ingested: list[Ingested] = []
        self._project = make(folder / "project", setting.window) if setting.project else None
        self._open: Callable[..., Context] = partial(
            loom.open,
            folder / "workspace",
            policy=replace(setting.policy, own_tools=False),
            durable=False,
            on_cut=audit.cut,
            project=self._project,
        )
        self.context = self._open(window=setting.window)
        if words := int(setting.head * self.context.window.limits.capacity):
            self.context.system(RULE * words)

    def whole(self) -> None:
        """Every event, both interruptions, and every text asked for again."""
        middle, interrupted = len(self._events) // 2, False
        for at, event in enumerate(self._events):
            self.at = at
            if isinstance(event, Reply):
                self._turn()
                if at >= middle and not interrupted:
                    self._reopen()
                    interrupted = True
            if (ingested := feed(self.context, event)) is not None:
                self._ingested.append(ingested)
        self._turn()
        self._reopen()
        self.audit.check_restores(self.context, self._ingested)

    def _turn(self) -> None:
        sent = self.context.window.sent
        if self._project is not None and not sent.turned:
            act(self.context, self._project, sent.turn + 1)
        self.audit.before(self.context)
        self.audit.after(self.context, self.context.turn())

    def _reopen(self) -> None:
        """Close, open again, compare. The auditor then watches the fresh context.

        Its requests count their versions from one again, so the auditor has to see the first of
        them; as it is the same request, it is not counted a second time.
        """
        found, tokens = self.audit.findings, list(self.audit.tokens)
        before = self.context.turn()
        self.context.close()
        self.context = self._open()
        self.audit.check_reopened(before, self.context.turn())
        counted = found.turns, found.sent, found.reused
        self._turn()
        found.turns, found.sent, found.reused = counted
        self.audit.tokens[:] = tokens
