"""A project's guides as one text, against a reference, and as the files change."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.capabilities.memory.merging import BUDGET
from loom.capabilities.memory.project_guides import ProjectGuides
from tests.kit.cases import all_cases

Merge = Callable[..., str]
REPOS = ("OpenHands+software-agent-sdk", "agentskills+agentskills", "agentsmd+agents.md",
         "pydantic+pydantic-ai", "sierra-research+tau2-bench")  # fmt: skip
NAMES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md")


def looked(folder: Path, **given: int) -> ProjectGuides:
    """A project after its first look."""
    project = ProjectGuides(folder, **given)
    project.look()
    return project


def check(project: ProjectGuides, expected: str, root: Path) -> None:
    """Hold the text to the reference, and each line's origin to the file."""
    text, origins = project.merged.text, project.merged.origins
    assert text == expected
    assert [origin.text for origin in origins] == (text.split("\n") if text else [])
    for origin in (origin for origin in origins if origin.line):
        data = (root / origin.path).read_bytes().decode("utf-8", "replace")
        line = data.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert origin.text in line[origin.line - 1] or "<!--" in data


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a guide in it, and one in `a/b`."""
    root = tmp_path.resolve() / "repo"
    (root / ".git").mkdir(parents=True)
    (root / "a" / "b").mkdir(parents=True)
    (root / "AGENTS.md").write_text("root\n")
    (root / "a" / "b" / "AGENTS.md").write_text("deep\n")
    return root


# Against the reference


@pytest.mark.shared
@all_cases("name", REPOS)
def test_recorded_trees(shared: Path, tmp_path: Path, reference: Merge, name: str) -> None:
    """From every folder of a real repository the text is the reference's, byte for byte."""
    root = tmp_path.resolve() / name
    if not (shared / "agents-md" / name).is_dir():
        pytest.skip(f"no {name} at {shared / 'agents-md'}")
    shutil.copytree(shared / "agents-md" / name, root, symlinks=True)
    for path in (root, *root.rglob("*")):
        path.chmod(0o755)
    (root / ".git").mkdir()
    folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
    for folder in folders:
        check(looked(folder), reference(folder), root)
        check(looked(folder, budget=3_000), reference(folder, 3_000), root)


BODIES = [b"", b" \r\n\t", b"\xef\xbb\xbf", b"<!-- a\nb -->\n", b"a rule\n",
          b"\xef\xbb\xbf# h\r\n\r\nb\r",
          b"```\n<!-- kept -->\n```\n<!-- gone -->\nend", b"\n\na <!-- c\nd --> e\n\n",
          b"\xff\xfeno text",
          "文字 <!-- 注 -->\n".encode(), b"`<!-- kept -->` <!-- gone -->\n", b"<!-- open\n",
          b"many lines\n" * 1_500, b"~~~\n" + b"long and longer \n" * 900, b"x" * 33_000,
          "ä".encode() * 9_000 + b"\nb"]  # fmt: skip
LINKS = ["AGENTS.md", "CLAUDE.md", "../AGENTS.md", "../CLAUDE.md", "../../out.md",
         "../../../out.md",
         "a/AGENTS.md", "missing", "."]  # fmt: skip
body = st.sampled_from(BODIES)
made = st.lists(body, max_size=2).map(b"".join) | st.sampled_from(LINKS)
folder = st.dictionaries(st.sampled_from(NAMES), made, max_size=3)


@given(st.lists(folder, min_size=1, max_size=5), st.integers(0, 3), st.booleans())
@settings(max_examples=120)
def test_any_tree(
    reference: Merge, tree: list[dict[str, bytes | str]], repos: int, big: bool
) -> None:
    """Overrides, blanks, links, fences, comments, encodings and long chains, from every folder."""
    with TemporaryDirectory() as made:
        top = Path(made).resolve()
        (top / "out.md").write_text("outside")
        at = top / "repo"
        folders = []
        for number, files in enumerate(tree):
            at.mkdir()
            if number == repos:
                (at / ".git").mkdir()
            for name, data in files.items():
                if isinstance(data, str):
                    (at / name).symlink_to(data)
                else:
                    (at / name).write_bytes(data)
            folders.append(at)
            at = at / "a"
        for number, folder in enumerate(folders):
            root = folders[repos] if number >= repos else folder
            budget = BUDGET if big else 300
            check(looked(folder, budget=budget), reference(folder, budget), root)


