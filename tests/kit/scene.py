"""What the stages of compression see of a context."""

import loom
from loom.compress.cut_input import CutInput
from loom.compress.worth.working_set import WorkingSet
from loom_partitions.message import Step, UserTurn


def scene(ctx: loom.Context, target: int = 1) -> CutInput:
    """Return what a strategy sees now; with `target` 1 everything old is too much."""
    return ctx._engine.cut_decision.cutter.cut_input(ctx.window, 0, target)


def catalog(ctx: loom.Context) -> WorkingSet:
    """Return the catalog of all that stands in a context's window."""
    made = WorkingSet(ctx._engine.sizes.count.many)
    for entry in ctx.window.history.stream.entries:
        assert isinstance(entry, Step | UserTurn)
        made.note(entry, ctx._engine.workspace.read)
    return made
