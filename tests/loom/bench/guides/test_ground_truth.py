"""Which guides apply is read off the disk."""

from __future__ import annotations

from pathlib import Path

from loom.bench.guides.ground_truth import GroundTruth, closest_first
from tests.loom.bench.guides.conftest import Project

RULE = "- A rule of {name} for all.\n"


def ruled(*names: str) -> dict[str, str]:
    """Guides of one rule each, which names its file."""
    return {name: RULE.format(name=name) for name in names}


def paths(truth: GroundTruth) -> list[str]:
    """The guides that apply."""
    return [guide.path for guide in truth.applied()]


def test_without_guides_nothing_applies(project: Project) -> None:
    """An empty project has no rules, touched or not."""
    root = project({"src/a.py": "pass\n"})
    truth = GroundTruth(root, root)
    truth.touch(root / "src" / "a.py")
    assert paths(truth) == []


def test_the_chain_applies_at_once_and_a_nested_guide_when_work_touches_its_folder(
    project: Project,
) -> None:
    """Touching a file brings the guides of its folder and of those above it, no siblings."""
    root = project(ruled("AGENTS.md", "a/AGENTS.md", "a/b/AGENTS.md", "c/AGENTS.md"))
    truth = GroundTruth(root, root)
    assert paths(truth) == ["AGENTS.md"]
    truth.touch(root / "a" / "b" / "x.py")
    assert paths(truth) == ["AGENTS.md", "a/AGENTS.md", "a/b/AGENTS.md"]
    assert paths(GroundTruth(root, root / "a")) == ["AGENTS.md", "a/AGENTS.md"]


def test_one_file_counts_in_a_folder(project: Project) -> None:
    """The override replaces AGENTS.md beside it, CLAUDE.md counts alone; a blank file does not."""
    root = project(ruled("AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "a/CLAUDE.md"))
    truth = GroundTruth(root, root / "a")
    assert paths(truth) == ["AGENTS.override.md", "a/CLAUDE.md"]
    (root / "AGENTS.override.md").write_text("\n")
    assert paths(truth) == ["AGENTS.md", "a/CLAUDE.md"]


def test_what_is_not_the_projects_own_does_not_apply(project: Project) -> None:
    """Installed, ignored by git, or a repository of its own: touched or not, its rules are none."""
    foreign = ("node_modules/x", "made", "plugin")
    root = project({**ruled(*(f"{one}/AGENTS.md" for one in foreign)), ".gitignore": "/made/\n"})
    (root / "plugin" / ".git").mkdir()
    truth = GroundTruth(root, root)
    for one in foreign:
        truth.touch(root / one / "x.py")
    assert paths(truth) == []


def test_imports_within_the_project_belong_to_the_guide(project: Project, tmp_path: Path) -> None:
    """They are followed from the file that names them, not in circles, not out of the project."""
    (tmp_path / "out.md").write_text("- A rule from the outside.\n")
    root = project(
        {
            "AGENTS.md": "@docs/a.md\n\n@../out.md\n",
            "docs/a.md": "- A rule of a for all.\n\n@b.md\n",
            "docs/b.md": "- A rule of b for all.\n\n@a.md\n",
        }
    )
    (guide,) = GroundTruth(root, root).applied()
    assert [(rule.path, rule.text) for rule in guide.rules] == [
        ("docs/a.md", "A rule of a for all."),
        ("docs/b.md", "A rule of b for all."),
    ]


def test_a_link_counts_where_it_stands_and_once(project: Project) -> None:
    """Two names of one file in the chain are one guide; one that leads out is none."""
    root = project({**ruled("AGENTS.md"), "a/x.py": "", "b/x.py": ""})
    (root / "a" / "AGENTS.md").symlink_to(root / "AGENTS.md")
    (root / "b" / "AGENTS.md").symlink_to("/etc/hostname")
    truth = GroundTruth(root, root)
    truth.touch(root / "a" / "x.py")
    truth.touch(root / "b" / "x.py")
    assert paths(truth) == ["AGENTS.md"]


def test_the_closest_guide_above_the_work_is_first(project: Project) -> None:
    """Those that do not lie above it stand behind, at the same distance."""
    root = project(ruled("AGENTS.md", "a/AGENTS.md", "c/AGENTS.md", "d/AGENTS.md"))
    truth = GroundTruth(root, root)
    for folder in "acd":
        truth.touch(root / folder / "x.py")
    ranked = [(at, guide.path) for at, guide in closest_first(truth.applied(), root / "a")]
    assert ranked == [(0, "a/AGENTS.md"), (1, "AGENTS.md"), (2, "c/AGENTS.md"), (2, "d/AGENTS.md")]
