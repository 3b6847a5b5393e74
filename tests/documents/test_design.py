"""Reduction, compaction, storage, the agent's loop and the metrics of the second document."""

import hashlib
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import loom
from benchmarks.documented.payloads import step
from loom.reduce.rule import DEFAULT, TEMPLATES
from loom_partitions.message import Detail, Step
from tests.kit.journal import commits
from tests.kit.opened import Open
from tests.kit.requests import SMALL, play, request
from tests.kit.step import act

HITS = json.dumps({"results": [{"title": f"Title {n}", "url": "u" * 150} for n in range(10)]})
QUERY = {"query": "Bitcoin price", "count": 10}

# The six capabilities, and where each is done.
ROOMS = {
    "reduction": "loom.reduce",
    "compaction": "loom.compress",
    "isolation": "loom.capabilities.agents",
    "offloading": "loom_paging",
    "hierarchical actions": "loom.capabilities.toolbox",
    "memory tiers": "loom.capabilities.memory",
}


@pytest.mark.parametrize("name", ROOMS)
def test_capability(name: str) -> None:
    """Each of the six capabilities has a package of its own, which says what it is."""
    assert import_module(ROOMS[name]).__doc__


def test_full_to_minimal(opened: Open) -> None:
    """A search becomes its query, "Found 10 results", and the page that has all of them."""
    made = act(opened(), "web:search", QUERY, HITS).outcomes[0].reduction
    assert made.minimal_args == {"query": "Bitcoin price"}
    assert made.observation.startswith("Found 10 results")
    assert made.outcome_ref == "outputs/search_0001.json"


def test_step_fields(opened: Open, tmp_path: Path) -> None:
    """Everything a documented Step has can be read from Loom's, its results and its commit."""
    made = act(opened("here"), "web:search", QUERY, HITS)
    (outcome,) = made.outcomes
    at = commits(tmp_path / "here")[-1]["at"]
    documented = {
        "id": f"step_{made.id:04}",
        "tool_name": outcome.reduction.tool,
        "minimal_args": outcome.reduction.minimal_args,
        "observation": outcome.reduction.observation,
        "outcome_ref": outcome.reduction.outcome_ref,
        "timestamp_ms": at,
        "success": not outcome.error,
    }
    assert documented["id"] == "step_0001" and documented["tool_name"] == "web:search"
    assert documented["success"] is True and at > 1_700_000_000_000


def test_step_has_all_calls(opened: Open) -> None:
    """One reply with two calls is one step with two results; neither can leave alone."""
    ctx = opened()
    pair = (
        loom.ToolCall("a", "Read", '{"path": "a"}'),
        loom.ToolCall("b", "Read", '{"path": "b"}'),
    )
    ctx.reply(loom.Reply(pair))
    ctx.result("b", "second")
    ctx.result("a", "first")
    (made,) = ctx.window.history.stream.entries
    assert isinstance(made, Step) and [one.call_id for one in made.in_order] == ["a", "b"]


def test_compact_step(opened: Open, tmp_path: Path) -> None:
    """A compact step is an id and a summary: `step_0001 Read config.json (1.2 KB)`."""
    ctx = opened("here", policy=SMALL, window=8_192)
    act(ctx, "fs:read_file", {"path": "config.json"}, {"content": "x" * 1_229}["content"])
    play(ctx, *(step("weather:get", n) for n in range(3)))
    ctx.user("Look into history/step_0001.compact.")
    ctx.turn()
    compact = (tmp_path / "here/history/step_0001.compact").read_text("utf-8")
    assert compact == "step_0001 Read config.json (1.2 KB)\n"


# Tool → (arguments, result, what its reduced form keeps, what it discards)
KEPT: dict[str, tuple[dict[str, Any], str, list[str], str]] = {
    "fs:read_file": ({"path": "a.py"}, "the content " * 200,
                     ["a.py", "2400 bytes", hashlib.sha256(b"the content " * 200).hexdigest()[:8]],
                     "the content"),
    "fs:write_file": ({"path": "a.md", "content": "the content " * 9}, "ok",
                      ["a.md", "108 bytes"], "the content"),
    "web:search": (QUERY, HITS, ["Bitcoin price", "10 results"], "uuu"),
    "browser:navigate": ({"url": "https://e.example/a"},
                         json.dumps({"status": 200, "text": "the text " * 99}),
                         ["https://e.example/a", "status=200"], "the text"),
    "system:shell": ({"command": "make all"},
                     json.dumps({"stdout": "the output\n" * 99, "exit_code": 0}),
                     ["make all", "exit 0"], "the output"),
}  # fmt: skip


@pytest.mark.parametrize("tool", KEPT)
def test_kept_and_discarded(opened: Open, tool: str) -> None:
    """The documented fields stay in the reduced form of each tool, the documented rest leaves."""
    args, result, kept, discarded = KEPT[tool]
    made = act(opened(), tool, args, result).outcomes[0].reduction
    said = f"{made.observation} {json.dumps(made.minimal_args)}"
    assert all(value in said for value in kept)
    assert discarded not in said


@pytest.mark.exact
def test_no_model_is_called(opened: Open) -> None:
    """Forty steps are compacted by rules alone; a summary is only asked for, and may be ignored."""
    ctx = opened(policy=SMALL, window=8_192)
    for number in range(40):
        act(ctx, "fs:read_file", {"path": f"src/part_{number}/the_long_name_of_it.py"}, "x")
        ctx.turn()
    assert "steps completed" in request(ctx)
    (asked,) = ctx.turn().asks
    assert "src/part_24/the_long_name_of_it.py" in asked.ask.prompt


