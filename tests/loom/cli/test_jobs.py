import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from loom.cli import jobs as jobs_module
from loom.cli import main
from loom.cli.elsewhere import address_of, placed
from loom.cli.exits import BadUsage
from loom.cli.jobs import SessionReader, _folder, check_free, jobs_of
from loom.cli.sessions_elsewhere import fetched, nearby
from loom.replay.importers import BadSession, find, load
from tests.kit import object_stores
from tests.kit.object_stores import BUCKET


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """A file of three sessions."""
    file = tmp_path / "several.json"
    talk = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Gone."}]
    file.write_text(json.dumps([{"id": f"s{at}", "messages": talk} for at in range(3)]), "utf-8")
    return file


def test_no_files_are_bad_usage() -> None:
    """Nothing to replay is told."""
    with pytest.raises(BadUsage, match="no recorded session lies there"):
        jobs_of([])


def test_a_job_leads_to_its_session(several: Path, recorded: Path) -> None:
    """Each job's session is the one it was made for, in whatever order they are asked for."""
    files = [several, recorded / "short.jsonl"]
    jobs, _ = jobs_of(files)
    sessions = [session for file in files for session in load(file)]
    assert [job.number for job in jobs] == [0, 1, 2, 3]
    reader = SessionReader()
    for job in (*jobs, *reversed(jobs)):
        assert reader.session(job) == sessions[job.number]
        assert (job.name, job.events) == (
            sessions[job.number].name,
            len(sessions[job.number].events),
        )


def test_a_session_that_is_gone_is_named(several: Path) -> None:
    """A file that changed, or that cannot be read any more, is BadSession each time."""
    (job, *_), _ = jobs_of([several])
    reader = SessionReader()
    with pytest.raises(BadSession, match="changed while it was replayed"):
        reader.session(replace(job, at=7))
    several.unlink()
    assert reader.session(job).name == job.name  # still in memory
    for _ in range(2):
        with pytest.raises(BadSession):
            SessionReader().session(job)


def test_a_folder_that_is_taken_is_refused(several: Path, tmp_path: Path) -> None:
    """A workspace in the place of one of the jobs, named."""
    jobs, _ = jobs_of([several])
    check_free(jobs, tmp_path)
    (tmp_path / jobs[1].folder / "journal").mkdir(parents=True)
    with pytest.raises(BadUsage, match=jobs[1].folder):
        check_free(jobs, tmp_path)


@given(st.lists(st.text(max_size=100), max_size=20))
def test_folders_are_plain_and_all_different(names: list[str]) -> None:
    """Whatever sessions are called, each has a folder of its own directly below the home."""
    taken: set[str] = set()
    folders = [_folder(name, taken) for name in names]
    assert len({folder.casefold() for folder in folders}) == len(names)
    assert all(Path(folder).name == folder and folder[0] != "." for folder in folders)


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads that are switched as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
def test_threads_may_share_a_reader(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each gets the session of its own job, however they take turns over the files."""
    monkeypatch.setattr(jobs_module, "load", cache(load))  # so that the turns come close together
    files = [tmp_path / f"session{number}.jsonl" for number in range(6)]
    for file in files:
        file.write_bytes((recorded / "short.jsonl").read_bytes())
    jobs, _ = jobs_of(files)
    reader = SessionReader()
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(reader.session, jobs * 2_000))
    assert [session.name for session in read] == [job.name for job in jobs * 2_000]


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address with two recorded sessions below it, and something else."""
    obstore = pytest.importorskip("obstore", reason="needs obstore")
    pytest.importorskip("moto", reason="needs moto")
    rows = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Gone."}]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    with object_stores.moto() as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        for key in ("s/a.jsonl", "s/more/b.jsonl", "s/notes.txt"):
            obstore_put(server, key, text)
        yield f"s3://{BUCKET}/s"
        obstore.delete(server.client(), ["s/a.jsonl", "s/more/b.jsonl", "s/notes.txt"])


def test_sessions_at_an_address(bucket: str, tmp_path: Path) -> None:
    """A job says where its file lies; where the copy is missing it is brought."""
    with placed(["replay", bucket, f"{bucket}/a.jsonl", str(tmp_path)]) as words:
        jobs = [
            replace(job, source=address_of(job.path) or "")
            for job in jobs_of(find(map(Path, words[1:3])))[0]
        ]
        assert address_of(tmp_path) is None
    assert [job.source.removeprefix(f"{bucket}/") for job in jobs] == [
        "a.jsonl", "more/b.jsonl", "a.jsonl",
    ]  # fmt: skip
    for job in jobs:
        assert not job.path.exists()
        with nearby(job) as near:
            assert len(SessionReader().session(near).events) == 2
    with pytest.raises(BadSession, match="no session lies there"):
        fetched(f"s3://{BUCKET}/none.jsonl", tmp_path)


class Elsewhere(ThreadPoolExecutor):
    """Another machine, which has none of this one's files."""

    def submit(self, work: Any, /, job: Any, *given: Any, **more: Any) -> Any:
        """Have a job done there."""
        return super().submit(work, replace(job, path=Path("/nowhere/session")), *given, **more)


def test_sessions_at_an_address_are_replayed_elsewhere(
    bucket: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each by whoever has it to do, told by its address."""
    monkeypatch.setattr("loom.cli.replay._executor", lambda on, out: Elsewhere(2))
    assert main(["replay", bucket, "--on", "ray", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["sessions"]
    assert [row["source"] for row in rows] == [f"{bucket}/a.jsonl", f"{bucket}/more/b.jsonl"]
    assert not any(row.get("error") for row in rows)


def obstore_put(server: object_stores.S3Server, key: str, text: str) -> None:
    """An object in the bucket."""
    import obstore

    obstore.put(server.client(), key, text.encode())
