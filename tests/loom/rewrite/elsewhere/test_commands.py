"""Commands over addresses: they say what they say of a folder, and write under the fence."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import loom
from loom.cli.address_mirrors import words_with_mirrors
from loom.cli.app import main
from loom.cli.top import WorkspaceWatch
from loom_paging.remote.batch import LET_GO
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.leftovers import NO_GRACE
from loom_paging.remote.open_address import open_bucket, open_tree
from loom_paging.remote.tree import RemoteTree
from tests.kit.cases import all_cases, some
from tests.loom.rewrite.elsewhere.worker import said, work

SECRET = "quartz-Ferry-8841-x"
TIMES = re.compile(r"\d\d:\d\d(:\d\d)?|\d+s ago|\d{4}-\d\d-\d\d|\b\d{13}\b|\b[0-9a-f]{12}\b")
SNAPSHOT = re.compile(r"(?<=snapshots/working_)(.*?)\b[0-9a-f]{10}(\b|[0-9a-f]{54}\b)")  # its time


@pytest.fixture(autouse=True)
def one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every workspace has the same key, which its own marks are made of."""
    monkeypatch.setattr("loom.opening.token_hex", lambda length: "5" * 2 * length)


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A workspace on an object store, with agents below it."""
    address = f"file://{tmp_path}/objects/agent"
    made(address)
    return address


def made(place: str) -> None:
    """An agent of a few turns, and one below it."""
    work(place, 8)
    with loom.open(place) as ctx:
        ctx.user(f"The word is {SECRET}.")
        ctx.turn()
        ctx.reply(loom.Reply((loom.Speech("Noted."),)))
        with ctx.agents.spawn("Look around.", name="look", window=8_192) as below:
            below.user(f"Is {SECRET} there?")
            below.turn()
        ctx.turn()


def say(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """The exit code of a command and what it prints, times of day aside."""
    capsys.readouterr()
    code = main(list(words))
    out = capsys.readouterr()
    return code, SNAPSHOT.sub(r"\1…", TIMES.sub("…", out.out + out.err))


@all_cases("turns", some([12, 64, 70, 65], 2))
def test_commands_that_read_a_journal_alone_tell_all_that_is_durable(
    turns: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before, at and after a checkpoint of the store: as of the same agent in a folder."""
    here, there = tmp_path / "agent", f"file://{tmp_path}/objects/agent"
    with loom.open(there, goal="Read everything.", window=8_000) as ctx:
        for number in range(1, turns + 1):
            ctx.user(f"Question {number}? " + said(number)[:4_000])
            ctx.turn()
            ctx.reply(loom.Reply((loom.Speech(f"Answer {number}."),)))
        ctx.finish("All of it is read.")
    store = open_tree(there, write=False)
    for name in store.names():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_bytes(store.get(name))
    for words in (("ps",), ("stat",), ("log",), ("log", "--turns"), ("pages",), ("context",),
                  ("top", "--once", "--json")):  # fmt: skip
        found, expected = (say(capsys, *words, place) for place in (there, str(here)))
        assert found[0] == expected[0] == 0
        assert found[1].replace(there, "PLACE") == expected[1].replace(str(here), "PLACE"), words
    stat = json.loads(say(capsys, "stat", there, "--json")[1].replace("…", "0"))
    assert stat["finished"] and stat["turns"] == turns


def test_top_follows_a_writer(address: str) -> None:
    """Each look shows what was made durable since."""
    with words_with_mirrors(["top", address]) as words:
        watch = WorkspaceWatch(Path(words[1]))
        first = watch.look()
        assert watch.look() == first
        with loom.open(address) as ctx:
            for number in range(3):
                ctx.user(f"And {number}?")
                turn = ctx.turn().number
                assert watch.look()["series"]["turn"][-1] == turn > first["series"]["turn"][-1]
        assert watch.look()["commits"] > first["commits"]


def test_a_command_that_takes_no_address_says_which_do(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Instead of making a folder that is called like one."""
    code, told = say(capsys, "signal", address, "hello")
    assert code == 2 and "takes no address" in told and not Path("file:").exists()


def test_nothing_at_an_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command says so, by the address."""
    for command in ("stat", "ps", "top", "check", "gc", "show", "purge"):
        given = ["--from", os.devnull] if command == "purge" else []
        code, told = say(capsys, command, f"file://{tmp_path}/none", *given)
        assert code == 2 and f"there is no workspace at file://{tmp_path}/none\n" in told


def test_gc_removes_what_a_store_needs_no_more_once_it_is_old(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Within an hour nothing goes, and it says how much would; then batches before a checkpoint and
    an unnamed page go, and the rest reads on."""
    store = open_tree(address, write=True)
    assert isinstance(store, RemoteTree)
    store.sweep_objects()
    store.close()
    bucket, page = open_bucket(address), f"pages/{'a' * 64}"
    bucket.create(page, b"of a crash between a page and its batch")
    store = open_tree(address, write=False)
    assert isinstance(store, RemoteTree)
    needless = store.leftovers(NO_GRACE)
    assert page in needless.keys and not store.leftovers().keys
    code, told = say(capsys, "gc", address, "--json")
    assert code == 0 and json.loads(told)["objects"] == {
        "count": 0, "bytes": 0, "young": len(needless.keys), "young_bytes": needless.bytes,
    }  # fmt: skip
    code, told = say(capsys, "gc", address, "--yes")
    assert code == 0 and "younger than an hour: " in told and bucket.has(page)
    for path in (tmp_path / "objects").rglob("*"):
        os.utime(path, (0, 0))
    before, batches = requests(address), batches_of(bucket)
    code, told = say(capsys, "gc", address, "--yes", "--ttl", "read=never")
    assert code == 0 and "objects of the store went" in told
    assert not bucket.has(page) and batches_of(bucket) < batches
    assert say(capsys, "check", address)[0] == 0
    assert requests(address) == before


def test_purge_leaves_no_byte_of_a_secret(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither in the objects nor in the cache; what rests is whole, and the agent goes on."""
    secrets = tmp_path / "secrets"
    secrets.write_text(SECRET)
    assert holding(tmp_path / "objects")
    code, told = say(capsys, "purge", address, "--from", str(secrets))
    assert code == 1 and "Nothing was changed" in told and holding(tmp_path / "objects")
    code, told = say(capsys, "purge", address, "--from", str(secrets), "--yes")
    assert code == 0 and "versions, replicas" in told
    assert holding(tmp_path / "objects") == holding(tmp_path / "cache") == []
    assert say(capsys, "check", address)[0] == 0
    with loom.open(address) as ctx:
        ctx.user("Go on.")
        assert "[redacted:purged]" in json.dumps(ctx.turn().request("openai"))


def batches_of(bucket: Bucket) -> int:
    """How many batches of the log were not let go."""
    return sum(one.size > len(LET_GO) for one in bucket.listed("log"))


def requests(address: str) -> str:
    """The last request, as it would be sent again."""
    with loom.open(f"{address}?take=1") as ctx:
        return json.dumps(ctx.turn().request("openai"))


def holding(folder: Path) -> list[Path]:
    """The files below a folder that hold the secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if SECRET.encode() in path.read_bytes()]
