"""The tool `use_skill`: a skill's text into the context, its files as results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opening
from tests.kit.step import own

HOSTS = {
    "name": "use_skill",
    "description": "The host's own.",
    "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
}
OUTSIDE = "what lies beside the skill\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Two skills, one with files, a link out of it, and something beside it."""
    place = tmp_path / "skills"
    for name in ("pdf-filling", "gif-making"):
        (place / name).mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: All about {name}.\n---\nThe body of {name}.\n"
        (place / name / "SKILL.md").write_text(text)
    folder = place / "pdf-filling"
    (folder / "scripts").mkdir()
    (folder / "scripts" / "fill.py").write_text("print('filled')\n")
    (folder / "forms.md").write_text("How forms are.\n")
    (tmp_path / "secret.md").write_text(OUTSIDE)
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    return place


@pytest.fixture
def opened(tmp_path: Path, place: Path) -> Iterator[Open]:
    """Open a workspace with those skills."""
    with opening(tmp_path, window=8_192, capabilities=[loom.Skills(place)]) as make:
        yield make


# Declared, or not


def test_without_skills_it_is_not_declared(opened: Open, tmp_path: Path) -> None:
    """None given, or none found: the model hears nothing of it."""
    (tmp_path / "none").mkdir()
    for given in ((), [tmp_path / "none"]):
        ctx = opened(capabilities=[loom.Skills(*given)])
        assert "use_skill" not in ctx.tools.own
        assert "use_skill" not in str(ctx.turn().request())
        ctx.close()


def test_with_skills_it_is(opened: Open) -> None:
    """In every format a request is made in; without own_tools only the host may use them."""
    ctx = opened()
    assert "use_skill" in ctx.tools.own
    for format in ("openai", "responses", "anthropic", "gemini"):
        assert "use_skill" in str(
            ctx.turn().request(format, model="m")["tools" if format != "gemini" else "config"]
        )


def test_without_own_tools_the_host_uses_them(opened: Open) -> None:
    """No tool is declared; `use_skill` of the context brings a body."""
    ctx = opened(policy=loom.Policy(own_tools=False))
    assert ctx.tools.own == set()
    ctx.skills.use("pdf-filling")
    assert "The body of pdf-filling." in str(ctx.turn().request())


def test_a_hosts_tool_of_the_name(opened: Open, tmp_path: Path) -> None:
    """Refused while Loom answers it, allowed without skills."""
    with pytest.raises(loom.BadTool, match="use_skill"):
        opened(tools=[HOSTS])
    ctx = opened()
    with pytest.raises(loom.BadTool, match="use_skill"):
        ctx.tools.declare(HOSTS)
    with loom.open(tmp_path / "b", tools=[HOSTS], durable=False) as other:
        other.reply(loom.Reply((loom.ToolCall("c", "use_skill", "{}"),)))
        assert [one.name for one in other.calls] == ["use_skill"]


# What it answers


def test_a_body_comes_with_the_names_of_its_files(opened: Open) -> None:
    """The result is short, the body stands in the context, links out are no files."""
    ctx = opened()
    text, error = own(ctx, "use_skill", {"name": "pdf-filling"})
    assert not error and "The body of" not in text
    assert "forms.md" in text and "scripts/fill.py" in text and "out.md" not in text
    assert "The body of pdf-filling." in str(ctx.turn().request())
    assert "file" not in own(ctx, "use_skill", {"name": "gif-making"})[0]


def test_a_file_is_a_result(opened: Open) -> None:
    """Its text, and nothing in the window beside it: the body is not brought by it."""
    ctx = opened()
    shelf = ctx.window.skill.bodies
    for file, text in (("forms.md", "How forms are.\n"), ("scripts/fill.py", "print('filled')\n")):
        assert own(ctx, "use_skill", {"name": "pdf-filling", "file": file}) == (text, False)
    assert ctx.window.skill.bodies == shelf


OUT: list[str] = [
    "../gif-making/SKILL.md",
    "../../secret.md",
    "scripts/../../gif-making/SKILL.md",
    "..\\..\\secret.md",
    "/etc/passwd",
    "C:\\secret.md",
    "out.md",
    "gone.md",
    "scripts",
    ".",
    "a\0b",
    "x" * 5_000,
]


@all_cases("file", OUT, ids=lambda one: repr(one[:30]))
def test_nothing_leads_out_of_a_skill(opened: Open, file: str) -> None:
    """An error that names the files there are."""
    ctx = opened()
    text, error = own(ctx, "use_skill", {"name": "pdf-filling", "file": file})
    assert error and OUTSIDE.strip() not in text and "root:" not in text
    assert "The body of" not in text and "scripts/fill.py" in text and len(text) < 1_500
    ctx.turn().request("anthropic", model="m")


