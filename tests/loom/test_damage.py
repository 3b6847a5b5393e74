"""Every file of a workspace, damaged in every way: nothing wrong is ever given out as right.

Whatever is read from a damaged workspace is what it was, or a typed error, or a line that says what
is lost. `loom check` finds every damage that makes a difference; where it finds none, everything
reads as before. After damage to the journal the session goes on from what `loom repair` wrote.
"""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import json

import loom
from loom.cli import main
from loom.cli.check import _check_workspace
from loom.inspect.remade_requests import rendered_turn
from loom.rewrite.homes import agents_in
from loom.session.archive.restore import restore_entry
from loom.session.archive.workspace import Workspace
from tests.kit.cases import all_cases
from tests.kit.rich_workspace import rich

SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
SAMPLE = 2  # files a damage befalls in a default run
# What cannot prove itself, since anyone may write it, or is made anew where it is needed.
DERIVED = ("checkpoints/", "history/", "index.db", "LOCK")
ANYONES = ("inbox/", "memory/notes/", ".gitignore")
Damage = Callable[[bytes, Random], bytes | None]


def _flip(where: float) -> Damage:
    def flip(data: bytes, dice: Random) -> bytes:
        if not data:
            return data
        at = min(int(len(data) * where), len(data) - 1)
        return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]

    return flip


def _anywhere(data: bytes, dice: Random) -> bytes:
    return _flip(dice.random())(data, dice)


