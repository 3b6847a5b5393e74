"""The project an event is of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from loom.home import PROJECT, project_of
from loom.hook.answering import event_answer
from tests.kit.cases import all_cases
from tests.kit.hook_events import LOG, bash_event

SECRET = "Client Contoso pays 4,200,000 in May.\n"
STARTED = {"session_id": "s1", "hook_event_name": "SessionStart", "source": "compact"}
RESUMED = {**STARTED, "source": "resume"}
COMPACTING = {"session_id": "s1", "hook_event_name": "PreCompact", "trigger": "auto"}


@pytest.fixture
def projects(tmp_path: Path) -> tuple[Path, Path]:
    """Two project folders."""
    made = tmp_path / "a", tmp_path / "b"
    for one in made:
        (one / "below").mkdir(parents=True)
    return made


def held(place: Path) -> dict[str, bytes]:
    """The files of a session."""
    return {str(one): one.read_bytes() for one in place.rglob("*") if one.is_file()}


def test_the_project_is_recorded_once(place: Path, projects: tuple[Path, Path]) -> None:
    """That of the first event; later ones from below it are the same session's."""
    one, _ = projects
    event_answer(bash_event(LOG, "t1", cwd=str(one)))
    event_answer(bash_event(LOG + "x", "t2", cwd=str(one / "below")))
    assert project_of(place / "s1") == os.path.realpath(one)
    assert [each.name for each in place.iterdir()] == ["s1"]
    assert len([*(place / "s1" / "outputs").iterdir()]) == 2


@all_cases("event", [bash_event(LOG), STARTED, RESUMED, COMPACTING])
def test_an_event_of_another_project_has_a_session_of_its_own(
    place: Path, projects: tuple[Path, Path], event: dict[str, Any]
) -> None:
    """With the same id: nothing is told of the first, and nothing written into it."""
    one, two = projects
    event_answer(bash_event(SECRET * 400, "t1", cwd=str(one)))
    before = held(place / "s1")
    for folder in (str(two), str(one.parent), None):
        said = event_answer({**event, "cwd": folder})
        assert "Contoso" not in said and str(place / "s1" / "outputs") not in said
    assert held(place / "s1") == before
    assert str(place / "s1" / "outputs") in event_answer({**RESUMED, "cwd": str(one)})


def test_where_the_client_was_started_counts(
    place: Path, projects: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not where a command moved to: neither does that make the session another project's."""
    one, two = projects
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(one))
    event_answer(bash_event(LOG, "t1", cwd=str(two)))
    assert project_of(place / "s1") == os.path.realpath(one)


def test_a_link_is_the_folder_it_leads_to(place: Path, projects: tuple[Path, Path]) -> None:
    """Recorded as the folder itself; a link set later in its place gets nothing."""
    one, two = projects
    link = one.parent / "link"
    link.symlink_to(one)
    event_answer(bash_event(LOG, "t1", cwd=str(link)))
    assert project_of(place / "s1") == os.path.realpath(one)
    link.unlink()
    link.symlink_to(two)
    assert str(place / "s1" / "outputs") not in event_answer({**RESUMED, "cwd": str(link)})


def test_a_session_without_a_record_is_no_project_s(
    place: Path, projects: tuple[Path, Path]
) -> None:
    """One that was made before folders were recorded, or whose record is damaged, goes on with
    events that tell no folder alone."""
    one, _ = projects
    event_answer(bash_event(SECRET * 400, "t1"))
    assert project_of(place / "s1") == ""
    for record in (None, "", "[]", '{"folder": 5}', '{"folder": "relative"}'):
        if record is not None:
            (place / "s1" / PROJECT).write_text(record)
        before = held(place / "s1")
        said = event_answer({**STARTED, "cwd": str(one)})
        assert str(place / "s1" / "outputs") not in said
        assert held(place / "s1") == before
        assert str(place / "s1" / "outputs") in event_answer(RESUMED)
