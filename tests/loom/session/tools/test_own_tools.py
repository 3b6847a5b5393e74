"""Loom's own tools: whose their names are, and `use_skill`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import json

import loom
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opening
from tests.kit.step import calls, own

HOSTS = {
    "description": "The host's own.",
    "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
}


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context with a message to bring back."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as made:
        made.user("one\ntwo\nthree")
        made.turn()
        yield made


def declared(ctx: loom.Context) -> dict[str, str]:
    """Name and description of every tool on the shelf."""
    tools = [json.decode(held.text.body or "") for held in ctx.window.skill.tools.current]
    return {tool["name"]: tool["description"] for tool in tools}


def test_a_name_that_leads_nowhere_is_an_error(ctx: loom.Context) -> None:
    """The first answer says what to do instead, the second that this was said."""
    for entry, told in ((2, "recall(query) finds names"), (3, "as you were told")):
        ctx.reply(loom.Reply((loom.ToolCall(f"c{entry}", "page_in", '{"ref":"surf_0099.txt"}'),)))
        restored = ctx.history.restore(entry)
        assert restored.errors == (f"c{entry}",)
        assert told in restored.results[f"c{entry}"]
        ctx.turn()


@pytest.mark.parametrize("name", ["page_in", "recall"])
def test_a_host_tool_of_the_same_name_is_refused(ctx: loom.Context, name: str) -> None:
    """While Loom answers it: BadInput names it, the declaration stays, the call stays Loom's."""
    before, window = declared(ctx), ctx.window
    with pytest.raises(loom.BadInput, match=name):
        ctx.tools.declare({"name": name, **HOSTS})
    assert ctx.window is window
    assert declared(ctx) == before
    ctx.reply(calls("a", tool=name, args='{"ref":"user_0001","query":"two"}'))
    assert ctx.calls == ()


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


def test_without_own_tools_the_host_uses_them(opened: Open) -> None:
    """No tool is declared; `use_skill` of the context brings a body."""
    ctx = opened(policy=loom.Policy(own_tools=False))
    assert ctx.tools.own == set()
    ctx.skills.use("pdf-filling")
    assert "The body of pdf-filling." in str(ctx.turn().request())


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


def test_a_large_file_rests_on_a_page(opened: Open, place: Path) -> None:
    """Its result is bounded and names the page, which is the whole; a small one makes none."""
    (place / "pdf-filling" / "forms.md").write_text(
        "".join(f"field {n} of a form\n" for n in range(4_000))
    )
    ctx = opened(window=4_000)
    text, _ = own(ctx, "use_skill", {"name": "pdf-filling", "file": "forms.md"})
    page = ctx.window.history.stream.last.outcomes[0].reduction.outcome_ref
    assert ctx.turn().pressure.rho <= 1.0
    assert page and page in text and "field 0 of" in text and "field 3999 of" in text
    assert ctx.page_in(page).text == (place / "pdf-filling" / "forms.md").read_text()
    own(ctx, "use_skill", {"name": "pdf-filling", "file": "scripts/fill.py"})
    assert ctx.window.history.stream.last.outcomes[0].reduction.outcome_ref == ""