# Name → the bytes it leaves, None for no file.
DAMAGES: dict[str, Damage] = {
    "a bit of the first byte": _flip(0.0),
    "a bit in the first third": _flip(0.3),
    "a bit in the middle": _flip(0.5),
    "a bit in the last third": _flip(0.8),
    "a bit of the last byte": _flip(1.0),
    "a bit anywhere": _anywhere,
    "cut to nothing": lambda data, dice: b"",
    "cut to half": lambda data, dice: data[: len(data) // 2],
    "cut by a byte": lambda data, dice: data[:-1],
    "bytes more": lambda data, dice: data[: len(data) // 3] + b"junk\n" + data[len(data) // 3 :],
    "bytes less": lambda data, dice: data[: len(data) // 3] + data[len(data) // 3 + 7 :],
    "zeroes": lambda data, dice: data[: len(data) // 4] + bytes(64) + data[len(data) // 4 + 64 :],
    "gone": lambda data, dice: None,
}
OTHERS = "another file of its kind"
Case = tuple[str, str]


class Made:
    """The workspace that is damaged, one like it whose files take its places, and what it says."""

    def __init__(self, folder: Path) -> None:
        self.folder = rich(folder / "w")
        self.other = rich(folder / "other", "lexer")
        self.names = sorted(
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_file()
        )
        self.said = {name: said(each) for name, each in trees(self.folder)}
        self.lines = {line for _, each in trees(self.folder) for line in all_lines(each)}

    def damaged(self, case: Case, at: Path, dice: Random) -> bool:
        """A copy with one file damaged; False where the damage leaves it as it was."""
        name, damage = case
        shutil.copytree(self.folder, at)
        path, before = at / name, (self.folder / name).read_bytes()
        after = self._other(name) if damage == OTHERS else DAMAGES[damage](before, dice)
        if after is None:
            path.unlink()
        else:
            path.write_bytes(after)  # in place: all names of an inode change
        return after != before

    def _other(self, name: str) -> bytes:
        """The bytes of the same file of the other workspace, or of one of its kind."""
        folder, _, last = name.rpartition("/")
        like = [self.other / name, *sorted((self.other / folder).glob("*" + Path(last).suffix))]
        found = (path.read_bytes() for path in like if path.is_file())
        return next(found, (self.folder / name).read_bytes())


def trees(folder: Path) -> Iterator[tuple[str, Path]]:
    """The workspaces of a tree, by the folder of each below the first."""
    for each in agents_in(folder):
        yield each.relative_to(folder).as_posix(), each


def all_lines(folder: Path) -> Iterator[str]:
    """Every line that recall may show."""
    with Reading(folder) as held:
        for entry in held.index.commits:
            restored = restore_entry(held, entry)
            texts = [restored.text, *restored.results.values()]
            texts += [part.text for part in getattr(restored.reply, "parts", ()) if
                      isinstance(part, loom.Speech)]  # fmt: skip
            yield from (line for text in texts for line in text.splitlines())


class Reading:
    """A workspace opened to be read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Workspace:
        self._held = Workspace.at_path(self._folder, write=False)
        return self._held

    def __exit__(self, *error: object) -> None:
        self._held.close()


def said(folder: Path) -> dict[str, Any]:
    """What a workspace says: entries, pages, the last request; a typed error where it does not."""
    try:
        held = Workspace.at_path(folder, write=False)
    except loom.LoomError as error:
        return {"opening": error}
    found: dict[str, Any] = {"opening": "fine"}
    try:
        for entry in held.index.commits:
            found[f"entry {entry}"] = typed(
                lambda entry=entry: json.encode(restore_entry(held, entry))
            )
        for name in held.pager.table:
            found[name] = typed(lambda name=name: held.pager.get(name))
        found["request"] = typed(lambda: repr(rendered_turn(held, held.window).messages))
    finally:
        held.close()
    return found


def typed(ask: Callable[[], Any]) -> Any:
    """What is answered, or the typed error."""
    try:
        return ask()
    except loom.LoomError as error:
        return error


def told_wrong(found: dict[str, Any], right: dict[str, Any]) -> list[str]:
    """What is said otherwise, and neither as an error nor marked as lost."""
    if isinstance(found["opening"], Exception):
        return []
    wrong = [key for key in right if key not in found]
    for key, value in found.items():
        if isinstance(value, Exception) or value == right.get(key):
            continue
        # A request shows a stand-in for a page that is lost: nothing else in it may be new.
        lost = [name for name, page in found.items() if isinstance(page, Exception)]
        if not (key == "request" and any(name in value for name in lost)):
            wrong.append(key)
    return wrong


def commands(at: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Untyped errors of the commands that read, by the command."""
    page = next(iter(sorted((at / "outputs").glob("*"))), Path("none")).name
    failed = []
    asked = [("check", at), ("stat", at), ("log", at), ("pages", at), ("cat", at, page)]
    for one in asked if SIMULATED else asked[:2]:
        main([str(part) for part in one])
        if "Traceback" in (err := capsys.readouterr().err):
            failed.append(f"{one[0]}: {err[-300:]}")
    return failed


def goes_on(made: Made, at: Path, owner: str) -> str:
    """Open the workspace and go on: "" when it does and says nothing wrong, else what is the
    matter; after a damaged journal, in the one that was repaired."""
    folder = at / owner
    try:
        lived(made, folder)
    except loom.errors.CorruptJournal:
        report = loom.repair(at, at.parent / "new", durable=False)
        for name, each in trees(at.parent / "new"):
            if problems := _check_workspace(each, name).problems:
                return f"repaired, and {problems[0]}"
        with_lost = said(at.parent / "new" / owner)
        right = made.said[owner]
        if not report.lost and with_lost != right:  # a line end alone was lost, and is there again
            return "repaired, and what is lost is not told"
        for key, value in with_lost.items():
            if key.startswith(("entry", "outputs/")) and not isinstance(value, Exception):
                restored = json.decode(value) if key.startswith("entry") else None
                lost = [call for one in report.workspaces for call in one.results]
                if restored and "results" not in restored and key in right:
                    whole = json.decode(right[key])  # a call whose result is lost waits again
                    lost = lost or restored == {k: v for k, v in whole.items() if k != "results"}
                if value != right.get(key) and not (restored and lost):
                    return f"repaired, and {key} is another"
        lived(made, at.parent / "new" / owner, answered=True)
        return "repaired"
    return ""


def lived(made: Made, folder: Path, *, answered: bool = False) -> None:
    """Go on by a turn, a message, a recall."""
    with loom.open(folder, durable=False, window=8_192) as ctx:
        if ctx.calls:
            assert answered
            ctx.abandon("it was repaired")
        ctx.turn()
        ctx.user("Go on.")
        assert ctx.turn().pressure.rho <= 1.0
        for line in ctx.recall("output 5", 2_000).splitlines():
            # Passages are whole lines of what was said; headings begin otherwise.
            if line.startswith("line ") and " of output " in line:
                assert line in made.lines, line


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The workspace, lived once."""
    return Made(tmp_path_factory.mktemp("damage"))


def chosen(made: Made, damage: str) -> list[Case]:
    """All files in a long run; else some, other ones for each damage."""
    if SIMULATED:
        return [(name, damage) for name in made.names]
    start = [*DAMAGES, OTHERS].index(damage)
    return [(name, damage) for name in made.names[start :: len(made.names) // SAMPLE]]


@pytest.mark.filterwarnings("ignore::loom.LoomWarning")
@pytest.mark.timeout(3_600 if SIMULATED else 300)
@all_cases("damage", [*DAMAGES, OTHERS])
def test_nothing_wrong_is_given_out_as_right(
    damage: str, made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file damaged so: told, or harmless; never silently wrong, never an untyped error."""
    dice, counts = Random(damage), Counter[str]()
    bad: dict[Case, str] = {}
    for case in chosen(made, damage):
        at = tmp_path / "run" / "w"
        at.parent.mkdir()
        if made.damaged(case, at, dice):
            why, outcome = verdict(made, case, at, capsys)
            counts[outcome] += 1
            if why:
                bad[case] = why
        shutil.rmtree(tmp_path / "run")
    print(f"{damage}: {sum(counts.values())} of {len(made.names)} files: {dict(counts)}")
    assert bad == {}


def verdict(
    made: Made, case: Case, at: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[str, str]:
    """(what is wrong about how a damage was met, "" for nothing; how it was met)."""
    name = case[0]
    owner = max((each for each in made.said if (name + "/").startswith(each + "/")),
                key=len, default=".")  # fmt: skip
    mine = name if owner == "." else name.removeprefix(owner + "/")
    try:
        if failed := commands(at, capsys):
            return failed[0], "untyped"
        problems = [
            one for each, path in trees(at) for one in _check_workspace(path, each).problems
        ]
        wrong: list[str] = []
        same = True
        for each, path in trees(at):
            found = said(path)
            wrong += [f"{each}: {key}" for key in told_wrong(found, made.said[each])]
            same = same and found == made.said[each]
        if wrong:
            return f"silently wrong: {wrong[:3]}", "silently wrong"
        went = goes_on(made, at, owner)
    except Exception as error:
        import traceback

        return f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}", "untyped"
    if went not in ("", "repaired"):
        return went, "not repaired"
    if problems:
        return "", f"found, {went or 'went on'}"
    if mine.startswith((*DERIVED, *ANYONES)):
        return ("" if same else "derived, and something reads otherwise"), "derived"
    return ("" if same and harmless(case) else "not found"), "harmless"


def harmless(case: Case) -> bool:
    """True for what makes no difference to anyone who reads, or where nothing can tell.

    A database has bytes that hold nothing. Of the bus, which tells and keeps nothing, the last
    event may be gone, and a mark is made again.
    """
    name, _ = case
    return name.endswith(".sqlite") or "/bus/agent." in name or name == LAST_EVENT


LAST_EVENT = "bus/000000000005.json"
