"""Power is cut between any two operations on the disk: whatever it kept, nothing that was
acknowledged is lost or doubled, the workspace opens, and the request is the one it was."""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from unittest import mock

import pytest
from msgspec import Struct
from msgspec.structs import replace

import loom
from loom.cli.check import _check_contents
from loom.inspect.remade_requests import rendered_turn
from loom.session.archive import packing
from loom.session.archive.folded_journal import retired_pages
from loom.session.archive.workspace import Workspace
from loom_paging import FileStore
from loom_paging import check as fsck
from loom_paging.segments import segment_names
from tests.kit.cases import all_cases
from tests.simulation.disk import Disk, Tree, digest, written
from tests.simulation.life import OPENING, calls
from tests.simulation.recorder import Operation, Recorder

SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
STATES = 6_000 if SIMULATED else 24  # distinct ones that are opened
PARTS = 12 if SIMULATED else 1  # so that several processes share them
RANDOM = 12 if SIMULATED else 2  # choices at random at each operation
EVERY = (
    1 if SIMULATED else 8
)  # operation of so many has its states listed, from which some are drawn


class Lived(Struct, frozen=True):
    """A life: what it did to the disk, its folder at the end, its commits after each call, all of
    them durable by then, and every page it ever had."""

    operations: list[Operation]
    folder: Path
    commits: list[int]
    pages: dict[str, bytes] = {}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """The life, lived once on a real disk."""
    above = tmp_path_factory.mktemp("life")
    recorder, place = Recorder(above), list[loom.Context]()
    commits = [0]
    folder, pages = above / "w", dict[str, bytes]()
    small = {"AT": 8, "PAGES": 1, "SNAPSHOTS": 1, "SEGMENTS": 1}  # so that much is packed
    with recorder.recording(), mock.patch.multiple(packing, **small):
        for number, call in enumerate(calls(place, folder), 1):
            call()
            recorder.done(number)
            commits.append(place[0]._engine.workspace.commits)
            found = (folder / "outputs").glob("[!.]*")
            pages.update((path.name, path.read_bytes()) for path in found)
    assert any("packs/" in one.name for one in recorder.operations)
    return Lived(recorder.operations, folder, commits, pages)


def cuts(lived: Lived, dice: Random, every: int = EVERY) -> Iterator[tuple[Tree, int]]:
    """Each distinct state of the disk, and how many calls had returned."""
    disk, seen = Disk(), set[bytes]()
    for number, operation in enumerate(lived.operations):
        disk.do(operation)
        if number % every:
            continue
        for tree in disk.states(dice, RANDOM):
            key = digest(tree) + bytes([disk.calls])
            if key not in seen:
                seen.add(key)
                yield tree, disk.calls


def journal(folder: Path) -> bytes:
    """The bytes of all segments of a workspace, those that are packed too."""
    store = FileStore(folder, create=False)
    return b"".join(store.get(name) for name in segment_names(store))


class Reference:
    """The requests the life made, after each of its commits."""

    def __init__(self, lived: Lived, beside: Path) -> None:
        self._beside = beside
        self._known: dict[int, str] = {}
        self.whole = journal(lived.folder)
        self._plain = beside / "plain"
        shutil.copytree(lived.folder, self._plain)
        FileStore(self._plain, durable=False).unpack()
        for name, data in lived.pages.items():  # some were retired before the end
            (self._plain / "outputs" / name).write_bytes(data)
        self._lines = self.whole.splitlines(True)

    def request(self, commits: int) -> str:
        """The request after so many commits, from a journal that never lost power."""
        if commits not in self._known:
            folder = self._beside / f"at-{commits}"
            shutil.copytree(self._plain, folder)
            shutil.rmtree(folder / "journal")
            shutil.rmtree(folder / "checkpoints", ignore_errors=True)
            (folder / "journal").mkdir()
            (folder / "journal" / "000001.jsonl").write_bytes(b"".join(self._lines[:commits]))
            self._known[commits] = rendered(folder)
            shutil.rmtree(folder)
        return self._known[commits]


def rendered(folder: Path) -> str:
    """The request a workspace would make, by its window alone."""
    workspace = Workspace.at_path(folder, write=False)
    return repr(rendered_turn(workspace, workspace.window).messages)


