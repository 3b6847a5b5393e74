"""Notes: the commands of the memory tool, and that nothing leads out of their folder."""

from __future__ import annotations

import stat
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.memory.notes import LARGEST, Notes
from loom.errors import BadInput
from tests.kit.cases import all_cases

OUTSIDE = "what lies beside the notes\n"
State = dict[str, str]


def state(folder: Path) -> State:
    """Everything under a folder: texts of files, targets of links, "/" for folders."""
    held = {}
    for at in sorted(folder.rglob("*")):
        if at.is_symlink():
            said = f"-> {at.readlink()}"
        else:
            said = "/" if at.is_dir() else at.read_bytes().decode("latin-1")
        held[str(at.relative_to(folder))] = said
    return held


def made(base: Path) -> Notes:
    """Some notes beside a file and a folder that are none, with links to both."""
    (base / "beside").mkdir()
    (base / "beside" / "secret.md").write_text(OUTSIDE)
    (base / "secret.md").write_text(OUTSIDE)
    folder = base / "notes"
    (folder / "sub" / "deep" / "deeper").mkdir(parents=True)
    (folder / "a.md").write_text("one\ntwo\nthree\n")
    (folder / ".hidden.md").write_text("hidden\n")
    (folder / "sub" / "b.md").write_text("b\n")
    (folder / "sub" / "deep" / "c.md").write_text("c\n")
    (folder / "link.md").symlink_to(base / "secret.md")
    (folder / "linked").symlink_to(base / "beside")
    (folder / "loop").symlink_to(folder)
    (folder / "nowhere").symlink_to(base / "made.md")
    return Notes(folder)


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    """The notes of `made`; the folder beside them is `tmp_path`."""
    return made(tmp_path)


def refused(notes: Notes, command: str, arguments: dict[str, Any], match: str = ".") -> None:
    """A command raises BadInput, and nothing in or beside the notes has changed."""
    before = state(notes.folder.parent)
    with pytest.raises(BadInput, match=match):
        notes.run(command, arguments)
    assert state(notes.folder.parent) == before


# No-ops and ways to a note


def test_of_nothing_there_is_nothing(tmp_path: Path) -> None:
    """Looking at notes that were never written lists none and makes no folder."""
    notes = Notes(tmp_path / "m" / "notes")
    assert notes.run("view", {"path": "/memories"}).strip() == "/memories/"
    assert notes.run("view", {}).strip() == "/memories/"
    for command, wanted in (
        ("view", {"path": "x.md"}),
        ("str_replace", {"path": "x.md", "old_str": "a", "new_str": "b"}),
        ("insert", {"path": "x.md", "insert_line": 0, "insert_text": "a"}),
        ("delete", {"path": "x.md"}),
        ("rename", {"old_path": "x.md", "new_path": "y.md"}),
    ):
        refused(notes, command, wanted)
    assert list(tmp_path.iterdir()) == []


ROOTS = ["", "/", ".", "/memories", "/memories/", "memories", "/memories/."]


@all_cases("root", ROOTS)
def test_the_root_stays(notes: Notes, root: str) -> None:
    """It can be looked at, and neither deleted, moved, overwritten nor written to."""
    assert "/memories/a.md" in notes.run("view", {"path": root})
    refused(notes, "delete", {"path": root})
    refused(notes, "create", {"path": root, "file_text": "x"})
    refused(notes, "rename", {"old_path": root, "new_path": "elsewhere"})
    refused(notes, "rename", {"old_path": "a.md", "new_path": root})
    refused(notes, "str_replace", {"path": root, "old_str": "a", "new_str": "b"})
    refused(notes, "insert", {"path": root, "insert_line": 0, "insert_text": "b"})


OUT = ["..", "../secret.md", "/memories/../secret.md", "sub/../../secret.md", "/memories/..",
       "..\\secret.md", "a\0.md", "\0", "link.md", "linked", "linked/secret.md", "linked/new.md",
       "loop", "loop/a.md", "nowhere", "x" * 300, "x" * 300 + "/y.md", "x/" * 5_000 + "y.md",
       "/secret.md", "/etc/made-by-a-test", "C:\\made.md", "sub\\made.md"]  # fmt: skip


