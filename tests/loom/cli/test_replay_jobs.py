import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from loom.cli.replay_jobs import job_session, load_cached, replay_jobs
from loom.errors import BadSession
from loom.replay.importers import load
from tests.loom.cli.conftest import Run


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
    jobs, _ = replay_jobs(files)
    sessions = [session for file in files for session in load(file)]
    pairs = [*zip(jobs, sessions, strict=True)]
    for job, session in (*pairs, *reversed(pairs)):
        assert job_session(job) == session
        assert (job.name, job.events) == (session.name, len(session.events))


def test_a_session_that_is_gone_is_named(several: Path) -> None:
    """A file that changed, or that cannot be read any more, is BadSession each time."""
    (job, *_), _ = replay_jobs([several])
    with pytest.raises(BadSession, match="changed while it was replayed"):
        job_session(replace(job, at=7))
    several.unlink()
    assert job_session(job).name == job.name  # still in memory
    load_cached.cache_clear()
    for _ in range(2):
        with pytest.raises(BadSession):
            job_session(job)


def test_a_plot_for_few_sessions(run: Run, recorded: Path) -> None:
    """Two sessions: each has one; where the engine refuses them, exit 2."""
    assert "long: ρ, how full each request was" in run("replay", recorded, "--window", "6000")[1]
    assert run("replay", recorded, "--window", "400")[0] == 2
