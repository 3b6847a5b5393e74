"""The record a workspace begins with, made anew where its own is lost."""

from __future__ import annotations

from secrets import token_hex

from msgspec import Struct
from msgspec.structs import replace

from loom.engine.archive.folded import FoldedJournal
from loom.policy import chosen, limits_of, recorded
from loom.providers.counts import Sizes, counter_for
from loom.providers.render.wording import explained, run
from loom_paging import Store
from loom_partitions.limits import Budget
from loom_partitions.records import Opened


class Birth(Struct, frozen=True):
    """What the one above says of an agent: its budget, and how deep it lives."""

    budget: Budget | None = None
    depth: int = 0


def first_record(old: Store, birth: Birth) -> Opened:
    """The record as a checkpoint of the workspace has it; else that of a new workspace, which has
    the usual sizes: the host resizes it when it opens it with its own."""
    folded = FoldedJournal.newest(old)
    if folded.commits:
        return folded.window.config
    policy, key = chosen("lazy"), f"loom-{token_hex(8)}"
    counter = counter_for("", "")
    made = Opened(
        limits_of(policy, None, None),
        recorded(policy),
        depth=birth.depth,
        encoding=counter.encoding,
        key=key,
        budget=birth.budget,
    )
    sizes = Sizes(counter)
    head, heading = sizes.message(explained(made.mark)), sizes.message(run(made.mark))
    return replace(made, limits=replace(made.limits, head=head, run=heading))
