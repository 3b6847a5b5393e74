"""What a journal folds to, from a checkpoint and from its first line."""

import errno
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.inspect.checkpoint_check import checkpoint_differences
from loom.session.archive import folded_journal
from loom.session.archive.folded_journal import FoldedJournal
from loom.session.archive.host_list import HostList
from loom.session.archive.workspace import Workspace
from loom_paging import FileStore
from loom_paging.checkpoint import Checkpoint, save
from loom_paging.segments import segment_names
from loom_partitions.journaled import SyncedMessage
from loom_partitions.records import Synced, Undone
from loom_partitions.window import Window
from tests.kit.opened import Open, opened_with
from tests.kit.pressed import life
from tests.kit.step import step

opened = opened_with(window=8_192)


def opened_from(folder: Path, *, checkpoint: bool) -> FoldedJournal:
    """What a folder is read as, with its checkpoint or without."""
    return Workspace.at_path(folder, write=False, checkpoint=checkpoint).folded


def test_the_same_as_the_whole_fold(opened: Open, tmp_path: Path) -> None:
    """Window, pages, index and the notes on edited files are the same with and without it."""
    ctx = life(opened).ctx
    ctx.renew()
    for number in range(5):
        step(ctx, 30, tool="Edit", args={"path": f"part_{number}.py", "old": "a", "new": "b"})
    ctx.turn()
    ctx.close()
    workspace = Workspace.at_path(tmp_path / "w", write=False, checkpoint=False)
    assert checkpoint_differences(workspace) == []
    kept, whole = opened_from(tmp_path / "w", checkpoint=True), workspace.folded
    assert kept.sealed.last > 0
    assert kept.window == whole.window
    assert kept.index.file_history.rows == whole.index.file_history.rows
    assert [*kept.pager.table] == [*whole.pager.table]


def test_a_checkpoint_of_an_earlier_version_is_soon_made_anew(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it counts no more the journal is folded whole once, and not at every opening."""
    monkeypatch.setattr(folded_journal, "TAIL", 20)
    ctx = opened()
    for _ in range(12):
        step(ctx, 5)
        ctx.turn()
    ctx.close()
    monkeypatch.setattr(folded_journal, "checkpoint_format_hash", lambda: "0" * 16)
    assert opened_from(tmp_path / "w", checkpoint=True).sealed.last == 0
    opened().close()
    last = opened_from(tmp_path / "w", checkpoint=True)
    assert 0 <= last.commits - last.sealed.last < 20


def test_a_checkpoint_that_cannot_be_written_seals_no_more(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the disk takes none a segment is as long as ever, at every opening one more."""

    def full(*given: object) -> Checkpoint:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folded_journal, "TAIL", 20)
    monkeypatch.setattr(folded_journal, "save", full)
    for _ in range(2):
        with opened() as ctx:
            for _ in range(12):
                step(ctx, 5)
                ctx.turn()
    commits = opened_from(tmp_path / "w", checkpoint=False).commits
    assert len(segment_names(FileStore(tmp_path / "w", create=False))) <= commits / 20 + 1 + 2


def test_a_sealed_checkpoint_of_something_else(opened: Open, tmp_path: Path) -> None:
    """One whose hashes are right and whose content is no checkpoint is passed over."""
    ctx = opened()
    step(ctx, 40)
    ctx.renew()
    request = ctx.turn().request()
    ctx.close()
    store = FileStore(tmp_path / "w")
    sealed = opened_from(tmp_path / "w", checkpoint=True).sealed
    save(store, Checkpoint(), folded_journal.checkpoint_format_hash(), sealed, b"\x01", b"\x02")
    store.close()
    assert opened_from(tmp_path / "w", checkpoint=True).sealed.last == 0
    assert opened().turn().request() == request


def test_a_checkpoint_that_is_untrue_is_told(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that verifies and says other than the journal is found by holding it against that."""
    ctx = opened()
    step(ctx, 40)
    ctx._engine.workspace.folded.index.turns += 1
    ctx.renew()
    ctx.close()
    told = checkpoint_differences(Workspace.at_path(tmp_path / "w", write=False, checkpoint=False))
    assert [one.partition(" is")[0] for one in told] == ["the count of steps"]


def told(text: str) -> tuple[SyncedMessage, ...]:
    """Messages by letters, each with an entry of its place in the alphabet."""
    return tuple(SyncedMessage(one, "user", 1, ord(one) - 96) for one in text)


def held(host: HostList) -> str:
    """The list as it is known."""
    assert host.keys == [one.key for one in host.messages] and len(host) == len(host.keys)
    return "".join(host.keys)


def back(to: int) -> Undone:
    """A record that goes back to a commit, which stands for the request it made."""
    return Undone(to, 1, 1, Window(), None)


def commit_of(record: Undone) -> int:
    """In these tests request n was made by commit n."""
    return record.to


def heads(host: HostList, keys: str) -> list[tuple[int, int, int]]:
    """The heads of a list that were known: how many messages, the commit, and the next state's."""
    found = host.known_beginnings([*keys])
    return [(one.many, one.then.commit, one.after.commit if one.after else 0) for one in found]


def test_which_heads_of_a_list_were_known() -> None:
    """The longest first, each as it was last, on a branch that was left too."""
    host = HostList()
    host.note(1, Synced(0, told("ab")), commit_of)
    host.note(2, Synced(2, told("c")), commit_of)
    host.note(4, Synced(0, told("zc")), commit_of)
    host.note(5, back(1), commit_of)
    assert heads(host, "abcd") == [(3, 2, 4), (2, 5, 0), (0, 0, 1)]
    assert heads(host, "zc") == [(2, 4, 5), (0, 0, 1)]
    assert heads(host, "y") == [(0, 0, 1)]
    assert host.goes_on([*"abc"]) and not host.goes_on([*"ab"]) and not host.goes_on([*"abd"])
    assert [one.key for one in host.at(3)] == [*"abc"] and host.at(0) == []


def test_what_goes_on_from_a_list_that_is_lost() -> None:
    """It is left out: the host tells it again."""
    host = HostList()
    host.note(1, Synced(0, told("ab")), commit_of)
    host.note(2, Synced(5, told("f")), commit_of)
    assert held(host) == "ab"


ACTS = st.lists(
    st.tuples(st.integers(0, 5), st.text("abc", max_size=3)) | st.integers(0, 20), max_size=20
)


@given(ACTS, st.integers(0, 20))
def test_a_checkpoint_brings_it_back(acts: list[tuple[int, str] | int], written: int) -> None:
    """Rows written down at any commit, and those after it, make the same list."""
    host, rows, lists = HostList(), [], [""]
    for number, act in enumerate(acts, 1):
        if isinstance(act, int):
            to = min(act, number - 1)
            host.note(number, back(to), commit_of)
            lists.append(lists[to])
        else:
            keep = min(act[0], len(lists[-1]))
            host.note(number, Synced(keep, told(act[1])), commit_of)
            lists.append(lists[-1][:keep] + act[1])
        assert held(host) == lists[-1]
        if number == written:
            rows += host.fresh
            host.fresh = []
    again = HostList()
    for row in (*rows, *host.fresh):
        again.enter(row)
    assert held(again) == held(host) and again.last_entry == host.last_entry
