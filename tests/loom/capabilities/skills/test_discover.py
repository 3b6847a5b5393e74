import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.skills import SkillSet, discover
from loom.capabilities.skills.discover import DEEPEST, FOLDERS

Write = Callable[..., Path]


def names(found: SkillSet) -> list[str]:
    """The names of what was found."""
    return [skill.name for skill in found.skills]


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


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda data: b"---\n" + data))
def test_any_bytes_are_a_skill(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Whatever a SKILL.md holds, there is a skill with a name, and the strict judge has a say."""
    folder = tmp_path_factory.mktemp("any")
    (folder / "SKILL.md").write_bytes(data)
    found = discover(None, [folder])
    (skill,) = found.skills
    assert 0 < len(skill.name) <= 64 and skill.name.isprintable()
    shutil.rmtree(folder)
