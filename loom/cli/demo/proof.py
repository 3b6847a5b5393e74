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

from msgspec import Struct

import loom
from loom.cli.demo.agent import Move, ScriptedAgent
from loom.cli.demo.script import PLAN, TASK, script
from loom.cli.demo.tools import SCHEMAS, DemoTools, roots
from loom.engine.turn import Turn
from loom.inputs import Reply
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.audit import Audit, Findings

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
    """One step of the demo, to be shown: the request, the move made on it, totals so far."""

    step: int
    turn: Turn
    move: Move
    findings: Findings
    tokens_read: int


class DemoResult(Struct, frozen=True):
    """The course of a demo and its proof. Tokens are recounted outside the engine.

    `peak_tokens` and `peak_rho` are of requests as they were sent; `reached` is the highest ρ a
    request would have had without the cut that came before it.
    """

    steps: int
    turns: int
    renewals: int
    cuts: dict[str, int]
    window: int
    capacity: int
    peak_tokens: int
    peak_rho: float
    reached: float
    tokens_read: int
    tokens_sent: int
    results: int
    bytes_read: int
    recovered: int
    bytes_recovered: int
    pages: int
    prefix_reuse: float
    seconds: float
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """True when every claim held."""
        return not self.failures


class Demo:
    """One session of the scripted agent in `folder`."""

    def __init__(self, folder: Path, watch: Callable[[DemoStep], None]) -> None:
        scratch = folder / "scratch"
        scratch.mkdir(parents=True)
        self.workspace = folder / "workspace"
        self.box = DemoTools(roots(), scratch)
        self.agent = ScriptedAgent(script)
        self.count = counter_for()
        self.audit = Audit(self.count, Redactor(()))
        self.ledger: list[Receipt] = []
        self.tokens_read = 0
        self.steps = 0
        self.reached = 0.0
        self._watch = watch

    def run(self) -> DemoResult:
        """The whole session, then the proof. Raises what the engine raises."""
        start = time.perf_counter()
        # The ledger compares with the bytes as they were read, so nothing may be redacted; the
        # folder is temporary, so nothing has to survive a power cut.
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
            while not ctx.done:
                self._step(ctx)
            last = self._turn(ctx)
            pages = ctx.pressure.pages
        with loom.open(self.workspace, redact=()) as ctx:
            self.audit.reopened(last, ctx.turn())
        recovered = self.recovered()
        return self._outcome(recovered, pages, time.perf_counter() - start)

    def recovered(self) -> list[Receipt]:
        """The results that come back from the disk, after a reopen, with the bytes they had."""
        with loom.open(self.workspace, redact=()) as ctx:
            return [receipt for receipt in self.ledger if self._same(ctx, receipt)]

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
        )
        self._watch(frame)

    def _results(self, ctx: loom.Context, entry: int, reply: Reply) -> None:
        waiting = {call.id for call in ctx.calls}
        for call in reply.calls:
            if call.id not in waiting:  # Loom answered it
                continue
            text, error = self.box.run(call)
            data = text.encode("utf-8", "surrogatepass")
            sha256 = hashlib.sha256(data).hexdigest()
            self.ledger.append(Receipt(entry, call.id, sha256, len(data)))
            self.tokens_read += self.count(text)
            ctx.result(call, text, error=error)

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

    def _same(self, ctx: loom.Context, receipt: Receipt) -> bool:
        """Return True when a result comes back from the disk byte for byte."""
        try:
            text = ctx.history.restore(receipt.entry).results[receipt.call]
        except (loom.LoomError, KeyError):
            return False
        data = text.encode("utf-8", "surrogatepass")
        return hashlib.sha256(data).hexdigest() == receipt.sha256

    def _outcome(self, recovered: list[Receipt], pages: int, seconds: float) -> DemoResult:
        found = self.audit.findings
        failures = list(found.details)
        if self.steps <= STEPS_LEAST:
            failures.append(f"{self.steps} steps, not more than {STEPS_LEAST}")
        if found.renewals < RENEWALS_LEAST:
            failures.append(f"{found.renewals} renewals, fewer than {RENEWALS_LEAST}")
        lost = [receipt for receipt in self.ledger if receipt not in recovered]
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
            results=len(self.ledger),
            bytes_read=sum(receipt.size for receipt in self.ledger),
            recovered=len(recovered),
            bytes_recovered=sum(receipt.size for receipt in recovered),
            pages=pages,
            prefix_reuse=round(found.prefix_reuse, 3),
            seconds=round(seconds, 2),
            failures=tuple(failures),
        )


def run(folder: Path, watch: Callable[[DemoStep], None] = lambda frame: None) -> DemoResult:
    """Run the demo in `folder`, calling `watch` after every step."""
    return Demo(folder, watch).run()
