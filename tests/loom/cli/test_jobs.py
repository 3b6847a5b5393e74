import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from loom.cli import main
from loom.cli.jobs import jobs_of, loaded, session_of
from loom.replay.importers import BadSession, load
from tests.kit import object_stores
from tests.kit.object_stores import BUCKET


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """A file of three sessions."""
    file = tmp_path / "several.json"
    talk = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Gone."}]
    file.write_text(json.dumps([{"id": f"s{at}", "messages": talk} for at in range(3)]), "utf-8")
    return file


def test_a_job_leads_to_its_session(several: Path, recorded: Path) -> None:
    """Each job's session is the one it was made for, in whatever order they are asked for."""
    files = [several, recorded / "short.jsonl"]
    jobs, _ = jobs_of(files)
    sessions = [session for file in files for session in load(file)]
    assert [job.number for job in jobs] == [0, 1, 2, 3]
    for job in (*jobs, *reversed(jobs)):
        assert session_of(job) == sessions[job.number]
        assert (job.name, job.events) == (
            sessions[job.number].name,
            len(sessions[job.number].events),
        )


def test_a_session_that_is_gone_is_named(several: Path) -> None:
    """A file that changed, or that cannot be read any more, is BadSession each time."""
    (job, *_), _ = jobs_of([several])
    with pytest.raises(BadSession, match="changed while it was replayed"):
        session_of(replace(job, at=7))
    several.unlink()
    assert session_of(job).name == job.name  # still in memory
    loaded.cache_clear()
    for _ in range(2):
        with pytest.raises(BadSession):
            session_of(job)


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


def test_sessions_at_an_address(bucket: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are replayed, in processes too, and told by their address."""
    assert main(["replay", bucket, "--workers", "2", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["sessions"]
    assert [row["source"] for row in rows] == [f"{bucket}/a.jsonl", f"{bucket}/more/b.jsonl"]
    assert not any(row.get("error") for row in rows)


def obstore_put(server: object_stores.S3Server, key: str, text: str) -> None:
    """An object in the bucket."""
    import obstore

    obstore.put(server.client(), key, text.encode())
