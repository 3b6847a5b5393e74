from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.skills.match import skills_for_goal
from loom.capabilities.skills.skill_files import Skill
from tests.kit.cases import all_cases

DESCRIBED = {
    "gif-maker": "Animated GIFs that are small enough for Slack, made of drawn frames.",
    "pdf-forms": "Fill in PDF forms and read their fields. Not for scanned invoices or receipts.",
    "linting": "Checks Python code with ruff and fixes style issues.",
    "fix-tests": "How this project's tests are fixed when they fail.",
    "cassettes": "Record HTTP cassettes with VCR and play them back in tests.",
}
SKILLS = tuple(
    Skill(name, told, f"/s/{name}", f"/s/{name}/SKILL.md") for name, told in DESCRIBED.items()
)


def named(goal: str, skills: tuple[Skill, ...] = SKILLS) -> list[str]:
    """The names of what a goal calls for."""
    return [skill.name for skill in skills_for_goal(goal, skills)]


@all_cases("goal", ["", " ", "?!", "the and of"])
def test_a_goal_that_says_nothing_calls_for_nothing(goal: str) -> None:
    """Nor does any goal where there are no skills."""
    assert named(goal) == [] and named("Make a gif", ()) == []


@all_cases(
    ("goal", "names"),
    [
        ("Use gif-maker for the team", ["gif-maker"]),
        ("a GIF maker, please", ["gif-maker"]),
        ("run gif_maker, then PDF forms", ["gif-maker", "pdf-forms"]),
        ("/linting src", ["linting"]),
        ("Read docs/linting/README.md", []),
        ("Add linting to the build", []),
        ("Fix tests of the parser", ["fix-tests"]),
        ("Animate a cat in a GIF for Slack", ["gif-maker"]),
        ("Read the fields of this PDF form", ["pdf-forms"]),
        ("Record the VCR cassettes for the new HTTP client", ["cassettes"]),
        ("Scan the invoices and receipts", []),
        ("Fix the failing auth tests", []),
        ("Send a message to Slack", []),
        ("fix tests", ["fix-tests"]),
        ("Use the fix tests skill", ["fix-tests"]),
        (DESCRIBED["fix-tests"], ["fix-tests"]),
        ("When they fail, fix the project's tests", ["fix-tests"]),
        ("Python code is checked with ruff, and issues of style fixed", ["linting"]),
    ],
)
def test_what_a_goal_calls_for(goal: str, names: list[str]) -> None:
    """A name as written or as words; rare words, enough of them; everyday words say nothing."""
    assert named(goal) == names


def test_a_long_goal_must_be_about_the_skill() -> None:
    """A few shared words in a long text are an accident."""
    filler = " ".join(f"topic{number}" for number in range(60))
    assert named("Animate a GIF for Slack") == ["gif-maker"]
    assert named(f"Animate a GIF for Slack {filler}") == []


@given(
    st.text(max_size=80),
    st.lists(st.tuples(st.text(max_size=20), st.text(max_size=80)), max_size=5),
)
def test_any_goal_over_any_skills(goal: str, rows: list[tuple[str, str]]) -> None:
    """At most two, each one that was given, once."""
    skills = tuple(Skill(name, told, "/s", "/s/SKILL.md") for name, told in rows)
    found = skills_for_goal(goal, skills)
    assert len(found) <= 2 and all(skill in skills for skill in found)
