"""Skills in the window: the list always, a body when it is asked for, the idle one leaves first."""

from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import json

import loom
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.audit import Audit
from loom_bench.laws.lawful import Lawful
from loom_partitions import laws
from loom_partitions.skill import CATALOGUE
from tests.kit.journal import records
from tests.kit.opened import Open, opening
from tests.kit.skills import skill_in
from tests.kit.step import step

WINDOWS = [4_000, 8_192, 32_000]
NAMES = ("gif-making", "log-reading", "pdf-filling", "sql-tuning")
pytestmark = pytest.mark.usefixtures("home")
LEAST = 60  # tokens the list may take in any window


def rules(name: str, lines: int) -> str:
    """A body of about nine tokens a line that no other skill has."""
    return f"# {name}\n" + "".join(f"rule {n} of {name} stands\n" for n in range(lines))


def write(place: Path, name: str, body: str = "") -> Path:
    """Write a skill into a folder of skills."""
    return skill_in(place, name, f"All about {name}.", body or rules(name, 6))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with four small skills."""
    place = tmp_path / "skills"
    for name in NAMES:
        write(place, name)
    return place


@pytest.fixture
def opened(tmp_path: Path, place: Path) -> Iterator[Open]:
    """Open a workspace with those skills, of 8,192 tokens unless said."""
    with opening(tmp_path, window=8_192, capabilities=[loom.Skills(place)]) as make:
        yield make


def ask(ctx: loom.Context, name: str) -> str:
    """Have the model use a skill; the result of its call."""
    id = ctx.window.history.next_id
    call = loom.ToolCall(f"u{id}", "use_skill", json.encode({"name": name}).decode())
    ctx.reply(loom.Reply((call,)))
    return ctx.history.restore(id).results[f"u{id}"]


def bodies(ctx: loom.Context) -> list[str]:
    """The keys of the bodies that stand, in the order of the shelf."""
    return [held.key for held in ctx.window.skill.bodies.current if held.key != CATALOGUE]


def taken(ctx: loom.Context) -> int:
    """The tokens of all bodies."""
    held = ctx.window.skill.bodies.current
    return sum(one.text.tokens for one in held if one.key != CATALOGUE)


def check(ctx: loom.Context) -> None:
    """The laws a window alone can show, and the shares of the shelf."""
    window = ctx.window
    assert [*laws.paired(window), *laws.counted(window), *laws.ordered(window)] == []
    capacity, policy = window.limits.capacity, loom.Policy()
    assert taken(ctx) <= capacity * policy.tuning.skill_share
    listed = window.skill.bodies.get(CATALOGUE)
    assert listed is None or listed.tokens <= max(capacity * policy.tuning.catalogue_share, LEAST)


def test_an_unknown_name_changes_nothing(opened: Open) -> None:
    """The host hears of near ones by an error."""
    ctx = opened()
    commits = ctx._engine.workspace.commits
    with pytest.raises(loom.LoomError, match="near it: pdf-filling"):
        ctx.skills.use("pdf-filing")
    for name in ("zzz", "", "?", "../pdf-filling", "x" * 5_000, "\ud800"):
        with pytest.raises(loom.LoomError, match="no skill") as caught:
            ctx.skills.use(name)
        assert len(str(caught.value)) < 400
    assert ctx._engine.workspace.commits == commits


def test_one_whose_file_is_gone(opened: Open, place: Path) -> None:
    """An error says so, and nothing leaves for it; one that stands needs its file no more."""
    ctx = opened()
    ctx.skills.use("pdf-filling")
    rmtree(place / "pdf-filling")
    rmtree(place / "gif-making")
    commits = ctx._engine.workspace.commits
    with pytest.raises(loom.LoomError, match="gif-making"):
        ctx.skills.use("gif-making")
    assert ctx._engine.workspace.commits == commits
    assert "already" in ctx.skills.use("pdf-filling")
    assert "gif-making" in ask(ctx, "gif-making")
    assert bodies(ctx) == ["pdf-filling"]


# Any session at all
ACTS = st.one_of(
    st.tuples(st.sampled_from(["ask", "use"]), st.integers(0, 6)),
    st.tuples(st.just("step"), st.integers(1, 90)),
    st.tuples(st.sampled_from(["renew", "reopen", "user", "bare"]), st.just(0)),
    st.tuples(st.just("resize"), st.sampled_from(WINDOWS)),
)
SIZES = [3, 10, 20, 40, 200, 1_500, 0]


@given(st.sampled_from(WINDOWS), st.lists(ACTS, min_size=1, max_size=14))
@example(4_000, [*[("ask", 0)] * 3, ("ask", 1), ("step", 60), ("bare", 0)])  # a cut as it reopens
@settings(max_examples=20)
def test_whatever_is_used(window: int, acts: list[tuple[str, int]]) -> None:
    """No law is broken, the shares hold, and what stands is what was asked for last."""
    with TemporaryDirectory() as folder:
        place, work = Path(folder, "skills"), Path(folder, "w")
        for number, lines in enumerate(SIZES):
            write(place, f"skill-{number}", rules(f"skill-{number}", lines))
        audit = Audit(counter_for(), Redactor(), sent=Lawful().check)
        given: dict[str, Any] = {"capabilities": [loom.Skills(place)], "durable": False}
        ctx = loom.open(work, window=window, goal="Use skill-0 now.", **given)
        try:
            for act, number in acts:
                name = f"skill-{number}"
                if act == "ask":
                    ask(ctx, name)
                elif act == "use":
                    ctx.skills.use(name)
                elif act == "step":
                    step(ctx, number)
                elif act == "user":
                    ctx.user("go on")
                elif act == "renew":
                    ctx.renew()
                elif act == "resize":
                    ctx.resize(number)
                    ctx.turn()
                else:
                    turn = ctx.turn()
                    ctx.close()
                    skills = [] if act == "bare" else [loom.Skills(place)]
                    ctx = loom.open(work, **{**given, "capabilities": skills})
                    assert act == "bare" or ctx.window.skill.bodies.get(CATALOGUE) is not None
                    if act == "bare":
                        ctx.close()
                        ctx = loom.open(work, **given)
                    else:
                        audit.check_reopened(turn, ctx.turn())
                if act in ("ask", "use"):
                    assert ctx.window.skill.used[-1] == name and name in bodies(ctx)
                check(ctx)
                audit.before(ctx)
                audit.after(ctx, ctx.turn())
            assert audit.findings.broken == 0, audit.findings.details
            assert laws.deterministic(records(ctx)) == []
        finally:
            ctx.close()
