import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loom.cli import main
from tests.kit.hostile import hostile_project
from tests.kit.recorded_folder import recorded as recorded
from tests.kit.ways_to_look import Sights

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def replayed(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace the long session leaves in a window of 6,000 tokens. Read it only."""
    out = tmp_path_factory.mktemp("out")
    given = ["replay", str(recorded / "long.jsonl"), "--window", "6000", "--out", str(out)]
    assert main([*given, "--json"]) == 0
    return out / "long"


@pytest.fixture
def workspace(replayed: Path, tmp_path: Path) -> Path:
    """A copy of the replayed workspace, to be damaged."""
    return Path(shutil.copytree(replayed, tmp_path / "workspace"))


@pytest.fixture
def sights(workspace: Path, recorded: Path, tmp_path: Path, home: Path) -> Sights:
    """What the commands are shown, made anew."""
    (tmp_path / "room").mkdir()
    return Sights(workspace, recorded, hostile_project(tmp_path), tmp_path / "room")


@pytest.fixture(autouse=True)
def no_forced_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the environment says of colours and terminals is for the tests to say."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command line; gives exit code, stdout and stderr."""

    def running(*tokens: str | Path) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main([str(token) for token in tokens])
        out, err = capfd.readouterr()
        return code, out, err

    return running
