import json
from pathlib import Path
from typing import Any

import pytest

from loom.cli.demo.tools import DemoTools, roots
from loom.inputs import ToolCall
from tests.kit.cases import all_cases


@pytest.fixture
def box(tmp_path: Path) -> DemoTools:
    """The tools over a small tree, with the demo's own roots beside it."""
    tree = tmp_path / "tree"
    (tree / "inner").mkdir(parents=True)
    (tree / "a.py").write_text("def one():\n    return 1\n", "utf-8")
    (tree / "inner" / "b.py").write_text("from a import one\n", "utf-8")
    (tmp_path / "secret.txt").write_text("no", "utf-8")
    (tmp_path / "scratch").mkdir()
    return DemoTools({**roots(), "tree": tree}, tmp_path / "scratch")


def call(name: str, **arguments: Any) -> ToolCall:
    """A call as a model makes it."""
    return ToolCall("c", name, json.dumps(arguments))


@all_cases(
    ("name", "arguments", "why"),
    [
        ("list_dir", {"path": "tree/none"}, "not a folder"),
        ("read_file", {"path": "tree/none.py"}, "no such file"),
        ("read_file", {"path": "tree/a.py", "offset": 9}, "has 2 lines"),
        ("read_file", {"path": "tree/../secret.txt"}, "leads out"),
        ("read_file", {"path": "/etc/passwd"}, "outside"),
        ("read_file", {}, "do not fit"),
        ("grep", {"pattern": "(", "path": "tree"}, "no regular expression"),
        ("write_file", {"path": "tree/a.py", "content": ""}, "read-only"),
        ("write_file", {"path": "scratch/../secret.txt", "content": ""}, "leads out"),
        ("shell", {"command": "rm -rf tree"}, "not allowed"),
        ("shell", {"command": "python -c 1"}, "not allowed"),
        ("shell", {"command": ""}, "not allowed"),
        ("shell", {"command": "wc -l 'tree"}, "do not fit"),
        ("fly", {}, "no tool"),
    ],
)
def test_what_a_tool_refuses(
    box: DemoTools, tmp_path: Path, name: str, arguments: dict[str, Any], why: str
) -> None:
    """A refusal is an error result that says why; nothing is changed."""
    text, error = box.run(call(name, **arguments))
    assert error and why in text
    assert (tmp_path / "secret.txt").read_text("utf-8") == "no"
    assert (tmp_path / "tree" / "a.py").stat().st_size == 24


def test_a_command_runs_and_names_no_real_path(box: DemoTools, tmp_path: Path) -> None:
    """Output and exit code come back, with roots in place of this machine's folders."""
    text, error = box.run(call("shell", command="python -m tabnanny tree/none.py"))
    assert not error and text.endswith("[exit code 0]")
    assert "tree/none.py" in text and str(tmp_path) not in text
