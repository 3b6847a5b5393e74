"""The tools every project can have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loom.capabilities.toolbox import Ran, RunLimits, ToolRefused, builtin
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


def test_they_run(project: Path, tmp_path: Path) -> None:
    """Each is given its arguments as the model wrote them."""
    (project / "scripts" / "total.py").write_text(
        "import json, sys\nprint(sum(json.load(sys.stdin)))\n"
    )
    box = builtin(project, limits=RunLimits(output=4), cache=tmp_path / "cache")
    shell, script = box.get("system:shell").run, box.get("python:run_script").run
    assert shell is not None and script is not None
    assert shell({"command": "head -1 a.txt"}).stdout == b"one\n"
    assert shell({"command": "cat", "stdin": "ü", "cwd": "src"}).text == "ü"
    assert shell({"command": "cat a.txt"}).cut == 10
    assert script({"path": "scripts/total.py", "args": [1, 2]}).text == "3\n"
    assert len(list((tmp_path / "cache").iterdir())) == 1


@all_cases(
    ("name", "given"),
    [
        ("system:shell", {}),
        ("system:shell", {"command": 3}),
        ("system:shell", {"command": ["ls"]}),
        ("system:shell", {"command": "ls", "stdin": 3}),
        ("system:shell", {"command": "ls", "cwd": []}),
        ("system:shell", {"command": "rm -r ."}),
        ("python:run_script", {}),
        ("python:run_script", {"path": None}),
        ("python:run_script", {"path": "scripts/x.py"}),
        ("python:run_script", {"path": "scripts/x.py", "args": "text"}),
    ],
)
def test_bad_arguments(project: Path, name: str, given: dict[str, Any]) -> None:
    """What a model gets wrong is refused with words it can act on."""
    run = builtin(project).get(name).run
    assert run is not None
    with pytest.raises(ToolRefused, match="refused"):
        run(given)


def test_each_script_is_found_by_what_it_does(project: Path) -> None:
    """Under its own name, and run when approved; a later one by the general tool."""
    (project / "scripts" / "weather.py").write_text('"""Tell the weather."""\nprint("rain")\n')
    box = builtin(project, approve=lambda tool, given: True)
    (first, *_) = box.find("weather")
    assert first.name == "scripts/weather.py" and first.requires_approval
    ran = box.execute(first.name, {})
    assert isinstance(ran, Ran) and ran.text == "rain\n"
    (project / "scripts" / "later.py").write_text("print(1)\n")
    ran = box.execute("python:run_script", {"path": "scripts/later.py"})
    assert isinstance(ran, Ran) and ran.text == "1\n"


def test_approval(project: Path) -> None:
    """Nobody to ask, a no and a no with a reason: each leaves the script unrun, and says so."""
    script = {"path": "scripts/mark.py"}
    (project / "scripts" / "mark.py").write_text("open('mark', 'w').write('x')\n")
    for approve, why in (
        (None, "nobody to ask"),
        (lambda tool, given: False, "not approved"),
        (lambda tool, given: f"{tool.name} not on {given['path']}", "not on scripts/mark.py"),
        (lambda tool, given: 1, "not approved"),
    ):
        with pytest.raises(ToolRefused, match=why):
            builtin(project, approve=approve).execute("python:run_script", script)
    assert not (project / "mark").exists()
    assert builtin(project).execute("system:shell", {"command": "ls"})