def verdict(tree: Tree, made: int, lived: Lived, reference: Reference, folder: Path) -> str:
    """The worst of a state of the disk: "" for nothing."""
    whole = reference.whole
    least = lived.commits[made]
    most = lived.commits[min(made + 1, len(lived.commits) - 1)]
    try:
        written(tree, folder)
        if not (folder / "w" / "journal").is_dir():
            if least:
                return "lost"
            loom.open(folder / "w", durable=False, **OPENING).close()
            return ""
        kept = [line for line in journal(folder / "w").splitlines(True) if line.endswith(b"\n")]
        commits = Workspace.at_path(folder / "w", write=False).commits
        if commits < least:
            return "lost"
        if commits > most or kept[:commits] != whole.splitlines(True)[:commits]:
            return "doubled"
        if commits and rendered(folder / "w") != reference.request(commits):
            return "different"
        with loom.open(folder / "w", durable=False, **{} if commits else OPENING) as ctx:
            for call in ctx.calls:
                ctx.result(call.id, "late")
            ctx.user("Again.")
            ctx.turn()
        for below in ("agents/one", "forks/copy"):
            child = folder / "w" / below
            if (child / "journal").is_dir():
                loom.open(child, durable=False).close()
    except Exception as error:
        return f"unopened: {type(error).__name__}: {error}"
    problems = [
        *fsck(FileStore(folder / "w", create=False), retired_pages).problems,
        *_check_contents(folder / "w")[1],
    ]
    return f"damaged: {problems[0]}" if problems else ""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.timeout(7_200 if SIMULATED else 300)
def test_nothing_is_lost_by_a_power_cut(lived: Lived, tmp_path: Path, part: int) -> None:
    """Whatever of what was not synced a disk kept, at whatever moment."""
    dice, reference = Random(1), Reference(lived, tmp_path)
    states = list(cuts(lived, dice, EVERY if SIMULATED else 2 * EVERY))
    some = states if len(states) <= STATES else dice.sample(states, STATES)
    found: Counter[str] = Counter()
    first: dict[str, tuple[str, int]] = {}
    some = some[part::PARTS]
    for number, (tree, made) in enumerate(some):
        said = verdict(tree, made, lived, reference, tmp_path / f"{number}")
        shutil.rmtree(tmp_path / f"{number}", ignore_errors=True)
        found[said.partition(":")[0]] += 1
        first.setdefault(said.partition(":")[0], (said, made))
    print(
        f"{len(lived.operations)} operations of {len(lived.commits) - 1} calls, {len(states)}"
        f" distinct states, {len(some)} opened, {found}"
    )
    assert {said: where for said, where in first.items() if said} == {}


def test_the_operations_rebuild_the_disk(lived: Lived) -> None:
    """All of them kept, the modelled disk holds what the real one does: nothing went unseen."""
    disk = Disk()
    for operation in lived.operations:
        disk.do(operation)
    tree = disk.state(dict.fromkeys(range(len(disk.pending))))
    real = {
        path.relative_to(lived.folder.parent).as_posix(): path.read_bytes()
        for path in sorted(lived.folder.rglob("*"))
        if path.is_file() and not path.name.startswith(("LOCK", "index.db"))
    }
    modelled = {name: data for name, data in tree.items() if data is not None}
    assert {name: data for name, data in real.items() if "/bus/" not in name} == modelled


def test_what_is_derived_is_torn_too(lived: Lived) -> None:
    """Views, checkpoints and the note of the journal's end are written in the life, unsynced: their
    bytes are among what is torn and zeroed."""
    files = {one.file: one.to for one in lived.operations if one.what == "moved"}
    synced = {one.file for one in lived.operations if one.what == "synced"}
    torn = {
        files[one.file].removeprefix("w/")
        for one in lived.operations
        if one.what == "wrote" and one.file in files and one.file not in synced
    }
    assert {"checkpoints/state", "checkpoints/extent", "history/step_0003.json"} <= torn


def forgotten(operations: list[Operation]) -> list[Operation]:
    """No file is ever synced."""
    return [one for one in operations if one.what != "synced"]


def journals(operations: list[Operation]) -> set[int]:
    """The files that are segments of a journal."""
    return {one.file for one in operations if one.what == "made" and "journal/" in one.name}


def without_pages(operations: list[Operation]) -> list[Operation]:
    """The journal is synced, and pages are not."""
    known = journals(operations)
    return [one for one in operations if one.what != "synced" or one.file in known]


def late(operations: list[Operation]) -> list[Operation]:
    """Each sync comes after the next line of a journal was synced: lines claim too much."""
    known, made = journals(operations), list[Operation]()
    waiting: list[Operation] = []
    for one in operations:
        if one.what.startswith("synced"):
            waiting.append(one)
            continue
        made.append(one)
        if one.what == "wrote" and one.file in known:
            made += [Operation("synced", file=one.file), *waiting]
            waiting = []
    return made


@all_cases("lying", [forgotten, without_pages, late])
def test_a_disk_that_forgets_a_sync_is_found_out(
    lived: Lived, tmp_path: Path, lying: Callable[[list[Operation]], list[Operation]]
) -> None:
    """Were something not synced, or too late, calls would be lost: the simulation can fail."""
    dice, reference = Random(2), Reference(lived, tmp_path)
    # A third of the life is enough, and what is pending grows with each write.
    some = lying(lived.operations[: len(lived.operations) // 3])
    trees = list(cuts(replace(lived, operations=some), dice))
    bad = (
        verdict(tree, made, lived, reference, tmp_path / f"{number}")
        for number, (tree, made) in enumerate(dice.sample(trees, min(len(trees), 60)))
    )
    assert any(said.startswith(("lost", "unopened", "damaged")) for said in bad)
