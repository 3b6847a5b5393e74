import json
from pathlib import Path

import pytest

from tests.kit.cases import all_cases
from tests.loom.cli.conftest import Run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A git root with an AGENTS.md, and a folder below it with another; gives the lower one."""
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / "AGENTS.md").write_text("# Rules\n\nRun make test.\n", "utf-8")
    (root / "sub").mkdir()
    (root / "sub" / "AGENTS.md").write_text("Only here: é.\n", "utf-8")
    return root / "sub"


def test_each_line_behind_its_file_and_number(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the root to the closest, a blank line between two. Without a folder it is where one
    stands."""
    monkeypatch.chdir(project)
    code, out, err = run("memory")
    assert (code, err) == (0, "") and out.splitlines() == [
        "counts    AGENTS.md      the root of the project",
        "counts    sub/AGENTS.md  the closest",
        "",
        "AGENTS.md:1      # Rules",
        "AGENTS.md:2",
        "AGENTS.md:3      Run make test.",
        "",
        "sub/AGENTS.md:1  Only here: é.",
    ]
    assert "sub/" not in run("memory", project / "..")[1]


def test_a_folder_without_guides(run: Run, tmp_path: Path, project: Path) -> None:
    """It is no fault: which names were looked for is said. One that is none, and a file outside of
    the project, are exit 2; of a path that is not there it is shown what would count for it."""
    (tmp_path / "file").write_text("x")
    code, out, err = run("memory", tmp_path)
    assert (code, err) == (0, "")
    assert "AGENTS.md" in out and "CLAUDE.md" in out and str(tmp_path) in out
    told = json.loads(run("memory", tmp_path, "--json")[1])
    assert (told["text"], told["lines"], told["files"], told["bytes"]) == ("", [], [], 0)
    for words in ((tmp_path / "gone",), (tmp_path / "file",), (project, "--for", "../../gone.py")):
        code, out, err = run("memory", *words)
        assert (code, out) == (2, "") and Path(words[-1]).name in err
    out = run("memory", project.parent, "--for", "sub/gone.py")[1]
    assert out.splitlines()[0] == "sub/gone.py is not there; what would count for it:"
    assert "counts    sub/AGENTS.md  the closest" in out
    assert "not there" not in run("memory", project.parent, "--for", "sub")[1]


@pytest.fixture
def tree(project: Path) -> Path:
    """The root, with every kind of guide that is there and does not count."""
    root = project.parent
    (root / ".gitignore").write_text("/mine/AGENTS.md\n", "utf-8")
    for name, text in {
        "AGENTS.md": "# Rules\n\n@docs/style.md\n\nUse tabs for indentation.\n",
        "CLAUDE.md": "not used",
        "docs/style.md": "A style. " * 30,
        "sub/AGENTS.override.md": "- Use spaces for indentation.\n"
        "- Always run `make test` before committing.\n",
        "vendor/AGENTS.md": "foreign",
        "mine/AGENTS.md": "ignored",
        "blank/AGENTS.md": "\n",
    }.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


WHY: list[tuple[str, list[tuple[str, bool, str]]]] = [
    ("sub/a.py", [
        ("docs/style.md", True, "imported by AGENTS.md"),
        ("AGENTS.md", True, "the root of the project"),
        ("CLAUDE.md", False, "not used: AGENTS.md beside it counts"),
        ("sub/AGENTS.override.md", True, "the closest"),
        ("sub/AGENTS.md", False, "not used: AGENTS.override.md beside it counts"),
    ]),
    ("vendor/a.py", [("vendor/AGENTS.md", False, "foreign:")]),
    ("mine/a.py", [("mine/AGENTS.md", False, "ignored by git")]),
    ("blank", [("blank/AGENTS.md", False, "says nothing")]),
]  # fmt: skip


@all_cases(("file", "wanted"), WHY)
def test_why_each_counts_or_not(
    run: Run, tree: Path, file: str, wanted: list[tuple[str, bool, str]]
) -> None:
    """On the way to a file: each guide that is there, and why it counts or does not."""
    told = json.loads(run("memory", tree, "--for", file, "--json")[1])["guides"]
    found = [(one["path"], one["counts"], one["why"]) for one in told]
    for one, (path, counts, why) in zip(found[-len(wanted) :], wanted, strict=True):
        assert one[:2] == (path, counts) and one[2].startswith(why)
    assert len(run("memory", tree, "--for", file)[1].split("\n\n")[0].split("\n")) >= len(found)
