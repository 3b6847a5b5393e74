"""Micro: a result that the window holds twice becomes a reference to its newest copy.

The working set says what is superseded, and by which entry: a result that stands in a later one, a
reading that a later reading covers or whose file was written since, the answer to a question asked
again. The old text stays on its page."""

from __future__ import annotations

from loom.compress.cut_input import CutInput
from loom.compress.slicing import SAID_KINDS, edits_without_superseded
from loom.compress.worth.entry_units import units_by_place
from loom_partitions.edits import Edit, Shortened
from loom_partitions.message import Detail, Outcome, Step, Text, name_of

LEAST = 200  # bytes below which a reference saves nothing


def micro(cut_input: CutInput) -> tuple[Edit, ...]:
    """Return the edits of the compression level micro. A reference to the newer step replaces each
    outdated result of an old step. Outdated text in call arguments is removed."""
    edits: list[Edit] = []
    for entry in cut_input.old:
        whole = _references_by_place(cut_input, entry) if isinstance(entry, Step) else {}
        edits += whole.values()
        for edit, _ in edits_without_superseded(cut_input, [entry], SAID_KINDS):
            edits += [] if edit.where == "result" and edit.at in whole else [edit]
    return tuple(edits)


def _references_by_place(cut_input: CutInput, step: Step) -> dict[int, Shortened]:
    """Return the edits that replace outdated results of a step by references, by the index of the
    result in `step.outcomes`."""
    if step.detail >= Detail.REDUCED:
        return {}
    places, stale = units_by_place(cut_input.catalog.of(step)), cut_input.catalog.stale
    standing = {entry.id: entry for entry in cut_input.entries}
    found: dict[int, Shortened] = {}
    for at, outcome in enumerate(step.outcomes):
        mine, text = places.get(("result", at), ()), outcome.text
        small = text.size < LEAST or not text.whole
        if small or outcome.error or not mine or not all(unit.key in stale for unit in mine):
            continue
        newest = standing.get(max(stale[unit.key] for unit in mine))
        if isinstance(newest, Step) and _says_as_much(newest, outcome):
            edit = _reference_edit(cut_input, step, at, newest)
            found |= {at: edit} if edit.text.tokens < outcome.text.tokens else {}
    return found


def _says_as_much(newest: Step, old: Outcome) -> bool:
    """Return True if the `newest` step tells as much as the `old` result. A shorter result by the
    same tool gives False, because its text may only say "unchanged since the last"."""
    same = [one.text.size for one in newest.outcomes if one.reduction.tool == old.reduction.tool]
    return newest.detail < Detail.REDUCED and max(same, default=old.text.size) >= old.text.size


def _reference_edit(cut_input: CutInput, step: Step, at: int, newest: Step) -> Shortened:
    """Return the edit that replaces the result at index `at` of a step by a reference: "superseded:
    see step_0012"."""
    old = step.outcomes[at].text
    ref = old.page or f"history/{name_of(step)}.json"
    mark = cut_input.window.config.mark
    body = f"[superseded {mark}: see {name_of(newest)}; this one rests in {ref}]"
    text = Text(cut_input.sizes.count(body), old.size, body, ref, marked=True)
    return Shortened(step.id, "result", at, text)
