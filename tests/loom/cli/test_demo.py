import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "import sys; from loom.cli import main; sys.exit(main())", "demo"]


def demo(folder: Path) -> str:
    """What `loom demo` prints off a terminal, from a folder of its own, exit code 0 asserted."""
    env = {"PATH": os.environ.get("PATH", ""), "TMPDIR": str(folder), "PYTHONIOENCODING": "utf-8"}
    env["PYTHONPATH"] = str(ROOT)  # the tree these tests are of, whatever is installed
    done = subprocess.run(COMMAND, capture_output=True, cwd=folder, env=env, check=True)
    assert done.stderr == b""
    return done.stdout.decode()


def test_the_demo_prints_plain_lines_and_its_proof(tmp_path: Path) -> None:
    """A line every twenty steps, then the table; nothing of it is left on the disk."""
    lines = demo(tmp_path).splitlines()
    assert all(len(text) <= 100 and text.isprintable() for text in lines)
    steps = [text for text in lines if text.startswith("step ")]
    assert len(steps) >= 7 and all("ρ" in text for text in steps)
    assert lines[-1].startswith("Closed, reopened, compared: all ")
    assert list(tmp_path.iterdir()) == []


def test_the_demo_as_json(run: Callable[..., tuple[int, str, str]]) -> None:
    """One object with the guarantees in it."""
    code, out, err = run("demo", "--json")
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told["passed"] and told["failures"] == []
    assert told["steps"] > 150 and told["renewals"] >= 3
    assert told["recovered"] == told["results"] > 150
    assert told["bytes_recovered"] == told["bytes_read"]
    assert told["tokens_read"] > 10 * told["capacity"] and told["peak_tokens"] <= told["capacity"]
