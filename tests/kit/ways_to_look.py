"""How every command of `loom` is called on what is ordinary, for tests of how it looks."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from tests.kit.bench_parts import small_scenario


class Sights(Struct, frozen=True):
    """What the commands are shown: a workspace, recorded sessions, a project, room for more."""

    workspace: Path
    recorded: Path
    project: Path
    room: Path


Ways = list[list[str | Path]]

# Every command → how it is called here. A command without a line fails.
WAYS: dict[str, Callable[[Sights], Ways]] = {
    "demo": lambda at: [[]],
    "replay": lambda at: [[at.recorded / "short.jsonl", "--window", "6000"]],
    "report": lambda at: [[at.workspace, "-o", at.room / "report.html"]],
    "bench": lambda at: [
        ["list"],
        ["run", f"{small_scenario(at.room)}:small", "--window", "4096,6000", "--seeds", "1",
         "--strategy", "tail", "--strategy", "loom", "--explain"],
        ["replay", "--sessions", at.recorded / "short.jsonl", "--window", "6000"],
    ],
    "stat": lambda at: [[at.workspace]],
    "context": lambda at: [[at.workspace], [at.workspace, "--all"]],
    "top": lambda at: [[at.workspace, "--once"]],
    "ps": lambda at: [[at.workspace]],
    "log": lambda at: [[at.workspace], [at.workspace, "--turns"]],
    "pages": lambda at: [[at.workspace]],
    "cat": lambda at: [[at.workspace, "step_0002"], [at.workspace, "read_0001"]],
    "memory": lambda at: [[at.project], [at.project, "--for", "a.py"]],
    "skills": lambda at: [[at.project], [at.project, "--strict"]],
    "check": lambda at: [[at.workspace]],
    "show": lambda at: [[at.workspace], [at.workspace, "--format", "openai"]],
    "diff": lambda at: [[at.workspace, "20", "21"], [at.workspace, "1", "60"]],
    "gc": lambda at: [[at.workspace]],
    "export": lambda at: [[at.workspace, _new(at)]],
    "import": lambda at: [[at.recorded / "short.jsonl", _new(at)]],
    "mcp": lambda at: [["--help"]],  # what it serves is a protocol, for no terminal
    "serve": lambda at: [["--help"]],
    "hook": lambda at: [["--help"]],
    "doctor": lambda at: [[]],
    "fit": lambda at: [["--help"]],
    "pin": lambda at: [[at.workspace, "Never push."]],
    "compact": lambda at: [[at.workspace]],
    "statusline": lambda at: [["--help"]],  # it reads what Claude Code gives on stdin
    "signal": lambda at: [[at.workspace, "CI is red."]],
    "purge": lambda at: [[at.workspace, "--rules"]],
    "repair": lambda at: [[at.workspace, _new(at)]],
}  # fmt: skip
# What prints texts as they are: their lines are as long as they are, and the terminal wraps them.
TEXTS = {"cat", "show", "memory"}
# What tells in sentences, which the terminal wraps: paths of any length stand in them.
SENTENCES = {
    "report",
    "export",
    "import",
    "signal",
    "pin",
    "compact",
    "statusline",
    "fit",
    "repair",
    "purge",
    "doctor",
    "skills",
    "gc",
    "check",
}


def _new(at: Sights) -> Path:
    """A place where nothing is yet."""
    return at.room / f"new{len([*at.room.iterdir()])}"
