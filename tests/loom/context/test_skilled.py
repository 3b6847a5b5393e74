"""Skills in the window: the list always, a body when it is asked for, the idle one leaves first."""

from __future__ import annotations

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
from loom_partitions import laws
from loom_partitions.records import Renewed, SkillActivated, SkillDropped, SkillUsed
from loom_partitions.skill import CATALOGUE
from tests.kit.cases import all_cases
from tests.kit.journal import records
from tests.kit.opened import Open, opening
from tests.kit.step import step

WINDOWS = [4_000, 8_192, 32_000]
NAMES = ("gif-making", "log-reading", "pdf-filling", "sql-tuning")
pytestmark = pytest.mark.usefixtures("home")
LEAST = 60  # tokens the list may take in any window


def rules(name: str, lines: int) -> str:
    """A body of about nine tokens a line that no other skill has."""
    return f"# {name}\n" + "".join(f"rule {n} of {name} stands\n" for n in range(lines))


def write(place: Path, name: str, body: str = "", said: str = "") -> Path:
    """Write a skill into a folder of skills."""
    folder = place / name
    folder.mkdir(parents=True, exist_ok=True)
    text = f"---\nname: {name}\ndescription: {said or f'All about {name}.'}\n---\n"
    (folder / "SKILL.md").write_text(text + (body or rules(name, 6)), "utf-8")
    return folder


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


def cut(ctx: loom.Context) -> None:
    """Work until there was another cut."""
    cuts = ctx.window.sent.cuts
    for _ in range(200):
        step(ctx, 60)
        ctx.turn()
        if ctx.window.sent.cuts > cuts:
            return
    raise AssertionError("no cut came")


def sent(turn: loom.Turn) -> str:
    """All that a request says."""
    return str(turn.request()["messages"])


def head(turn: loom.Turn) -> str:
    """Its leading system message."""
    first = turn.request()["messages"][0]
    return str(first["content"]) if first["role"] == "system" else ""


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
    assert taken(ctx) <= capacity * policy.skill_share
    listed = window.skill.bodies.get(CATALOGUE)
    assert listed is None or listed.tokens <= max(capacity * policy.catalogue_share, LEAST)


# The list


def test_without_skills_nothing_is_new(opened: Open, tmp_path: Path) -> None:
    """No list, no tool, no record more than without: for none given, and for an empty folder."""
    (tmp_path / "none").mkdir()
    ctx = opened(capabilities=[loom.Skills()])
    assert ctx.skills.found == () and "use_skill" not in ctx.tools.own
    assert ctx.window.skill.bodies.current == () and "use_skill" not in sent(ctx.turn())
    with pytest.raises(loom.LoomError, match="no skill"):
        ctx.skills.use("pdf-filling")
    commits = ctx._engine.workspace.commits
    ctx.close()
    ctx = opened(capabilities=[loom.Skills(tmp_path / "none")])
    assert ctx._engine.workspace.commits == commits and "use_skill" not in ctx.tools.own
    ctx.close()
    with pytest.warns(loom.RefusedFiles, match="missing: cannot be read"):
        ctx = opened(capabilities=[loom.Skills(tmp_path / "missing")])
    assert ctx._engine.workspace.commits == commits and ctx.skills.found == ()


def test_a_folder_that_is_not_there_is_told(opened: Open, tmp_path: Path) -> None:
    """A mistyped folder is in the warnings, also when it was the only one."""
    with pytest.warns(loom.RefusedFiles, match="missing: cannot be read"):
        told = opened(capabilities=[loom.Skills(tmp_path / "missing")]).skills.warnings
    assert told


@all_cases("window", WINDOWS)
@all_cases("number", [1, 4, 40, 400])
def test_the_list_stands_from_the_first_request_on(
    tmp_path: Path, window: int, number: int
) -> None:
    """Under "catalogue" in the head, within its share, whatever it has to leave out."""
    for n in range(number):
        write(tmp_path / "many", f"skill-{n:03d}", "x", f"Work of kind {n}, told at length. " * 3)
    with loom.open(
        tmp_path / "w", window=window, capabilities=[loom.Skills(tmp_path / "many")], durable=False
    ) as ctx:
        assert len(ctx.skills.found) == number
        listed = ctx.window.skill.bodies.get(CATALOGUE)
        assert listed is not None and "use_skill" in ctx.tools.own
        room = max(int(ctx.window.limits.capacity * ctx._engine.policy.catalogue_share), LEAST)
        assert 0 < listed.tokens <= room
        turn = ctx.turn()
        assert (listed.body or "") in head(turn) and "use_skill" in head(turn)
        assert "skill-000" in head(turn) or "skills: find them" in head(turn)
        assert turn.pressure.rho <= 1.0 and bodies(ctx) == []


