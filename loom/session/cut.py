"""Cuts: from a window under pressure to a smaller window.

Theory of operation. A strategy proposes edits. A proposal that frees too little, or costs more than
it saves, gives way to the next level's. The remaining proposal is checked and certified
(`loom.session.certify`), or it is not applied."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from msgspec import field
from msgspec.structs import replace

from loom.compress.cut_input import CutInput
from loom.compress.digest.digest import digest_page_text, with_page_name
from loom.compress.digest.entry_facts import cut_takes_thoughts
from loom.compress.entry_memo import EntryMemo
from loom.compress.ladder import (
    Level,
    cache_prices,
    crossed_levels,
    is_cut_worth,
    with_long_texts_snipped,
)
from loom.compress.media import edits_within_media_limits
from loom.compress.newest_entries import renewal_ceiling
from loom.compress.renew import RenewalPlan, plan_renewal
from loom.compress.worth.working_set import WorkingSet
from loom.errors import BrokenLaw, LoomError, OverCapacity
from loom.policy import Policy
from loom.providers.render.dashboard import left_window_line
from loom.session.certify import (
    BLANK,
    CertifiedCut,
    Certifier,
    false_statements,
    first_changed_item,
    step_of_demanded_reasoning,
)
from loom.session.meter import media_limits, window_provider
from loom_partitions.edits import Edit, Folded
from loom_partitions.message import Notice, UserTurn
from loom_partitions.records import Compressed, Renewed
from loom_partitions.shelf import PINNED
from loom_partitions.state import PROTECTION
from loom_partitions.window import Window, apply

# What a renewal may leave behind when history alone does not do, the least protected first.
SHED = PROTECTION[3:1:-1]
MEDIA = "media"  # the name of the level


class Cutter(Certifier):
    """Makes lawful cuts. `levels` are the host's own compression levels, besides Loom's."""

    policy: Policy
    catalog: Callable[[], WorkingSet]
    levels: Sequence[Level] = ()
    memo: EntryMemo = field(default_factory=EntryMemo)
    looked: int = 0  # the last entry looked at for images and documents
    media: bool = False  # whether one has them

    def compress(
        self, window: Window, reserve: int, pressure: float, target: int | None = None
    ) -> CertifiedCut | None:
        """Return the cut made by the highest useful level that may act at ρ `pressure`; None if no
        level frees enough.

        `reserve` tokens are kept free for the dashboard that follows a cut. `target` is the size to
        reach in tokens; None means low water."""
        levels = [*crossed_levels(pressure, self.policy, self.levels)]
        if not levels:
            return None
        scene = self.cut_input(window, reserve, target)
        return next(filter(None, (self.attempt(level, scene) for level in levels)), None)

    def _has_media(self, window: Window) -> bool:
        """True once an image or document was in the window."""
        for entry in window.history.stream.entries_back:
            if entry.id <= self.looked:
                break
            self.media |= isinstance(entry, UserTurn) and entry.text.media is not None
        self.looked = window.history.next_id - 1
        return self.media

    def cut_media(self, window: Window) -> CertifiedCut | None:
        """Return a cut that brings the images and documents within the provider's limits; None if
        they are within the limits."""
        if not self._has_media(window):
            return None
        edits = edits_within_media_limits(window, media_limits(window))
        if not edits:
            return None
        start, thinking = first_changed_item(window, edits), step_of_demanded_reasoning(window)
        made = Compressed(MEDIA, edits, start, BLANK, thinking)
        return self.certify(window, made, window.tokens.total - 1, window, 0)

    def cut_input(
        self,
        window: Window,
        reserve: int,
        target: int | None = None,
        asked: bool | None = None,
        keep: frozenset[int] = frozenset(),
    ) -> CutInput:
        """Return the input of a compression level: window, sizes, target, catalog of texts.

        `asked` says whether somebody asked for the cut; None means True if a `target` is given.
        `keep` are the ids of entries that should stay as they are. `reserve` and `target` are as in
        `compress`."""
        self.memo.keep({entry.id for entry in window.history.stream.entries})
        low, given = window.target, target is not None
        return CutInput(
            window, self.policy, self.sizes, self.read, reserve, low if target is None else target,
            given if asked is None else asked, self.catalog(), self.memo,
            self.workspace.pager.retired, keep,
        )  # fmt: skip

    def attempt(self, level: Level, scene: CutInput) -> CertifiedCut | None:
        """Return the cut that one level makes; None if the cut is not worth its cost or the host
        refuses it. Raises LoomError when a level of the host's fails, BrokenLaw when the cut is not
        lawful."""
        try:
            edits = tuple(level.strategy(scene))
        except Exception as error:
            if level not in self.levels:
                raise
            why = f"{type(error).__name__}: {error}"
            raise LoomError(f"the level {level.name!r} failed: {why}; nothing was cut") from error
        window = scene.window
        if not edits and (window.settled or not level.bare):
            return None
        if level in self.levels and (wrong := false_statements(edits, self.sizes.count)):
            raise BrokenLaw(level.name, wrong)
        start, thinking = first_changed_item(window, edits), step_of_demanded_reasoning(window)
        behind = [*islice(window.history.stream, start, None)]
        if level.untold and cut_takes_thoughts(
            one for one in behind if not isinstance(one, Notice)
        ):
            return None
        after = apply(window, Compressed(level.name, edits, start, BLANK, thinking))
        freed = window.tokens.total - after.tokens.total
        least = self.policy.tuning.least_freed * window.limits.capacity
        if freed <= 0 or (level.mark and freed < least):
            return None
        suffix = after.tokens.total - after.reusable
        price = cache_prices(self.policy, window_provider(window))
        waits = level.optional and self.policy.tuning.priced
        if waits and not is_cut_worth(price, freed, suffix, window.growth):
            return None
        edits = self._write_digest_pages(scene, edits)
        # A level promises to free its least share; only a renewal promises a size.
        target = window.tokens.total - (math.ceil(least) if level.mark else 1)
        made = Compressed(level.name, edits, start, BLANK, thinking)
        return self.certify(window, made, target, window, math.inf)

    def renew(
        self,
        window: Window,
        reserve: int,
        snapshot: Callable[[Window, Renewed], Renewed],
        target: int | None = None,
        keep: frozenset[int] = frozenset(),
        *,
        refused: bool = False,
    ) -> CertifiedCut | None:
        """Return the cut to a fresh window of at most `target` tokens (None: low water); None if
        the host refuses the cut. Raises OverCapacity when no such window can be made.

        The entries with the ids `keep` stay as they are while there is room. `snapshot` takes the
        fresh window and the renewal's record, stores a snapshot, and returns the record with the
        snapshot's name. `refused` says that the provider refused the request."""
        lighter, shed, plan = self._shed_until_renewable(window, reserve, target, keep)
        scene = self.cut_input(lighter, reserve)
        made = with_long_texts_snipped(scene, plan.edits) if refused else plan.edits
        edits = self._write_digest_pages(scene, made)
        generation = window.sent.generation + 1
        fresh = Renewed(generation, edits, "", BLANK, shed, step_of_demanded_reasoning(window))
        fresh = snapshot(apply(lighter, fresh), fresh)
        return self.certify(lighter, fresh, plan.target, window, plan.room)

    def _shed_until_renewable(
        self, window: Window, reserve: int, target: int | None, keep: frozenset[int]
    ) -> tuple[Window, tuple[str, ...], RenewalPlan]:
        """Remove skills, then memory texts, from a window until the window can be renewed. Return
        (the remaining window, the removed texts' names, the plan of the renewal)."""
        shed: list[str] = []
        while True:
            names = self.sizes.count(left_window_line(tuple(shed)) + "\n") if shed else 0
            try:
                down = min(window.low if target is None else target, renewal_ceiling(window))
                asked = target is not None and not keep
                scene = self.cut_input(window, reserve + names, down, asked, keep)
                return window, tuple(shed), plan_renewal(scene)
            except OverCapacity:
                found = ((p, first_key_to_shed(window, p)) for p in SHED)
                partition, key = next(((p, key) for p, key in found if key), ("", ""))
                if not key:
                    raise
                shed.append(f"{partition}:{key}")
                window = window.less(partition, key)

    def _write_digest_pages(self, scene: CutInput, edits: Iterable[Edit]) -> tuple[Edit, ...]:
        """Store for each digest in the edits a page with a line for each of its entries. Return the
        edits, with the pages' names in the digests."""
        done: list[Edit] = []
        for edit in edits:
            if isinstance(edit, Folded):
                gone = [e for e in scene.entries if edit.takes(e.id)]
                stay = [e for e in scene.entries if not edit.takes(e.id)]
                text = digest_page_text(gone, self.read, stay).encode("utf-8", "replace")
                page = self.workspace.put_page("digest", ".md", text)
                edit = replace(edit, digest=with_page_name(edit.digest, page, self.sizes.count))
            done.append(edit)
        return tuple(done)


def first_key_to_shed(window: Window, partition: str) -> str:
    """Return the key of the next text to remove from the memory or skill partition, "" for none."""
    if partition == "skill":
        return next(iter(window.skill.idle), "")
    held = [one for one in window.shelf(partition).current if one.key != PINNED]
    # What was found while working goes before anything of the project's own, the last found first.
    found = [one for one in reversed(held) if one.quoted]
    return next((one.key for one in (*found, *held)), "")
