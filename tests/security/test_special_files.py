"""A pipe, a socket, a folder or an endless device in the place of a file: told at once.

Each test ends by itself; where one did not, the time that pytest gives a test would end it.
"""

import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import loom
from loom.cli import main
from loom.disk import open_private_file, plain_descriptor
from loom_paging import writer_of
from tests.kit.cases import all_cases

pytestmark = [
    pytest.mark.timeout(90),
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here"),
]


def _socket(path: Path) -> None:
    """Bind a socket, whose name stays; an address has no room for a long path."""
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


KINDS: dict[str, Callable[[Path], object]] = {
    "fifo": os.mkfifo,
    "socket": _socket,
    "folder": Path.mkdir,
    "endless": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "loop": lambda path: path.symlink_to(path.name),
}


@pytest.fixture(params=KINDS)
def odd(request: pytest.FixtureRequest) -> Callable[[Path], Path]:
    """Put something in the place of a file, whatever lies there now."""

    def place(path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        KINDS[request.param](path)
        return path

    return place


Odd = Callable[[Path], Path]


def lived(place: Path) -> None:
    """A workspace with a page, an index, an event and a memory."""
    with loom.open(place, goal="g", window=16_000, durable=False) as ctx:
        ctx.user("read")
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("c1", "Read", json.dumps({"path": "a"})),)))
        ctx.result("c1", "\n".join(f"line {number} of it" for number in range(900)))
        ctx.recall("line")
        ctx.memory.save("the sky is blue")
        ctx.agents.emit("told.all", "x")
        ctx.renew()
        ctx.turn()


def test_only_plain_files_are_opened(odd: Odd, tmp_path: Path) -> None:
    """The two ways in which Loom opens a file of others: to read it, and to write it."""
    path = odd(tmp_path / "f")
    with pytest.raises(OSError, match=r"no plain file|directory|symbolic links|No such device"):
        os.close(plain_descriptor(path))
    with pytest.raises(OSError, match=r"no plain file|directory|symbolic links|No such device"):
        os.close(open_private_file(path, os.O_WRONLY | os.O_CREAT))


def test_a_session_to_replay(odd: Odd, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`loom replay` refuses it with one line, named itself or in a folder."""
    path = odd(tmp_path / "s" / "a.jsonl")
    for given in (path, path.parent):
        assert main(["replay", str(given)]) == 2
        err = capsys.readouterr().err
        assert err.startswith("loom: ") and err.count("\n") == 1


def test_a_snapshot_to_carry_on_from(odd: Odd, tmp_path: Path) -> None:
    """`loom.open(snapshot=…)` refuses it, and makes nothing."""
    with pytest.raises(loom.BadInput, match="is no snapshot"):
        loom.open(tmp_path / "w", snapshot=odd(tmp_path / "s.json"))
    assert not (tmp_path / "w").exists()


def test_a_file_given_to_the_model(odd: Odd, tmp_path: Path) -> None:
    """`ctx.user(Path(…))` raises, and the call has not happened."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        with pytest.raises(OSError):
            ctx.user(odd(tmp_path / "a.png"))
        assert not ctx.window.history.stream


@pytest.mark.filterwarnings("ignore::loom.LoomWarning")
@all_cases(
    "name", ["AGENTS.md", "docs/style.md", ".claude/skills/s/SKILL.md", ".git", ".gitignore"]
)
def test_a_file_of_the_project(
    odd: Odd, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Guides, imports, skills and git's own are passed over; the agent and the commands run."""
    project = tmp_path / "p"
    project.mkdir()
    (project / "AGENTS.md").write_text("- Be kind.\n@docs/style.md\n")
    odd(project / name)
    with loom.open(tmp_path / "w", project=project, window=16_000, durable=False) as ctx:
        ctx.user("go")
        ctx.turn()
        ctx.look()
        ctx.turn()
    for command in (["memory"], ["memory", "--for", "docs/a.py"], ["skills", "--strict"]):
        main([command[0], str(project), *command[1:]])
    assert "Traceback" not in capsys.readouterr().err
    main(["skills", str(project), "--given", str(project / name)])


@pytest.mark.filterwarnings("ignore::loom.LoomWarning")
@all_cases(
    "name",
    [
        "journal/000001.log", "outputs/read_0001.txt", "snapshots/*", "bus/*.json", "LOCK",
        "inbox/one.json", "memory/*.sqlite", "*.sqlite", "index/*", "working/*",
    ],
)  # fmt: skip
def test_a_file_of_a_workspace(
    odd: Odd, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """It opens, or raises a LoomError or an OSError; every command ends with a code of its own."""
    place = tmp_path / "w"
    lived(place)
    found = [*place.glob(name)] or ([place / name] if "*" not in name else [])
    for path in [path for path in found if path.is_file() or not path.exists()]:
        odd(path)
    for command in (
        ["check"], ["stat"], ["log"], ["ps"], ["pages"], ["cat", "read_0001"], ["context"],
        ["top", "--once"], ["signal", "hello"],
    ):  # fmt: skip
        assert main([command[0], str(place), *command[1:]]) in (0, 1, 2)
        assert "Traceback" not in capsys.readouterr().err
    with suppress(loom.LoomError, OSError), loom.open(place, durable=False) as ctx:
        ctx.look()
        ctx.turn()
        with suppress(loom.LoomError):
            ctx.page_in("read_0001")
        with suppress(loom.LoomError):
            ctx.memory.query("sky")
        ctx.recall("line")
    writer_of(place)