def test_the_project_and_home_have_skills_too(opened: Open, tmp_path: Path, home: Path) -> None:
    """Those of the project beside those given; home counts with a project only."""
    write(tmp_path / "p" / ".agents" / "skills", "of-project")
    write(home / ".agents" / "skills", "of-home")
    ctx = opened(project=tmp_path / "p")
    assert {one.name for one in ctx.skills.found} == {*NAMES, "of-project", "of-home"}
    assert "of-project" in head(ctx.turn()) and "of-home" in head(ctx.turn())
    assert "stands" in ctx.skills.use("of-home")
    ctx.close()
    assert {one.name for one in opened().skills.found} == set(NAMES)


def test_opened_again_nothing_is_written(opened: Open) -> None:
    """The same skills are the same list: no record, and byte for byte the same request."""
    ctx = opened(goal="Use pdf-filling.")
    turn, commits = ctx.turn(), ctx._engine.workspace.commits
    ctx.close()
    ctx = opened(goal="Use pdf-filling.")
    assert ctx._engine.workspace.commits == commits
    assert ctx.turn().sha256 == turn.sha256


# A body comes


def test_a_goal_that_names_one_brings_it(opened: Open) -> None:
    """Its body stands in the head of the first request; the others wait."""
    ctx = opened(goal="Fill the form, with the pdf-filling skill.")
    assert bodies(ctx) == ["pdf-filling"]
    assert "rule 5 of pdf-filling stands" in head(ctx.turn())
    check(ctx)


@pytest.mark.parametrize("goal", ["", "Mend the parser.", "Look at the log and the form."])
def test_a_goal_that_names_none_brings_none(opened: Open, goal: str) -> None:
    """The list is all there is."""
    assert bodies(opened(goal=goal)) == []


@all_cases("window", WINDOWS)
@all_cases("by", ["model", "host"])
def test_a_body_is_appended_then_joins_the_head(opened: Open, window: int, by: str) -> None:
    """It stands at once, the request before is the front of the next; a cut moves it up."""
    ctx = opened(window=window)
    ctx.user("go")
    before = ctx.turn().request()["messages"]
    said = ask(ctx, "sql-tuning") if by == "model" else ctx.skills.use("sql-tuning")
    assert "sql-tuning" in said
    turn = ctx.turn()
    assert turn.request()["messages"][: len(before)] == before
    assert "rule 5 of sql-tuning stands" in sent(turn)
    assert "rule 5 of sql-tuning stands" not in head(turn)
    check(ctx)
    cut(ctx)
    assert "rule 5 of sql-tuning stands" in head(ctx.turn())
    assert sent(ctx.turn()).count("rule 5 of sql-tuning stands") == 1
    check(ctx)


@pytest.mark.parametrize("by", ["model", "host"])
def test_one_that_stands_is_not_brought_twice(opened: Open, by: str) -> None:
    """Only the order of use changes: no copy, and no tokens but those of the call."""
    ctx = opened()
    ctx.skills.use("pdf-filling")
    ctx.skills.use("gif-making")
    ctx.turn()
    shelf, tokens = ctx.window.skill.bodies, ctx.window.tokens
    (said := ask(ctx, "pdf-filling")) if by == "model" else (said := ctx.skills.use("pdf-filling"))
    assert "already" in said and len(said) < 200
    assert records(ctx)[-1] == SkillUsed("pdf-filling")
    assert ctx.window.skill.bodies == shelf and ctx.window.skill.used[-1] == "pdf-filling"
    more = ctx.window.tokens.total - tokens.total
    assert 0 < more < 80 if by == "model" else more == 0
    assert sent(ctx.turn()).count("rule 5 of pdf-filling stands") == 1


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


def test_a_skill_called_catalogue(opened: Open, place: Path) -> None:
    """Whatever its name, its body can be brought, and the list stays."""
    write(place, CATALOGUE)
    ctx = opened()
    ctx.skills.use(CATALOGUE)
    turn = ctx.turn()
    assert "rule 5 of catalogue stands" in sent(turn) and "- pdf-filling" in sent(turn)


SECRET = "sk-ant-" + "a1B2c3D4" * 5


