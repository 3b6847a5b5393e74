"""An agent's life in a project, through Loom and beside it under other agents' loading rules.

Theory of operation. A life is a tree, a seed and a window. Its calls and edits come from the seed
and the tree alone, so every agent lives the same one, on the same disk: a call is made, guides are
edited on some turns, and then each agent's next request is held against what the disk says. Loom's
contexts are the real ones; half-way they are closed and opened again, and every request is audited.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec import Struct, field

import loom
from benchmarks.guides.check import (
    CheckedRequest,
    GuideRoom,
    check_edit,
    check_rules,
    check_stale,
    check_ways_back,
)
from benchmarks.guides.disk import AppliedGuide, GroundTruth
from benchmarks.guides.edits import GuideEdit, edited
from benchmarks.guides.project import copied, made_tree
from benchmarks.guides.shown import ShownGuides
from benchmarks.guides.windows import PEERS, LoomWindow, PeerWindow
from benchmarks.guides.work import FolderWalk
from loom.errors import OverCapacity
from loom.providers.counts import counter_for
from loom.replay.audit import Findings

EDITED = 0.35  # share of the turns before which a guide is edited …
APPLYING = 0.75  # … mostly one that applies
SYSTEM = "You are a careful engineer. Read the project's rules, and keep to them."
OURS = "Loom"
TEXTS_KEPT = 50_000  # counts of texts in memory


class GuidedLife(Struct, frozen=True):
    """A life to be lived: a tree to copy, None for one made from the seed; its length in calls."""

    source: Path | None
    seed: int
    window: int
    steps: int


class LifeFigures(Struct):
    """Counts of a life by agent, Loom's faults with the first request of each, and broken laws."""

    tree: str
    window: int
    seed: int
    counts: dict[str, dict[str, float]] = field(default_factory=dict)
    faults: dict[tuple[str, str, str], int] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)
    refused: str = ""

    def take(self, agent: str, turn: int, found: CheckedRequest) -> None:
        """Add a request's counts; of Loom's faults the first turn of each is kept."""
        counts = self.counts.setdefault(agent, {})
        found.add("requests")
        for name, by in found.counts.items():
            counts[name] = counts.get(name, 0) + by
        for fault in found.faults if agent == OURS else ():
            self.faults.setdefault(fault, turn)


def lived(life: GuidedLife) -> LifeFigures:
    """Live a life in folders of its own."""
    with TemporaryDirectory(prefix="loom-agents-md-") as folder:
        root = Path(folder).resolve() / "repo"
        root.mkdir()
        chance = Random(f"{life.source and life.source.name} {life.seed}")
        made = (
            made_tree(life.seed, root) if life.source is None else copied(life.source, root, chance)
        )
        figures = LifeFigures(made.name, life.window, life.seed)
        cwd = root if life.seed % 2 == 0 else root / chance.choice(made.folders)
        run = _Living(life, figures, GroundTruth(root, cwd), FolderWalk(made, cwd, chance), chance)
        try:
            run.whole(Path(folder) / "workspace")
        except OverCapacity as error:
            figures.refused = error.partition
        return figures


class _Living:
    """A life while it goes on."""

    def __init__(
        self,
        life: GuidedLife,
        figures: LifeFigures,
        truth: GroundTruth,
        walk: FolderWalk,
        chance: Random,
    ) -> None:
        self.life, self.figures, self.truth, self.walk = life, figures, truth, walk
        self.chance = chance
        self.tree = walk.tree
        # Rules that stood somewhere once, or are no rules at all.
        self.known = {*self.tree.never, *(rule.text for rule in truth.every())}
        self.now: tuple[AppliedGuide, ...] = ()
        headings = [rule.heading for guide in truth.applied() for rule in guide.rules]
        self.near = chance.choice([one for one in headings if one] or [""])
        # The same texts are counted at every request, and for every agent.
        self.count: Callable[[str], int] = lru_cache(TEXTS_KEPT)(counter_for())

    def whole(self, workspace: Path) -> None:
        """Every call, with a request after each."""
        goal = f"See to this: {self.near or 'the project'}."
        with LoomWindow(workspace, self.walk.cwd, self.life.window, SYSTEM, goal) as ours:
            capacity = ours.context.window.limits.capacity
            share = loom.Policy().memory_share
            self.room = GuideRoom(int(capacity * share), self.count)
            root, cwd = self.truth.root, self.truth.cwd
            peers = [
                PeerWindow(kind(root, cwd), SYSTEM, goal, capacity, self.count) for kind in PEERS
            ]
            self._request(0, ours, peers, None, ())
            for step in range(1, self.life.steps + 1):
                if step == self.life.steps // 2:
                    ours.reopen()
                call = self.walk.call()
                self.truth.touch(call.file)
                ours.take(call, step)
                for peer in peers:
                    peer.take(call)
                between = self.truth.applied()
                self._request(step, ours, peers, self._edit(step), between)
            ours.reopen()
            self.figures.findings = ours.audit.findings
        self._costs(ours, peers)

    def _edit(self, step: int) -> GuideEdit | None:
        """An edit of a guide, on some turns."""
        if self.chance.random() >= EDITED:
            return None
        root = self.truth.root
        applied = [root / guide.path for guide in self.truth.applied()]
        names = ("AGENTS.md", "CLAUDE.md")
        every = [path for name in names for path in sorted(root.rglob(name)) if path.is_file()]
        among = applied if applied and self.chance.random() < APPLYING else every
        return edited(self.chance.choice(among), root, self.chance, step) if among else None

    def _request(
        self,
        turn: int,
        ours: LoomWindow,
        peers: list[PeerWindow],
        edit: GuideEdit | None,
        between: tuple[AppliedGuide, ...],
    ) -> None:
        """Check the next request of each agent; `between` applied before the edit."""
        self.now = self.truth.applied()
        self.known |= {rule.text for guide in (*between, *self.now) for rule in guide.rules}
        shown = ours.request()
        found = self._checked(shown, edit, between)
        check_ways_back(found, shown, self.now, ours.paged)
        self.figures.take(OURS, turn, found)
        for peer in peers:
            checked = self._checked(peer.request(), edit, between)
            self.figures.take(peer.rules.name, turn, checked)

    def _checked(
        self,
        shown: ShownGuides,
        edit: GuideEdit | None,
        between: tuple[AppliedGuide, ...],
    ) -> CheckedRequest:
        found = check_rules(shown, self.now, self.room)
        check_stale(found, shown, self.now, self.known)
        if edit is not None:
            check_edit(found, shown, edit, between, self.now)
        return found

    def _costs(self, ours: LoomWindow, peers: list[PeerWindow]) -> None:
        """Bytes sent and reused, and requests too large to send."""
        found, counts = ours.audit.findings, self.figures.counts
        counts[OURS] |= {"sent": found.sent, "reused": found.reused, "over": found.over_budget}
        for peer in peers:
            cost = {"sent": peer.sent, "reused": peer.reused, "over": peer.over}
            counts[peer.rules.name] |= cost
