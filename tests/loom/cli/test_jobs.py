import json
import os
import re
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from loom.cli.jobs import Ended, ReplayJob, jobs_of, loaded, replayed, session_of
from loom.cli.trial import Setting, row_of
from loom.errors import BadSession
from loom.replay.importers import load
from tests.kit.command import COMMAND
from tests.loom.cli.conftest import Run

WINDOW = ("--window", "6000")
SETTING = Setting(6_000, None, "lazy")


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


def test_a_plot_for_few_sessions(run: Run, recorded: Path) -> None:
    """Two sessions in more workers than that: plots, tables, code, all as with one; so where the
    engine refuses them."""
    alone = run("replay", recorded, *WINDOW)
    assert run("replay", recorded, *WINDOW, "--workers", "7") == alone
    assert "long: ρ, how full each request was" in alone[1]
    given = ("replay", recorded, "--window", "400")
    refused = run(*given)
    assert refused[0] == 2 and run(*given, "--workers", "2") == refused


def falls(job: ReplayJob, folder: Path, setting: Setting) -> Ended:
    """Ends its process in the way the job is named."""
    if job.name == "whole":
        return row_of(job.name, "", setting, error=str(os.getppid())), 0
    if job.name == "exit":
        os._exit(3)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("it was killed")


def test_a_death_costs_one_session_only(tmp_path: Path) -> None:
    """Killed, ended, and whole ones between: each gets its due."""
    names = ("killed", "whole", "exit", "whole", "whole", "killed", "whole")
    jobs = [ReplayJob(at, Path("s"), at, name, 1, f"{at}-{name}") for at, name in enumerate(names)]
    found = replayed(jobs, tmp_path, SETTING, lambda *_: None, workers=2, work=falls)
    assert [one["name"] for one, _ in found] == list(names)
    told = {one["name"]: (one["error"], code) for one, code in found}
    assert told["killed"] == ("its worker died: it was killed by signal 9 (SIGKILL)", 2)
    assert told["exit"] == ("its worker died: it ended with exit code 3", 2)
    assert told["whole"] == (str(os.getpid()), 0)


# Killed and interrupted from outside


class Replay:
    """`loom replay --workers 2` in a session of its own, whose first file takes a while.

    A worker that has begun with it has the log of its workspace open. There it is stopped, so it is
    known where it stands, and which process it is.
    """

    def __init__(self, folder: Path, recorded: Path) -> None:
        file = folder / "a.jsonl"
        rows = (recorded / "long.jsonl").read_text()
        again = (re.sub(r'"c(\d+)"', rf'"c{number}_\1"', rows) for number in range(2))
        file.write_text("".join(again))
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        files = [str(file), str(recorded / "short.jsonl"), str(recorded / "long.jsonl")]
        self.process = subprocess.Popen(
            [*COMMAND, "replay", *files, *WINDOW, "--workers", "2", "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(self.temporary)},
            start_new_session=True,
        )

    @contextmanager
    def worker(self) -> Iterator[int]:
        """The process id of the worker that is at the first file, stopped meanwhile."""
        found: list[int] = []
        while not found:
            assert self.process.poll() is None, "the replay ended before a worker was caught"
            found = [pid for pid in self.children() if self._writes(pid)]
        os.kill(found[0], signal.SIGSTOP)
        try:
            yield found[0]
        finally:
            self.go_on(found[0])

    def go_on(self, pid: int) -> None:
        """Let a worker that was stopped go on, where it lives."""
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    def children(self) -> list[int]:
        """Process ids of all below the command."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(one) for held in threads for one in held.read_text().split()]

    def _writes(self, pid: int) -> bool:
        with suppress(OSError):  # it may be about to end
            held = (str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir())
            return any("/a/journal/" in one for one in held)
        return False

    def end(self) -> tuple[int, str, str]:
        """Exit code, stdout and stderr; it comes back when no process holds either any more."""
        out, err = self.process.communicate()
        return self.process.returncode, out.decode(), err.decode()


@pytest.fixture
def held(tmp_path: Path, recorded: Path) -> Iterator[Replay]:
    """A replay one of whose workers can be caught."""
    if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
        pytest.skip("the system does not list the children of a process")
    running = Replay(tmp_path, recorded)
    try:
        yield running
    finally:
        running.process.kill()
        running.end()


def test_an_interrupt_leaves_nothing_behind(held: Replay) -> None:
    """Ctrl-C reaches all processes: exit 130, one line, no process, no folder."""
    with held.worker() as stopped:
        children = [os.pidfd_open(pid) for pid in held.children()]
        os.killpg(held.process.pid, signal.SIGINT)
        held.go_on(stopped)
        code, out, err = held.end()
    assert (code, out, err) == (130, "", "loom: interrupted\n")
    assert len(children) >= 2 and list(held.temporary.iterdir()) == []
    gone(*children)


def test_workers_do_not_outlive_a_killed_parent(held: Replay) -> None:
    """`kill -9` of the command: its workers end by themselves."""
    with held.worker() as stopped:
        children = [os.pidfd_open(pid) for pid in held.children()]
        held.process.kill()
        held.go_on(stopped)
        gone(*children)


def gone(*processes: int) -> None:
    """Come back when all of these processes, given as descriptors, have ended."""
    for process in processes:
        select.select([process], [], [])
        os.close(process)
