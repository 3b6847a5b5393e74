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
from typing import Any, NamedTuple

from msgspec import Struct

import loom
from loom.cli.demo.agent import Move, ScriptedAgent
from loom.cli.demo.script import PLAN, TASK, script
from loom.cli.demo.tools import SCHEMAS, DemoTools, roots
from loom.engine.turn import Turn
from loom.inputs import Reply, Speech
from loom.providers.counts import counter_for
from loom.providers.counts.sizes import TOOL
from loom.providers.formats import format_of
from loom.providers.formats.wire import compact
from loom.redact import Redactor
from loom.replay.audit import BROKEN, SENT, Audit, Findings, message_tokens

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


class DemoResult(Struct):
    """The course of a demo and its proof. Tokens are recounted outside the engine.

    `peak_tokens` and `peak_rho` are of requests as they were sent; `reached` is the highest ρ a
    request would have had without the cut that came before it. `sha256` is that of all results,
    one after the other, as they were read, `sha256_recovered` of all that came back from the disk.
    `plain_tokens` is the last request as a plain list of all messages, which was over the same
    window after step `plain_full_at`, 0 for never. `laws` is how many were checked at each request,
    and `broken` how often one was broken. `read_again` counts the texts the agent brought back.
    """

    steps: int = 0
    turns: int = 0
    renewals: int = 0
    cuts: dict[str, int] = {}
    window: int = WINDOW
    capacity: int = WINDOW - REPLY
    peak_tokens: int = 0
    peak_rho: float = 0.0
    reached: float = 0.0
    tokens_read: int = 0
    tokens_sent: int = 0
    plain_tokens: int = 0
    plain_full_at: int = 0
    results: int = 0
    bytes_read: int = 0
    sha256: str = ""
    recovered: int = 0
    bytes_recovered: int = 0
    sha256_recovered: str = ""
    laws: int = len(BROKEN) - len(SENT)
    broken: int = 0
    pages: int = 0
    prefix_reuse: float = 0.0
    read_again: int = 0
    seconds: float = 0.0
    failures: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True when every claim held."""
        return not self.failures


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
        tool = format_of("openai").tool
        plain = sum(TOOL + self.count(compact(tool(one))) for one in SCHEMAS)
        self.out = DemoResult(plain_tokens=plain)
        self.ledger: list[Receipt] = []
        self.sha256 = hashlib.sha256()
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
            self._plain({"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK})
            while not ctx.done:
                self._step(ctx)
            last = self._turn(ctx)
            self.out.pages = ctx.pressure.pages
        with loom.open(self.workspace, redact=()) as ctx:
            self.audit.reopened(last, ctx.turn())
        return self._outcome(self.recovered(), time.perf_counter() - start)

    def recovered(self) -> Recovered:
        """Bring every result back from the disk, after a reopen."""
        receipts, sha256 = [], hashlib.sha256()
        with loom.open(self.workspace, redact=()) as ctx:
            for receipt in self.ledger:
                try:
                    data = _bytes(ctx.history.restore(receipt.entry).results[receipt.call])
                except (loom.LoomError, KeyError):
                    data = b""  # it does not come back
                sha256.update(data)
                if hashlib.sha256(data).hexdigest() == receipt.sha256:
                    receipts.append(receipt)
        return Recovered(receipts, sha256.hexdigest())

    def _turn(self, ctx: loom.Context) -> Turn:
        self.audit.before(ctx)
        self.out.reached = max(self.out.reached, ctx.pressure.rho)
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
        self.out.steps += 1
        self._results(ctx, entry, reply)
        frame = DemoStep(
            self.out.steps,
            turn,
            self.agent.move,
            self.audit.findings,
            self.out.tokens_read,
            self.out.plain_tokens,
            self.out.plain_full_at,
        )
        self._watch(frame)

    def _results(self, ctx: loom.Context, entry: int, reply: Reply) -> None:
        waiting = {call.id for call in ctx.calls}
        calls = [call for call in reply.calls if call.id in waiting]  # the others Loom answered
        self.out.read_again += sum(call.name == "page_in" for call in reply.calls)
        for call in calls:
            text, error = self.box.run(call)
            data = _bytes(text)
            self.sha256.update(data)
            sha256 = hashlib.sha256(data).hexdigest()
            self.ledger.append(Receipt(entry, call.id, sha256, len(data)))
            self.out.tokens_read += self.count(text)
            self._plain({"role": "tool", "tool_call_id": call.id, "content": text})
            ctx.result(call, text, error=error)
        if calls or not reply.calls:
            said = "".join(part.text for part in reply.parts if isinstance(part, Speech))
            made = [
                {"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in calls
            ]
            self._plain({"role": "assistant", "content": said, "tool_calls": made})
        if not self.out.plain_full_at and self.out.plain_tokens > WINDOW - REPLY:
            self.out.plain_full_at = self.out.steps

    def _plain(self, *messages: dict[str, Any]) -> None:
        """Count messages as a plain list would send them again and again, whole.

        What brings text back is left out: such an agent has no need of it.
        """
        self.out.plain_tokens += sum(message_tokens(one, self.count) for one in messages)

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

    def _outcome(self, recovered: Recovered, seconds: float) -> DemoResult:
        """Fill in what is known at the end."""
        out, found, back = self.out, self.audit.findings, recovered.receipts
        out.turns, out.renewals, out.broken = found.turns, found.renewals, found.broken
        out.cuts = dict(sorted(found.levels.items()))
        out.peak_tokens, out.tokens_sent = max(self.audit.tokens, default=0), sum(self.audit.tokens)
        out.peak_rho, out.reached = round(found.peak, 3), round(out.reached, 3)
        out.prefix_reuse, out.seconds = round(found.prefix_reuse, 3), round(seconds, 2)
        out.results, out.recovered = len(self.ledger), len(back)
        out.bytes_read = sum(receipt.size for receipt in self.ledger)
        out.bytes_recovered = sum(receipt.size for receipt in back)
        out.sha256, out.sha256_recovered = self.sha256.hexdigest(), recovered.sha256
        claims = {
            f"{out.steps} steps, not more than {STEPS_LEAST}": out.steps > STEPS_LEAST,
            f"{out.renewals} renewals, fewer than {RENEWALS_LEAST}": out.renewals >= RENEWALS_LEAST,
            "nothing that had left the window was read again": out.read_again > 0,
        }
        lost = [receipt for receipt in self.ledger if receipt not in back]
        out.failures = (
            *found.details,
            *(text for text, holds in claims.items() if not holds),
            *(f"step {one.entry}, {one.call}: its bytes did not come back" for one in lost),
        )
        return out


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