def everything(path: str) -> list[tuple[str, dict[str, Any]]]:
    """Every command on a path, as old and as new one."""
    return [
        ("view", {"path": path}),
        ("create", {"path": path, "file_text": "x"}),
        ("str_replace", {"path": path, "old_str": "what", "new_str": "x"}),
        ("insert", {"path": path, "insert_line": 0, "insert_text": "x"}),
        ("delete", {"path": path}),
        ("rename", {"old_path": path, "new_path": "moved.md"}),
        ("rename", {"old_path": "a.md", "new_path": path}),
    ]


@all_cases("path", OUT, ids=lambda path: repr(path[:20]))
def test_nothing_leads_out(notes: Notes, path: str) -> None:
    """Whatever the command, what would leave the folder is refused, links first of all."""
    for command, arguments in everything(path):
        refused(notes, command, arguments)


REPLACED: list[Any] = [
    ("two", "2", "one\n2\nthree\n"),
    ("one\ntwo\n", "", "three\n"),
    ("three\n", "three\nfour\n", "one\ntwo\nthree\nfour\n"),
    ("e\nt", "E\nT", "onE\nTwo\nthree\n"),
    ("two\nthree", "two\nthree", "one\ntwo\nthree\n"),
    ("", "x", None),
    ("four", "x", None),
    ("TWO", "x", None),
    ("e", "x", None),
    ("\n", "x", None),
]


@all_cases(("old", "new", "after"), REPLACED)
def test_one_place_is_replaced(notes: Notes, old: str, new: str, after: str | None) -> None:
    """Exactly one; of none, of several and of the empty text nothing comes."""
    given = {"path": "a.md", "old_str": old, "new_str": new}
    if after is None:
        refused(notes, "str_replace", given, match="old_str")
        return
    notes.run("str_replace", given)
    assert notes.read("a.md") == after
    assert stat.S_IMODE((notes.folder / "a.md").stat().st_mode) == 0o600
    # "aa" stands twice in "aaa": which one is meant cannot be told.
    notes.run("create", {"path": "o.md", "file_text": "aaa"})
    refused(notes, "str_replace", {"path": "o.md", "old_str": "aa", "new_str": "b"})


INSERTED = [
    (0, "zero", "zero\none\ntwo\nthree\n"),
    (0, "zero\n", "zero\none\ntwo\nthree\n"),
    (1, "x\ny\n", "one\nx\ny\ntwo\nthree\n"),
    (3, "four", "one\ntwo\nthree\nfour\n"),
    (2, "", "one\ntwo\n\nthree\n"),
]


@all_cases(("line", "text", "after"), INSERTED)
def test_lines_are_inserted_behind_a_line(notes: Notes, line: int, text: str, after: str) -> None:
    """0 is the start, the number of lines the end; the lines around stay as they are."""
    notes.run("insert", {"path": "a.md", "insert_line": line, "insert_text": text})
    assert notes.read("a.md") == after


def test_rename_never_overwrites(notes: Notes) -> None:
    """Onto a free path, in folders made for it; not onto a note, a folder, itself, into itself."""
    for old, new in (
        ("a.md", "sub/b.md"),
        ("a.md", "sub"),
        ("a.md", "a.md"),
        ("sub", "a.md"),
        ("sub", "sub/inside"),
        ("a.md", "sub/b.md/below"),
        ("gone.md", "here.md"),
    ):
        refused(notes, "rename", {"old_path": old, "new_path": new})
    notes.run("rename", {"old_path": "a.md", "new_path": "/memories/new/z.md"})
    notes.run("rename", {"old_path": "sub", "new_path": "moved"})
    assert notes.read("new/z.md") == "one\ntwo\nthree\n" and notes.read("moved/b.md") == "b\n"
    assert not (notes.folder / "a.md").exists() and not (notes.folder / "sub").exists()


