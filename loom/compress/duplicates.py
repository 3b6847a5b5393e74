"""Micro: a result that the window holds twice becomes a reference to its newest copy.

The catalog says what is superseded, and by which entry: a result that stands in a later one, a
reading that a later one covers or that was written over, the answer to a question asked again. The
old text stays on its page.
"""

from __future__ import annotations

from loom.compress.cut_input import CutInput
from loom.compress.slicing import SAID_KINDS, edits_without_superseded
from loom.compress.worth.entry_units import units_by_place
from loom_partitions.edits import Edit, Shortened
from loom_partitions.message import Detail, Outcome, Step, Text, name_of

LEAST = 200  # bytes below which a reference saves nothing


def micro(scene: CutInput) -> tuple[Edit, ...]:
    """References for all results of old steps that are superseded whole, whatever the target, and
    edits that leave out what else is superseded of what calls said."""
    edits: list[Edit] = []
    for entry in scene.old:
        whole = _references_by_place(scene, entry) if isinstance(entry, Step) else {}
        edits += whole.values()
        for edit, _ in edits_without_superseded(scene, [entry], SAID_KINDS):
            edits += [] if edit.where == "result" and edit.at in whole else [edit]
    return tuple(edits)


def _references_by_place(scene: CutInput, step: Step) -> dict[int, Shortened]:
    """The references for results of a step, by their places."""
    if step.detail >= Detail.REDUCED:
        return {}
    places, stale = units_by_place(scene.catalog.of(step)), scene.catalog.stale
    standing = {entry.id: entry for entry in scene.entries}
    found: dict[int, Shortened] = {}
    for at, outcome in enumerate(step.outcomes):
        mine, text = places.get(("result", at), ()), outcome.text
        small = text.size < LEAST or not text.whole
        if small or outcome.error or not mine or not all(unit.key in stale for unit in mine):
            continue
        newest = standing.get(max(stale[unit.key] for unit in mine))
        if isinstance(newest, Step) and _says_as_much(newest, outcome):
            edit = _reference_edit(scene, step, at, newest)
            found |= {at: edit} if edit.text.tokens < outcome.text.tokens else {}
    return found


def _says_as_much(newest: Step, old: Outcome) -> bool:
    """True where a step says at least as much as an old result, or changed what it showed: a
    smaller answer of the same tool may be "unchanged since the last"."""
    same = [one.text.size for one in newest.outcomes if one.reduction.tool == old.reduction.tool]
    return newest.detail < Detail.REDUCED and max(same, default=old.text.size) >= old.text.size


def _reference_edit(scene: CutInput, step: Step, at: int, newest: Step) -> Shortened:
    old = step.outcomes[at].text
    ref = old.page or f"history/{name_of(step)}.json"
    mark = scene.window.config.mark
    body = f"[superseded {mark}: see {name_of(newest)}; this one rests in {ref}]"
    text = Text(scene.sizes.count(body), old.size, body, ref, marked=True)
    return Shortened(step.id, "result", at, text)
