"""Reduction, tool by tool: rules and examples of the first document, on results as they come in."""

import hashlib
import json
from typing import Any

import pytest

from benchmarks.documented.payloads import MIX, step
from loom_partitions.message import Outcome, Reduction
from tests.kit.opened import Open
from tests.kit.requests import SMALL, play, request
from tests.kit.step import act

READ, WRITE, LIST, SEARCH, VISIT, SHELL, WEATHER = (
    "fs:read_file", "fs:write_file", "fs:list_dir", "web:search", "browser:navigate",
    "system:shell", "weather:get",
)  # fmt: skip
CONFIG = '{\n  "api_key": "none",\n  "model": "gpt-4",\n  "rest": "'
CONFIG = CONFIG + "r" * (1523 - len(CONFIG) - 2) + '"}'
ENTRIES = [f"part_{n}.py" for n in range(15)] + [f"folder_{n}/" for n in range(5)]
HITS = [
    {"title": f"Title {n}", "url": f"https://e.example/{n}", "snippet": f"snippet {n} " * 20}
    for n in range(10)
]
QUERY = "Bitcoin price prediction 2024"
ARTICLE = {
    "status": 200,
    "title": "Example Article",
    "text": "w" * 51_200,
    "links": [f"https://l.example/{n}" for n in range(100)],
}
GIT = {"command": "git", "args": ["log", "--oneline", "-20"]}
LOG = {"stdout": "".join(f"abc{n:03} fix\n" for n in range(20)), "stderr": "", "exit_code": 0}


def came(opened: Open, tool: str, args: dict[str, Any], result: object) -> Outcome:
    """What the window holds of one result."""
    text = result if isinstance(result, str) else json.dumps(result)
    return act(opened(), tool, args, text).outcomes[0]


def reduced(opened: Open, tool: str, args: dict[str, Any], result: object) -> Reduction:
    """The reduced form of one result."""
    return came(opened, tool, args, result).reduction


@pytest.mark.parametrize("tool", [*MIX, "an_unknown_tool"])
def test_form(opened: Open, tool: str) -> None:
    """Every result becomes {minimal_args, observation, outcome_ref}: small values, one line."""
    one = step(tool if tool in MIX else WEATHER, 1)
    made = reduced(opened, tool, one.arguments, one.result)
    assert made.tool == tool
    assert all(isinstance(value, str | int | float | bool) for value in made.minimal_args.values())
    assert len(json.dumps(made.minimal_args)) < 300
    assert 0 < len(made.observation) <= 240 and "\n" not in made.observation
    assert made.outcome_ref.startswith("outputs/") or len(one.result) <= 1_024


DIGEST = hashlib.sha256(CONFIG.encode()).hexdigest()[:8]
VISITED = "Visited example.com/article (status=200, 50KB text) – Example Article"
# Tool → (arguments, result, what is kept of the arguments, the observation, the page)
EXAMPLES: dict[str, tuple[dict[str, Any], object, dict[str, Any], str, str]] = {
    READ: ({"path": "config.json"}, {"content": CONFIG}, {"path": "config.json"},
           f"Read config.json (1523 bytes, JSON, sha {DIGEST})", "outputs/read_0001.json"),
    WRITE: (
        {"path": "report.md", "content": "# Analysis Report\n".ljust(5_234, "x")},
        {"success": True}, {"path": "report.md"}, "Wrote report.md (5234 bytes)", "",
    ),
    LIST: ({"path": "src/"}, {"entries": ENTRIES}, {"path": "src/"},
           "Listed src/: 20 items (15 files, 5 dirs)", "outputs/list_0001.json"),
    SEARCH: (
        {"query": QUERY, "count": 10}, {"results": HITS}, {"query": QUERY},
        f"Found 10 results for '{QUERY}': Title 0; Title 1; Title 2", "outputs/search_0001.json",
    ),
    VISIT: ({"url": "https://example.com/article"}, ARTICLE, {"url": "https://example.com/article"},
            VISITED, "outputs/page_0001.json"),
    SHELL: (GIT, LOG, {"command": "git log --oneline -20"}, "git log: exit 0, 20 lines output", ""),
    WEATHER: ({"location": "Oslo"}, {"temperature": 3}, {"location": "Oslo"},
              "Checked weather for Oslo", ""),
}  # fmt: skip


@pytest.mark.parametrize("tool", EXAMPLES)
def test_example(opened: Open, tool: str) -> None:
    """Each tool's example of the document keeps its arguments, one line, and a page for the rest:
    no snippet, text or link of it stays in the line."""
    arguments, result, kept, observation, page = EXAMPLES[tool]
    made = reduced(opened, tool, arguments, result)
    assert (made.minimal_args, made.outcome_ref) == (kept, page)
    assert made.observation == observation or made.compact == observation


@pytest.mark.parametrize(
    ("path", "content", "kind"),
    [("a.json", "{}", "JSON"), ("notes", "plain words", "text"), ("blob", "\0\1\2", "binary")],
    ids=["JSON", "text", "binary"],
)
def test_read_type(opened: Open, path: str, content: str, kind: str) -> None:
    """The observation of a read names the detected type: JSON, text or binary."""
    made = reduced(opened, READ, {"path": path}, content)
    assert f"({len(content)} bytes, {kind}," in made.observation


