"""A guide comes when a call names something in its folder, whichever way the call says it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.live import Context
from tests.kit.guides import repository
from tests.kit.step import Args, step

RULE = "Handlers return a Result."


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a guide in `api`, one in `web/my app`, and none elsewhere."""
    files = {"AGENTS.md": "The root.\n", "api/AGENTS.md": RULE + "\n", "api/v2/h.py": "pass\n"}
    root = repository(tmp_path, {**files, "web/my app/AGENTS.md": "Spaces are fine.\n"})
    (root / "docs").mkdir()
    return root


@pytest.fixture
def ctx(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    """A context on it; the process runs in the folder above."""
    monkeypatch.chdir(repo.parent)
    with loom.open(tmp_path / "w", project=repo, window=16_000, durable=False) as made:
        made.user("go on")
        made.turn()
        yield made


def called(ctx: Context, tool: str, arguments: Args) -> list[str]:
    """The guides in the window after a call."""
    step(ctx, tool=tool, args=arguments)
    ctx.turn()
    return [one.key for one in ctx.window.memory.current]


COMMANDS = [
    "cd api && cat v2/h.py", "(cd api; make test)", "cd api", "pushd api>/dev/null",
    'cd "api" && ls', "ls -la api/", "ls docs api", "make -C api lint", "make -Capi lint",
    "git -C api log --oneline", "npm --prefix=api test",
    "cargo test --manifest-path api/Cargo.toml", "bash -lc 'cd api && make'",
    'sudo sh -c "make -C api"', "git show HEAD:api/v2/h.py", "N=$(cd api && ls | wc -l); echo $N",
    "python -m pytest api -q", "cp docs/a.txt api", "rg TODO api/**/*.py", "cat repo/api/v2/h.py",
    "mkdir -p api/v3", "cat ./api/v2/../v2/h.py", "cat {root}/api/v2/h.py",
    "cat file://{root}/api/v2/h.py",
]  # fmt: skip
ARGUMENTS: list[tuple[str, Any]] = [
    *(("Bash", {"command": command, "description": "Look."}) for command in COMMANDS),
    ("shell", {"command": ["bash", "-lc", "ls"], "workdir": "api"}),
    ("shell", {"command": ["bash", "-lc", "cd api && ls"]}),
    ("exec_command", {"cmd": "make -C api", "yield_time_ms": 1000}),
    ("run_shell_command", {"command": "ls", "directory": "api"}),
    ("Grep", {"pattern": "def", "path": "api"}),
    ("Glob", {"pattern": "api/*.py"}),
    ("read_many", {"where": [{"at": "api/v2/h.py"}]}),
    ("lint", {"packages": ["docs", "api"]}),
    ("Write", {"file_path": "api/new.py", "content": "x = 1"}),
    ("my_terminal", "cd api && ls"),
]


@pytest.mark.parametrize(("tool", "arguments"), ARGUMENTS)
def test_an_argument_brings_the_guide(ctx: Context, repo: Path, tool: str, arguments: Args) -> None:
    """Any argument that is a path there counts, whatever tool and key, and any word of a command
    that is a folder or a file there, also from the root of the disk and as a URI."""
    given = json.loads(json.dumps(arguments).replace("{root}", str(repo)))
    assert "api/AGENTS.md" in called(ctx, tool, given)


def test_what_is_quoted_is_one_word(ctx: Context) -> None:
    """A folder with a space in its name is found."""
    assert "web/my app/AGENTS.md" in called(ctx, "Bash", {"command": "ls && cd 'web/my app'"})


def test_a_shell_that_stays_where_it_went(ctx: Context, repo: Path) -> None:
    """A command is seen from where the one before it worked, too."""
    (repo / "api" / "v2" / "AGENTS.md").write_text("Version two.\n")
    assert "api/v2/AGENTS.md" not in called(ctx, "Bash", {"command": "cd api"})
    assert "api/v2/AGENTS.md" in called(ctx, "Bash", {"command": "cat v2/h.py"})


def test_a_word_behind_a_folder_is_seen_from_there(ctx: Context, repo: Path) -> None:
    """`cd api && ls docs` lists the `docs` of `api`, not that of the root."""
    (repo / "api" / "docs").mkdir()
    (repo / "docs" / "AGENTS.md").write_text("The docs of the root.\n")
    assert "docs/AGENTS.md" not in called(ctx, "Bash", {"command": "cd api && ls docs"})


OTHER: list[tuple[str, Any]] = [
    ("Bash", {"command": "git commit -m 'make the api faster'"}),
    ("Bash", {"command": "cat > notes.md <<'END'\nthe api is slow\nEND"}),
    ("Bash", {"command": "ls  # not the api"}),
    ("Bash", {"command": "ls ../elsewhere apis rapi/x"}),
    ("Write", {"file_path": "notes.md", "content": "The api is slow.\nSo is the web."}),
    ("ask_expert", {"question": "Is the api slow?"}),
]


@pytest.mark.parametrize(("tool", "arguments"), OTHER)
def test_a_word_of_a_text_brings_nothing(ctx: Context, tool: str, arguments: Args) -> None:
    """In what is said or written, the name of a folder is a word like others."""
    assert called(ctx, tool, arguments) == ["AGENTS.md"]


def test_guides_and_skills_in_wide_characters(tmp_path: Path) -> None:
    """A guide and a skill that an editor of Windows saved in UTF-16 are read."""
    root = tmp_path / "repo"
    skill = root / ".agents" / "skills" / "ship"
    skill.mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "AGENTS.md").write_bytes("\ufeff# Règles\r\nJamais main.\r\n".encode("utf-16-le"))
    said = "\ufeff---\nname: ship\ndescription: Ship it.\n---\nTag, then push.\n"
    (skill / "SKILL.md").write_bytes(said.encode("utf-16-be"))
    with loom.open(tmp_path / "w", project=root, window=16_000, durable=False) as ctx:
        assert ctx.memory.text.endswith("# Règles\nJamais main.")
        ctx.skills.use("ship")
        ctx.user("go on")
        assert "Tag, then push." in json.dumps(ctx.turn().request())