@pytest.mark.exact
@pytest.mark.parametrize("lines", [1, 900])
def test_a_secret_in_a_skill_is_redacted(
    opened: Open, place: Path, tmp_path: Path, lines: int
) -> None:
    """In body and description, whole or on a page: no request and no file holds it."""
    body = f"use {SECRET}\n" * lines
    write(place, "keyed", body, f"Work with {SECRET}.")
    ctx = opened()
    ctx.skills.use("keyed")
    assert SECRET not in sent(ctx.turn()) and "[redacted:api-key]" in sent(ctx.turn())
    for at in (tmp_path / "w").rglob("*"):
        assert at.is_dir() or SECRET.encode() not in at.read_bytes()


# Bodies leave


@pytest.mark.parametrize("window", WINDOWS)
def test_the_body_unused_longest_leaves(opened: Open, place: Path, window: int) -> None:
    """Four that each take over a third of the share: two stand, and the list always."""
    ctx = opened(window=window)
    third = int(ctx.window.limits.capacity * ctx._engine.policy.skill_share / 9 * 0.38)
    for name in NAMES:
        write(place, name, rules(name, third))
    for name in NAMES[:2]:
        ctx.skills.use(name)
    assert bodies(ctx) == list(NAMES[:2])
    ctx.turn()
    ctx.skills.use(NAMES[0])  # now the second is unused longest
    ask(ctx, NAMES[2])
    assert bodies(ctx) == [NAMES[0], NAMES[2]]
    made = [r for r in records(ctx) if isinstance(r, SkillDropped)]
    assert [r.key for r in made] == [NAMES[1]]
    check(ctx)
    ctx.turn()
    ctx.skills.use(NAMES[3])
    assert bodies(ctx) == [NAMES[2], NAMES[3]]
    ctx.skills.use(NAMES[1])  # one that left comes again
    assert bodies(ctx) == [NAMES[3], NAMES[1]]
    assert ctx.window.skill.bodies.get(CATALOGUE) is not None
    check(ctx)
    cut(ctx)
    turn = ctx.turn()
    for name in NAMES:
        assert (f"rule 1 of {name} stands" in head(turn)) == (name in bodies(ctx))
    assert "- sql-tuning" in head(turn)
    check(ctx)


@pytest.mark.parametrize("window", WINDOWS)
def test_a_body_too_large_is_an_excerpt(opened: Open, place: Path, window: int) -> None:
    """Within the share; its last line names the page that gives it back whole."""
    body = "".join(f"## Part {n}\n{rules(f'part {n}', 40)}\n" for n in range(30))
    write(place, "large", body)
    ctx = opened(window=window, goal="Mend the parser.")
    ctx.turn()
    ask(ctx, "large")
    check(ctx)
    held = ctx.window.skill.bodies.get("large")
    assert held is not None
    text = ctx.page_in(held.page).text if held.body is None else held.body
    last = text.rstrip("\n").split("\n")[-1]
    assert "large" in last and "in part" in last
    (page,) = (name for name in ctx._engine.workspace.pager.table if name in last)
    assert ctx.page_in(page).text.strip("\n") == body.strip("\n")
    assert last in sent(ctx.turn()).replace("\\n", "\n")
    id = ctx.window.history.next_id
    call = loom.ToolCall("p", "page_in", json.encode({"ref": page, "lines": "1-3"}).decode())
    ctx.reply(loom.Reply((call,)))
    assert "## Part 0" in ctx.history.restore(id).results["p"]


def test_an_excerpt_uses_its_room(opened: Open, place: Path) -> None:
    """A title over hundreds of short sections: more is shown than the title."""
    parts = "".join(f"## Part {n}\n{n} stands\n\n" for n in range(900))
    write(place, "large", f"# Large\n\n{parts}")
    ctx = opened(window=32_000)
    ctx.skills.use("large")
    share = ctx.window.limits.capacity * ctx._engine.policy.skill_share
    assert share / 2 < taken(ctx) <= share


@pytest.mark.exact
def test_a_policy_says_the_shares(opened: Open) -> None:
    """Smaller shares, smaller list and fewer bodies; at a reopen those of the first opening."""
    policy = loom.Policy(skill_share=0.02, catalogue_share=0.012)
    ctx = opened(policy=policy)
    capacity = ctx.window.limits.capacity
    for _ in range(2):
        for name in NAMES:
            ctx.skills.use(name)
            assert taken(ctx) <= capacity * 0.02
        listed = ctx.window.skill.bodies.get(CATALOGUE)
        assert listed is not None and listed.tokens <= capacity * 0.012
        ctx.close()
        ctx = opened()


