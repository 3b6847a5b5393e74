"""The tools every project can have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loom.capabilities.toolbox import ToolDescriptor, ToolRefused, builtin
from tests.kit.cases import all_cases


def test_they_cost_nothing(project: Path) -> None:
    """Neither is declared; both are listed, with what they need."""
    box = builtin(project)
    assert box.declared() == ()
    assert [(one.name, one.level, one.requires_approval) for one in box.find("")] == [
        ("system:shell", 2, False),
        ("python:run_script", 3, True),
    ]
    assert box.find("system_shell")[0].name == "system:shell"
    assert box.find("grep in files")[0].name == "system:shell"
    assert box.find("python script")[0].name == "python:run_script"


SHELL: list[Any] = [{}, {"command": 3}, {"command": ["ls"]}, {"command": "rm -r ."}]
SHELL += [{"command": "ls", **more} for more in ({"stdin": 3}, {"cwd": []}, {"args": "-l"})]
SCRIPT: list[Any] = [{}, {"path": None}, {"path": "scripts/x.py"}]
BAD = [*(("system:shell", one) for one in SHELL), *(("python:run_script", one) for one in SCRIPT)]


@all_cases(("name", "given"), BAD)
def test_bad_arguments(project: Path, name: str, given: dict[str, Any]) -> None:
    """What a model gets wrong is refused with words it can act on."""
    run = builtin(project).get(name).run
    assert run is not None
    with pytest.raises(ToolRefused, match="refused"):
        run(given)


def test_other_commands_are_asked_about(project: Path) -> None:
    """Not those that are allowed; the host sees the words, and what it says is told."""
    asked: list[dict[str, Any]] = []

    def approve(tool: ToolDescriptor, given: dict[str, Any]) -> bool | str:
        asked.append(given)
        return given["command"] == "echo" or "no network"

    box = builtin(project, allow=[("cat",)], approve=approve)
    assert box.execute("system:shell", {"command": "cat", "args": ["a.txt"]}).ok  # type: ignore[attr-defined]
    assert box.execute("system:shell", {"command": "echo 'a b'"}).ok  # type: ignore[attr-defined]
    with pytest.raises(ToolRefused, match="no network"):
        box.execute("system:shell", {"command": "curl e.example"})
    assert asked == [
        {"command": "echo", "args": ["a b"]}, {"command": "curl", "args": ["e.example"]},
    ]  # fmt: skip
