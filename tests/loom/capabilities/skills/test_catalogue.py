"""Skills found in folders, and the lines that list them in a window."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.skills.catalogue import HEADING, catalogue_text
from loom.capabilities.skills.discover import DEEPEST, FOLDERS, SkillSet, discover_skills
from loom.capabilities.skills.skill_files import Skill
from tests.kit.cases import all_cases
from tests.kit.skills import skill_in


def words(text: str) -> int:
    """A counter of its own kind: a token is four characters, or part of them."""
    return (len(text) + 3) // 4


def made(*described: tuple[str, str]) -> tuple[Skill, ...]:
    """Skills of names and descriptions."""
    return tuple(Skill(name, told, f"/s/{name}", f"/s/{name}/SKILL.md") for name, told in described)


THREE = made(("pdf", "Read PDF files. " * 20), ("gif", "Make GIFs."), ("art", "Paint it. " * 60))
SMALLEST = words(f"{HEADING}\n- 12 skills: find them with use_skill('?')")


def test_the_longest_descriptions_give_way_first() -> None:
    """What is too long is cut to one length; a short one stays whole."""
    told = catalogue_text(THREE, 100, words)
    pdf, gif, art = told.splitlines()[2:]
    assert gif == "- gif: Make GIFs." and pdf.endswith("…") and art.endswith("…")
    assert len(pdf) == len(art) and 98 <= words(told) <= 100


def test_then_names_stand_alone_then_as_many_as_fit() -> None:
    """The last line says how many there are more, and how to find them."""
    assert catalogue_text(THREE, words(HEADING) + 8, words) == f"{HEADING}\n- pdf\n- gif\n- art"
    many = made(*((f"skill-{number:03}", "x" * 30) for number in range(500)))
    told = catalogue_text(many, 200, words)
    shown = told.count("\n- skill-")
    assert told.endswith(f"\n- and {500 - shown} more: find them with use_skill('?')")
    assert shown > 30 and 197 <= words(told) <= 200


@all_cases("text", ["a\nb", "a\x1b[31m b", "a\u2028b", "a\u202eb", "a\x00b", "  a   b"])
def test_every_skill_is_one_line(text: str) -> None:
    """No control characters, single spaces."""
    told = catalogue_text(made((text, text)), 1_000, words)
    assert told == f"{HEADING}\n- a b: a b"


SKILLS = st.lists(st.tuples(st.text(min_size=1, max_size=80), st.text(max_size=400)), max_size=12)


@given(SKILLS.map(lambda rows: made(*rows)), st.integers(-5, 700))
def test_a_catalogue_fits_its_room(skills: Sequence[Skill], room: int) -> None:
    """At most the room, a line a skill at most, and nothing only below the smallest form."""
    told = catalogue_text(skills, room, words)
    assert told == "" or words(told) <= room
    assert len(told.splitlines()) <= 2 + len(skills)
    assert told or not skills or room < SMALLEST


def names(found: SkillSet) -> list[str]:
    """The names of what was found."""
    return [skill.name for skill in found.skills]


def test_a_name_met_again_is_left_out(tmp_path: Path) -> None:
    """The nearer skill is used; the warning names both files."""
    near = skill_in(tmp_path / ".agents" / "skills", "one", "near")
    far = skill_in(tmp_path / "home" / ".agents" / "skills", "one", "far")
    found = discover_skills(tmp_path, (), tmp_path / "home")
    assert [skill.description for skill in found.skills] == ["near"]
    (warning,) = found.warnings
    assert warning.file == str(far / "SKILL.md") and str(near / "SKILL.md") in warning.why


def test_one_file_by_two_ways_is_one_skill(tmp_path: Path) -> None:
    """A place that is a link to another, or is given too, makes no warning."""
    folder = skill_in(tmp_path / ".agents" / "skills", "one")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "skills").symlink_to(tmp_path / ".agents" / "skills")
    found = discover_skills(tmp_path, [folder], tmp_path)
    assert names(found) == ["one"] and found.warnings == ()


def test_a_path_may_be_a_skill_a_file_or_a_folder_of_them(tmp_path: Path) -> None:
    """All three find it; a path with nothing in it, or none at all, is a warning."""
    folder = skill_in(tmp_path / "all", "one")
    for path in (folder, folder / "SKILL.md", tmp_path / "all", tmp_path):
        assert names(discover_skills(None, [path])) == ["one"]
    (tmp_path / "empty").mkdir()
    odd = [tmp_path / "empty", tmp_path / "gone", tmp_path / "gone" / "SKILL.md", Path("nul\0")]
    found = discover_skills(None, odd)
    assert found.skills == () and len(found.warnings) == len(odd)
    assert "no skill" in found.warnings[0].why


def test_the_search_is_bounded(tmp_path: Path) -> None:
    """Four folders deep, two thousand wide, with a warning; links never in circles."""
    deep = tmp_path / "deep"
    skill_in(deep.joinpath(*"abc"), "four")
    skill_in(deep.joinpath(*"abcd"), "five")
    (deep / "a" / "loop").symlink_to(deep)
    (deep / "a" / "self").symlink_to(deep / "a" / "self")
    assert DEEPEST == 4 and names(discover_skills(None, [deep])) == ["four"]
    wide = tmp_path / "wide"
    for number in range(FOLDERS + 5):
        (wide / f"{number:05}").mkdir(parents=True)
    skill_in(wide, "00001")
    found = discover_skills(None, [wide])
    assert names(found) == ["00001"] and "2,000 folders" in found.warnings[0].why


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda data: b"---\n" + data))
def test_any_bytes_are_a_skill(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Whatever a SKILL.md holds, there is a skill with a name, and the strict judge has a say."""
    folder = tmp_path_factory.mktemp("any")
    (folder / "SKILL.md").write_bytes(data)
    found = discover_skills(None, [folder])
    (skill,) = found.skills
    assert 0 < len(skill.name) <= 64 and skill.name.isprintable()
    shutil.rmtree(folder)
