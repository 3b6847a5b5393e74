"""Folders are 0700 and files 0600 under any umask, and never were anything else."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from loom.disk import make_private_folder, make_private_folders, open_private_file
from tests.kit.cases import all_cases

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes of another kind")
WRITERS = Path(__file__).resolve().parents[1] / "kit" / "writers.py"
ENGINES = ("sqlite", *(["rocksdb"] if find_spec("rocksdict") else []))
LAWFUL = {"folder": 0o700, "file": 0o600}


@pytest.fixture(scope="module", params=["000", "777"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What was made under a umask, by everything of Loom's that writes."""
    home = tmp_path_factory.mktemp("home")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    given = [sys.executable, "-W", "error", str(WRITERS), str(home), request.param, *ENGINES]
    done = subprocess.run(given, capture_output=True, env=env, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_nothing_is_ever_wider(written: Any) -> None:
    """Every file and folder was made with its mode: nobody could open it in between."""
    wrong = [
        (kind, path, oct(mode)) for kind, path, mode in written["made"] if LAWFUL[kind] != mode
    ]
    assert not wrong and len(written["made"]) > 50 and written["code"] == 0


@all_cases("when", ["modes", "during"])
def test_all_is_its_owners_alone(written: Any, when: str) -> None:
    """At the end, and within a transaction of long-term memory, journals of SQLite included."""
    found = {path: (kind, oct(mode)) for path, (kind, mode) in written[when].items()}
    assert found and not {path: held for path, held in found.items() if held[1] != _meant(held[0])}


def _meant(kind: str) -> str:
    return oct(LAWFUL[kind])


def test_everything_was_there(written: Any) -> None:
    """Journal, pages, snapshots, index, lock, agents, bus, inbox, memory, notes, cache, replay."""
    names = "\n".join(written["modes"])
    for part in (
        "/journal/", "/outputs/", "/snapshots/", "LOCK", "/agents/one/journal/", "/bus/",
        "/inbox/", "memories.sqlite", "/notes/plan.md", "/cache/k.ran", "/o/out/s/journal/",
    ):  # fmt: skip
        assert part in names, part
    assert any(path.endswith("-journal") for path in written["during"])


def test_a_folder_is_made_with_those_above_it(tmp_path: Path) -> None:
    """Each that is missing is 0700; what is there stays as it is, and is not made again."""
    (tmp_path / "there").mkdir(mode=0o755)
    (tmp_path / "there").chmod(0o755)
    make_private_folders(tmp_path / "there" / "a" / "b")
    make_private_folders(tmp_path / "there" / "a" / "b")
    assert not make_private_folder(tmp_path / "there")
    for path, mode in (("there", 0o755), ("there/a", 0o700), ("there/a/b", 0o700)):
        assert (tmp_path / path).stat().st_mode & 0o777 == mode


def test_a_file_of_the_users_keeps_its_mode(tmp_path: Path) -> None:
    """What he opened to a group stays open to it."""
    path = tmp_path / "f"
    path.touch()
    path.chmod(0o640)
    os.close(open_private_file(path, os.O_WRONLY | os.O_CREAT))
    assert path.stat().st_mode & 0o777 == 0o640
