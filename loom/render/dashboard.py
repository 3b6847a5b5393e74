"""The dashboard: C_working as the model reads it, at the end of the request.

In full after a cut, then frozen where it stood; later turns append one line, and only when
something material changed: ρ crossed a band, an event, a risk, the plan, an answer. Live values
are derived here and fixed in width, so the size of the block is known before its values are.
"""

from __future__ import annotations

import hashlib

from msgspec import Struct, json

from partitions.working import ERRORS_WITHIN, Event, Working

BANDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
STATES = {"todo": "[ ]", "doing": "[>]", "done": "[x]"}


class Live(Struct, frozen=True):
    """Values that change every turn: ρ, tokens left, generation, newest step, last heartbeat."""

    rho: float
    budget: int
    generation: int = 1
    step: int = 0
    heartbeat: str = "--:--:--"


WIDEST = Live(rho=9.99, budget=999_999_999, generation=9_999, heartbeat="00:00:00")


def block(working: Working, live: Live, shed: tuple[str, ...] = ()) -> str:
    """The whole dashboard; `shed` names what a renewal left behind."""
    lines = ["[dashboard]", _vital(working, live)]
    if shed:
        lines.append(f"left the window: {', '.join(shed)}")
    if working.goal and working.goal.body:
        lines.append(f"goal: {working.goal.body}")
    if working.progress:
        lines.append(f"progress: {working.progress}")
    lines += [f"plan {STATES[item.state]} {item.text}" for item in working.plan]
    lines += [_event(event) for event in working.events]
    lines += [f"risk {r.id} ({r.urgency}, {r.disposition}): {r.summary}" for r in working.risks]
    lines += [f"question {id}: {text}" for id, text in working.questions]
    for pack in working.evidence:
        cited = f" [{', '.join(pack.citations)}]" if pack.citations else ""
        lines.append(f"evidence {pack.id} ({pack.confidence:.1f}): {pack.summary}{cited}")
    if working.scratchpad and working.scratchpad.body:
        lines.append(f"scratchpad: {working.scratchpad.body}")
    return "\n".join(lines)


def delta(working: Working, live: Live) -> str:
    """One line for a material change."""
    doing = next((item.text for item in working.plan if item.state == "doing"), "")
    parts = [f"[dashboard] ρ {live.rho:4.2f}, {live.budget:,} tokens left"]
    if working.events:
        latest = working.events[-1]
        parts.append(f"event {latest.ids[-1]} ({latest.urgency}): {latest.summary[:80]}")
    if doing:
        parts.append(f"doing: {doing[:60]}")
    return " · ".join(parts)


def mark(working: Working, rho: float) -> str:
    """What the model was told, summed up: equal marks mean nothing material changed."""
    state = (working.plan, working.events, working.risks, working.questions, working.goal)
    told = hashlib.sha256(json.encode(state)).hexdigest()[:8]
    return f"{sum(rho >= band for band in BANDS)}:{told}"


def _vital(working: Working, live: Live) -> str:
    errors = sum(1 for id in working.errors if id > live.step - ERRORS_WITHIN)
    interrupt = "requested" if working.interrupt else "no"
    return (
        f"ρ {live.rho:4.2f} · {live.budget:>9,} tokens left · generation {live.generation}"
        f" · errors {errors} · depth {working.depth} · heartbeat {live.heartbeat}"
        f" · interrupt {interrupt}"
    )


def _event(event: Event) -> str:
    many = f" ×{event.count}" if event.count > 1 else ""
    shown = ", ".join(event.ids[-3:]) + (", …" if event.count > 3 else "")
    return f"event {shown}{many} ({event.urgency}) {event.kind}: {event.summary}"
