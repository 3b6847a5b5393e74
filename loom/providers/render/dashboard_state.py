"""What a dashboard told the model, summed up, so that only a material change is told again."""

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
    """Sum up what a dashboard tells: ρ, errors, interrupt, secrets, a fingerprint of each
    surface."""
    said = {RHO: f"{live.rho:.2f}", ERRORS: str(error_count(working, live))}
    said |= {REDACTED: "yes"} if live.redacted else {}
    return _join_state(said | _fingerprints(working))


def _fingerprints(working: Working) -> dict[str, str]:
    """Fingerprints of what is told of each surface, and the interrupt. Progress and scratchpad are
    the model's own words: they need no telling between cuts."""
    lines: dict[str, list[str]] = {}
    for surface, line, _ in surface_lines(working):
        if surface not in OWN_WORDS:
            lines.setdefault(surface, []).append(line)
    if working.goal and working.goal.body:
        lines["goal"] = [working.goal.body]
    prints = {
        name: hashlib.sha256("\n".join(said).encode()).hexdigest()[:8]
        for name, said in lines.items()
    }
    return {INTERRUPT: interrupt_word(working)} | prints


def dashboard_changes(before: str, now: str) -> set[str]:
    """Where two of `told` differ: surfaces, errors, interrupt, and ρ when it moved enough."""
    one, two = _split_state(before), _split_state(now)
    differ = {name for name in one.keys() | two.keys() if one.get(name) != two.get(name)}
    if RHO in one and RHO in two and round(abs(float(one[RHO]) - float(two[RHO])), 2) < MOVED:
        differ.discard(RHO)
    return differ


def state_after_own_words(said: str, before: Working, after: Working) -> str:
    """The summary of what was told, once the model itself has written: that needs no telling.
    Closing a question may bring another back, of which it does not know."""
    one, two = _fingerprints(before), _fingerprints(after)
    parts = _split_state(said)
    for name in (*SURFACES, INTERRUPT):
        if one.get(name) != two.get(name) and len(after.questions) >= len(before.questions):
            parts.pop(name, None)
            parts |= {name: two[name]} if name in two else {}
    return _join_state(parts)


def _join_state(parts: dict[str, str]) -> str:
    order = sorted(parts, key=lambda name: (name in SURFACES, name))
    return " ".join(f"{name}={parts[name]}" for name in order)


def _split_state(said: str) -> dict[str, str]:
    return dict(part.split("=") for part in said.split())