def test_an_open_call_waits_meanwhile(opened: Open) -> None:
    """A skill asked for beside a call of the host: its result still comes next to its call."""
    ctx = opened()
    ctx.user("go")
    audit = Audit(counter_for(), Redactor())
    audit.before(ctx)
    audit.after(ctx, ctx.turn())
    use = '{"name":"pdf-filling"}'
    parts = (
        loom.ToolCall("u", "use_skill", use),
        loom.ToolCall("h", "Bash", "{}"),
        loom.ToolCall("v", "use_skill", use),
    )
    ctx.reply(loom.Reply(parts))
    ctx.skills.use("gif-making")
    assert [one.id for one in ctx.calls] == ["h"]
    ctx.result("h", "ok")
    audit.before(ctx)
    audit.after(ctx, ctx.turn())
    assert audit.findings.broken == 0, audit.findings.details
    assert bodies(ctx) == ["pdf-filling", "gif-making"]
    assert sent(ctx.turn()).count("rule 5 of pdf-filling stands") == 1


def test_a_body_too_large_leaves_others_their_room(opened: Open, place: Path) -> None:
    """An excerpt of few tokens sends no body away that stands beside it within the share."""
    write(place, "large", "# Large\n" + "x9Kq2" * 60_000)
    ctx = opened(window=32_000)
    for name in NAMES:
        ctx.skills.use(name)
    before = taken(ctx)
    ctx.skills.use("large")
    held = ctx.window.skill.bodies.get("large")
    assert held is not None
    room = ctx.window.limits.capacity * ctx._engine.policy.skill_share
    assert before + held.tokens > room or bodies(ctx) == [*NAMES, "large"]


# Renewal and reopening


@pytest.mark.parametrize("window", WINDOWS)
def test_bodies_survive_a_renewal(opened: Open, window: int) -> None:
    """List and bodies stand in the head of the fresh window, in the same order of use."""
    ctx = opened(window=window, goal="Use gif-making.")
    ctx.turn()
    ask(ctx, "sql-tuning")
    for _ in range(3):
        step(ctx, 20)
        ctx.turn()
    before = ctx.window
    ctx.renew()
    assert ctx.window.sent.generation == 2
    assert laws.protected(before, ctx.window) == [] and ctx.window.skill.used == before.skill.used
    turn = ctx.turn()
    for name in ("gif-making", "sql-tuning"):
        assert f"rule 5 of {name} stands" in head(turn)
    assert "- pdf-filling" in head(turn)
    check(ctx)


@pytest.mark.parametrize("kept", [True, False], ids=["with skills", "without"])
def test_bodies_survive_a_reopen(opened: Open, kept: bool) -> None:
    """With the skills, the list too; without, the list goes and the bodies stay."""
    goal = "Use pdf-filling."
    ctx = opened(goal=goal)
    ctx.turn()
    ask(ctx, "sql-tuning")
    ctx.turn()
    made, used = records(ctx), ctx.window.skill.used
    ctx.close()
    ctx = opened(goal=goal) if kept else opened(goal=goal, capabilities=[loom.Skills()])
    assert bodies(ctx) == ["pdf-filling", "sql-tuning"] and ctx.window.skill.used == used
    more = records(ctx)[len(made) :]
    assert not any(isinstance(r, SkillActivated | SkillUsed) for r in more)
    assert (ctx.window.skill.bodies.get(CATALOGUE) is not None) == kept
    for _ in range(2):
        cut(ctx)
    turn = ctx.turn()
    assert sent(turn).count("rule 5 of pdf-filling stands") == 1
    assert sent(turn).count("rule 5 of sql-tuning stands") == 1
    assert ("# Skill: catalogue" in head(turn)) == kept
    check(ctx)


def test_the_goal_brings_nothing_back(opened: Open) -> None:
    """A skill of the goal that has left stays away at a reopen, until it is asked for."""
    goal = "Use pdf-filling."
    ctx = opened(goal=goal)
    ctx.turn()
    ctx.skills.drop("pdf-filling")
    for _ in range(2):
        ctx.close()
        ctx = opened(goal=goal)
        assert bodies(ctx) == []
        ctx.turn()
    ctx.skills.use("pdf-filling")
    assert bodies(ctx) == ["pdf-filling"]


def shed_by(ctx: loom.Context) -> tuple[str, ...]:
    """What the newest renewal left behind."""
    return next(r.shed for r in reversed(records(ctx)) if isinstance(r, Renewed))


