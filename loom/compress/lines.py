"""The lines lowered entries are shown as: REDUCED (observation and page), COMPACT (template)."""

from __future__ import annotations

from collections.abc import Callable

from loom.render.render import shown
from loom.render.wording import ARROW
from loom.text import one_line
from partitions.message import Detail, Outcome, Said, Step, UserTurn, name_of

SAID = {Detail.REDUCED: 300, Detail.COMPACT: 100}
THOUGHT = 80  # what is kept of the text that stands beside calls


def line(entry: UserTurn | Step, detail: Detail, read: Callable[[str], str]) -> str:
    """The line of an entry at REDUCED or COMPACT, from its texts or its earlier line."""
    if entry.detail >= Detail.REDUCED and not isinstance(entry, Step):
        return one_line(entry.line, len(name_of(entry)) + 2 + SAID[detail])
    if isinstance(entry, UserTurn):
        return f"{name_of(entry)}: {one_line(shown(entry.text, read), SAID[detail])}"
    return _step_line(entry, detail)


def _step_line(step: Step, detail: Detail) -> str:
    name = name_of(step)
    if not step.outcomes:
        if step.detail >= Detail.REDUCED:
            return one_line(step.line, len(name) + 7 + SAID[detail])
        return f"{name} said: {one_line(said(step), SAID[detail])}"
    form = _reduced if detail is Detail.REDUCED else _compact
    return f"{name} " + "; ".join(form(outcome) for outcome in step.outcomes)


def _reduced(outcome: Outcome) -> str:
    reduction = outcome.reduction
    ref = reduction.outcome_ref
    return reduction.observation + (ARROW + ref if ref else "")


def _compact(outcome: Outcome) -> str:
    return outcome.reduction.compact


def said(step: Step) -> str:
    """Everything the step said, as far as it is resident."""
    return " ".join(p.text.body or "" for p in step.parts if isinstance(p, Said))
