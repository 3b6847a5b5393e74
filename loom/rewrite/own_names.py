"""Names that Loom itself gives: names of files, of fields and of states.

A value to be purged may be such a name or a part of it. Where Loom wrote the name, it is kept,
since the workspace could not be read without it. In texts of a user, a model or a tool it is
replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from loom.capabilities.agents.event import TOPICS
from loom.capabilities.agents.place import FOLDER, FORKS
from loom.lazy import lazy_re
from loom.session.archive.snapshot_document import IndexedPage
from loom_partitions import records as r
from loom_partitions.edits import Shortened
from loom_partitions.message import Fact

# Fields that hold one of a few words of Loom's own, wherever they stand.
FIELDS = frozenset((
    "counts", "detail", "disposition", "encoding", "format", "level", "partition", "places",
    "policy", "reason", "shed", "state", "status", "told", "type", "urgencies", "urgency", "voice",
))  # fmt: skip
# Fields that do so in one type alone.
PAIRS: frozenset[tuple[type, str]] = frozenset(
    {
        (r.Opened, "key"),
        (r.Requested, "what"),
        (Shortened, "where"),
        (Fact, "kind"),
        (IndexedPage, "kind"),
    }
)
# Keys of what Loom announces on the bus.
KEYS = frozenset(
    ("agent", "artefacts", "child_id", "error", "goal", "parent_id", "result", "status")
)
_PAGE = r"[a-z0-9-]+_[0-9]{1,15}(?:\.[a-z0-9]+)*"
_OWN = (
    "journal|outputs|snapshots|history|inbox|inbox/bad|asked|memory|notes|bus|bus/[a-z]+|capsule",
    rf"{FOLDER}|{FORKS}|LOCK|capsule\.json|index\.db.*|checkpoints(?:/index|/state|/at_[0-9]+)?",
    r"journal/[0-9]+\.jsonl",
    rf"(?:outputs|snapshots)/{_PAGE}",
    r"history/(?:user|step|digest)_[0-9]+\.(?:json|compact)",
    rf"bus/(?:{'|'.join(map(re.escape, TOPICS))}|(?:[a-z]+/)?[0-9]{{12}})\.json",
    r"bus/pages/[0-9a-f]{64}-[0-9a-f]{16}\.(?:json|bin)|capsule/[0-9a-f]{64}",
    r"asked/[0-9]{20}-[0-9a-f]{8}\.json",
    r"inbox/(?:bad/)?[0-9]{20}-[0-9a-f]{8}\.json",
)
_LAYOUT = lazy_re("|".join(f"(?:{one})" for one in _OWN))
_ENTRY = lazy_re(r"(?:user|step|digest)_[0-9]{4,15}")


def is_layout_name(name: str) -> bool:
    """Return True if Loom itself gives this name to a file or folder of a workspace."""
    return _LAYOUT.fullmatch(name) is not None


def is_own_field(kind: type, name: str) -> bool:
    """Return True if the field `name` of records of type `kind` holds only words that Loom
    chooses."""
    return name in FIELDS or (kind, name) in PAIRS


class OwnNames:
    """A set of names that a purge keeps: names of entries and of a workspace's files."""

    def __init__(self, files: Iterable[str]) -> None:
        self._known = {form for name in files for form in _name_forms(name)}

    def __contains__(self, text: object) -> bool:
        """Return True if the text consists only of names to keep, separated by single blanks."""
        if not isinstance(text, str) or not text:
            return False
        return all(part in self._known or _ENTRY.fullmatch(part) for part in text.split(" "))


def _name_forms(name: str) -> Iterator[str]:
    """Yield the forms in which a file's name is kept: `outputs/read_0001.json`, `read_0001.json`
    and `read_0001`. Yield nothing for a name that Loom did not give."""
    if is_layout_name(name) and "/" in name:
        last = name.rpartition("/")[2]
        yield from (name, last, last.partition(".")[0])
