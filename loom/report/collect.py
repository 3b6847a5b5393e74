"""A report's data, of the workspaces it is to tell of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from loom.engine.archive.workspace import Workspace
from loom.report.data import AgentRow, ReportData
from loom.report.session import SessionFold
from loom.report.texts import ReportMessages, ReportTexts
from loom.version import VERSION

Watch = Callable[[str, int, int], None]  # an agent's name, commits read of it, and all of them


class AgentPlace(Struct, frozen=True):
    """An agent that a report tells of, and the folder of its workspace; None where it has none."""

    row: AgentRow
    folder: Path | None


def collected(places: Sequence[AgentPlace], source: str, watch: Watch) -> ReportData:
    """Read the workspaces, the agents above others first. Raises what reading a journal raises."""
    texts = ReportTexts()
    messages = ReportMessages(texts)
    rows: list[AgentRow] = []
    for place in places:
        row = place.row
        if place.folder is not None:
            workspace = Workspace.at_path(place.folder, write=False)
            fold = SessionFold(workspace, texts, messages)
            for commit in fold.folding():
                watch(row.name, commit, workspace.commits)
            row = fold.row(row)
        rows.append(row)
    return ReportData(
        VERSION,
        source,
        tuple(rows),
        tuple(messages.rows),
        tuple(messages.tools),
        tuple(texts.texts),
        texts.lengths,
    )
