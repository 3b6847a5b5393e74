import json
from pathlib import Path

import pytest

from tests.loom.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("home")


def skill(place: Path, name: str, header: str = "") -> Path:
    """A skill in a place; `header` stands in it beside name and description."""
    folder = place / name
    folder.mkdir(parents=True)
    text = f"---\nname: {name}\ndescription: About {name}.\n{header}---\nBody\n"
    (folder / "SKILL.md").write_text(text, "utf-8")
    return folder


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    """A project with a good skill and an odd one, and a third at home."""
    project = tmp_path / "project"
    skill(project / ".agents" / "skills", "good")
    skill(project / ".claude" / "skills", "odd", "triggers:\n  - x\n")
    skill(home / ".agents" / "skills", "mine")
    return project


def test_no_skills_says_where_it_looked(run: Run, tmp_path: Path, home: Path) -> None:
    """Every place is named, what was given too, and it is no fault."""
    code, out, err = run("skills", tmp_path, "--given", home)
    assert (code, err) == (0, "") and out.startswith("no skills; looked in\n")
    for place in (home, tmp_path / ".agents" / "skills", home / ".claude" / "skills"):
        assert f"  {place}\n" in out
    code, out, _ = run("skills", tmp_path, "--json")
    told = json.loads(out)
    assert code == 0 and told["skills"] == [] == told["warnings"] and len(told["looked"]) == 4


def test_what_is_given_comes_first_and_shadows(run: Run, project: Path, tmp_path: Path) -> None:
    """Paths may be given more than once; what is left out is a warning after the table."""
    one, two = skill(tmp_path / "one", "extra"), skill(tmp_path / "two", "good")
    code, out, _ = run("skills", project, "--given", one, "--given", two, "--json")
    told = json.loads(out)
    assert code == 0 and [one["name"] for one in told["skills"]] == ["extra", "good", "odd", "mine"]
    assert told["skills"][1]["folder"] == str(two) and "ok" not in told
    (warning,) = told["warnings"]
    assert warning["file"] == str(project / ".agents" / "skills" / "good" / "SKILL.md")
    assert str(two / "SKILL.md") in warning["why"]
    _, out, _ = run("skills", project, "--given", two)
    assert out.splitlines()[-1].startswith("warning: ") and "left out" in out


def test_strict_counts_warnings(run: Run, project: Path) -> None:
    """Exit 1 when there is any: of a header, or of a file that was not read."""
    assert run("skills", project, "--strict")[0] == 0
    file = project / ".claude" / "skills" / "odd" / "SKILL.md"
    file.write_text("---\nname: other\ndescription: It is not the folder's.\n---\n")
    code, out, _ = run("skills", project, "--strict")
    assert code == 1 and "warning: " in out and "is not the folder's" in out
    file.unlink()
    file.symlink_to("/etc/hostname")
    assert run("skills", project)[0] == 0
    code, out, _ = run("skills", project, "--strict", "--json")
    told = json.loads(out)
    assert (
        code == 1 and told["ok"] is False and [one["refused"] for one in told["warnings"]] == [True]
    )


def test_a_folder_that_is_none_is_exit_2(run: Run, tmp_path: Path) -> None:
    """It is named; a given path that is not there is only a warning."""
    code, out, err = run("skills", tmp_path / "gone", "--json")
    assert code == 2 and "gone" in err and json.loads(out)["kind"] == "FileNotFoundError"
    code, out, _ = run("skills", tmp_path, "--given", tmp_path / "gone")
    assert code == 0 and "warning: " in out and "gone" in out
