"""Views in `history/`: those a request told by their paths, there before it is handed out."""

import re
from pathlib import Path

import pytest
from msgspec import json

import loom
from loom.replay.feed import replay
from loom.session.archive.restore import Restored
from loom_bench.sessions.generate import session
from tests.kit.cases import all_cases, some
from tests.kit.opened import plain
from tests.kit.step import step
from tests.kit.stores import Counting
from tests.loom.interrupt import Interrupt, Place

TOLD = re.compile(r"history/(?:user|step)_\d{4}\.(?:json|compact)")


def views(folder: Path) -> set[str]:
    """The entries whose views lie in a workspace, by the path of the one; the other lies by it."""
    found = {f"history/{path.name}" for path in folder.glob("history/*")}
    whole = {path for path in found if path.endswith(".json")}
    assert found - whole == {path.replace(".json", ".compact") for path in whole}
    return whole


def tell(ctx: loom.Context, words: str) -> loom.Turn:
    """Have the user say it, and make the request that holds it."""
    ctx.user(words)
    return ctx.turn()


@all_cases(
    "words",
    [
        "Look into step_0001.",
        "Look into history/step_0099.json, which is no entry.",
        "Look into history/user_0001.json, which is a step.",
        "Look into history/step_0001.jsonl and prehistory/step_0001.json.",
        "Look into history/step_00001.json and history/step_1.json.",
        "Look into history/digest_0001.json.",
        "Look into history/step_000000000000000000001.json.",
    ],
)
def test_what_is_no_path_of_an_entry_has_no_view(tmp_path: Path, words: str) -> None:
    """A bare name, a name of nothing, a name of something else: no folder is made."""
    with plain(tmp_path, window=16_000) as ctx:
        step(ctx)
        tell(ctx, words)
        ctx.renew()
        ctx.turn()
    assert views(tmp_path) == set()


@pytest.mark.exact
@all_cases("window", some([8_192, 32_000], 1))
def test_views_are_those_the_requests_told(tmp_path: Path, window: int) -> None:
    """Over a session with many cuts: each path a request tells opens at once, no file lies there of
    an entry that no request told, and each holds the whole entry."""
    told: set[str] = set()
    with loom.open(tmp_path, window=window, durable=False) as ctx:
        for turn in replay(ctx, session(1, 130)):
            paths = TOLD.findall(str(turn.request("openai")))
            now = {path.replace(".compact", ".json") for path in paths}
            told |= now
            assert now <= views(tmp_path) <= told
        assert ctx.window.sent.cuts > 5 and len(told) >= 5
        for path in views(tmp_path):
            whole = json.decode((tmp_path / path).read_bytes(), type=Restored)
            assert whole == ctx.history.restore(path)


@all_cases("where", ["user", "said", "call", "result", "instructions"])
def test_whoever_tells_a_path(tmp_path: Path, where: str) -> None:
    """A path counts in every text of a request; both forms of a view are written for it."""
    with plain(tmp_path, window=16_000) as ctx:
        step(ctx, "all of it")
        ctx.turn()
        path = "history/step_0001.json"
        if where == "user":
            ctx.user(f"See {path}.")
        elif where == "instructions":
            ctx.system(f"Mind /srv/here/{path}.", "more")
        elif where == "said":
            step(ctx, said=f"I look into {path}.")
        elif where == "call":
            step(ctx, args={"path": path})
        else:
            step(ctx, f"more in {path}, lines 1-9")
        assert views(tmp_path) == set()
        ctx.turn()
        assert views(tmp_path) == {path}
        compact = (tmp_path / "history/step_0001.compact").read_text("utf-8")
        assert compact == "step_0001 Ran `run 1` (exit 0)\n"


def test_views_that_were_lost_are_there_in_the_next_life(tmp_path: Path) -> None:
    """They are rebuilt from what the request at hand tells."""
    with plain(tmp_path, window=16_000) as ctx:
        step(ctx)
        tell(ctx, "See history/step_0001.json.")
    view = tmp_path / "history/step_0001.json"
    before = view.read_bytes()
    view.unlink()
    with plain(tmp_path) as ctx:
        ctx.turn()
    assert view.read_bytes() == before


def test_a_child_has_the_views_it_is_told(tmp_path: Path) -> None:
    """A path told to an agent below is of that agent's own folder."""
    with plain(tmp_path, window=16_000) as ctx:
        step(ctx)
        with ctx.agents.spawn("Go.", name="one") as child:
            step(child, "the child's")
            path = f"history/step_{child.window.history.next_id - 1:04d}.json"
            tell(child, f"See {path}.")
            (folder,) = (tmp_path / "agents").iterdir()
            assert views(folder) == {path}
    assert views(tmp_path) == set()


def test_a_purge_takes_a_value_out_of_its_view(tmp_path: Path) -> None:
    """A purge rewrites the views that hold the value, and the next request needs no other."""
    value = "the-blue-heron-7731"
    with plain(tmp_path, window=16_000) as ctx:
        step(ctx, f"pass: {value}")
        tell(ctx, "See history/step_0001.json and history/step_0001.compact.")
    view = tmp_path / "history/step_0001.json"
    assert value in view.read_text("utf-8")
    report = loom.purge(tmp_path, [value])
    assert ("view", "history/step_0001.json") in {(one.place, one.where) for one in report.places}
    assert value not in view.read_text("utf-8")
    with plain(tmp_path) as ctx:
        ctx.turn()
        whole = json.decode(view.read_bytes(), type=Restored)
        assert whole == ctx.history.restore(1) and value not in str(whole)


def test_a_turn_looks_at_what_is_new() -> None:
    """Without a path that is new a turn writes and reads nothing for views; between cuts it looks
    at the new texts alone."""
    store = Counting()
    with loom.open(store, window=200_000, policy=loom.Policy(own_tools=False)) as ctx:
        step(ctx, 2_000)
        tell(ctx, "See history/step_0001.json.")
        assert store.calls["sketch"] == 2
        looked, reads = ctx._engine.views.looked, store.calls["read"]
        for _ in range(20):
            step(ctx, "See history/step_0001.json.")
            ctx.turn()
        assert store.calls["sketch"] == 2 and store.calls["read"] == reads
        assert 20 * 27 < ctx._engine.views.looked - looked < 20 * 200
        assert looked > 40_000
        seen = ctx._engine.views.looked
        ctx.turn()
        assert ctx._engine.views.looked == seen


VIEWS = "loom/session/archive/views.py"


def test_an_interrupt_before_the_view(tmp_path: Path) -> None:
    """Interrupted at whichever line, turn() made again hands out nothing whose view is missing."""

    def lived(folder: Path, at: Place | None) -> list[Place]:
        with plain(folder, window=16_000) as ctx:
            step(ctx)
            ctx.user("See history/step_0001.json.")
            interrupt = Interrupt(at)
            try:
                with interrupt:
                    ctx.turn()
            except KeyboardInterrupt:
                ctx.turn()
            assert interrupt.raised is (at is not None)
            assert views(folder) == {"history/step_0001.json"}
            return [place for place in interrupt.seen if place[0] == VIEWS]

    found = lived(tmp_path / "calm", None)
    assert len(found) > 15
    for number, at in enumerate(found):
        lived(tmp_path / str(number), at)