@pytest.mark.exact
@all_cases(("limit", "gone"), [(1_600, 0), (1210, 1), (1070, 2), (920, 3), (800, 4)])
def test_a_renewal_sheds_the_idle_first(opened: Open, place: Path, limit: int, gone: int) -> None:
    """In the order of use, the list last of the shelf, and only then memory."""
    for name in NAMES:
        write(place, name, rules(name, 14))
    ctx = opened(policy=loom.Policy(own_tools=False), window=8_192, reply=800)
    for name in NAMES[:3]:
        ctx.skills.use(name)
    ctx.skills.use(NAMES[0])
    ctx.memory.remember("AGENTS.md", "Run make test.\n" * 70)
    ctx.user("go")
    step(ctx, 60)
    ctx.turn()
    ctx.overflowed(ValueError(f"maximum context length is {limit} tokens"))
    order = (f"skill:{NAMES[1]}", f"skill:{NAMES[2]}", f"skill:{NAMES[0]}", "skill:catalogue")
    shed = shed_by(ctx) if ctx.window.sent.generation > 1 else ()
    assert shed == order[:gone]
    turn = ctx.turn()
    assert turn.pressure.rho <= 1.0
    assert laws.bounded(ctx.window) == []
    for name in ("pdf-filling", "log-reading", "gif-making"):
        assert (f"rule 1 of {name} stands" in sent(turn)) == (f"skill:{name}" not in shed)


@pytest.mark.parametrize("goes", [NAMES[:1], NAMES], ids=["one", "all"])
def test_skills_removed_between_openings(opened: Open, place: Path, goes: tuple[str, ...]) -> None:
    """The list is renewed or dropped; a body that stands stays, its name is no skill's now."""
    ctx = opened(goal="Use gif-making.")
    ctx.user("go")
    before = ctx.turn().request()["messages"]
    ctx.close()
    for name in goes:
        rmtree(place / name)
    ctx = opened()
    turn = ctx.turn()
    assert turn.request()["messages"][: len(before)] == before
    assert bodies(ctx) == ["gif-making"]
    listed = ctx.window.skill.bodies.get(CATALOGUE)
    assert (listed is None) == (goes == NAMES)
    assert listed is None or "gif-making" not in (listed.body or "")
    with pytest.raises(loom.LoomError, match="no skill"):
        ctx.skills.use("gif-making")
    assert "skill" in ask(ctx, "gif-making")
    cut(ctx)
    assert "rule 5 of gif-making stands" in head(ctx.turn())
    check(ctx)


def test_a_new_skill_joins_at_a_reopen(opened: Open, place: Path) -> None:
    """The list that stood is followed by the new one, and replaced by it with the next cut."""
    ctx = opened()
    ctx.user("go")
    before = ctx.turn().request()["messages"]
    ctx.close()
    write(place, "tax-paying")
    ctx = opened()
    assert ctx.turn().request()["messages"][: len(before)] == before
    assert "- tax-paying" in sent(ctx.turn())
    cut(ctx)
    assert "- tax-paying" in head(ctx.turn()) and sent(ctx.turn()).count("- gif-making") == 1


@pytest.mark.exact
@pytest.mark.parametrize("window", [4_000, 2_600])
def test_a_smaller_window_has_room_for_fewer(opened: Open, place: Path, window: int) -> None:
    """After a move to it, the next body that comes brings all of them within the share."""
    for name in NAMES:
        write(place, name, rules(name, 20))
    ctx = opened(window=32_000)
    for name in NAMES[:3]:
        ctx.skills.use(name)
    ctx.turn()
    ctx.resize(window)
    ctx.turn()
    ctx.skills.use(NAMES[3])
    assert "sql-tuning" in bodies(ctx)
    assert taken(ctx) <= ctx.window.limits.capacity * ctx._engine.policy.skill_share
    assert ctx.turn().pressure.rho <= 1.0


@pytest.mark.exact
def test_a_smaller_window_alone_keeps_the_shares(opened: Open, place: Path) -> None:
    """List and bodies are within their shares of the new capacity by the next request."""
    for name in NAMES:
        write(place, name, rules(name, 40))
    ctx = opened(window=32_000)
    for name in NAMES:
        ctx.skills.use(name)
    ctx.turn()
    ctx.resize(4_000)
    ctx.turn()
    check(ctx)


# Any session at all

ACTS = st.one_of(
    st.tuples(st.sampled_from(["ask", "use"]), st.integers(0, 6)),
    st.tuples(st.just("step"), st.integers(1, 90)),
    st.tuples(st.sampled_from(["renew", "reopen", "user", "bare"]), st.just(0)),
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
        audit = Audit(counter_for(), Redactor())
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
                        audit.reopened(turn, ctx.turn())
                if act in ("ask", "use"):
                    assert ctx.window.skill.used[-1] == name and name in bodies(ctx)
                check(ctx)
                audit.before(ctx)
                audit.after(ctx, ctx.turn())
            assert audit.findings.broken == 0, audit.findings.details
            assert laws.deterministic(records(ctx)) == []
        finally:
            ctx.close()
