"""Compaction of history: budget, algorithm, templates, retrieval, savings of the first document."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import loom
from benchmarks.documented.payloads import MIX, mixed, step
from loom.reduce.rule import TEMPLATES
from loom.sizes import EAGER_LAYOUT
from loom_partitions.message import Detail, Digest, Step, UserTurn
from tests.kit.opened import Open
from tests.kit.requests import SMALL, messages, play, request
from tests.kit.step import act

# Parts of the window of 8,192 tokens.
LAYOUT = {
    "system prompt and tools": 1_500,
    "few-shot examples": 500,
    "compacted history": 500,
    "recent steps": 2_000,
    "goal": 200,
    "reply": 3_492,
}


@pytest.fixture
def ctx(opened: Open) -> loom.Context:
    """The documents' window: 8,192 tokens, policy "eager"."""
    return opened(policy=SMALL, window=8_192, goal="Find out.")


def entries(ctx: loom.Context) -> list[Step | UserTurn | Digest]:
    """The entries of the history."""
    return list(ctx.window.history.stream.entries)


def lowered(ctx: loom.Context) -> str:
    """The part of the request that stands for older steps, "" when there is none."""
    return next((m["content"] for m in messages(ctx) if "[earlier" in str(m["content"])), "")


def test_layout_sum(ctx: loom.Context) -> None:
    """The parts make 8,192 tokens; 3,492 of them are the reply's, 500 the compacted history's."""
    assert sum(LAYOUT.values()) == ctx.window.limits.window == 8_192
    assert ctx.window.limits.reply == EAGER_LAYOUT[8_192] == LAYOUT["reply"]
    assert loom.PRESETS["eager"].layout.compacted_tokens == LAYOUT["compacted history"]
    assert ctx.pressure.capacity == sum(LAYOUT.values()) - LAYOUT["reply"]


@pytest.mark.exact
def test_layout_system(ctx: loom.Context) -> None:
    """System prompt and tools take at most 1,500 tokens, examples 500: more is refused."""
    with pytest.raises(loom.OverCapacity):
        ctx.system("Mind it well. " * 450)
    with pytest.raises(loom.OverCapacity):
        ctx.system("Mind it well. " * 150, "examples")


@pytest.mark.exact
def test_layout_compacted(ctx: loom.Context) -> None:
    """What stands for older steps takes at most 500 tokens, however many they are."""
    for count in (5, 10, 20):
        play(ctx, *mixed(count))
        below = [e for e in entries(ctx) if isinstance(e, Digest) or e.detail >= Detail.REDUCED]
        assert 0 < sum(e.tokens for e in below) + ctx.window.limits.run <= 500


@pytest.mark.exact
def test_layout_recent(ctx: loom.Context) -> None:
    """The last three steps together take at most 2,000 tokens."""
    for number in range(4):
        act(ctx, "stock", {"item": number}, 110)
        ctx.turn()
    assert sum(e.tokens for e in entries(ctx)[-3:]) <= 2_000


@pytest.mark.exact
def test_layout_goal(ctx: loom.Context) -> None:
    """The goal as the model is shown it takes at most 200 tokens."""
    before = ctx.turn().pressure.tokens.working
    ctx.working.set_goal("Mind the next part as well. " * 100)
    ctx.renew()
    assert ctx.turn().pressure.tokens.working - before <= 200


def test_last_three_stay_full(ctx: loom.Context) -> None:
    """The newest step stands as it came, and so do the two before it, but for results that rest on
    a page: those say what they were and where; older steps are lines."""
    for one in mixed(9):
        play(ctx, one)
        steps = [entry for entry in entries(ctx) if isinstance(entry, Step)]
        assert steps[-1].detail is Detail.FULL
        assert all(entry.detail <= Detail.SNIPPED for entry in steps[-3:])
        assert all(entry.detail >= Detail.REDUCED for entry in steps[:-3])
        for outcome in [outcome for entry in steps[-3:-1] for outcome in entry.outcomes]:
            assert outcome.text.whole or outcome.text.page in (outcome.text.body or "")


