"""What the stages of compression see of a context."""

import loom
from loom.compress.scene import Scene
from loom.compress.worth.catalog import Catalog
from loom_partitions.message import Step, UserTurn


def scene(ctx: loom.Context, target: int = 1) -> Scene:
    """Return what a strategy sees now; with `target` 1 everything old is too much."""
    return ctx._engine.relief.cutter.scene(ctx.window, 0, target)


def catalog(ctx: loom.Context) -> Catalog:
    """Return the catalog of all that stands in a context's window."""
    made = Catalog(ctx._engine.sizes.count.many)
    for entry in ctx.window.history.stream.entries:
        assert isinstance(entry, Step | UserTurn)
        made.note(entry, ctx._engine.workspace.read)
    return made
