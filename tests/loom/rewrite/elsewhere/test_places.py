"""Addresses that are no workspace, or are given where a command takes a path of this machine."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from loom.cli.address_mirrors import LOGGER, tell_retries
from loom.cli.app import main
from loom_paging.remote.bucket import Bucket
from tests.kit.cases import all_cases
from tests.kit.object_stores import S3Server
from tests.loom.rewrite.elsewhere.test_commands import made, say
from tests.loom.rewrite.elsewhere.worker import work


@pytest.fixture
def fleet(tmp_path: Path) -> str:
    """The prefix of four workspaces, with an object beside them that is none."""
    place = f"file://{tmp_path}/ops"
    for name in ("a1", "a2", "a3", "a4"):
        work(f"{place}/{name}", 2)
    (tmp_path / "ops/notes").mkdir()
    (tmp_path / "ops/notes/log.txt").write_text("no workspace")
    return place


def test_ps_lists_all_workspaces_below_a_prefix(
    fleet: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One after another as roots, with their agents; as JSON a list. One that is damaged is told
    as such, the others as they are."""
    made(f"{fleet}/a5")
    bad = max((Path(fleet.removeprefix("file://")) / "a2/log").iterdir())
    bad.write_bytes(b"no batch")
    code, told = say(capsys, "ps", fleet)
    rows = told.splitlines()
    assert code == 1 and [row.split()[0] for row in rows] == ["a1", "a2", "a3", "a4", "a5", "look"]
    assert " damaged " in rows[1] and " idle " in rows[0]
    capsys.readouterr()
    assert main(["ps", fleet, "--json"]) == 1
    roots = json.loads(capsys.readouterr().out)
    assert [root["folder"] for root in roots] == ["a1", "a2", "a3", "a4", "a5"]
    assert [one["folder"] for one in roots[4]["agents"]] == ["a5/agents/look"]
    assert roots[1]["state"] == "damaged" and "log/" in roots[1]["why"]


@all_cases(
    "words",
    [
        ("export", "PLACE", "s3://b/x.tar"),
        ("export", "--format", "openai", "PLACE", "s3://b/x.json"),
        ("export", "--as-is", "FOLDER", "s3://b/x.tar"),
        ("report", "PLACE", "-o", "s3://b/x.html"),
        ("report", "PLACE", "--out=s3://b/x.html"),
        ("replay", "FOLDER", "--out", "s3://b/x"),
    ],
)
def test_what_writes_a_file_here_takes_no_address_for_it(
    words: tuple[str, ...], tmp_path: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """It is refused before anything is read."""
    monkeypatch.setattr("loom.rewrite.mirror.StoreMirror.fill", None)
    monkeypatch.chdir(tmp_path)
    places = {"PLACE": f"file://{tmp_path}/agent", "FOLDER": str(tmp_path)}
    code, told = say(capsys, *(places.get(word, word) for word in words))
    assert code == 2 and "this writes a file on this machine; name a path here" in told
    assert "loom: s3://b/x" in told and not [*tmp_path.iterdir()]


def test_what_a_store_logs_is_told_while_a_command_waits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On stderr; the command's own output is what it is."""
    place = f"file://{tmp_path}/agent"
    work(place, 2)
    listed = Bucket.listed

    def slow(self: Bucket, *given: Any) -> Any:
        logging.getLogger("loom.store").info("%s: cannot list log yet; trying again", self.place)
        return listed(self, *given)

    monkeypatch.setattr(Bucket, "listed", slow)
    capsys.readouterr()
    assert main(["stat", place, "--json"]) == 0
    out = capsys.readouterr()
    assert json.loads(out.out)["turns"]
    assert out.err == f"loom: {place}: cannot list log yet; trying again\n"


def test_a_bucket_of_workspaces(
    moto: S3Server,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its own address has no prefix: `ps` lists what lies in it, the others name it."""
    monkeypatch.chdir(tmp_path)  # where a report would be written
    for name, value in moto.environment().items():
        monkeypatch.setenv(name, value)
    bucket, name = f"b{uuid4().hex}", "agent"
    urlopen(Request(f"{moto.address}/{bucket}", method="PUT"), timeout=10).close()
    work(f"s3://{bucket}/{name}", 2)
    capsys.readouterr()
    assert main(["ps", f"s3://{bucket}", "--json"]) == 0
    roots = json.loads(capsys.readouterr().out)
    assert {"idle"} == {root["state"] for root in roots if root["folder"] == name}
    for command in ("stat", "report", "check"):
        code, told = say(capsys, command, f"s3://{bucket}/")
        assert code == 2 and f"there is no workspace at s3://{bucket}; below it: agent" in told
    code, told = say(capsys, "stat", f"s3://{bucket}-none")
    assert code == 2 and "there has to be such a bucket" in told


def test_a_failed_try_is_told_as_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """With what the store says, without what could steer a terminal."""
    with tell_retries():
        logging.getLogger(LOGGER).info("%s: cannot list log yet: %s", "s3://b", "\x1b[2J")
    err = capsys.readouterr().err
    assert err.startswith("loom: s3://b: cannot list log yet: ") and "\x1b" not in err