def test_three_steps_are_left_alone(ctx: loom.Context) -> None:
    """With three steps or fewer none of them becomes a line."""
    play(ctx, *mixed(3))
    steps = [entry for entry in entries(ctx) if isinstance(entry, Step)]
    assert len(steps) == 3 and all(entry.detail <= Detail.SNIPPED for entry in steps)
    assert not lowered(ctx)


def test_older_steps_are_lines(ctx: loom.Context) -> None:
    """Older steps stand under one heading, a line each, in front of the recent ones."""
    play(ctx, *mixed(7))
    shown = lowered(ctx).splitlines()
    assert shown[0].startswith("[earlier ")
    assert [line.split()[0] for line in shown[1:] if line] == [f"step_{n:04}" for n in range(1, 5)]
    roles = [m["role"] for m in messages(ctx)]
    assert roles[:2] == ["system", "user"] and roles.count("tool") == 3


def test_fallback_counts(ctx: loom.Context) -> None:
    """When the lines outgrow their 500 tokens, "Earlier: N steps completed" stands for them."""
    for number in range(40):
        act(ctx, "fs:read_file", {"path": f"src/part_{number}/the_long_name_of_it.py"}, "x")
        ctx.turn()
    folded = entries(ctx)[0]
    assert isinstance(folded, Digest) and folded.steps > 5
    assert f"Earlier: {folded.steps} steps completed" in lowered(ctx)


DOCUMENTED = {
    "fs:read_file": "Read {path} ({size})",
    "fs:write_file": "Wrote {path}",
    "fs:list_dir": "Listed {path} ({count} items)",
    "web:search": "Searched '{query}' → {count} results",
    "browser:navigate": "Visited {url}",
    "system:shell": "Ran `{command}` (exit {exit_code})",
    "weather:get": "Checked weather for {location}",
}
FILLED = {
    "fs:read_file": "Read config.json (1.5 KB)",
    "fs:write_file": "Wrote report.md",
    "fs:list_dir": "Listed src/ (3 items)",
    "web:search": "Searched 'Bitcoin price' → 2 results",
    "browser:navigate": "Visited coindesk.com/btc",
    "system:shell": "Ran `git log -20` (exit 0)",
    "weather:get": "Checked weather for Oslo",
}
CALLS: dict[str, tuple[dict[str, Any], object]] = {
    "fs:read_file": ({"path": "config.json"}, {"content": "x" * 1_523}),
    "fs:write_file": ({"path": "report.md", "content": "x" * 50}, "ok"),
    "fs:list_dir": ({"path": "src/"}, {"entries": ["a", "b", "c/"]}),
    "web:search": ({"query": "Bitcoin price"}, {"results": [{"title": "a"}, {"title": "b"}]}),
    "browser:navigate": ({"url": "https://coindesk.com/btc"}, {"status": 200, "text": "x"}),
    "system:shell": ({"command": "git log -20"}, {"stdout": "a", "exit_code": 0}),
    "weather:get": ({"location": "Oslo"}, {"temperature": 3}),
}


@pytest.mark.parametrize("tool", MIX)
def test_template(opened: Open, tool: str) -> None:
    """The compact line of each of the seven tools is the documented template, filled."""
    assert TEMPLATES[tool] == DOCUMENTED[tool]
    args, result = CALLS[tool]
    made = act(opened(), tool, args, json.dumps(result)).outcomes[0].reduction
    assert made.compact == FILLED[tool]


@pytest.mark.exact
def test_example(measured: dict[str, Any]) -> None:
    """The five steps of the example shrink by two thirds, with the last three of them in full."""
    assert measured["example_after"] <= measured["example_before"] / 3


