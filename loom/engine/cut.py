"""A cut, decided and certified: from a window under pressure to the record that relieves it.

Theory of operation
-------------------
A strategy proposes edits. They become a record only after the window they lead to was folded and
found lawful: stored state of the protected partitions identical by hash, every call paired,
totals true, ids in order, every removed text resolvable, the request smaller and within its
target. A proposal that frees too little, or does not pay, gives way to the next level. A proposal
that breaks a law is a fault of the engine: nothing of it is applied (`BrokenLaw`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.digest import listing, named
from loom.compress.ladder import REACTIVE, Level, crossed, prices, worth
from loom.compress.prefix import prefix_tokens, shared
from loom.compress.renew import Plan, renewal
from loom.compress.scene import Scene
from loom.compress.worth.catalog import Catalog
from loom.engine.ingest import Rest
from loom.engine.meter import model_of, provider
from loom.errors import BrokenLaw, OverCapacity
from loom.policy import Policy
from loom.providers import provider_of
from loom.providers.counts import Sizes
from loom.providers.render.dashboard import left
from loom.providers.render.render import Read, Request, request
from loom_partitions import laws
from loom_partitions.edits import Edit, Folded
from loom_partitions.message import Notice, Step, Thought, UserTurn
from loom_partitions.records import Certificate, Compressed, Renewed
from loom_partitions.window import PROTECTION, Window, apply

# What a renewal may leave behind when history alone does not do, the least protected first.
SHED = PROTECTION[3:1:-1]
REFUSED_SHARE = 0.6  # of a request the provider refused, when ρ says it is small
STALE_SHARE = 0.02  # frozen notices above this share of the capacity are worth a longer cut


class Made(Struct, frozen=True):
    """A certified cut and the window it leads to."""

    record: Compressed | Renewed
    after: Window


class Cutter:
    """Makes cuts.

    `held(ref)` tells what can be restored, `last()` is the request sent last, and `on_cut` may
    refuse a cut.
    """

    def __init__(
        self,
        policy: Policy,
        sizes: Sizes,
        read: Read,
        rest: Rest,
        held: Callable[[str], bool],
        last: Callable[[], Request | None],
        on_cut: Callable[[Compressed | Renewed], bool | None] | None = None,
        catalog: Callable[[], Catalog] | None = None,
    ) -> None:
        self.policy = policy
        self.sizes = sizes
        self.read = read
        self.rest = rest
        self.held = held
        self.last = last
        self.on_cut = on_cut
        self.catalog = catalog

    def compress(
        self, window: Window, reserve: int, pressure: float, target: int | None = None
    ) -> Made | None:
        """The highest level crossed at ρ `pressure` that is worth a cut, or None.

        `reserve` tokens are kept for the dashboard that follows a cut; without a `target` it goes
        down to low water.
        """
        scene = self.scene(window, reserve, target)
        for level in crossed(pressure, self.policy):
            if not level.lean:
                made = self.attempt(level, scene)
            elif window.tokens.total >= self.policy.lean_from:
                made = self.attempt(level, self.scene(window, reserve, self._lean(window, target)))
            else:
                made = None
            if made is not None:
                return made
        return None

    def _lean(self, window: Window, target: int | None) -> int:
        """What a lean cut goes down to: so much of history, and never above low water."""
        low = window.target if target is None else target
        return min(low, window.tokens.protected + self.policy.lean)

    def react(self, window: Window, reserve: int, target: int) -> Made | None:
        """The reactive level: the provider refused what ρ allowed."""
        return self.attempt(REACTIVE, self.scene(window, reserve, target))

    def refused(self, window: Window) -> int:
        """The size a request comes down to after it was refused and nobody said how large it is."""
        return min(window.target, int(window.tokens.total * REFUSED_SHARE))

    def scene(self, window: Window, reserve: int, target: int | None = None) -> Scene:
        """What a strategy sees of a window."""
        catalog = self.catalog() if self.catalog else None
        return Scene(
            window, self.policy, self.sizes, self.read, reserve=reserve, target=target,
            catalog=catalog,
        )  # fmt: skip

    def attempt(self, level: Level, scene: Scene) -> Made | None:
        """One level's cut; None when it frees too little, does not pay, or is refused."""
        edits = tuple(level.strategy(scene))
        window = scene.window
        if not edits and (window.settled or not level.bare):
            return None
        start, thinking = first_changed(window, edits), demanded(window)
        after = apply(window, Compressed(level.name, edits, start, _BLANK, thinking))
        freed = window.tokens.total - after.tokens.total
        least = self.policy.least_freed * window.limits.capacity
        if freed <= 0 or (level.mark and freed < least):
            return None
        suffix = after.tokens.total - after.reusable
        price = prices(self.policy, provider(window))
        if level.optional and not worth(price, freed, suffix, window.growth):
            return None
        edits = self._with_pages(scene, edits)
        # A level promises to free its least share; only a renewal promises a size.
        target = window.tokens.total - (math.ceil(least) if level.mark else 1)
        return self._certified(
            window,
            lambda certificate: Compressed(level.name, edits, start, certificate, thinking),
            edits,
            target,
        )

    def renew(
        self, window: Window, reserve: int, snapshot: str, target: int | None = None
    ) -> Made | None:
        """A fresh window at or below `target` (low water); raises OverCapacity when none can be."""
        lighter, shed, plan = self._shed(window, reserve, target)
        edits = self._with_pages(self.scene(lighter, reserve), plan.edits)
        generation = window.sent.generation + 1
        return self._certified(
            lighter,
            lambda certificate: Renewed(
                generation, edits, snapshot, certificate, shed, demanded(window)
            ),
            edits,
            plan.target,
        )

    def _shed(
        self, window: Window, reserve: int, target: int | None
    ) -> tuple[Window, tuple[str, ...], Plan]:
        """(the window less what had to go, names of it, the plan): skills first, then memory."""
        shed: list[str] = []
        while True:
            names = self.sizes.count(left(tuple(shed)) + "\n") if shed else 0
            try:
                scene = self.scene(window, reserve + names, target)
                return window, tuple(shed), renewal(scene)
            except OverCapacity:
                partition = next((p for p in SHED if window.shelf(p).current), None)
                if partition is None:
                    raise
                key = first_out(window, partition)
                shed.append(f"{partition}:{key}")
                window = window.less(partition, key)

    def _with_pages(self, scene: Scene, edits: Iterable[Edit]) -> tuple[Edit, ...]:
        """Give every digest its page: a line for each entry it stands for."""
        done: list[Edit] = []
        for edit in edits:
            if isinstance(edit, Folded):
                gone = [e for e in scene.entries if edit.takes(e.id)]
                text = listing(gone, self.read).encode("utf-8", "replace")
                page = self.rest("digest", ".md", text)
                edit = replace(edit, digest=named(edit.digest, page, self.sizes.count))
            done.append(edit)
        return tuple(done)

    def _certified(
        self,
        window: Window,
        make: Callable[[Certificate], Compressed | Renewed],
        edits: tuple[Edit, ...],
        target: int,
    ) -> Made | None:
        after = apply(window, make(_BLANK))
        broken = [
            # Less what a renewal said it sheds, if anything.
            *laws.protected(window, after),
            *laws.paired(after),
            *laws.counted(after),
            *laws.ordered(after),
            *laws.restorable(edits, self.held),
        ]
        record = make(
            Certificate(
                protected=laws.fingerprints(after),
                before=window.tokens,
                after=after.tokens,
                target=target,
                reusable=self._reusable(after),
                removed=len(edits),
            )
        )
        if isinstance(record, Renewed):
            broken += [*laws.renewed(window, after, target), *laws.bounded(after)]
        else:
            broken += laws.shrinking(window, after)
        if broken:
            raise BrokenLaw(getattr(record, "level", "renewal"), broken)
        if self.on_cut is not None and self.on_cut(record) is False:
            return None
        return Made(record, apply(window, record))

    def _reusable(self, after: Window) -> int:
        """Tokens at the front of the next request that the last one holds byte for byte."""
        last, following = self.last(), request(after, self.read)
        if last is None or last.tools != following.tools:
            return 0
        return prefix_tokens(after, shared(last.messages, following.messages), self.sizes)


