"""The demo: the scripted agent in a small window, audited, and the proof that nothing was lost.

The proof stands outside Loom: a ledger of the sha256 and size of every result, kept while the
session runs. At the end the workspace is closed and opened again, every result is brought back
from the disk, and its bytes are compared with the ledger.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

import loom
from loom.cli.demo.agent import Move, ScriptedAgent
from loom.cli.demo.outcome import DemoResult, ReadAgain
from loom.cli.demo.plain_list import PlainList
from loom.cli.demo.read_again import read_again
from loom.cli.demo.script import PLAN, TASK, script
from loom.cli.demo.tools import SCHEMAS, DemoTools, roots
from loom.engine.archive.workspace import Workspace
from loom.engine.turn import Turn
from loom.inputs import Reply
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.audit import BROKEN, Audit, Findings

WINDOW, REPLY = 8_192, 3_492
GOAL = "Report what this context engine and the library modules it leans on define."
SYSTEM = (
    "You survey source code with tools. Your window is small: older steps are shortened to one"
    " line that names the page of the whole. Bring back what you need with page_in(ref) or"
    " recall(query); never guess."
)
STEPS_LEAST, RENEWALS_LEAST = 150, 3


class Receipt(Struct, frozen=True):
    """One result as it was before Loom saw it: where it went in, its sha256 and size in bytes."""

    entry: int
    call: str
    sha256: str
    size: int


class DemoStep(Struct, frozen=True):
    """One step of the demo, to be shown: the request, the move made on it, totals so far.

    `plain_tokens` is the next request as a plain list of all messages, which went over the window
    after step `plain_full_at`, 0 while it has not.
    """

    step: int
    turn: Turn
    move: Move
    findings: Findings
    tokens_read: int
    plain_tokens: int
    plain_full_at: int


class Recovered(NamedTuple):
    """What came back from the disk: the results that are as they were, the sha256 of all of it."""

    receipts: list[Receipt]
    sha256: str


class Demo:
    """One session of the scripted agent in `folder`, its workspace there or at a place given."""

    def __init__(
        self, folder: Path, watch: Callable[[DemoStep], None], workspace: Path | None = None
    ) -> None:
        scratch = folder / "scratch"
        scratch.mkdir(parents=True)
        self.workspace = workspace or folder / "workspace"
        self.box = DemoTools(roots(), scratch)
        self.agent = ScriptedAgent(script)
        self.count = counter_for()
        self.audit = Audit(self.count, Redactor(()))
        self.plain = PlainList(self.count, WINDOW - REPLY, SCHEMAS)
        self.ledger: list[Receipt] = []
        self.sha256 = hashlib.sha256()
        self.tokens_read = 0
        self.steps = 0
        self.reached = 0.0
        self._watch = watch

    def run(self) -> DemoResult:
        """The whole session, then the proof. Raises what the engine raises."""
        start = time.perf_counter()
        # The ledger compares with the bytes as they were read, so nothing may be redacted; what a
        # power cut takes can be made again.
        with loom.open(
            self.workspace,
            goal=GOAL,
            window=WINDOW,
            reply=REPLY,
            policy="eager",
            tools=SCHEMAS,
            redact=(),
            durable=False,
        ) as ctx:
            ctx.system(SYSTEM)
            ctx.user(TASK)
            self.plain.said("system", SYSTEM)
            self.plain.said("user", TASK)
            while not ctx.done:
                self._step(ctx)
            last = self._turn(ctx)
            pages = ctx.pressure.pages
        with loom.open(self.workspace, redact=()) as ctx:
            self.audit.reopened(last, ctx.turn())
        recovered = self.recovered()
        again = read_again(Workspace.at_path(self.workspace, write=False), self.count)
        return self._outcome(recovered, again, pages, time.perf_counter() - start)

    def recovered(self) -> Recovered:
        """Bring every result back from the disk, after a reopen."""
        receipts, sha256 = [], hashlib.sha256()
        with loom.open(self.workspace, redact=()) as ctx:
            for receipt in self.ledger:
                data = _brought(ctx, receipt)
                sha256.update(data)
                if hashlib.sha256(data).hexdigest() == receipt.sha256:
                    receipts.append(receipt)
        return Recovered(receipts, sha256.hexdigest())

    def _turn(self, ctx: loom.Context) -> Turn:
        self.audit.before(ctx)
        self.reached = max(self.reached, ctx.pressure.rho)
        turn = ctx.turn()
        self.audit.after(ctx, turn)
        return turn

    def _step(self, ctx: loom.Context) -> None:
        """Request, reply, the host's part of the calls."""
        turn = self._turn(ctx)
        reply = self.agent.reply(turn.request("openai")["messages"])
        entry = ctx.window.history.next_id
        self._surfaces(ctx, self.agent.move)
        ctx.reply(reply)
        self.steps += 1
        self._results(ctx, entry, reply)
        frame = DemoStep(
            self.steps,
            turn,
            self.agent.move,
            self.audit.findings,
            self.tokens_read,
            self.plain.tokens,
            self.plain.full_at,
        )
        self._watch(frame)

    def _results(self, ctx: loom.Context, entry: int, reply: Reply) -> None:
        waiting = {call.id for call in ctx.calls}
        texts = []
        for call in reply.calls:
            if call.id not in waiting:  # Loom answered it
                continue
            text, error = self.box.run(call)
            data = _bytes(text)
            self.sha256.update(data)
            sha256 = hashlib.sha256(data).hexdigest()
            texts.append((call.id, text))
            self.ledger.append(Receipt(entry, call.id, sha256, len(data)))
            self.tokens_read += self.count(text)
            ctx.result(call, text, error=error)
        self.plain.step(self.steps, reply, texts)

    def _surfaces(self, ctx: loom.Context, move: Move) -> None:
        """C_working follows the agent: the plan's item at hand, its notes."""
        states = ["done"] * move.doing + ["doing"] + ["todo"] * len(PLAN)
        plan = list(zip(PLAN, states, strict=False))
        known = [(item.text, item.state) for item in ctx.window.working.plan]
        if plan != known:
            ctx.working.plan(plan)
            ctx.working.progress(f"{min(move.doing, len(PLAN))} of {len(PLAN)} parts done")
        held = ctx.window.working.scratchpad
        if move.note and (held is None or held.body != move.note):
            ctx.working.scratch(move.note)

    def _outcome(
        self, recovered: Recovered, again: ReadAgain | None, pages: int, seconds: float
    ) -> DemoResult:
        found = self.audit.findings
        failures = list(found.details)
        if self.steps <= STEPS_LEAST:
            failures.append(f"{self.steps} steps, not more than {STEPS_LEAST}")
        if found.renewals < RENEWALS_LEAST:
            failures.append(f"{found.renewals} renewals, fewer than {RENEWALS_LEAST}")
        if again is None:
            failures.append("no result that had left the window was read again")
        back = recovered.receipts
        lost = [receipt for receipt in self.ledger if receipt not in back]
        failures += [
            f"step {lost.entry}, {lost.call}: its bytes did not come back" for lost in lost
        ]
        return DemoResult(
            steps=self.steps,
            turns=found.turns,
            renewals=found.renewals,
            cuts=dict(sorted(found.levels.items())),
            window=WINDOW,
            capacity=WINDOW - REPLY,
            peak_tokens=max(self.audit.tokens, default=0),
            peak_rho=round(found.peak, 3),
            reached=round(self.reached, 3),
            tokens_read=self.tokens_read,
            tokens_sent=sum(self.audit.tokens),
            plain_tokens=self.plain.tokens,
            plain_full_at=self.plain.full_at,
            results=len(self.ledger),
            bytes_read=sum(receipt.size for receipt in self.ledger),
            sha256=self.sha256.hexdigest(),
            recovered=len(back),
            bytes_recovered=sum(receipt.size for receipt in back),
            sha256_recovered=recovered.sha256,
            laws=len(BROKEN),
            broken=found.broken,
            pages=pages,
            prefix_reuse=round(found.prefix_reuse, 3),
            read_again=again,
            seconds=round(seconds, 2),
            failures=tuple(failures),
        )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _brought(ctx: loom.Context, receipt: Receipt) -> bytes:
    """The bytes of a result as they come back from the disk; none when it does not come back."""
    try:
        return _bytes(ctx.history.restore(receipt.entry).results[receipt.call])
    except (loom.LoomError, KeyError):
        return b""


def run(
    folder: Path,
    watch: Callable[[DemoStep], None] = lambda frame: None,
    workspace: Path | None = None,
) -> DemoResult:
    """Run the demo with its files in `folder`, calling `watch` after every step.

    The workspace is made at `workspace`, a new folder, where that is given.
    """
    return Demo(folder, watch, workspace).run()
