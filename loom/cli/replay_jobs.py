"""The sessions to replay. Each is a job: the file that holds the session, and the folder for its
workspace."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from loom.errors import BadInput, BadSession
from loom.inputs import Session
from loom.replay.copies import SessionFronts
from loom.replay.importers import load

STEM_CHARS = 80
ENDINGS = "files of sessions end in .jsonl, .json, .traj or .eval, or are called opencode.db"


class ReplayJob(Struct, frozen=True):
    """A session to replay. `at` is its number (from 0) in the file `path`, `name` its name,
    `events` its number of events, `folder` the name of the folder for its workspace."""

    path: Path
    at: int
    name: str
    events: int
    folder: str


def replay_jobs(
    files: Iterable[Path], *, alone: bool = True
) -> tuple[list[ReplayJob], list[BadSession]]:
    """Return a pair (jobs, errors): a job for each session, in the order of the files, and an error
    for each unreadable file and each session that another session contains and continues.

    With `alone`, raises BadInput if there are no sessions, BadSession if none can be read."""
    jobs: list[ReplayJob] = []
    given: set[str] = set()
    skipped: list[BadSession] = []
    fronts = SessionFronts()
    for path in files:
        try:
            sessions = load(path)
        except BadSession as error:
            skipped.append(error)
            continue
        for at, session in enumerate(sessions):
            folder = _unique_folder_name(session.name, given)
            jobs.append(ReplayJob(path, at, session.name, len(session.events), folder))
            fronts.add(path, at, session)
    if alone and not jobs:
        raise skipped[0] if skipped else BadInput(f"no recorded session lies there: {ENDINGS}")
    judged = [(job, fronts.copied(job.path, job.at)) for job in jobs]
    copies = [why for _, why in judged if why]
    return [job for job, why in judged if not why], [*skipped, *copies]


def check_folders_free(jobs: Iterable[ReplayJob], home: Path) -> None:
    """Raise BadInput if the folder of a job, below `home`, already holds a workspace."""
    for job in jobs:
        folder = home / job.folder
        if (folder / "journal").exists():
            raise BadInput(f"{folder} holds a workspace already; choose another --out")


def job_session(job: ReplayJob) -> Session:
    """Return the session of a job, read from its file. Raises BadSession if the file lost the
    session."""
    sessions = load_cached(job.path)
    if job.at >= len(sessions):
        raise BadSession(job.path, 0, f"it changed while it was replayed: no {job.name} in it")
    return sessions[job.at]


load_cached = lru_cache(maxsize=1)(load)  # one file in memory at a time


def _unique_folder_name(name: str, given: set[str]) -> str:
    """Return a folder name made from a session's name and unlike all of `given`, even if case is
    ignored. The new name is added to `given`."""
    stem = re.sub(r"[^\w.-]+", "_", name).strip("._")[:STEM_CHARS] or "session"
    folder, more = stem, 2
    while folder.casefold() in given:
        folder, more = f"{stem}-{more}", more + 1
    given.add(folder.casefold())
    return folder