_BLANK = Certificate({}, Window().tokens, Window().tokens, 0, 0, 0)


def demanded(window: Window) -> int:
    """The step whose opaque reasoning its provider demands back, 0 for none.

    Some refuse a tool loop whose last reply has lost its reasoning, and do not bind that reasoning
    to what stood before it (`loom.providers`).
    """
    said = (
        entry for entry in window.history.stream.entries_back if not isinstance(entry, UserTurn)
    )
    last = next(said, None)  # what the user says after the results leaves the loop running
    if not isinstance(last, Step) or not last.outcomes:
        return 0
    formats = {part.format for part in last.parts if isinstance(part, Thought) and part.opaque}
    model = model_of(window)
    return last.id if any(provider_of(model, format).demands for format in formats) else 0


def first_out(window: Window, partition: str) -> str:
    """The key of the text that leaves a partition of the head first."""
    return window.skill.idle[0] if partition == "skill" else window.shelf(partition).current[0].key


def first_changed(window: Window, edits: Iterable[Edit]) -> int:
    """Number of the first item of the stream a cut changes: everything before it stays as sent.

    A shelf with a waiting change moves the head, and many frozen notices are worth dropping: then
    it is the first of them, or 0.
    """
    if not window.settled:
        return 0
    ids = {getattr(edit, "entry", 0) for edit in edits}
    folds = [edit for edit in edits if isinstance(edit, Folded)]
    notices = 0
    first_notice = -1
    for number, item in enumerate(window.history.stream):
        if isinstance(item, Notice):
            if item.partition != "working":
                return number  # it joins its partition at this cut
            notices += item.tokens
            first_notice = number if first_notice < 0 else first_notice
        elif item.id in ids or any(fold.takes(item.id) for fold in folds):
            stale = notices > STALE_SHARE * window.limits.capacity
            return first_notice if stale else number
    return len(window.history.stream)