UNKNOWN = [
    ("pdf-filing", "near it: pdf-filling"),
    ("gifmaking", "near it: gif-making"),
    ("PDF-FILLING", "use_skill('?')"),
    ("zzz", "use_skill('?')"),
    ("", "use_skill('?')"),
    ("x" * 5_000, "use_skill('?')"),
]


@all_cases(("name", "hint"), UNKNOWN, ids=lambda one: one[:20])
def test_an_unknown_name_gets_a_hint(opened: Open, name: str, hint: str) -> None:
    """Near names, or how to list them all; with a file as without."""
    ctx = opened()
    shelf = ctx.window.skill.bodies
    for given in ({"name": name}, {"name": name, "file": "forms.md"}):
        text, error = own(ctx, "use_skill", given)
        assert error and hint in text and len(text) < 1_000
    assert ctx.window.skill.bodies == shelf


def test_a_question_mark_lists_all(opened: Open, place: Path) -> None:
    """Every name with its description, also of those the list had no room for."""
    for n in range(60):
        (place / f"more-{n:02d}").mkdir()
        text = f"---\nname: more-{n:02d}\ndescription: Work of kind {n}.\n---\n"
        (place / f"more-{n:02d}" / "SKILL.md").write_text(text)
    ctx = opened(window=4_000)
    assert "more-59" not in str(ctx.turn().request())
    text, error = own(ctx, "use_skill", {"name": " ? "})
    assert not error
    assert "pdf-filling: All about pdf-filling." in text and "more-59: Work of kind 59." in text
    assert ctx.turn().pressure.rho <= 1.0


BAD: list[Any] = [
    "",
    "{",
    "[]",
    "{}",
    '{"name":null}',
    '{"name":["a"]}',
    '{"name":{"a":1}}',
    '{"name":true}',
    '{"name":' + "[" * 5_000,
    '{"name":"pdf-filling","file":["forms.md"]}',
]


@all_cases("arguments", BAD, ids=lambda one: one[:30])
def test_a_bad_call_is_answered(opened: Open, arguments: str) -> None:
    """An error result that says how to call; nothing comes into the window."""
    ctx = opened()
    shelf = ctx.window.skill.bodies
    text, error = own(ctx, "use_skill", arguments)
    assert error and text.startswith("use_skill: ") and '"file"' in text and len(text) < 1_000
    assert ctx.window.skill.bodies == shelf
    ctx.turn().request("anthropic", model="m")


def test_reopened_without_skills_it_is_answered(opened: Open) -> None:
    """What the model was told of still answers: an error for all, and the body stays."""
    ctx = opened()
    own(ctx, "use_skill", {"name": "pdf-filling"})
    ctx.turn()
    ctx.close()
    ctx = opened(capabilities=[loom.Skills()])
    for given in ({"name": "pdf-filling"}, {"name": "?"}, {"name": "x", "file": "forms.md"}):
        text, error = own(ctx, "use_skill", given)
        assert error and "no skills" in text
    assert "The body of pdf-filling." in str(ctx.turn().request())


def test_a_secret_in_a_file_is_redacted(opened: Open, place: Path, tmp_path: Path) -> None:
    """As in every other result."""
    secret = "sk-ant-" + "a1B2c3D4" * 5
    (place / "pdf-filling" / "forms.md").write_text(f"the key:\n{secret}\n")
    text, _ = own(opened(), "use_skill", {"name": "pdf-filling", "file": "forms.md"})
    assert text == "the key:\n[redacted:api-key]\n"
    for at in (tmp_path / "w").rglob("*"):
        assert at.is_dir() or secret.encode() not in at.read_bytes()


def test_a_large_file_leaves_room(opened: Open, place: Path) -> None:
    """What is shown of it is bounded like any result."""
    (place / "pdf-filling" / "forms.md").write_text("a line of a form\n" * 50_000)
    ctx = opened(window=4_000)
    for _ in range(3):
        assert not own(ctx, "use_skill", {"name": "pdf-filling", "file": "forms.md"})[1]
        assert ctx.turn().pressure.rho <= 1.0


def test_a_large_file_rests_on_a_page(opened: Open, place: Path) -> None:
    """Its result names the page, and the page is the whole; a small one makes none."""
    (place / "pdf-filling" / "forms.md").write_text(
        "".join(f"field {n} of a form\n" for n in range(4_000))
    )
    ctx = opened(window=8_192)
    text, _ = own(ctx, "use_skill", {"name": "pdf-filling", "file": "forms.md"})
    page = ctx.window.history.stream.last.outcomes[0].reduction.outcome_ref
    assert page and page in text and "field 0 of" in text and "field 3999 of" in text
    assert ctx.page_in(page).text == (place / "pdf-filling" / "forms.md").read_text()
    own(ctx, "use_skill", {"name": "pdf-filling", "file": "scripts/fill.py"})
    assert ctx.window.history.stream.last.outcomes[0].reduction.outcome_ref == ""
