"""Links that lead out of where a skill was looked for: refused, told, and nothing is read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import loom
from loom.capabilities.skills.discover import OUT, discover_skills
from loom.capabilities.skills.skill_files import read_body, read_resource, resource_paths
from loom.errors import BadInput
from tests.kit.cases import all_cases
from tests.kit.guides import repository
from tests.kit.skills import skill_in

SECRET = "the secret text"
PLACE = Path(".agents", "skills")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository, empty but for its `.git`, with another folder of skills beside it."""
    return repository(tmp_path, {})


@pytest.fixture
def outside(repo: Path) -> Path:
    """A folder beside the repository: `.agents/skills/leak` with a secret in it, and a file."""
    folder = repo.parent / "outside"
    skill_in(folder / PLACE, "leak", SECRET)
    (folder / "note").write_text(SECRET)
    return folder


def at(path: Path) -> Path:
    """The path, with the folders above it made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


# Where a link lies in the repository → where it leads, from there; OUT is the folder beside it.
LINKS = {
    ".agents/skills/x/SKILL.md": "OUT/note",
    ".agents/skills/x/skill.md": "../../../../outside/note",
    ".agents/skills/x": "OUT/.agents/skills/leak",
    ".agents/skills/group": "OUT/.agents/skills",
    ".agents/skills": "OUT/.agents/skills",
    ".agents": "OUT/.agents",
    ".agents/skills/y/SKILL.md": "../../../one",
    ".agents/skills/z/SKILL.md": "/dev/zero",
}


@pytest.mark.filterwarnings("ignore::loom.LoomWarning")
@all_cases(("link", "target"), LINKS.items())
def test_a_link_out_of_the_project_is_refused(
    repo: Path, outside: Path, link: str, target: str
) -> None:
    """One warning says so, no skill comes of it, from the root and from below, and a session
    opened on the project shows none of it."""
    (repo / "one").symlink_to("two")
    (repo / "two").symlink_to(outside / "note")
    at(repo / link).symlink_to(target.replace("OUT", str(outside)))
    (repo / "sub").mkdir()
    for folder in (repo, repo / "sub"):
        found = discover_skills(folder)
        assert found.skills == ()
        (warning,) = found.warnings
        assert warning.why == OUT and warning.file.startswith(str(repo))
    with loom.open(repo.parent / "w", project=repo, window=8_192, durable=False) as ctx:
        ctx.user("go on")
        assert SECRET not in json.dumps(ctx.turn().request())


def test_a_link_that_stays_inside_is_followed(repo: Path) -> None:
    """File, folder and place, each to a place in the repository, by way of another link."""
    real = skill_in(repo / "store", "real")
    (repo / "way").symlink_to("store")
    at(repo / PLACE / "real").symlink_to(repo / "way" / "real")
    (repo / "sub").mkdir()
    (repo / "sub" / ".agents").symlink_to("../.agents")
    found = discover_skills(repo / "sub")
    assert [skill.name for skill in found.skills] == ["real"] and found.warnings == ()
    (repo / PLACE / "real").unlink()
    at(repo / PLACE / "file" / "SKILL.md").symlink_to(real / "SKILL.md")
    assert [skill.name for skill in discover_skills(repo).skills] == ["real"]


def test_the_project_may_not_lead_into_the_home_folder(repo: Path) -> None:
    """A skill of the user's is found there and not by the project's link to it."""
    home = repo.parent / "home"
    own = skill_in(home / PLACE, "mine")
    at(repo / PLACE / "mine").symlink_to(own)
    found = discover_skills(repo, (), home)
    assert [skill.folder for skill in found.skills] == [str(own)]
    assert [warning.why for warning in found.warnings] == [OUT]


def test_a_link_the_host_gives_is_meant(repo: Path, outside: Path) -> None:
    """A link to a file, a skill's folder or a folder of skills: each is where it leads."""
    skill = outside / PLACE / "leak"
    (skill / "more.md").write_text("more")
    for number, target in enumerate((skill, outside / PLACE, outside / ".agents")):
        link = repo / f"given{number}"
        link.symlink_to(target)
        found = discover_skills(None, [link])
        assert [one.name for one in found.skills] == ["leak"]
        assert OUT not in [warning.why for warning in found.warnings]
        assert (read_body(found.skills[0]), read_resource(found.skills[0], "more.md")) == (
            "# leak",
            "more",
        )
    at(repo / "kept" / "SKILL.md").symlink_to(skill / "SKILL.md")
    (one,) = discover_skills(None, [repo / "kept" / "SKILL.md"]).skills
    assert read_body(one) == "# leak"


def test_links_among_the_files_of_a_skill(repo: Path, outside: Path) -> None:
    """One that leads out of the skill's folder is neither listed nor read."""
    folder = skill_in(repo / PLACE, "one")
    (folder / "out.md").symlink_to(outside / "note")
    (folder / "up").symlink_to(outside)
    (folder / "a.md").write_text("fine")
    (folder / "b.md").symlink_to("a.md")
    (skill,) = discover_skills(repo).skills
    assert resource_paths(skill) == ("a.md", "b.md") and read_resource(skill, "b.md") == "fine"
    for path in ("out.md", "up/note"):
        with pytest.raises(BadInput, match="leads out"):
            read_resource(skill, path)


def test_a_skill_that_becomes_a_link_later(repo: Path, outside: Path) -> None:
    """Its text is not read through a file or a folder put in its place after it was found."""
    folder = skill_in(repo / PLACE, "leak")
    (folder / "a.md").write_text("fine")
    (skill,) = discover_skills(repo).skills
    (folder / "SKILL.md").unlink()
    (folder / "SKILL.md").symlink_to(outside / "note")
    with pytest.raises(BadInput, match="leads out"):
        read_body(skill)
    (outside / PLACE / "leak" / "a.md").write_text(SECRET)
    folder.rename(repo / "gone")
    folder.symlink_to(outside / PLACE / "leak")
    with pytest.raises(BadInput, match="leads out"):
        read_body(skill)
    with pytest.raises(BadInput, match="leads out"):
        read_resource(skill, "a.md")
    assert resource_paths(skill) == ()


def test_a_pipe_and_a_hard_link(repo: Path, outside: Path) -> None:
    """A pipe is told as no file and makes nobody wait; a hard link cannot be told from a file."""
    os.mkfifo(at(repo / PLACE / "pipe" / "SKILL.md"))
    at(repo / PLACE / "hard" / "SKILL.md").hardlink_to(outside / PLACE / "leak" / "SKILL.md")
    found = discover_skills(repo)
    assert [skill.name for skill in found.skills] == ["leak"]
    assert any("no plain file" in warning.why for warning in found.warnings)
