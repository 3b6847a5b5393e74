from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.skills import Skill, catalogue
from loom.capabilities.skills.catalogue import HEADING
from tests.kit.cases import all_cases


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
    told = catalogue(THREE, 100, words)
    pdf, gif, art = told.splitlines()[2:]
    assert gif == "- gif: Make GIFs." and pdf.endswith("…") and art.endswith("…")
    assert len(pdf) == len(art) and 98 <= words(told) <= 100


def test_then_names_stand_alone_then_as_many_as_fit() -> None:
    """The last line says how many there are more, and how to find them."""
    assert catalogue(THREE, words(HEADING) + 8, words) == f"{HEADING}\n- pdf\n- gif\n- art"
    many = made(*((f"skill-{number:03}", "x" * 30) for number in range(500)))
    told = catalogue(many, 200, words)
    shown = told.count("\n- skill-")
    assert told.endswith(f"\n- and {500 - shown} more: find them with use_skill('?')")
    assert shown > 30 and 197 <= words(told) <= 200


def test_below_the_smallest_form_there_is_nothing() -> None:
    """Half a heading helps nobody."""
    many = made(*((f"a-longer-name-of-{number}", "x") for number in range(50)))
    smallest = f"{HEADING}\n- 50 skills: find them with use_skill('?')"
    assert catalogue(many, words(smallest), words) == smallest
    assert catalogue(many, words(smallest) - 1, words) == catalogue(many, 0, words) == ""


@all_cases("text", ["a\nb", "a\x1b[31m b", "a\u2028b", "a\u202eb", "a\x00b", "  a   b"])
def test_every_skill_is_one_line(text: str) -> None:
    """No control characters, single spaces."""
    told = catalogue(made((text, text)), 1_000, words)
    assert told == f"{HEADING}\n- a b: a b"


SKILLS = st.lists(st.tuples(st.text(min_size=1, max_size=80), st.text(max_size=400)), max_size=12)


@given(SKILLS.map(lambda rows: made(*rows)), st.integers(-5, 700))
def test_a_catalogue_fits_its_room(skills: Sequence[Skill], room: int) -> None:
    """At most the room, a line a skill at most, and nothing only below the smallest form."""
    told = catalogue(skills, room, words)
    assert told == "" or words(told) <= room
    assert len(told.splitlines()) <= 2 + len(skills)
    assert told or not skills or room < SMALLEST
