"""Lives with garbage collection: what is needed can be read, what cannot was retired."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.cli import main
from loom.session.page_collection import live_pages
from tests.kit.step import own, step

TERSE = loom.Policy(
    tuning=loom.Tuning(index_tokens=60, index_share=0.01, digest_tokens=200, digest_share=0.02)
)
AFTER = st.sampled_from([0, 60, 3_600, 90_000])  # seconds
RETENTIONS = st.builds(
    loom.Retention,
    default=st.sampled_from([0.0, 3_600.0, None]),
    ttl=st.sampled_from([{}, {"shell": 0.0, "search": 0.0}]),
    quota=st.sampled_from([None, 0, 3_000]),
    horizon=st.integers(0, 3),
)
MOVES = st.one_of(
    st.tuples(st.just("step"), st.integers(0, 3), AFTER),
    st.tuples(st.just("renew"), st.sampled_from([None, 0, 600]), AFTER),
    st.tuples(st.just("gc"), RETENTIONS, AFTER),
    st.tuples(st.just("undo"), st.integers(0, 9), AFTER),
    st.tuples(st.just("promote"), st.integers(0, 9), AFTER),
    st.tuples(st.just("page_in"), st.integers(0, 9), AFTER),
    st.tuples(st.just("reopen"), st.none(), AFTER),
)


class CollectedLife:
    """A session on a clock of its own; `lost` are pages that going back found retired."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.time = folder, 1_700_000_000_000
        self.lost: set[str] = set()
        self.ctx = self.opened(window=4_096)

    def opened(self, **given: int) -> loom.Context:
        """The workspace, on this clock."""
        ctx = loom.open(self.folder, policy=TERSE, durable=False, **given)
        ctx._engine.workspace.clock = lambda: self.time
        return ctx

    def step(self, kind: int) -> None:
        """A command, or a file: some outputs are equal."""
        if kind:
            step(self.ctx, 30 + 20 * kind, tool="Read", args={"path": f"f{kind}.py"})
        else:
            step(self.ctx, "the same line of an output\n" * 60)
        self.ctx.turn()

    def renew(self, history: int | None) -> None:
        """A fresh window."""
        self.ctx.renew(history)

    def gc(self, retention: loom.Retention) -> None:
        """A collection, applied."""
        told = self.ctx.history.gc(retention)
        assert self.ctx.history.gc(retention, apply=True).gone == told.gone
        assert not self.ctx.history.gc(retention).gone

    def undo(self, back: int) -> None:
        """Go back some requests, beyond what is kept too."""
        requests = sorted(self.ctx._engine.workspace.index.requests)
        if requests:
            self.ctx.history.undo(to=requests[max(len(requests) - 1 - back, 0)])
            self.lost |= self.named() & self.retired()

    def promote(self, at: int) -> None:
        """Keep a page for good, unless it is gone."""
        table = self.ctx._engine.workspace.pager.table
        pages = [name for name in table if name.startswith("outputs/")]
        if pages and pages[at % len(pages)] not in self.retired():
            self.ctx.history.promote(pages[at % len(pages)])

    def page_in(self, at: int) -> None:
        """The model asks for a page."""
        pages = [*self.ctx._engine.workspace.pager.table]
        if pages:
            page = pages[at % len(pages)]
            own(self.ctx, "page_in", {"ref": page, "lines": "1-3"})
            self.lost |= {page} & self.retired()

    def reopen(self, _: None) -> None:
        """Close it and open it: the same request, byte for byte."""
        before = self.ctx.turn()
        self.ctx.close()
        self.ctx = self.opened()
        after = self.ctx.turn()
        assert after.request("openai", cache=False) == before.request("openai", cache=False)

    def retired(self) -> set[str]:
        """The pages that were let go."""
        return {*self.ctx._engine.workspace.pager.retired}

    def named(self) -> set[str]:
        """The pages that the window or its request names."""
        found = live_pages(self.ctx._engine.workspace, 0)
        return {page for page, why in found.items() if why == "the window"}

    def holds(self) -> None:
        """What is named can be read; what cannot be read was retired, and the other way round."""
        assert self.named() & self.retired() <= self.lost
        pager = self.ctx._engine.workspace.pager
        for page in pager.table:
            try:
                pager.get(page)
                assert page not in self.retired()
            except loom.errors.Expired:
                assert page in self.retired()
        assert not {*self.ctx._engine.workspace.folded.promoted} & self.retired()


@given(st.lists(MOVES, min_size=6, max_size=24))
def test_what_is_needed_can_be_read(moves: list[tuple[str, object, int]]) -> None:
    """At every moment of a life with cuts, collections, promotions and going back; then checked."""
    with tempfile.TemporaryDirectory() as folder:
        life = CollectedLife(Path(folder) / "w")
        try:
            for name, given, later in moves:
                life.time += 1_000 * later
                move: Callable[[object], None] = getattr(life, name)
                move(given)
                life.holds()
            life.ctx.turn()
        finally:
            life.ctx.close()
        assert main(["check", str(life.folder), "--json"]) == 0
