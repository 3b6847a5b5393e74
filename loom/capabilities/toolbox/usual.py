"""The two tools of levels 2 and 3 that any project can have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from loom.capabilities.toolbox.descriptor import SCRIPT, UTILITY, ToolDescriptor
from loom.capabilities.toolbox.processes import Ran, RunLimits
from loom.capabilities.toolbox.registry import Approve, Toolbox
from loom.capabilities.toolbox.scripts import Scripts
from loom.capabilities.toolbox.shell import READS, Shell, refuse
from loom.errors import BadInput
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
    which results of scripts are kept; see Toolbox, Shell and Scripts. Raises LoomError when there
    is no such folder.
    """
    box = Toolbox(approve)

    def ask(words: Sequence[str]) -> None:
        if approve is None:
            refuse(words)
        box.check_approved(described, {"command": words[0], "args": [*words[1:]]})

    def run_shell(given: dict[str, Any]) -> Ran:
        stdin = (given.get("stdin") or "").encode("utf-8", "replace")
        return shell.run(
            given.get("command") or "", given.get("args"), stdin, given.get("cwd") or "."
        )

    def run_script(given: dict[str, Any], redact: Rules = SECRETS) -> Ran:
        return scripts.run(given.get("path") or "", given.get("args"), redact)

    shell, scripts = Shell(project, allow, ask, limits), Scripts(project, limits, cache)
    described = ToolDescriptor(
        SHELL,
        "Run one program in the project: search, list, show files. No shell: no pipes, no"
        " redirection, no chaining, no expansion of * or $. These run as they are, others when the"
        f" user approves: {', '.join(' '.join(words) for words in shell.allow)}.",
        _parameters(
            command=_text("such as: grep -rn TODO src; with args, the program alone"),
            args={"type": "array", "items": {"type": "string"}, "description": "its words, as is"},
            stdin=_text("text for its standard input"),
            cwd=_text("a folder of the project, its root if none"),
        ),
        UTILITY,
    )
    folder = scripts.folder.relative_to(scripts.root).as_posix()
    any_script = ToolDescriptor(
        RUN_SCRIPT,
        f"Run a Python script of the project's folder {folder}. It reads `args` as JSON from"
        " standard input; what it prints is the result.",
        _parameters(
            path=_text(f"such as: {folder}/report.py"),
            args={"type": ["object", "array", "null"], "description": "what it reads"},
        ),
        SCRIPT,
        requires_approval=True,
    )
    box.add(described, run_shell)
    box.add(any_script, run_script, keeps=True)
    for one in scripts.descriptors():
        with suppress(BadInput):  # two paths may be one name; the general tool runs both
            box.add(one, partial(scripts.run, one.name), keeps=True)
    return box


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _parameters(**properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of parameters, of which the first is required."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties][:1],
        "additionalProperties": False,
    }
