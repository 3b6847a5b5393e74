"""A busy C_working: what a host and a model would write while a recorded session runs.

Everything depends on the number of the turn alone, so a replay can be repeated.
"""

from __future__ import annotations

import loom
from loom.capabilities.events import Disposition, Urgency

PARTS = 9  # items of the plan
KINDS = ("ci", "files", "timer", "review")
URGENCIES: tuple[Urgency, ...] = ("low", "normal", "normal", "high")
DISPOSITIONS: tuple[Disposition, ...] = ("ignore", "defer", "replan", "resolved")


def work(ctx: loom.Context, turn: int) -> None:
    """Write on every surface, each at its own pace."""
    if turn == 1:
        ctx.working.set_goal("Finish what the session was about, and keep the working state true.")
    if turn % 10 == 1:
        doing = turn // 10 % PARTS
        states = (
            "done" if at < doing else "doing" if at == doing else "todo" for at in range(PARTS)
        )
        ctx.working.plan([(f"part {at + 1} of the work", state) for at, state in enumerate(states)])
        ctx.working.progress(f"{doing} of {PARTS} parts done")
    if turn % 4 == 0:
        kind = KINDS[turn // 4 % len(KINDS)]
        urgency = URGENCIES[turn // 4 % len(URGENCIES)]
        ctx.events.signal(
            f"e{turn}", f"something of kind {kind} happened", kind=kind, urgency=urgency
        )
    if turn % 4 == 2 and turn > 8:
        disposition = DISPOSITIONS[turn // 4 % len(DISPOSITIONS)]
        ctx.events.acknowledge(f"e{turn - 6}", disposition)
    if turn % 7 == 0:
        ctx.working.note(f"turn {turn}: what was learnt stands in step {turn}")
    if turn % 9 == 0:
        ctx.working.ask(f"q{turn}", f"does the result of turn {turn} hold?")
        ctx.working.answered(f"q{turn - 27}")
    if turn % 12 == 0:
        cited = [f"step_{max(turn - 3, 1):04d}"]
        ctx.working.evidence(
            f"p{turn % 60}", f"turn {turn} shows how it is", cited, 0.5 + turn % 5 / 10
        )
