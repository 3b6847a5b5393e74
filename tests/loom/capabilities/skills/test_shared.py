"""Real skills, when they lie beside the repository."""

from pathlib import Path

import pytest

from loom.capabilities.skills import (
    Skill,
    body,
    catalogue,
    discover,
    matching,
    resource,
    resources,
)
from tests.kit.cases import all_cases

DATA = Path(__file__).parents[5] / "shared" / "data"
FILES = sorted(
    path for name in ("agent-skills", "agents-md") for path in DATA.glob(f"{name}/**/SKILL.md")
)

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not FILES, reason="no real skills beside the repository"),
]


@pytest.fixture(scope="module")
def skills() -> tuple[Skill, ...]:
    """Every real skill."""
    return discover(None, FILES).skills


def test_all_of_them_load(skills: tuple[Skill, ...]) -> None:
    """Each has a name, a description and a body; what is odd about one is a warning."""
    found = discover(None, FILES)
    assert len(skills) == len(FILES) and found.skills == skills
    assert all(skill.name and skill.description and body(skill) for skill in skills)
    assert {warning.file for warning in found.warnings} < {skill.file for skill in skills}


def test_their_files_can_be_read(skills: tuple[Skill, ...]) -> None:
    """Every resource that is listed is a text that comes."""
    listed = [(skill, path) for skill in skills for path in resources(skill)]
    assert len(listed) > 50 and all(isinstance(resource(*one), str) for one in listed)


@all_cases("room", [0, 50, 100, 300, 1_000, 5_000])
def test_a_catalogue_of_them_fits(skills: tuple[Skill, ...], room: int) -> None:
    """At any room, in words."""
    assert len(catalogue(skills, room, lambda text: len(text.split())).split()) <= room


GOALS = {
    "Make a slack gif of a cat": "slack-gif-creator",
    "Make an animated GIF for Slack of a dancing robot": "slack-gif-creator",
    "Build an MCP server for the GitHub API": "mcp-builder",
    "Integrate an external API as MCP tools with FastMCP": "mcp-builder",
    "Encrypt this message with ROT13": "rot13-encryption",
    "Draw generative art with p5.js and particle systems": "algorithmic-art",
    "Design a poster as a PDF for the jazz festival, a piece of visual art": "canvas-design",
    "Write the company newsletter with this week's leadership updates": "internal-comms",
    "Test the local web application with Playwright and take browser screenshots": "webapp-testing",
    "Apply Anthropic's brand colors and typography to these slides": "brand-guidelines",
    "Lint the Python code with ruff": "python-linting",
    "Migrate our LangGraph application to Pydantic AI": "migrating-langchain-to-pydantic-ai",
    "Use the theme-factory skill on this deck": "theme-factory",
    "Style the landing page with a pre-set theme, colors and fonts": "theme-factory",
    "Run swebench and compare the eval results with last week": "manage-evals",
    "Cut a release of the SDK and publish it to PyPI": "sdk-release",
    "Record new VCR cassettes for the HTTP recordings": "testing-skill",
    "Address the unresolved PR review comments on this branch": "address-feedback",
    "Build a React artifact with Tailwind and shadcn/ui for claude.ai": "web-artifacts-builder",
    "Deploy the feature branch to staging and run a cross-repo test": "cross-repo-testing",
    "Add prompt caching with the Claude API": "claude-api",
    "Investigate CI failures in the run-examples.yml workflow": "debug-test-examples-workflow",
    "Push the commits and watch CI on the PR, triage every comment": "pushing-commits-to-the-repo",
    "Do a pre-push review of the branch": "pre-push-review",
    "Follow the code-style-guide when you write this": "code-style-guide",
    "Roll out the feature across CLI, GUI, docs and blog": "feature-release-rollout",
    "Fix the failing auth tests": "",
    "Rename the function parse_header to read_header everywhere": "",
    "Why does the server return 500 on login?": "",
    "Add a column to the users table and a migration": "",
    "Refactor the payment module to use async": "",
    "Write unit tests for the date parser": "",
    "Update the README with install steps": "",
    "Find the memory leak in the worker": "",
    "Review this function for bugs": "",
    "What does this repository do?": "",
    "Translate the error messages to German": "",
    "Speed up the SQL query in reports.py": "",
    "Make the build pass on Windows": "",
    "Bump the version to 2.0 and tag it": "",
    "Create a Dockerfile for the API": "",
    "Slack notifications are not sent when a job fails": "",
    "Add a theme switch with dark mode to the settings page": "",
    "Fix the flaky browser test in CI": "",
    "Add rate limiting to the public API endpoints": "",
    "Count the tokens in the file": "",
    "Encrypt the passwords in the database with bcrypt": "",
    "Write a blog post about our release": "",
    "Generate a report of sales by region as PDF": "",
    "Fix the CSS so the header does not overlap the menu on mobile screens": "",
    "Explain how the scheduler works": "",
    "The tests of a Python project fail. Find the bug, fix it, run the tests.": "",
}


@all_cases(("goal", "name"), GOALS.items())
def test_goals_call_for_the_skill_a_reader_would_take(
    skills: tuple[Skill, ...], goal: str, name: str
) -> None:
    """The first is the one that was meant, and everyday work calls for none."""
    assert [skill.name for skill in matching(goal, skills)][:1] == ([name] if name else [])


def test_a_goal_that_is_a_description_calls_for_its_skill(skills: tuple[Skill, ...]) -> None:
    """So do four fifths of its words, and the name, as written or as words: it ranks first."""
    for skill in skills:
        words = skill.description.split()
        goals = [
            skill.description,
            " ".join(words[: max(len(words) * 4 // 5, 1)]),
            skill.name,
            skill.name.replace("-", " "),
        ]
        firsts = [next(iter(matching(goal, skills)), None) for goal in goals]
        assert firsts == [skill] * len(goals), skill.name


@all_cases(
    "goal",
    [
        "Fix the failing unit test in src/auth.py",
        "What is the weather in Paris?",
        "Refactor the parser and add types",
        "Migrate the database to Postgres 16",
        "Summarise the meeting notes of Tuesday",
    ],
)
def test_a_goal_of_another_kind_calls_for_none(skills: tuple[Skill, ...], goal: str) -> None:
    """Everyday goals bring no skill in."""
    assert matching(goal, skills) == ()