# Looking again


def test_nothing_changed(repo: Path) -> None:
    """A second look says no, and after a touch of what is there already as well."""
    project = ProjectGuides(repo / "a" / "b")
    assert project.look()
    assert not project.look()
    project.touch("x.py")
    project.touch(str(repo / "a" / "x.py"))
    assert not project.look()


def test_no_guides_no_change(tmp_path: Path) -> None:
    """Where there is none the first look says no too."""
    assert not ProjectGuides(tmp_path).look()


def replaced(path: Path) -> None:
    """Put another file in its place, as editors do."""
    (path.parent / "new").write_text("rool\n")
    os.utime(path.parent / "new", ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    (path.parent / "new").replace(path)


def folded(path: Path) -> None:
    """Make a folder of it."""
    path.unlink()
    path.mkdir()


def linked(path: Path) -> None:
    """Make a link of it that leads to a file below the root."""
    path.unlink()
    (path.parent / "rules.md").write_text("rules")
    path.symlink_to("rules.md")


CHANGES: list[tuple[str, Callable[[Path], object], str]] = [
    ("edited", lambda path: path.write_text("other rules\n"), "other rules"),
    ("replaced", replaced, "rool"),
    ("deleted", Path.unlink, ""),
    ("emptied", lambda path: path.write_bytes(b""), ""),
    ("a folder", folded, ""),
    ("a link", linked, "rules"),
    ("overridden", lambda path: (path.parent / NAMES[0]).write_text("over"), "over"),
    ("in vain", lambda path: (path.parent / NAMES[0]).write_text(" "), "root"),
]


@all_cases(("change", "text"), [c[1:] for c in CHANGES], ids=[c[0] for c in CHANGES])
def test_a_change_is_seen(repo: Path, change: Callable[[Path], object], text: str) -> None:
    """The next look reads it, says so, and the one after is quiet."""
    project = looked(repo)
    change(repo / "AGENTS.md")
    assert project.look() == (text != "root")
    assert project.merged.text == text
    assert not project.look()


def test_what_a_link_leads_to(repo: Path) -> None:
    """A change of the file behind a link is a change of the guide."""
    (repo / "rules.md").write_text("one")
    (repo / "CLAUDE.md").symlink_to("rules.md")
    (repo / "AGENTS.md").unlink()
    project = looked(repo)
    assert project.merged.text == "one"
    (repo / "rules.md").write_text("other")
    assert project.look()
    assert project.merged.text == "other"


def test_deleted_then_another_name(repo: Path) -> None:
    """CLAUDE.md counts where AGENTS.md went, and AGENTS.md again when it is back."""
    project = looked(repo)
    (repo / "AGENTS.md").unlink()
    assert project.look()
    (repo / "CLAUDE.md").write_text("claude")
    assert project.look()
    assert project.merged.text == "claude"
    (repo / "AGENTS.md").write_text("agents")
    assert project.look()
    assert project.merged.text == "agents"


def test_a_working_folder_that_goes(repo: Path) -> None:
    """Without the folder the root's guides are left."""
    project = looked(repo / "a" / "b")
    shutil.rmtree(repo / "a")
    assert project.look()
    assert project.merged.text == "root"


def test_a_project_that_goes(repo: Path) -> None:
    """Without the project there is nothing, and nothing raises."""
    project = looked(repo / "a")
    shutil.rmtree(repo)
    assert project.look()
    assert project.merged.text == ""


# What joins


@all_cases("name", ["a/b/x.py", "a/b", "./a/../a/b/c/new.py", "{repo}/a/b/x.py"])
def test_a_path_below(repo: Path, name: str) -> None:
    """The guides down to a path that was named join, once."""
    project = looked(repo)
    project.touch(name.format(repo=repo))
    assert project.look()
    assert project.merged.text == "root\n\ndeep"
    project.touch(name.format(repo=repo))
    assert not project.look()


def test_a_path_beside(repo: Path) -> None:
    """From the working folder `..` leads to a folder beside it."""
    (repo / "c").mkdir()
    project = looked(repo / "c")
    project.touch("../a/b/x.py")
    assert project.look()
    assert project.merged.text == "root\n\ndeep"


ODD = ["", ".", "..", "../..", "../../../etc/passwd", "/", "/etc/passwd",
       "/nowhere/at/all", "\0", "a\0b",
       "x" * 10_000, "a/" * 5_000, "~", "~/x", "\ud800", "*", "http://a.b/c", "a\nb", "{repo}two/x",
       "AGENTS.md/x", "-", "\\\\host\\share", "C:\\x", "//etc/passwd",
    "{repo}/../outside/x"]  # fmt: skip


@all_cases("name", ODD)
def test_a_path_of_no_use(repo: Path, name: str) -> None:
    """It joins nothing, and never raises."""
    for other in ("repotwo", "outside"):
        (repo.parent / other).mkdir()
        (repo.parent / other / "AGENTS.md").write_text("outside")
    (repo.parent / "AGENTS.md").write_text("outside")
    project = looked(repo)
    project.touch(name.format(repo=repo))
    assert not project.look()
    assert project.merged.text == "root"


@given(st.lists(st.text(max_size=30) | st.sampled_from(ODD), max_size=5))
def test_any_paths(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    """Whatever is named, looking does not raise, and the chain stays."""
    root = tmp_path_factory.getbasetemp() / "any"
    (root / ".git").mkdir(parents=True, exist_ok=True)
    (root / "AGENTS.md").write_text("root")
    project = looked(root)
    for name in names:
        project.touch(name)
    project.look()
    assert project.merged.text == "root"


def test_a_link_below_that_leads_out(repo: Path) -> None:
    """A folder that is a link out of the root brings no guide."""
    (repo.parent / "outside").mkdir()
    (repo.parent / "outside" / "AGENTS.md").write_text("outside")
    (repo / "out").symlink_to("../outside")
    project = looked(repo)
    project.touch("out/x.py")
    project.look()
    assert project.merged.text == "root"


@all_cases("inner", ["node_modules/x", "lib/vendor", "made/x", ".venv"])
def test_what_is_not_the_projects_own(repo: Path, inner: str) -> None:
    """A folder that was installed, copied in or ignored brings no guide, nor does one below it."""
    (repo / ".gitignore").write_text("made\n")
    for folder in (repo / inner, repo / inner / "deeper"):
        folder.mkdir(parents=True)
        (folder / "AGENTS.md").write_text("foreign")
    project = looked(repo)
    project.touch(f"{inner}/deeper/x.py")
    assert not project.look()
    assert project.merged.text == "root"
    inside = looked(repo / inner)
    inside.touch("deeper/x.py")
    inside.look()
    assert inside.merged.text == "root\n\nforeign\n\nforeign"


def test_a_guide_that_is_ignored_itself(repo: Path) -> None:
    """A guide git ignores does not join, another of that folder does; those of the chain stand."""
    (repo / ".gitignore").write_text("AGENTS.override.md\n/AGENTS.md\n/made/*.md\n")
    for folder in (repo / "made", repo / "mine"):
        folder.mkdir()
        (folder / "AGENTS.override.md").write_text("ignored")
        (folder / "AGENTS.md").write_text(folder.name)
    project = looked(repo)
    assert project.merged.text == "root"
    project.touch("made/x.py")
    project.touch("mine/x.py")
    project.look()
    assert project.merged.text == "root\n\nmine"


def test_what_joined_may_go(repo: Path) -> None:
    """A guide that joined follows its file like the others."""
    project = looked(repo)
    project.touch("a/b/x")
    project.look()
    (repo / "a" / "b" / "AGENTS.md").write_text("deeper")
    assert project.look()
    assert project.merged.text == "root\n\ndeeper"
    shutil.rmtree(repo / "a")
    assert project.look()
    assert project.merged.text == "root"


def test_one_that_joins_takes_nothing_away(repo: Path) -> None:
    """The chain stays as it was however much joins."""
    (repo / "AGENTS.md").write_text("rule\n" * 5_000)
    project = looked(repo)
    for number in range(30):
        (repo / f"d{number}").mkdir()
        (repo / f"d{number}" / "AGENTS.md").write_text("rule\n" * 900)
        project.touch(f"d{number}/x")
    project.look()
    before = looked(repo).merged.text
    assert project.merged.text.startswith(before + "\n\n")
    assert "d29/AGENTS.md" in project.merged.left_out
