"""The tools every project can have."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from loom.toolbox import Limits, Refused, Scripts, builtin


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
    box = builtin(project, limits=Limits(output=4), cache=tmp_path / "cache")
    shell, script = box.get("system:shell").run, box.get("python:run_script").run
    assert shell is not None and script is not None
    assert shell({"command": "head -1 a.txt"}).stdout == b"one\n"
    assert shell({"command": "cat", "stdin": "ü", "cwd": "src"}).text == "ü"
    assert shell({"command": "cat a.txt"}).cut == 10
    assert script({"path": "scripts/total.py", "args": [1, 2]}).text == "3\n"
    assert len(list((tmp_path / "cache").iterdir())) == 1


@pytest.mark.parametrize(
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
    with pytest.raises(Refused, match="refused"):
        run(given)


def test_scripts_of_the_project_can_join(project: Path) -> None:
    """A host that wants each script found by what it does adds them as tools of their own."""
    (project / "scripts" / "weather.py").write_text('"""Tell the weather."""\nprint("rain")\n')
    box, scripts = builtin(project), Scripts(project)
    for found in scripts.descriptors():
        box.add(found, partial(scripts.run, found.name))
    (first, *_) = box.find("weather")
    run = box.get(first.name).run
    assert first.name == "scripts/weather.py"
    assert run is not None and run({}).text == "rain\n"