def test_there_are_at_most_so_many_notes(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    """No further one is made; old ones can be written over."""
    monkeypatch.setattr("loom.capabilities.memory.notes.MOST", 4)
    refused(notes, "create", {"path": "more.md", "file_text": "x"}, match="4 notes")
    notes.run("create", {"path": "a.md", "file_text": "x"})
    notes.run("delete", {"path": "sub/b.md"})
    notes.run("create", {"path": "more.md", "file_text": "x"})


TAKES = "takes|one of view, create"
RANGES = [(0, 2), (-1, 2), (3, 2), (2, 0), (2, -2), (10, -1), (10, 12)]
INSERT = {"path": "a.md", "insert_text": "x"}
CALLS: list[Any] = [
    ("", {}, TAKES),
    ("VIEW", {"path": "a.md"}, TAKES),
    ("create", {"path": "a.md"}, TAKES),
    ("create", {"path": "a.md", "file_text": "x", "view_range": (1, 2)}, TAKES),
    ("delete", {}, TAKES),
    ("view", {"self": "x"}, TAKES),
    *(("view", {"path": "a.md", "view_range": bad}, "lines") for bad in RANGES),
    *(("insert", {**INSERT, "insert_line": at}, "lines") for at in (-1, 5, 10**30, -(10**30))),
]


@all_cases(("command", "given", "why"), CALLS)
def test_a_wrong_call_says_how(notes: Notes, command: str, given: Any, why: str) -> None:
    """An unknown command names those there are, missing or foreign arguments those it takes, a line
    that is not there the numbers there are."""
    refused(notes, command, given, match=why)


def test_a_write_that_fails_leaves_the_note(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that refuses to sync is a BadInput; the old text stands, no temporary file is left."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    refused(notes, "create", {"path": "a.md", "file_text": "new"}, match="No space")
    refused(notes, "create", {"path": "b.md", "file_text": "new"}, match="No space")


# Any call at all

NAMES = ["a.md", "sub", "sub/b.md", "new/x.md", "link.md", "linked", "..", "/", "memories", "\0"]
paths = st.one_of(
    st.sampled_from([*NAMES, *OUT, *ROOTS]),
    st.lists(st.sampled_from([*NAMES, ".", "…", ".x", "a b"]), max_size=4).map("/".join),
    st.text(max_size=8),
)
texts = st.one_of(st.sampled_from(["", "one", "two\n", "e", "x" * (LARGEST + 1)]), st.text())
numbers = st.one_of(st.integers(-2, 6), st.integers())
DECLARED: dict[str, st.SearchStrategy[Any]] = {
    "path": paths,
    "view_range": st.one_of(st.none(), st.tuples(numbers, numbers)),
    "file_text": texts,
    "old_str": texts,
    "new_str": texts,
    "insert_line": numbers,
    "insert_text": texts,
    "old_path": paths,
    "new_path": paths,
}
COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename")
TAKEN = {name: [*signature(getattr(Notes, name)).parameters][1:] for name in COMMANDS} | {"x": []}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A command with the arguments it takes, or now and then with any others."""
    command = draw(st.sampled_from([*TAKEN]))
    names = TAKEN[command]
    if draw(st.integers(0, 9)) == 0:
        names = draw(st.lists(st.sampled_from(list(DECLARED)), unique=True))
    return command, {name: draw(DECLARED[name]) for name in names}


def around(base: Path) -> State:
    """What lies beside the notes."""
    return {at: text for at, text in state(base).items() if at.split("/")[0] != "notes"}


@given(st.lists(calls(), max_size=8))
def test_whatever_is_asked(asked: list[tuple[str, dict[str, Any]]]) -> None:
    """A text or BadInput; what is refused changes nothing, and what lies outside stays unread."""
    with TemporaryDirectory() as folder:
        base = Path(folder)
        notes = made(base)
        beside = around(base)
        for command, arguments in asked:
            before = state(base)
            try:
                said = notes.run(command, arguments)
            except BadInput:
                assert state(base) == before
            else:
                assert OUTSIDE.strip() not in said
                assert command != "view" or state(base) == before
            assert around(base) == beside
            assert notes.folder.is_dir()


def test_a_note_that_is_no_text_is_not_edited(tmp_path: Path) -> None:
    """An edit would write what cannot be read as U+FFFD; it is refused, and the bytes stay."""
    (tmp_path / "a.md").write_bytes(b"one\xff two\n")
    notes = Notes(tmp_path)
    for command, arguments in (
        ("str_replace", {"old_str": "one", "new_str": "1"}),
        ("insert", {"insert_line": 0, "insert_text": "zero"}),
    ):
        with pytest.raises(BadInput, match="not UTF-8"):
            notes.run(command, {"path": "/memories/a.md", **arguments})
    assert (tmp_path / "a.md").read_bytes() == b"one\xff two\n"
    assert "one" in notes.view("/memories/a.md")