def test_read_content_stays_while_recent(opened: Open) -> None:
    """A large file is on a page and still stands whole in the window until it is compacted."""
    ctx = opened()
    content = "".join(f"line {n} of it\n" for n in range(200))
    assert act(ctx, READ, {"path": "long.txt"}, content).outcomes[0].reduction.outcome_ref
    assert json.dumps(content)[1:-1] in request(ctx)


def test_written_content_leaves_history(opened: Open) -> None:
    """Once a write is no longer the newest step, no request holds its content; the journal does."""
    ctx = opened(policy=SMALL, window=8_192)
    written = "the written content " * 30
    act(ctx, WRITE, {"path": "report.md", "content": written}, "ok")
    assert written in request(ctx)
    for number in range(4):
        play(ctx, step(WEATHER, number))
        assert written not in request(ctx)
        assert "report.md" in request(ctx)
    assert written in ctx.page_in("step_0001").text


def test_shell_error_stays(opened: Open) -> None:
    """What a failing command printed on stderr stands in its observation."""
    failed = {"stdout": "", "stderr": "ImportError: no module named app", "exit_code": 2}
    made = reduced(opened, SHELL, {"command": "pytest"}, failed)
    assert made.observation == "pytest: exit 2, 1 line output: ImportError: no module named app"


def test_any_other_tool(opened: Open) -> None:
    """A tool without a rule keeps its small arguments and the shape of its result."""
    made = reduced(opened, "stock", {"item": "bolts", "note": "n" * 500}, {"left": 3})
    assert made.minimal_args["item"] == "bolts" and len(str(made.minimal_args["note"])) < 200
    assert made.observation.startswith("stock(bolts,")


# (tool, arguments, result at the threshold, result just above it, the page's extension)
BOUNDS: dict[str, tuple[str, dict[str, Any], object, object, str]] = {
    "file": (READ, {"path": "a.txt"}, "é" * 512, "é" * 512 + "x", ".txt"),
    "file in an object": (READ, {"path": "a.txt"},
                          {"content": '"é\n' * 256, "path": "/srv/a.txt"},
                          {"content": '"é\n' * 256 + "x", "path": "/srv/a.txt"}, ".json"),
    "file in tags": (READ, {"path": "a.txt"},
                     f"<file>\n<content path='a'>\n{'x' * 1_024}\n</content>\n</file>",
                     f"<file>\n<content path='a'>\n{'x' * 1_025}\n</content>\n</file>", ".txt"),
    "file with line numbers": (READ, {"path": "a.txt"},
                               "".join(f"{n:6}→{'x' * 31}\n" for n in range(32)),
                               "".join(f"{n:6}→{'x' * 31}\n" for n in range(32)) + "    32→x",
                               ".txt"),
    "any other tool": ("stock", {}, {"result": "x\n" * 512}, {"result": "x\n" * 513}, ".json"),
    "an object of many parts": ("stock", {}, {"a": "x" * 900}, {"a": "x" * 900, "b": "x" * 200},
                                ".json"),
    "listing": (LIST, {"path": "."}, {"entries": ENTRIES[:10]}, {"entries": ENTRIES[:11]}, ".json"),
    "search": (SEARCH, {"query": "q"}, {"results": [{"title": f"t{n}"} for n in range(5)]},
               {"results": [{"title": f"t{n}"} for n in range(6)]}, ".json"),
    "shell": (SHELL, {"command": "x"}, "o" * 500, "o" * 501, ".log"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BOUNDS)
def test_offload_above(opened: Open, kind: str) -> None:
    """At 1,024 bytes, 10 entries, 5 results, 500 characters nothing is offloaded; above, all is.
    What counts is the content, not what a tool wraps it in."""
    tool, args, at, above, extension = BOUNDS[kind]
    assert reduced(opened, tool, args, at).outcome_ref == ""
    whole = at if isinstance(at, str) else json.dumps(at)
    assert came(opened, tool, args, at).text.body == whole
    assert reduced(opened, tool, args, above).outcome_ref.endswith(extension)


def test_offload_browser_always(opened: Open) -> None:
    """A visited page of one character is offloaded, too."""
    made = reduced(opened, VISIT, {"url": "https://e.example"}, {"status": 200, "text": "x"})
    assert made.outcome_ref == "outputs/page_0001.json"


def test_offload_write_never(opened: Open) -> None:
    """Content that was written is on no page, whatever its size."""
    ctx = opened()
    act(ctx, WRITE, {"path": "a.md", "content": "w" * 9_000}, "ok")
    assert ctx.pressure.pages == 0


def test_failed_call_is_told(opened: Open) -> None:
    """A failed call keeps what was tried and why it failed; its success is false."""
    call = {"path": "gone.txt"}
    made = act(opened(), READ, call, "No such file: gone.txt", error=True).outcomes[0]
    assert made.error
    assert made.reduction.observation == "Read gone.txt — failed: No such file: gone.txt"
