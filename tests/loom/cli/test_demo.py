import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from tests.loom.cli.conftest import Run

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "import sys; from loom.cli import main; sys.exit(main())", "demo"]


def demo(folder: Path, *given: str | Path) -> str:
    """What `loom demo` prints off a terminal, from a folder of its own, exit code 0 asserted."""
    env = {"PATH": os.environ.get("PATH", ""), "TMPDIR": str(folder), "PYTHONIOENCODING": "utf-8"}
    # The tree these tests are of, whatever is installed.
    env["PYTHONPATH"] = os.pathsep.join(str(ROOT / one) for one in ("", "partitions", "paging"))
    done = subprocess.run(
        [*COMMAND, *map(str, given)], capture_output=True, cwd=folder, env=env, check=True
    )
    assert done.stderr == b""
    return done.stdout.decode()


def test_the_demo_tells_its_story_in_order(tmp_path: Path) -> None:
    """Where a plain list is full, the proof, what next: in 80 columns, and nothing of it is left on
    the disk."""
    told = demo(tmp_path)
    lines = told.splitlines()
    assert all(len(text) <= 80 and text.isprintable() for text in lines)
    wanted = ("A scripted agent", "without Loom: full at step", "The proof: nothing was lost",
              "read again", "bytes, after the", "the same", "What next")  # fmt: skip
    places = [told.index(words) for words in wanted]
    assert places == sorted(places)
    assert not any(word in told for word in ("ρ", "generation", " cut ", "cuts"))
    assert list(tmp_path.iterdir()) == []


def test_the_demo_as_json(tmp_path: Path, run: Run) -> None:
    """One object with the guarantees in it. `--out` keeps the workspace, and the first command that
    is told shows its last request; a folder that holds something is refused, and stays as it was.
    """
    kept = tmp_path / "a kept one"
    code, out, err = run("demo", "--json", "--out", kept)
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told["passed"] and told["failures"] == []
    assert told["steps"] > 150 and told["renewals"] >= 3
    assert told["recovered"] == told["results"] > 150
    assert told["bytes_recovered"] == told["bytes_read"]
    assert told["tokens_read"] > 10 * told["capacity"] and told["peak_tokens"] <= told["capacity"]
    assert 0 < told["plain_full_at"] < 50 and told["sha256"] == told["sha256_recovered"]
    assert told["read_again"] >= 5 and told["turns"] == told["steps"] + 1
    assert told["laws"] >= 10 > told["broken"] == 0
    assert len(told["next"]) == 3 and told["kept"] == str(kept)

    (command,) = [one["command"] for one in told["next"] if "loom show" in one["command"]]
    assert shlex.split(command) == ["loom", "show", str(kept)]
    code, out, _ = run(*shlex.split(command)[1:])
    assert code == 0 and out.startswith(f"=== request {told['turns']}:")
    before = sorted(kept.rglob("*"))
    code, out, err = run("demo", "--out", kept)
    assert (code, out) == (2, "") and "name another place" in err
    assert sorted(kept.rglob("*")) == before and list(tmp_path.iterdir()) == [kept]