# Tool → (the second document's template, what Loom has in its place)
SECOND = {
    "fs:read_file": ("Read {path} ({size})", "Read {path} ({size})"),
    "fs:write_file": ("Wrote {path} ({bytes} bytes)", "Wrote {path}"),
    "web:search": ("Searched '{query}' → {count} results", "Searched '{query}' → {count} results"),
    "browser:navigate": ("Visited {url}", "Visited {url}"),
    "system:shell": ("Ran `{command}` → exit {code}", "Ran `{command}` (exit {exit_code})"),
}


@pytest.mark.parametrize("tool", SECOND)
def test_second_template(tool: str) -> None:
    """Where the two documents' templates differ, Loom has the first one's."""
    documented, loom_has = SECOND[tool]
    assert TEMPLATES[tool] == loom_has
    assert (documented == loom_has) is (tool not in ("fs:write_file", "system:shell"))


def test_second_template_default(opened: Open) -> None:
    """A tool without a template is told as `{tool_name}({args})`."""
    assert DEFAULT == "{tool}({args})"
    made = act(opened(), "stock", {"item": "bolts"}, "3").outcomes[0].reduction
    assert made.compact == "stock(bolts)"


def test_keep_recent() -> None:
    """Three recent steps are kept in full unless the policy says otherwise."""
    assert loom.Policy().recent == loom.PRESETS["eager"].recent == 3


TRIGGERS = {
    "steps": {"tokens": 10**6, "calls": 0},
    "tokens": {"steps": 1_000, "calls": 0},
    "calls": {"steps": 1_000, "tokens": 10**6},
}


def lines_after(opened: Open, trigger: str, sizes: list[int]) -> list[bool]:
    """After each step, whether an older one was lowered, with one trigger left in force."""
    layout = replace(SMALL.layout, **TRIGGERS[trigger])
    ctx = opened(policy=replace(SMALL, layout=layout), window=16_000)
    seen = []
    for size in sizes:
        act(ctx, "Bash", {"command": "make"}, size)
        ctx.turn()
        steps = [entry for entry in ctx.window.history.stream.entries if isinstance(entry, Step)]
        seen.append(any(one.detail >= Detail.REDUCED for one in steps))
    return seen


@pytest.mark.exact
@pytest.mark.parametrize(
    ("trigger", "sizes", "expected"),
    [
        ("steps", [1] * 6, [False] * 5 + [True]),
        ("tokens", [40] * 6, [False] * 5 + [True]),
        ("calls", [1] * 5, [False] * 3 + [True] * 2),
    ],
    ids=["steps", "tokens", "calls"],
)
def test_trigger(opened: Open, trigger: str, sizes: list[int], expected: list[bool]) -> None:
    """More than 5 steps, more than 2,000 tokens, or a call: each makes older steps lines alone."""
    layout = loom.PRESETS["eager"].layout
    assert (layout.steps, layout.tokens, layout.calls) == (5, 2_000, 1)
    assert lines_after(opened, trigger, sizes) == expected


def test_storage(opened: Open, tmp_path: Path) -> None:
    """A workspace has the documented files: offloaded outputs, and of a step its data and its
    compact form once a request tells the path of either."""
    ctx = opened("here", policy=SMALL, window=8_192)
    ctx.turn()
    act(ctx, "web:search", QUERY, HITS)
    act(ctx, "fs:read_file", {"path": "a.txt"}, "x" * 2_000)
    act(ctx, "system:shell", {"command": "make"}, "o" * 600)
    play(ctx, *(step("weather:get", n) for n in range(3)))
    views = {f"history/step_000{n}.{form}" for n in (1, 2) for form in ("json", "compact")}
    outputs = {"outputs/search_0001.json", "outputs/read_0002.txt", "outputs/shell_0003.log"}

    def found() -> set[str]:
        files = tmp_path.glob("here/*/*.*")
        return {path.relative_to(tmp_path / "here").as_posix() for path in files}

    assert outputs <= found() and not views & found()
    ctx.user("Compare history/step_0001.json and history/step_0002.compact.")
    ctx.turn()
    assert views | outputs <= found()


def test_storage_of_written_content(opened: Open, tmp_path: Path) -> None:
    """A line that names a step's path, as that of a long write does, has both of its files."""
    ctx = opened("here", policy=SMALL, window=8_192)
    for number in range(12):
        ctx.turn()
        act(ctx, "fs:write_file", {"path": f"{number}.md", "content": "lorem " * 400}, "ok")
    assert "history/step_" in request(ctx)
    forms = [{p.stem for p in tmp_path.glob(f"here/history/*.{f}")} for f in ("json", "compact")]
    assert forms[0] == forms[1] != set()


def test_full_step_data(opened: Open, tmp_path: Path) -> None:
    """`history/step_0001.json` has the whole step: calls, arguments, every byte of the result."""
    ctx = opened("here", policy=SMALL, window=8_192)
    one = step("web:search", 1)
    play(ctx, one, *(step("weather:get", n) for n in range(3)))
    ctx.user("Look into history/step_0001.json.")
    ctx.turn()
    data = json.loads((tmp_path / "here/history/step_0001.json").read_text("utf-8"))
    assert list(data["results"].values()) == [one.result]
    assert one.thought in json.dumps(data)
