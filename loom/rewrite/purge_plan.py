"""The plan of a purge, made without writing: the new bytes of each file, the files to remove, the
files to rename.

Theory of operation. Some files name others by hashes. A journal names the sha256 of its pages and
of the results taken over from children. A result names the sha256 of its artefacts. An event names
its page by the page's hash. So a file is cleaned after all files whose hashes it names, in this
order: pages and notes; results of agents; pages of the event bus, which get new names; events; then
the journal and snapshots of each workspace."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

from loom.capabilities.agents.place import FOLDER, FORKS
from loom.capabilities.agents.result import sha256_hex
from loom.lazy import lazy_re
from loom.rewrite import clean_memories
from loom.rewrite.clean_files import FileCleaner, cleaning_rank, hash_in_name
from loom.rewrite.clean_journal import CleanJournal
from loom.rewrite.clean_records import ReplacedFiles
from loom.rewrite.homes import agents_in, home_and_rest, home_prefix
from loom.rewrite.own_names import OwnNames, is_layout_name
from loom.rewrite.reports import PurgedPlace, sum_counts
from loom.rewrite.secrets import Secrets
from loom.session.archive.recall_index import INDEX
from loom_paging.checkpoint import FOLDER as CHECKPOINTS
from loom_paging.folders import sync_tree
from loom_paging.names import LOCK, TEMPORARY
from loom_paging.rewriting import FileChanges, is_staged
from loom_partitions.records import Redacted

_FOLDED = lazy_re(r"journal/[0-9]+\.jsonl|snapshots/[^/]+\.json")
_PLACES = (
    ("outputs/", "page"),
    ("snapshots/", "snapshot"),
    ("history/", "view"),
    ("checkpoints/", "checkpoint"),
    (INDEX, "index"),
    ("bus/", "bus"),
    ("capsule", "result"),
    ("inbox/", "inbox"),
    ("memory/", "note"),
    ("notes/", "note"),
)
_CACHED = lazy_re(r"[0-9a-f]{64}\.ran")  # a kept result of a script
REMOVED = "removed"
SYNCED = ("outputs", "snapshots", "journal")


class PurgePlan:
    """The planned changes of a purge below `root` and in the folders `also`. Nothing is written
    before `carry_out`. `at` is the time (milliseconds) of the commits that will record the purge.
    """

    def __init__(
        self, root: Path, also: tuple[Path, ...], secrets: Secrets, at: int, *, durable: bool
    ) -> None:
        self.root, self.secrets, self._durable = root, secrets, durable
        self.changes = FileChanges(root, also, durable=durable)
        self.places: list[PurgedPlace] = []
        self.left: list[str] = []
        self.values: dict[str, int] = {}  # how often each was found
        self._of_stores = set[Path]()  # files of long-term memory, and all above and beside them
        own = OwnNames(self._agent_and_name(path)[1] for path in _plain_files(root))
        self._new = ReplacedFiles(own=own)
        self._cleaner = FileCleaner(secrets, self._new)
        for folder in (root, *also):
            self._clean_stores(folder)
            self._plan_names(folder)
            for path in sorted(
                _plain_files(folder), key=lambda one: cleaning_rank(self._agent_and_name(one)[1])
            ):
                self._clean_file(path, path.relative_to(folder).as_posix())
        self._agents = list(agents_in(root))
        for home in self._agents:
            self._clean_home(home, at)
        self.changes.gone.update(path for path in _plain_files(root) if self._is_derived(path))

    def carry_out(self) -> None:
        """Make all planned changes, or none. An interrupted call is finished by the next purge or
        opening."""
        # A writer may have been killed that had not synced all, and lines made anew say that it is.
        named = (home / name for home in self._agents for name in SYNCED if self._durable)
        for folder in filter(Path.is_dir, named):
            sync_tree(folder)
        self.changes.carry_out()

    # --- what each file is ---

    def _clean_file(self, path: Path, full: str) -> None:
        """Add the new bytes of one file to the plan, unless it is a journal, snapshot, memory store
        or lock. `full` is the file's name relative to the purged folder."""
        if path in self._of_stores or self._agent_and_name(path)[1].upper() == LOCK:
            return
        within, old = self.root in path.parents, path.read_bytes()
        agent, name = self._agent_and_name(path) if within else ("", full)
        tell = partial(
            self._note_place, agent, _place_kind(name), name, file=name if within else str(path)
        )
        if within and self._is_derived(path):
            if self.secrets.has_value(old):
                tell(became=REMOVED)
        elif within and not _FOLDED.fullmatch(name):
            new, became = self._cleaner(name, old)
            if new != old:
                tell(became=became)
                self.changes.new[self._note_new_hash(path, name, old, new, became)] = new
        elif not within and (new := self.secrets.clean_bytes(old)) != old:
            if _CACHED.fullmatch(path.name):
                tell(became=REMOVED)
                self.changes.gone.add(path)
            elif b"\0" in old and _place_kind(name) != "note":
                self.left.append(self.secrets.clean_text(str(path)))
            else:
                tell()
                self.changes.new[path] = new
        self.secrets.take_counts()

    def _is_derived(self, path: Path) -> bool:
        """Return True if a file may simply be removed: Loom can make it again, or a crash left
        it."""
        made_again = self._agent_and_name(path)[1].startswith((CHECKPOINTS, INDEX))
        return made_again or path.name.startswith(TEMPORARY)

    def _note_new_hash(self, path: Path, name: str, old: bytes, new: bytes, became: str) -> Path:
        """Note the new hash of a file. Return the path for the new bytes, which differs from `path`
        if the file's name contains its hash. `became` is not empty if a short text replaced the
        file."""
        before, after = sha256_hex(old), sha256_hex(new)
        self._new.hashes[before] = after, len(new)
        if became:
            self._new.standins.add(before)
        if hash_in_name(name) != before:
            return path
        moved = path.with_name(path.name.replace(before, after))
        full = path.relative_to(self.root).as_posix()
        home = "/".join(self._new.names.get(x, x) for x in full.removesuffix(name).split("/"))
        self._new.names[full] = home + name.replace(before, after)
        self.changes.gone.add(path)
        return moved

    def _clean_home(self, home: Path, at: int) -> None:
        """Add the new bytes of a workspace's journal and snapshots to the plan. `at` is the time of
        the commit that records the purge."""
        agent = home_prefix(self.root, home).removesuffix("/")
        outputs = {
            path.relative_to(home).as_posix(): data
            for path, data in self.changes.new.items()
            if path.parent == home / "outputs" and isinstance(data, bytes)
        }

        def found(file: str, where: str) -> None:
            self._note_place(agent, "journal", where, file=file)

        made = CleanJournal(home, outputs, self.secrets, self._new, found)
        for path in filter(_is_plain, sorted((home / "snapshots").glob("*.json"))):
            name, old = path.relative_to(home).as_posix(), path.read_bytes()
            new = made.clean_snapshot(name, old)
            if new != old:
                self._note_place(agent, "snapshot", name, file=name)
                self._new.hashes[sha256_hex(old)] = sha256_hex(new), len(new)
                self.changes.new[path] = new
        mine = [one for one in self.places if one.agent == agent]
        places = sum_counts({one.place: sum(one.kinds.values())} for one in mine)
        kinds = sum_counts(one.kinds for one in mine)
        record = Redacted(kinds, places=places) if mine else None
        for name, data in made.changed_segments(record, at).items():
            self.changes.new[home / name] = data

    def _clean_stores(self, folder: Path) -> None:
        """Plan to rebuild each store of long-term memory below `folder` that holds a secret."""
        for path, engine in clean_memories.memory_stores(folder):
            agent, file = self._agent_and_name(path)
            tell = partial(self._note_place, agent, "memory", file=file)
            beside = clean_memories.sqlite_files(path)
            if (
                build := clean_memories.rebuild_without_secrets(path, engine, self.secrets, tell)
            ) is not None:
                self.changes.new[path] = build
                self.changes.gone.update(filter(Path.exists, beside))
            self._of_stores.update((path, *path.parents, *beside, *path.rglob("*")))

    def _plan_names(self, folder: Path) -> None:
        """Plan a new name for each file or folder below `folder` whose name holds a secret."""
        taken: set[Path] = set()
        for path in sorted(folder.rglob("*"), key=lambda one: -len(one.parts)):
            if is_staged(path) or path.name.startswith(TEMPORARY) or self._is_loom_name(path):
                continue
            stem = self.secrets.clean_name(path.name)
            names = (path.with_name(f"{stem}-{number}" if number else stem) for number in count())
            if stem != path.name:
                new = next(one for one in names if not (one.exists() or one in taken))
                taken.add(new)
                self.changes.moved[path] = new
                if path.parent.name in (FOLDER, FORKS):
                    self._new.names[path.name] = new.name
                self._note_place(
                    self._agent_and_name(path)[0],
                    "name",
                    f"{_place_kind(path.name)} {new.name}",
                    file="",
                )
            self.secrets.take_counts()

    def _is_loom_name(self, path: Path) -> bool:
        """Return True if Loom gave a path its name, as a part of a workspace, a memory store or a
        cache."""
        if path in self._of_stores or self.root not in path.parents:
            return path in self._of_stores or _CACHED.fullmatch(path.name) is not None
        return is_layout_name(self._agent_and_name(path)[1])

    # --- where they are ---

    def _agent_and_name(self, path: Path) -> tuple[str, str]:
        """Return a pair (folder of the agent that owns the file, the file's name in that folder),
        or ("", whole path) for a file outside `root`."""
        if self.root not in path.parents:
            return "", path.as_posix()
        home, name = home_and_rest(path.relative_to(self.root).as_posix())
        return home.removesuffix("/"), name

    def _note_place(
        self, agent: str, place: str, where: str, *, became: str = "", file: str
    ) -> None:
        """Add a PurgedPlace to `places`, if `secrets` replaced anything since the last call. The
        parameters are the fields of PurgedPlace."""
        if kinds := self.secrets.take_counts():
            self.values = sum_counts((self.values, self.secrets.taken))
            agent, where, file = map(self.secrets.clean_text, (agent, where, file))
            self.secrets.take_counts()
            self.places.append(PurgedPlace(agent, place, where, kinds, became, file))


def _plain_files(folder: Path) -> Iterator[Path]:
    """Yield the path of each plain file below a folder, sorted. Links and the new files of an
    unfinished rewrite are left out."""
    for path in sorted(folder.rglob("*")):
        if _is_plain(path) and not is_staged(path):
            yield path


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _place_kind(name: str) -> str:
    """Return the kind of place for a file name, such as "page" or "snapshot"; "file" is the
    default."""
    return next((place for part, place in _PLACES if part in name), "file")