def test_retrieval_by_path(opened: Open, tmp_path: Path) -> None:
    """The path a line names is a file: the agent's own tool reads every byte of the result."""
    ctx = opened("here", policy=SMALL, window=8_192)
    one = step("web:search", 2)
    play(ctx, one, *(step("weather:get", n) for n in range(3)))
    assert "→ outputs/search_0001.json" in request(ctx)
    assert (tmp_path / "here/outputs/search_0001.json").read_text("utf-8") == one.result


def test_retrieval_by_name(ctx: loom.Context) -> None:
    """`page_in` brings back a page whole, or the lines, matches or JSON value that is asked for."""
    act(ctx, "web:search", {"query": "q"}, json.dumps({"results": [{"title": "A" * 2_000}]}))
    ref = "outputs/search_0001.json"
    assert len(ctx.page_in(ref).text) > 2_000
    assert ctx.page_in(ref, pointer="/results/0/title").text.strip('"') == "A" * 2_000


def test_step_ids(ctx: loom.Context) -> None:
    """Steps are numbered in order, in four digits, and a number is never given twice."""
    play(ctx, *mixed(4))
    assert "step_0001 " in lowered(ctx)
    ids = [entry.id for entry in entries(ctx)]
    ctx.renew()
    play(ctx, *mixed(2))
    assert ids == sorted(set(ids))
    assert entries(ctx)[-1].id > max(ids)


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("fs:read_file", "outputs/read_0001.json"),
        ("fs:list_dir", "outputs/list_0001.json"),
        ("web:search", "outputs/search_0001.json"),
        ("browser:navigate", "outputs/page_0001.json"),
        ("system:shell", "outputs/shell_0001.log"),
    ],
    ids=["read", "list", "search", "page", "shell"],
)
def test_page_name(opened: Open, tool: str, name: str) -> None:
    """A page is named after its tool and a number, in `outputs/` of the workspace."""
    one = step(tool, 1)
    made = act(opened(), tool, one.arguments, one.result)
    assert made.outcomes[0].reduction.outcome_ref == name


def test_outputs_folder(opened: Open, tmp_path: Path) -> None:
    """The folder of pages is made with the first page, in a workspace that was not there."""
    act(opened("deep/down"), "browser:navigate", {"url": "https://e.example"}, "page")
    assert [path.name for path in (tmp_path / "deep/down/outputs").iterdir()] == ["page_0001.txt"]


@pytest.mark.exact
@pytest.mark.parametrize(
    ("figure", "least"),
    [("saved_5_reads", 0.92), ("saved_10_searches", 0.94), ("saved_20_steps", 0.90)],
    ids=["reads", "searches", "history"],
)
def test_savings(measured: dict[str, Any], figure: str, least: float) -> None:
    """The tokens of reads, searches and a history of 20 steps shrink as the documents state."""
    assert measured[figure] >= least


@pytest.mark.parametrize("preset", ["lazy", "graduated"])
def test_savings_by_default(opened: Open, preset: str) -> None:
    """Five reads stand whole behind eight more steps in a window that has room for them."""
    ctx = opened(policy=replace(loom.PRESETS[preset], own_tools=False))
    reads = [step("fs:read_file", number) for number in range(5)]
    play(ctx, *reads, *(step("weather:get", number) for number in range(8)))
    said = [one["content"] for one in messages(ctx) if one["role"] == "tool"]
    assert all(one.result in said for one in reads)


def test_recovery(measured: dict[str, Any]) -> None:
    """Every offloaded byte comes back, by `page_in` and by a plain read of the file."""
    assert measured["recovered"] == 1.0


@pytest.mark.exact
def test_budget_is_kept(opened: Open) -> None:
    """No request of a long run passes the 4,700 tokens that the reply leaves."""
    ctx = opened(policy=replace(SMALL, own_tools=True), window=8_192)
    ctx.system("You are careful.")
    for one in mixed(40):
        play(ctx, one)
        assert ctx.pressure.tokens.total <= 8_192 - 3_492
