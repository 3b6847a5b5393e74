"""What cannot be seen is escaped, in one place: by `visible`, behind the few doors that print."""

import ast
import io
import json
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.cli.output import print_json, print_json_line
from loom.text import escape_invisible, escape_invisible_lines
from tests.kit.hostile import EVIL, unseen

# The only files whose code writes to a stream; rich draws what `loom/cli` gives it.
DOORS = {
    "loom/cli/output.py", "benchmarks/show.py",
    # It answers another process.
    "benchmarks/loom_bench/strategies/peers/loom_agent_worker.py",
}  # fmt: skip
ROOT = Path(__file__).resolve().parents[2]


def test_only_the_doors_print() -> None:
    """No other file of the commands, the benchmarks or their library writes to a stream."""
    found = set()
    folders = ("loom/cli", "benchmarks")
    for path in [path for folder in folders for path in ROOT.glob(f"{folder}/**/*.py")]:
        if path.name.startswith("test_") or path.relative_to(ROOT).as_posix() in DOORS:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _prints(node.func):
                found.add(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not found


def _prints(called: ast.expr) -> bool:
    """True for print, a rich console's print, and a standard stream's write."""
    if isinstance(called, ast.Name):
        return called.id == "print"
    if not isinstance(called, ast.Attribute) or called.attr not in ("print", "write", "writelines"):
        return False
    on = ast.unparse(called.value)
    return called.attr == "print" or on.startswith(("sys.std", "sys.__std"))


@given(st.text())
def test_visible_text_cannot_steer_a_terminal(text: str) -> None:
    """One line, each sign of which is printed; what could be printed before is as it was."""
    assert escape_invisible(text).isprintable()
    assert escape_invisible(escape_invisible(text)) == escape_invisible(text)
    assert not text.isprintable() or escape_invisible(text) == text


@given(st.text())
def test_visible_lines_keep_their_ends(text: str) -> None:
    """As many lines as there were, and tabs; nothing else that is not printed."""
    shown = escape_invisible_lines(text)
    assert not unseen(shown) and shown.count("\n") == text.count("\n")
    assert shown.count("\t") == text.count("\t")


@pytest.mark.parametrize("write", [print_json, print_json_line])
def test_json_escapes_what_cannot_be_seen(write: Callable[[object], None]) -> None:
    """DEL, C1, what turns the direction and what has no width are escaped, and read back."""
    with redirect_stdout(io.StringIO()) as out:
        write({EVIL: [EVIL]})
    assert not unseen(out.getvalue()) and json.loads(out.getvalue()) == {EVIL: [EVIL]}
