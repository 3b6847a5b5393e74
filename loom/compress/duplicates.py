"""Micro: a result the window holds twice becomes a reference to its newest copy.

Three things are duplicates: results of equal content from the same tool and arguments or under
the same call id; reads of a range that a later read of the same file covers; reads of a file that
was written whole later.
The reference names the step that holds the newest; the old text stays on its page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from loom.compress.current import SAID_KINDS, without_superseded
from loom.compress.scene import Scene
from loom.lazy import lazy_re
from loom.providers.render.render import shown
from loom.providers.render.standin import StandIn
from loom.reduce.files import RANGE_KEYS
from loom_partitions.edits import Edit, Shortened
from loom_partitions.message import Call, Detail, Outcome, Step, Text, name_of

LEAST = 200  # bytes below which a reference saves nothing
COMPARED = 32  # newer results of one question, or ranges of one file, that are kept in mind
WHOLE = (0, 1 << 60)
STARTS = (
    ("offset", "limit"),
    ("start_line", "end_line"),
    ("line_start", "line_end"),
    ("start", "end"),
)
SPAN = lazy_re(r"(\d+)-(\d+)$")


class NewerCopies(Struct):
    """The contents of newer steps: texts by their question, read ranges, written files."""

    contents: dict[tuple[str, str, int], list[tuple[Text, str]]]
    ranges: dict[str, list[tuple[int, int, int, str]]]  # first and last line, bytes, step
    written: dict[str, str]


def micro(scene: Scene) -> tuple[Edit, ...]:
    """References for all duplicates among old steps, whatever the target: they lose nothing.

    What shows a file as it is no longer leaves with them.
    """
    seen = NewerCopies({}, {}, {})
    edits: list[Edit] = []
    for entry in reversed(scene.entries):
        if not isinstance(entry, Step) or entry.detail >= Detail.REDUCED:
            continue
        old = entry.id < scene.horizon and entry.id not in scene.pinned
        for at, call, outcome in _results(entry):
            newest = _superseded(scene, seen, call, outcome)
            if newest and old:
                edits += _reference(scene, entry, at, outcome, newest)
            elif not newest:
                _remember(scene, seen, name_of(entry), call, outcome)
    done = {(edit.entry, edit.where, edit.at) for edit in edits if isinstance(edit, Shortened)}
    for edit, _ in without_superseded(scene, scene.old, SAID_KINDS):
        if isinstance(edit, Shortened) and (edit.entry, edit.where, edit.at) not in done:
            edits.append(edit)
    return tuple(reversed(edits))


def _results(step: Step) -> Iterator[tuple[int, Call, Outcome]]:
    """Outcomes that stand in full or nearly so, the last first."""
    calls = {call.id: call for call in step.calls}
    for at in range(len(step.outcomes) - 1, -1, -1):
        outcome = step.outcomes[at]
        if not outcome.error:
            yield at, calls[outcome.call_id], outcome


def _superseded(scene: Scene, seen: NewerCopies, call: Call, outcome: Outcome) -> str:
    """The name of the newer step that makes this result superfluous, or ""."""
    if outcome.text.size < LEAST or not outcome.text.whole:
        return ""
    path = _path(outcome)
    if outcome.reduction.tool == "fs:read_file" and path:
        if path in seen.written:
            return seen.written[path]
        asked, size = _range(outcome), outcome.text.size
        for first, last, newer, name in seen.ranges.get(path, ()):
            covered = asked and first <= asked[0] and asked[1] <= last
            # A smaller answer to a larger question may be "unchanged since the last read".
            if newer >= size and (covered or (first, last) == WHOLE):
                return name
    for key in _keys(call, outcome):
        for text, name in seen.contents.get(key, ()):
            if _equal(scene, text, outcome.text):
                return name
    return ""


def _remember(scene: Scene, seen: NewerCopies, name: str, call: Call, outcome: Outcome) -> None:
    path = _path(outcome)
    if outcome.reduction.tool == "fs:write_file" and path:
        seen.written.setdefault(path, name)
    if not outcome.text.whole:
        return
    asked = _range(outcome)
    if outcome.reduction.tool == "fs:read_file" and path and asked:
        _keep(seen.ranges.setdefault(path, []), (*asked, outcome.text.size, name))
    if outcome.text.size >= LEAST:
        for key in _keys(call, outcome):
            _keep(seen.contents.setdefault(key, []), (outcome.text, name))


def _keep(seen: list[Any], one: Any) -> None:
    """Only so many of a kind are compared with: a file read over and over stays linear."""
    if len(seen) < COMPARED:
        seen.append(one)


def _path(outcome: Outcome) -> str:
    """The file a result is about; "" when its name was cut, so that two could look the same."""
    path = str(outcome.reduction.minimal_args.get("path", ""))
    return "" if path.startswith("…") else path


def _range(outcome: Outcome) -> tuple[int, int] | None:
    """The lines a read asked for, WHOLE without a range, None when unknown."""
    args = outcome.reduction.minimal_args
    if not any(key in args for key in RANGE_KEYS):
        return WHOLE
    for start, end in STARTS:
        first, last = args.get(start), args.get(end)
        if isinstance(first, int) and isinstance(last, int):
            return (first, first + last - 1) if end == "limit" else (first, last)
    match = SPAN.match(str(args.get("view_range", "")))
    return (int(match[1]), int(match[2])) if match else None


def _keys(call: Call, outcome: Outcome) -> tuple[tuple[str, str, int], ...]:
    """Keys under which results are compared: the same question or call, and equal size."""
    size = outcome.text.size
    return ((call.name, call.arguments, size), ("", call.id, size))


def _equal(scene: Scene, one: Text, two: Text) -> bool:
    if shown(one, scene.read) != shown(two, scene.read):
        return False
    # What stands for a page is no text: two of them may be alike.
    return one.body is not None or not isinstance(scene.read(one.page), StandIn)


def _reference(scene: Scene, step: Step, at: int, outcome: Outcome, newest: str) -> Iterator[Edit]:
    ref = outcome.text.page or f"history/{name_of(step)}.json"
    mark = scene.window.config.mark
    body = f"[superseded {mark}: see {newest}; this one rests in {ref}]"
    text = Text(scene.sizes.count(body), outcome.text.size, body, ref, marked=True)
    if text.tokens < outcome.text.tokens:
        yield Shortened(step.id, "result", at, text)
