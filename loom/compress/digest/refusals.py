"""Calls that were turned down, and what was made of it later.

The words of a refusal stand in a tool's result, and so are quoted beside the call: whoever wrote
that result could have made them up. A call of the same kind that went through later is said with
it: else it would read as still forbidden.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from loom.reduce.deeds import LOST
from loom.reduce.verdict import failed
from loom_partitions.message import Fact

VERBS = {"Edited ": "edit", "Wrote ": "write", "Created ": "write"}  # how a call is told in short
DID = {"edit": "edited", "write": "written", "ran": "run"}


def made_later(facts: Sequence[Fact]) -> list[Fact]:
    """The facts; a refusal says, as its `about`, which like call went through later."""
    if not any(fact.kind == "refused" for fact in facts):
        return list(facts)
    done: dict[tuple[str, str], Fact] = {}
    for fact in facts:
        if fact.kind in DID and fact.came != LOST and not failed(fact.came):
            kind = "ran" if fact.kind == "ran" else "file"
            last = done.get((kind, fact.text))
            done[kind, fact.text] = max(last or fact, fact, key=lambda one: one.at)
    return [_with(fact, done) if fact.kind == "refused" else fact for fact in facts]


def _with(refusal: Fact, done: dict[tuple[str, str], Fact]) -> Fact:
    verb, path = asked(refusal.text)
    later = _like(path, done) if verb else done.get(("ran", refusal.text))
    if later is None or later.at <= refusal.at:
        return refusal
    return replace(refusal, about=f"{DID[later.kind]} later (step_{later.at:04d})")


def _like(path: str, done: dict[tuple[str, str], Fact]) -> Fact | None:
    """The last change of a file, whose name may be shortened at its front."""
    if not path.startswith("…"):
        return done.get(("file", path))
    found = [fact for (kind, name), fact in done.items()
             if kind == "file" and name.endswith(path[1:])]  # fmt: skip
    return max(found, key=lambda fact: fact.at, default=None)


def asked(text: str) -> tuple[str, str]:
    """(verb, file) of a call that would have changed a file; ("", text) of any other."""
    for head, verb in VERBS.items():
        if text.startswith(head):
            return verb, text.removeprefix(head)
    return "", text
