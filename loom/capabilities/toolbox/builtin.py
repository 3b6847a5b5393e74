"""The two tools of levels 2 and 3 that any project can have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from loom.capabilities.toolbox.descriptor import SCRIPT, UTILITY, ToolDescriptor
from loom.capabilities.toolbox.errors import DuplicateTool, ToolRefused
from loom.capabilities.toolbox.processes import Ran, RunLimits
from loom.capabilities.toolbox.registry import Approve, Toolbox
from loom.capabilities.toolbox.scripts import Scripts
from loom.capabilities.toolbox.shell import READS, Shell, refuse
from loom.redact import SECRETS, Rules

SHELL, RUN_SCRIPT = "system:shell", "python:run_script"


def builtin(
    project: Path,
    *,
    allow: Iterable[Sequence[str]] = READS,
    limits: RunLimits = RunLimits(),  # noqa: B008 - frozen
    cache: Path | None = None,
    approve: Approve | None = None,
) -> Toolbox:
    """A toolbox with `system:shell` and `python:run_script`, run in a project folder.

    The scripts there are now are found by their own names and what their docstrings say, too.
    Commands that begin with the words of one of `allow` run as they are. `approve` is asked before
    any other is run, with its program and `args`, and before any script; `cache` is the folder in
    which results of scripts are kept; see Toolbox, Shell and Scripts. Raises ToolRefused when there
    is no such folder.
    """
    box = Toolbox(approve)

    def ask(words: Sequence[str]) -> None:
        if approve is None:
            refuse(words)
        box.check_approved(described, {"command": words[0], "args": [*words[1:]]})

    shell, scripts = (
        Shell(project, allow, ask, limits),
        Scripts(project, limits=limits, cache=cache),
    )
    described = _shell(shell)
    box.add(described, partial(_run_shell, shell))
    box.add(_scripts(scripts), partial(_run_script, scripts), keeps=True)
    for one in scripts.descriptors():
        with suppress(DuplicateTool):  # two paths may be one name; the general tool runs both
            box.add(one, partial(scripts.run, one.name), keeps=True)
    return box


def _shell(shell: Shell) -> ToolDescriptor:
    return ToolDescriptor(
        SHELL,
        "Run one program in the project: search, list, show files. No shell: no pipes, no"
        " redirection, no chaining, no expansion of * or $. These run as they are, others when the"
        f" user approves: {', '.join(' '.join(words) for words in shell.allow)}.",
        {
            "type": "object",
            "properties": {
                "command": {
                    "type": "string",
                    "description": "such as: grep -rn TODO src; with args, the program alone",
                },
                "args": {
                    "type": ["array", "null"],
                    "items": {"type": "string"},
                    "description": "its words, each as it is",
                },
                "stdin": {"type": "string", "description": "text for its standard input"},
                "cwd": {
                    "type": "string",
                    "description": "a folder of the project, its root if none",
                },
            },
            "required": ["command"],
            "additionalProperties": False,
        },
        UTILITY,
    )


def _scripts(scripts: Scripts) -> ToolDescriptor:
    folder = scripts.folder.relative_to(scripts.root).as_posix()
    return ToolDescriptor(
        RUN_SCRIPT,
        f"Run a Python script of the project's folder {folder}. It reads `args` as JSON from"
        " standard input; what it prints is the result.",
        {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": f"such as: {folder}/report.py"},
                "args": {"type": ["object", "array", "null"], "description": "what it reads"},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
        SCRIPT,
        requires_approval=True,
    )


def _run_shell(shell: Shell, given: dict[str, Any]) -> Ran:
    command = _text(SHELL, given, "command")
    args = given.get("args")
    if args is not None and not (isinstance(args, list) and all(isinstance(a, str) for a in args)):
        raise ToolRefused(SHELL, "`args` is a list of texts", "give each word as one")
    stdin = _text(SHELL, given, "stdin", "").encode("utf-8", "replace")
    return shell.run(command, args, stdin, _text(SHELL, given, "cwd", "."))


def _run_script(scripts: Scripts, given: dict[str, Any], redact: Rules = SECRETS) -> Ran:
    args = given.get("args")
    if args is not None and not isinstance(args, dict | list):
        raise ToolRefused(RUN_SCRIPT, "`args` is an object or a list", "put the value into one")
    return scripts.run(_text(RUN_SCRIPT, given, "path"), args, redact)


def _text(tool: str, given: dict[str, Any], name: str, default: str | None = None) -> str:
    value = given.get(name)
    value = default if value is None else value
    if not isinstance(value, str):
        raise ToolRefused(tool, f"`{name}` is a text", "give it as one")
    return value
