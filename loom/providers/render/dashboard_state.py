"""A summary of what the dashboard last told the model, who is told again only if it changes."""

from __future__ import annotations

import hashlib

from loom.providers.render.dashboard import (
    ERRORS,
    INTERRUPT,
    OWN_WORDS,
    REDACTED,
    RHO,
    SURFACES,
    LiveValues,
    error_count,
    interrupt_word,
    surface_lines,
)
from loom_partitions.working import Working

MOVED = 0.1  # of ρ, since it was told: it is told again


def dashboard_state(working: Working, live: LiveValues) -> str:
    """Return a text that sums up a dashboard, as `name=value` words. The names are ρ, errors,
    interrupt, redacted, and the surfaces; a surface's value is a hash of its lines."""
    said = {RHO: f"{live.rho:.2f}", ERRORS: str(error_count(working, live))}
    said |= {REDACTED: "yes"} if live.redacted else {}
    return _join_state(said | _fingerprints(working))


def _fingerprints(working: Working) -> dict[str, str]:
    """Return {name: value} for the interrupt and for each surface that the model must be told of. A
    surface's value is a hash of its lines."""
    lines: dict[str, list[str]] = {}
    for surface, line, _ in surface_lines(working):
        if surface not in OWN_WORDS:  # the model wrote these
            lines.setdefault(surface, []).append(line)
    if working.goal and working.goal.body:
        lines["goal"] = [working.goal.body]
    prints = {
        name: hashlib.sha256("\n".join(said).encode()).hexdigest()[:8]
        for name, said in lines.items()
    }
    return {INTERRUPT: interrupt_word(working)} | prints


def dashboard_changes(before: str, now: str) -> set[str]:
    """Return the names whose values differ between two texts of `dashboard_state`, without ρ if it
    moved by less than `MOVED`."""
    one, two = _split_state(before), _split_state(now)
    differ = {name for name in one.keys() | two.keys() if one.get(name) != two.get(name)}
    if RHO in one and RHO in two and round(abs(float(one[RHO]) - float(two[RHO])), 2) < MOVED:
        differ.discard(RHO)
    return differ


def state_after_own_words(said: str, before: Working, after: Working) -> str:
    """Return the state `said` with new values for the surfaces that the model changed itself: the
    surfaces that differ between `before` and `after`."""
    one, two = _fingerprints(before), _fingerprints(after)
    parts = _split_state(said)
    for name in (*SURFACES, INTERRUPT):
        # After a question was closed, the dashboard may show another, unknown to the model.
        if one.get(name) != two.get(name) and len(after.questions) >= len(before.questions):
            parts.pop(name, None)
            parts |= {name: two[name]} if name in two else {}
    return _join_state(parts)


def _join_state(parts: dict[str, str]) -> str:
    """Return {name: value} as a text of `name=value` words, surfaces last."""
    order = sorted(parts, key=lambda name: (name in SURFACES, name))
    return " ".join(f"{name}={parts[name]}" for name in order)


def _split_state(said: str) -> dict[str, str]:
    return dict(part.split("=") for part in said.split())
