"""Scripts of the project, run and remembered."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from loom.capabilities.toolbox.descriptor import SCRIPT
from loom.capabilities.toolbox.processes import Ran
from loom.capabilities.toolbox.scripts import ResultCache, Scripts
from loom.errors import LoomError
from tests.kit.cases import all_cases

ECHO = '"""Says what it was given.\n\nAnd more."""\nimport sys\nprint(sys.stdin.read(), end="")\n'
# Counts its runs in a file no result depends on.
COUNTS = """
import json, sys
from helper import times
with open("runs", "a") as file:
    file.write("x")
print(times * json.load(sys.stdin)["n"])
"""


@pytest.fixture
def counted(project: Path) -> Path:
    """A project whose script leaves a mark each time it runs."""
    (project / "scripts" / "count.py").write_text(COUNTS)
    (project / "scripts" / "helper.py").write_text("times = 2\n")
    return project


def runs(project: Path) -> int:
    """How often it was run."""
    path = project / "runs"
    return len(path.read_text()) if path.exists() else 0


def test_no_scripts(project: Path, tmp_path: Path) -> None:
    """A project without scripts has none, with and without the folder."""
    assert Scripts(project).descriptors() == ()
    with pytest.raises(LoomError, match="no such script; there are none"):
        Scripts(project).run("scripts/x.py")
    with pytest.raises(LoomError, match="no folder"):
        Scripts(tmp_path / "none")


REFUSED = {
    "only .py files": ("", "scripts", "scripts/notes.txt"),
    "only .py files in scripts": ("src/b.py", "scripts/../src/b.py", "scripts/within.py"),
    "no such script": ("scripts/missing.py", "scripts/folder.py"),
    "outside the project": ("../outside/evil.py", "/etc/evil.py", "~/evil.py"),
    "a link leads it outside": ("scripts/out.py",),
    "no path": ("scripts/a\0b.py",),
}


@all_cases(("path", "why"), [(path, why) for why, paths in REFUSED.items() for path in paths])
def test_refused(project: Path, tmp_path: Path, path: str, why: str) -> None:
    """Only a script of the folder is run, and no link leads to another."""
    (tmp_path / "outside" / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    (project / "scripts" / "notes.txt").write_text("")
    (project / "scripts" / "folder.py").mkdir()
    (project / "scripts" / "out.py").symlink_to(tmp_path / "outside" / "evil.py")
    (project / "scripts" / "within.py").symlink_to("../src/b.py")
    with pytest.raises(LoomError, match=why):
        Scripts(project).run(path)
    assert not (tmp_path / "ran").exists()
    assert Scripts(project).descriptors() == ()


def test_descriptors(project: Path) -> None:
    """Scripts are listed by name with the first line of their docstring, and none is run."""
    folder = project / "scripts"
    (folder / "echo.py").write_text(ECHO)
    (folder / "broken.py").write_text("def (:\n")
    (folder / "bare.py").write_text("open('ran', 'w')\n")
    (folder / "_part.py").write_text("")
    (folder / "odd.py").write_bytes(b'"""\xff caf\xc3\xa9"""\n')
    (folder / "null.py").write_bytes(b"\0")
    (folder / "sub").mkdir()
    (folder / "sub" / "deep.py").write_text("'''Deep.'''")
    found = {one.name: one for one in Scripts(project).descriptors()}
    assert list(found) == [
        *(f"scripts/{name}.py" for name in ("bare", "broken", "echo", "null", "odd")),
        "scripts/sub/deep.py",
    ]
    assert found["scripts/echo.py"].description == "Says what it was given."
    assert found["scripts/sub/deep.py"].description == "Deep."
    assert found["scripts/bare.py"].description == ""
    assert "not a script Python reads" in found["scripts/broken.py"].description
    assert "café" in found["scripts/odd.py"].description
    assert all(one.level == SCRIPT and one.requires_approval for one in found.values())
    assert not (project / "ran").exists()


def test_threads(counted: Path, tmp_path: Path) -> None:
    """Eight threads at one cache get what they asked for."""
    scripts = Scripts(counted, cache=tmp_path / "cache")

    def ask(n: int) -> bytes:
        return b"".join(scripts.run("scripts/count.py", {"n": n % 4}).stdout for _ in range(3))

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(ask, range(8)))
    assert said == [f"{n % 4 * 2}\n".encode() * 3 for n in range(8)]
    assert 4 <= runs(counted) <= 8
    assert len(os.listdir(tmp_path / "cache")) == 4  # noqa: PTH208


RAN = Ran(("python", "x"), 0, b"\0\xff", b"", 0.5)


@pytest.mark.parametrize("data", [b"", b"x", b"x" * 100])
def test_damage(tmp_path: Path, data: bytes) -> None:
    """A file that is not whole is not there, and is replaced by the next result."""
    results = ResultCache(tmp_path)
    (tmp_path / "k.ran").write_bytes(data)
    assert results.get("k") is None
    results.put("k", RAN)
    assert results.get("k") == RAN
    whole = (tmp_path / "k.ran").read_bytes()
    for at in range(len(whole)):
        (tmp_path / "k.ran").write_bytes(whole[:at])
        assert results.get("k") is None
