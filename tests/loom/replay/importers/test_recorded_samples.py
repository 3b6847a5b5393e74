"""Sessions as real programs wrote them, long texts replaced and some lines left out."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loom.inputs import (
    Reply,
    Result,
    Session,
    System,
    User,
)
from loom.replay.importers import BadSession, find, load

SAMPLES = Path(__file__).parent / "samples"


def kinds(session: Session) -> str:
    """A letter for each event: system, user, reply, result."""
    letters = {System: "s", User: "u", Reply: "r", Result: "o"}
    return "".join(letters[type(event)] for event in session.events)


@pytest.fixture
def opencode(tmp_path: Path) -> Path:
    """The tables of opencode 1.18 with two sessions, as a database."""
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript((SAMPLES / "opencode.sql").read_text("utf-8"))
    return path


def test_one_session_of_opencode(opencode: Path) -> None:
    """A path into the database names one session; one that is not there is refused."""
    child = load(opencode)[1]
    [alone] = load(opencode / child.name)
    assert (alone.name, alone.events) == (child.name, child.events)
    assert find([opencode / child.name]) == [opencode / child.name]
    with pytest.raises(BadSession, match="no session ses_none"):
        load(opencode / "ses_none")


def test_openhands() -> None:
    """A folder of events of OpenHands' SDK 1.58 is one session, named by the folder above."""
    folder = SAMPLES / "openhands"
    assert find([folder]) == [folder / "events"]
    [session] = load(folder / "events")
    assert session.name == "openhands"
    assert kinds(session) == "suroro" + "ror"
    assert session.events[3] == Result("call_1", "0\n1\n2\n3", index=3)
