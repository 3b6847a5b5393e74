import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.skills import SkillSet, discover, places, problems
from loom.capabilities.skills.discover import DEEPEST, FOLDERS

Write = Callable[..., Path]


def names(found: SkillSet) -> list[str]:
    """The names of what was found."""
    return [skill.name for skill in found.skills]


def test_nowhere_and_nothing_are_fine(tmp_path: Path) -> None:
    """No place, or places that are not there: no skill and no warning."""
    assert discover(None) == SkillSet()
    assert discover(tmp_path, (), tmp_path / "home") == SkillSet()


def test_places_are_taken_in_their_order(write: Write, tmp_path: Path) -> None:
    """Given before project, near before far, shared before a client's own, home last."""
    repo, home, given = tmp_path / "repo", tmp_path / "home", tmp_path / "given"
    inner = repo / "a" / "b"
    inner.mkdir(parents=True)
    (repo / ".git").mkdir()
    write(tmp_path / ".agents" / "skills", "above-the-root")
    write(home / ".claude" / "skills", "h2")
    write(home / ".agents" / "skills", "h1")
    write(repo / ".claude" / "skills", "r2")
    write(repo / ".agents" / "skills", "r1")
    write(inner / ".claude" / "skills", "p2")
    write(inner / ".agents" / "skills" / "group", "p1")
    write(given, "g")
    found = discover(inner, [given], home)
    assert names(found) == ["g", "p1", "p2", "r1", "r2", "h1", "h2"] and not found.warnings
    assert discover(inner, [given], home) == found
    assert names(discover(inner)) == ["p1", "p2", "r1", "r2"]


@pytest.mark.parametrize("git", ["file", "folder", "none"])
def test_the_git_root_is_the_ceiling(write: Write, tmp_path: Path, git: str) -> None:
    """A `.git` of either kind ends the way up; without one the project stands alone."""
    inner = tmp_path / "repo" / "inner"
    inner.mkdir(parents=True)
    write(tmp_path / "repo" / ".agents" / "skills", "root")
    write(inner / ".agents" / "skills", "own")
    mark = tmp_path / "repo" / ".git"
    if git != "none":
        mark.mkdir() if git == "folder" else mark.write_text("gitdir: elsewhere")
    assert names(discover(inner)) == (["own"] if git == "none" else ["own", "root"])
    assert len(places(inner)) == (2 if git == "none" else 4)


def test_a_name_met_again_is_left_out(write: Write, tmp_path: Path) -> None:
    """The nearer skill is used; the warning names both files."""
    near = write(tmp_path / ".agents" / "skills", "one", "near")
    far = write(tmp_path / "home" / ".agents" / "skills", "one", "far")
    found = discover(tmp_path, (), tmp_path / "home")
    assert [skill.description for skill in found.skills] == ["near"]
    (warning,) = found.warnings
    assert warning.file == str(far / "SKILL.md") and str(near / "SKILL.md") in warning.why


def test_one_file_by_two_ways_is_one_skill(write: Write, tmp_path: Path) -> None:
    """A place that is a link to another, or is given too, makes no warning."""
    folder = write(tmp_path / ".agents" / "skills", "one")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "skills").symlink_to(tmp_path / ".agents" / "skills")
    found = discover(tmp_path, [folder], tmp_path)
    assert names(found) == ["one"] and found.warnings == ()


def test_a_path_may_be_a_skill_a_file_or_a_folder_of_them(write: Write, tmp_path: Path) -> None:
    """All three find it; a path with nothing in it, or none at all, is a warning."""
    folder = write(tmp_path / "all", "one")
    for path in (folder, folder / "SKILL.md", tmp_path / "all", tmp_path):
        assert names(discover(None, [path])) == ["one"]
    (tmp_path / "empty").mkdir()
    odd = [tmp_path / "empty", tmp_path / "gone", tmp_path / "gone" / "SKILL.md", Path("nul\0")]
    found = discover(None, odd)
    assert found.skills == () and len(found.warnings) == len(odd)
    assert "no skill" in found.warnings[0].why


def test_small_letters_will_do(write: Write, tmp_path: Path) -> None:
    """`skill.md` is one too, and gives way to SKILL.md."""
    folder = write(tmp_path, "one", "big")
    (folder / "skill.md").write_text("---\nname: one\ndescription: small\n---\n")
    if len(list(folder.iterdir())) == 2:
        assert discover(None, [tmp_path]).skills[0].description == "big"
        (folder / "SKILL.md").unlink()
    assert names(discover(None, [tmp_path])) == ["one"]


def test_a_skill_is_not_searched_for_more(write: Write, tmp_path: Path) -> None:
    """What a skill holds is its own; hidden and installed folders are not searched at all."""
    inner = write(tmp_path, "one")
    for place in (inner, tmp_path / ".hidden", tmp_path / "node_modules", tmp_path / ".venv"):
        write(place, "two")
    assert names(discover(None, [tmp_path])) == ["one"]


def test_the_search_is_bounded(write: Write, tmp_path: Path) -> None:
    """Four folders deep, two thousand wide, with a warning; links never in circles."""
    deep = tmp_path / "deep"
    write(deep.joinpath(*"abc"), "four")
    write(deep.joinpath(*"abcd"), "five")
    (deep / "a" / "loop").symlink_to(deep)
    (deep / "a" / "self").symlink_to(deep / "a" / "self")
    assert DEEPEST == 4 and names(discover(None, [deep])) == ["four"]
    wide = tmp_path / "wide"
    for number in range(FOLDERS + 5):
        (wide / f"{number:05}").mkdir(parents=True)
    write(wide, "00001")
    found = discover(None, [wide])
    assert names(found) == ["00001"] and "2,000 folders" in found.warnings[0].why


def test_links_are_followed(write: Write, tmp_path: Path) -> None:
    """A skill that is linked into a place is found under the link's name."""
    real = write(tmp_path / "store", "real")
    place = tmp_path / ".agents" / "skills"
    place.mkdir(parents=True)
    (place / "link").symlink_to(real)
    found = discover(tmp_path)
    assert names(found) == ["real"] and found.skills[0].folder == str(place / "link")


def test_what_cannot_be_read_is_a_warning(write: Write, tmp_path: Path) -> None:
    """A folder called SKILL.md, a pipe, a link to nowhere: told, and the others are found."""
    write(tmp_path, "fine")
    for name in ("folder", "pipe", "link"):
        (tmp_path / name).mkdir()
    (tmp_path / "folder" / "SKILL.md").mkdir()
    os.mkfifo(tmp_path / "pipe" / "SKILL.md")
    (tmp_path / "link" / "SKILL.md").symlink_to(tmp_path / "gone")
    found = discover(None, [tmp_path])
    assert names(found) == ["fine"] and len(found.warnings) == 3
    assert all("cannot be read" in warning.why for warning in found.warnings)


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda data: b"---\n" + data))
def test_any_bytes_are_a_skill(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Whatever a SKILL.md holds, there is a skill with a name, and the strict judge has a say."""
    folder = tmp_path_factory.mktemp("any")
    (folder / "SKILL.md").write_bytes(data)
    found = discover(None, [folder])
    (skill,) = found.skills
    assert 0 < len(skill.name) <= 64 and skill.name.isprintable()
    assert isinstance(problems(folder), tuple)
    shutil.rmtree(folder)
