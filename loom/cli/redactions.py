"""Count the secrets that were replaced in a workspace when their text arrived, and those that were
purged later, by kind.

The journal records the counts of each commit. Some texts never passed through the engine, so they
have no such record: events of the event bus, and inbox messages. In these texts, the marks
`[redacted:KIND]` are counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, json

from loom.cli.log import counts_text
from loom.errors import LoomError
from loom.lazy import lazy_re
from loom.rewrite.homes import agents_in
from loom.rewrite.reports import sum_counts
from loom.rewrite.secrets import KIND
from loom.session.archive.folded_journal import records_of
from loom.session.archive.workspace import Workspace
from loom_partitions import records as r

OFF = "redaction was off (redact=())"
_MARK = lazy_re(rb"\[redacted:([^\]\s\"\\]{1,80})\]")
_TOLD = lazy_re(rb"[rR]edacted|Purged")


class RedactionCounts(Struct, frozen=True):
    """The number of secrets of each kind in a workspace and all workspaces below: `redacted` counts
    secrets replaced when their text arrived, `purged` secrets taken out later. `off` is True if the
    workspace was ever opened without redaction. `unread` names agents that could not be read."""

    redacted: dict[str, int]
    purged: dict[str, int]
    off: bool = False
    unread: tuple[str, ...] = ()


def redaction_counts(workspace: Workspace, folder: Path) -> RedactionCounts:
    """Return the counts of a workspace plus those of all agents below it."""
    redacted, purged = _workspace_counts(workspace, folder)
    unread: list[str] = []
    for below in [*agents_in(folder)][1:]:
        try:
            more, later = _workspace_counts(Workspace.at_path(below, write=False), below)
        except (LoomError, OSError):
            unread.append(below.relative_to(folder).as_posix())
            continue
        redacted, purged = sum_counts((redacted, more)), sum_counts((purged, later))
    return RedactionCounts(redacted, purged, workspace.window.sent.unredacted, tuple(unread))


def _workspace_counts(workspace: Workspace, folder: Path) -> tuple[dict[str, int], dict[str, int]]:
    """Return a pair (redacted, purged) of dicts for one workspace, each from a kind of secret to a
    number."""
    found: list[Mapping[str, int]] = []
    purges: list[Mapping[str, int]] = []
    for commit in workspace.journal.scan():
        if _TOLD.search(bytes(commit.records)):
            records = records_of(commit)
            told = [one for one in records if isinstance(one, r.Redacted) and not one.off]
            purges += (one.counts for one in told if one.places is not None)
            counts = [one.counts for one in told if one.places is None]
            signals = (one for one in records if isinstance(one, r.Signalled))
            found += counts or [_mark_counts(json.encode(one)) for one in signals]
    for path in [*folder.glob("bus/*.json"), *folder.glob("bus/pages/*")]:
        if path.is_file() and not path.is_symlink():
            found.append(_mark_counts(path.read_bytes()))
    return sum_counts(found), sum_counts(purges)


def _mark_counts(text: bytes) -> dict[str, int]:
    """Return a dict from each kind to the number of marks `[redacted:KIND]` in a text, without the
    marks of purges."""
    kinds = (kind.decode("utf-8", "replace") for kind in _MARK.findall(text))
    # The record of a purge counts the marks of the purge.
    return sum_counts({kind: 1} for kind in kinds if kind != KIND)


def redaction_rows(counts: RedactionCounts) -> Iterator[tuple[str, str]]:
    """Yield a pair (label, text) for the secrets replaced and, if there are any, for the secrets
    purged and the agents not read."""
    said = [counts_text(counts.redacted), OFF if counts.off else ""]
    yield "redacted", "; ".join(filter(None, said)) or "none"
    kinds = {"values" if kind == KIND else kind: times for kind, times in counts.purged.items()}
    rest = {"purged": counts_text(kinds), "  not read": ", ".join(counts.unread)}
    yield from ((label, text) for label, text in rest.items() if text)
