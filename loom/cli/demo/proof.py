"""The demo: a scripted agent in a small window. Every request is checked against Loom's laws (rules
for every window), and a proof at the end shows that nothing was lost.

The proof is made outside of Loom. While the session runs, the sha256 of every result is noted. At
the end the workspace is closed and opened again. Every result is read back from the disk and
compared."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

import loom
from loom.cli.demo.script import PLAN, TASK, ScriptedAgent
from loom.cli.demo.tools import SCHEMAS, DemoTools, tool_roots
from loom.providers.counts import counter_for
from loom.providers.counts.message_sizes import TOOL
from loom.providers.formats import format_of
from loom.providers.formats.wire import compact_json
from loom.redact import Redactor
from loom.replay.audit import BROKEN, SENT, Audit, message_tokens
from loom.session.turn import Turn

WINDOW, REPLY = 8_192, 3_492
GOAL = "Tell what this context engine and the library modules it leans on define."
SYSTEM = (
    "You survey source code with tools. Your window is small: older steps are shortened to one"
    " line that names the page of the whole. Bring back what you need with page_in(ref) or"
    " recall(query); never guess."
)
STEPS_LEAST, RENEWALS_LEAST = 150, 3


class DemoResult(Struct):
    """The figures of a demo and of its proof. Tokens are recounted outside the engine.

    `peak_tokens` is the size of the largest request as Loom counted it. `plain_tokens` is the size
    of the last request without Loom, with every message in full; from step `plain_full_at` on, such
    a request would not have fitted the window (0: it always fitted). `sha256` is the hash of all
    results in the order the agent read them, `sha256_recovered` the hash of all results read back
    from the disk. `laws` is the number of laws checked at each request, `broken` the number of
    times a law was broken. `read_again` counts the texts that the agent paged in again."""

    steps: int = 0
    turns: int = 0
    renewals: int = 0
    cuts: dict[str, int] = {}
    window: int = WINDOW
    capacity: int = WINDOW - REPLY
    peak_tokens: int = 0
    tokens_read: int = 0
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
    read_again: int = 0
    seconds: float = 0.0
    failures: tuple[str, ...] = ()


class DemoSession:
    """One session of the scripted agent, in the folder `workspace`. `watch(turn, figures)` is
    called after each step with the request (a Turn) and the figures so far."""

    def __init__(self, workspace: Path, watch: Callable[[Turn, DemoResult], None]) -> None:
        self.workspace, self._watch = workspace, watch
        self.box, self.agent = DemoTools(tool_roots()), ScriptedAgent()
        self.count = counter_for()
        self.audit = Audit(self.count, Redactor(()))
        tool = format_of("openai").tool
        plain = sum(TOOL + self.count(compact_json(tool(one))) for one in SCHEMAS)
        self.out = DemoResult(plain_tokens=plain)
        self.ledger: dict[tuple[int, str], str] = {}  # entry and call → sha256 of the result
        self.read, self.back = hashlib.sha256(), hashlib.sha256()

    def run(self) -> DemoResult:
        """Run the session and the proof. Return the figures of both. Raises the errors of the
        engine."""
        start = time.perf_counter()
        # The ledger compares with the bytes as they were read, so nothing may be redacted; what a
        # power cut takes can be made again.
        with loom.open(
            self.workspace,
            goal=GOAL,
            window=WINDOW,
            reply=REPLY,
            tools=SCHEMAS,
            redact=(),
            durable=False,
        ) as ctx:
            ctx.system(SYSTEM)
            ctx.user(TASK)
            self._count_plain(
                {"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK}
            )
            while not ctx.done:
                self._take_step(ctx)
            last = self._make_turn(ctx)
        lost = []
        with loom.open(self.workspace, redact=()) as ctx:
            self.audit.check_reopened(last, ctx.turn())
            for (entry, call), digest in self.ledger.items():  # each result back from the disk
                data = None
                with suppress(loom.LoomError, KeyError):
                    data = _utf8(ctx.history.restore(entry).results[call])
                    self.back.update(data)
                if data is not None and hashlib.sha256(data).hexdigest() == digest:
                    self.out.bytes_recovered += len(data)
                else:
                    lost.append(f"step {entry}, {call}: its bytes did not come back")
        out, found = self.out, self.audit.findings
        out.seconds = round(time.perf_counter() - start, 2)
        out.turns, out.renewals, out.broken = found.turns, found.renewals, found.broken
        out.cuts = dict(sorted(found.levels.items()))
        out.results, out.recovered = len(self.ledger), len(self.ledger) - len(lost)
        out.sha256, out.sha256_recovered = self.read.hexdigest(), self.back.hexdigest()
        claims = {
            f"{out.steps} steps, not more than {STEPS_LEAST}": out.steps > STEPS_LEAST,
            f"{out.renewals} renewals, fewer than {RENEWALS_LEAST}": out.renewals >= RENEWALS_LEAST,
            "nothing that had left the window was read again": out.read_again > 0,
        }
        unmet = (text for text, holds in claims.items() if not holds)
        out.failures = (*found.details, *unmet, *lost)
        return out

    def _make_turn(self, ctx: loom.Context) -> Turn:
        """Return the next Turn (a request), after checking it against Loom's laws."""
        self.audit.before(ctx)
        turn = ctx.turn()
        self.audit.after(ctx, turn)
        self.out.peak_tokens = max(self.out.peak_tokens, turn.pressure.tokens.total)
        return turn

    def _take_step(self, ctx: loom.Context) -> None:
        """Take one step: make the request, record the agent's reply, and run its calls, except
        calls of Loom's own tools."""
        turn, entry, out = self._make_turn(ctx), ctx.window.history.next_id, self.out
        reply = self.agent.reply(turn.request("openai")["messages"])
        self._update_surfaces(ctx)
        ctx.reply(reply)
        out.steps += 1
        waiting = {call.id for call in ctx.calls}
        calls = [call for call in reply.calls if call.id in waiting]  # the others Loom answered
        out.read_again += sum(call.name == "page_in" for call in reply.calls)
        for call in calls:
            text, error = self.box.run(call)
            data = _utf8(text)
            self.read.update(data)
            self.ledger[entry, call.id] = hashlib.sha256(data).hexdigest()
            out.bytes_read += len(data)
            out.tokens_read += self.count(text)
            self._count_plain({"role": "tool", "tool_call_id": call.id, "content": text})
            ctx.result(call, text, error=error)
        if calls or not reply.calls:
            made = [
                {"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in calls
            ]
            said = self.agent.move.say
            self._count_plain({"role": "assistant", "content": said, "tool_calls": made})
        if not out.plain_full_at and out.plain_tokens > out.capacity:
            out.plain_full_at = out.steps
        self._watch(turn, out)

    def _count_plain(self, *messages: dict[str, Any]) -> None:
        """Add the tokens of messages to `plain_tokens`, the size of the request without Loom."""
        self.out.plain_tokens += sum(message_tokens(one, self.count) for one in messages)

    def _update_surfaces(self, ctx: loom.Context) -> None:
        """Write the agent's plan, progress and scratchpad into C_working if they have changed."""
        move, working = self.agent.move, ctx.window.working
        states = ["done"] * move.doing + ["doing"] + ["todo"] * len(PLAN)
        plan = list(zip(PLAN, states, strict=False))
        if plan != [(item.text, item.state) for item in working.plan]:
            ctx.working.plan(plan)
            ctx.working.progress(f"{move.doing} of {len(PLAN)} parts done")
        held = working.scratchpad
        if move.note and (held is None or held.body != move.note):
            ctx.working.scratch(move.note)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
