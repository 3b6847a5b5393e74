"""Micro: a result the window holds twice becomes a reference to its newest copy.

Three things are duplicates: results of equal content from the same tool and arguments; reads of a
range that a later read of the same file covers; reads of a file that was written whole later.
The reference names the step that holds the newest; the old text stays on its page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from msgspec import Struct

from loom.compress.scene import Scene
from loom.render.render import shown
from partitions.edits import Edit, Shortened
from partitions.message import Call, Detail, Outcome, Step, Text, name_of

LEAST = 200  # characters below which a reference saves nothing


class Seen(Struct):
    """What newer steps already hold: content keys, read ranges and written files, by step name."""

    contents: dict[tuple[str, str, str], str]
    ranges: dict[str, list[tuple[int, int, str]]]
    written: dict[str, str]


def micro(scene: Scene) -> tuple[Edit, ...]:
    """References for all duplicates among old steps, whatever the target: they lose nothing."""
    seen = Seen({}, {}, {})
    edits: list[Edit] = []
    for entry in reversed(scene.entries):
        if not isinstance(entry, Step) or entry.detail >= Detail.REDUCED:
            continue
        old = entry.id < scene.horizon
        for at, call, outcome in _results(entry):
            newest = _superseded(scene, seen, call, outcome)
            if newest and old:
                edits += _reference(scene, entry, at, outcome, newest)
            elif not newest:
                _remember(scene, seen, name_of(entry), call, outcome)
    return tuple(reversed(edits))


def _results(step: Step) -> Iterator[tuple[int, Call, Outcome]]:
    """Outcomes that stand in full or nearly so, the last first."""
    calls = {call.id: call for call in step.calls}
    for at in range(len(step.outcomes) - 1, -1, -1):
        outcome = step.outcomes[at]
        if not outcome.error:
            yield at, calls[outcome.call_id], outcome


def _superseded(scene: Scene, seen: Seen, call: Call, outcome: Outcome) -> str:
    """The name of the newer step that makes this result superfluous, or ""."""
    if outcome.text.size < LEAST or not outcome.text.whole:
        return ""
    reduction = outcome.reduction
    path = str(reduction.minimal_args.get("path", ""))
    if reduction.tool == "fs:read_file" and path:
        if path in seen.written:
            return seen.written[path]
        low, high = _range(outcome)
        for first, last, name in seen.ranges.get(path, ()):
            if first <= low and high <= last:
                return name
    return seen.contents.get(_key(scene, call, outcome), "")


def _remember(scene: Scene, seen: Seen, name: str, call: Call, outcome: Outcome) -> None:
    reduction = outcome.reduction
    path = str(reduction.minimal_args.get("path", ""))
    if reduction.tool == "fs:write_file" and path:
        seen.written.setdefault(path, name)
    if not outcome.text.whole:
        return
    if reduction.tool == "fs:read_file" and path:
        seen.ranges.setdefault(path, []).append((*_range(outcome), name))
    if outcome.text.size >= LEAST:
        seen.contents.setdefault(_key(scene, call, outcome), name)


def _range(outcome: Outcome) -> tuple[int, int]:
    """The lines a read asked for; a read without a range covers the file."""
    args = outcome.reduction.minimal_args
    offset, limit = args.get("offset"), args.get("limit")
    if not isinstance(offset, int) and not isinstance(limit, int):
        return (0, 1 << 60)
    low = offset if isinstance(offset, int) else 0
    return (low, low + limit if isinstance(limit, int) else 1 << 60)


def _key(scene: Scene, call: Call, outcome: Outcome) -> tuple[str, str, str]:
    text = shown(outcome.text, scene.read)
    content = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return (call.name, call.arguments, content)


def _reference(scene: Scene, step: Step, at: int, outcome: Outcome, newest: str) -> Iterator[Edit]:
    ref = outcome.text.page or f"history/{name_of(step)}.json"
    body = f"[superseded: see {newest}; this one rests in {ref}]"
    text = Text(scene.sizes.count(body), outcome.text.size, body, ref)
    if text.tokens < outcome.text.tokens:
        yield Shortened(step.id, "result", at, text)
