"""`purge`: take secrets found later out of everything that Loom wrote; all of it, or nothing."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack, nullcontext
from os import PathLike
from pathlib import Path
from typing import Any

from loom.capabilities.agents.place import root_home
from loom.errors import BadInput
from loom.redact import Rules
from loom.reduce.lines import plural
from loom.rewrite.homes import agents_in, lock_all
from loom.rewrite.mirror import StoreMirror, rewrite_store, temporary_mirror
from loom.rewrite.purge_plan import PurgePlan
from loom.rewrite.reports import PurgedValue, PurgeReport
from loom.rewrite.secrets import Secrets
from loom.rewrite.spellings import is_word
from loom.session.archive.workspace import milliseconds_now
from loom_paging import FileStore, rewriting
from loom_paging.remote.address import is_valid_address, without_options
from loom_paging.rewriting import FileChanges

NAMED = 5  # names that cannot be read


def purge(
    path: str | PathLike[str],
    values: Iterable[str] = (),
    *,
    rules: Rules | None = None,
    also: Iterable[str | PathLike[str]] = (),
    dry_run: bool = False,
    durable: bool = True,
) -> PurgeReport:
    """Take secrets out of a workspace, of all agents below it, and of the folders `also`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with loom.open(f"{home}/w", redact=()) as ctx:
    ...         _ = ctx.user("the key is hunter2!Zx")
    ...     loom.purge(f"{home}/w", ["hunter2!Zx"]).done
    True

    `values` are the secrets, as texts. They are found unchanged, escaped, encoded (base64,
    hexadecimal, percent, UTF-16) and in part. A piece of 12 bytes is found anywhere. A shorter
    beginning is found only where a text ends or was cut, if it has half of the value and at least 6
    characters, and is no plain word. A value is replaced by `[redacted:purged]`.

    `rules` are pairs as in `loom.open` (`loom.SECRETS`). What a rule finds is replaced by
    `[redacted:KIND]`. `also` are folders beside the workspace, such as that of `loom.Memory`.
    `path` may be an address on an object store: old batches and objects there are removed too.
    With `dry_run` no secret is removed, but packed pages are unpacked. The journal keeps its
    commits and gets one more, which records the purge. An interrupted purge is finished by the next
    purge, even one without values, or when the workspace is opened.

    Raises StoreLocked while any agent of the tree is open, FileNotFoundError if there is no
    workspace, StoreUnreachable if the store does not answer, PagingError for a store in use.
    Raises BadInput for values that cannot be purged, for an agent below another one, and for
    damaged objects at an address."""
    given = list(values)
    if is_valid_address(path):
        return _purge_at_address(str(path), given, rules=rules, also=also, dry_run=dry_run)
    root = Path(path).resolve()
    if not (root / "journal").is_dir():
        raise FileNotFoundError(f"{root} is no workspace: it has no journal folder")
    if root_home(root) != root:
        raise BadInput(f"{root} is an agent of {root_home(root)}: purge that one, all of it")
    beside = tuple(_checked_side_folder(root, Path(one).resolve()) for one in also)
    with ExitStack() as held:
        lock_all(root, held)
        resumed = rewriting.is_unfinished(root)
        if resumed and dry_run:
            raise rewriting.unfinished_rewrite_error(str(root))
        if resumed:
            rewriting.carry_out(root)
            if not given and rules is None:
                return PurgeReport(done=True, resumed=True)
        for folder in agents_in(root):
            FileStore(folder, create=False).unpack()
        if not dry_run:
            FileChanges(root, beside).discard()  # what one who was killed had made ready
        plan = PurgePlan(root, beside, Secrets(given, rules), milliseconds_now(), durable=durable)
        if learnt := plan.secrets.learnt:  # by rules: looked for as values are, in every spelling
            secrets = Secrets(given, rules, learnt)
            plan = PurgePlan(root, beside, secrets, milliseconds_now(), durable=durable)
        done = bool(plan.places) and not dry_run
        if done:
            plan.carry_out()
    told = tuple(
        PurgedValue(given.index(value) + 1, plan.values[value], is_word(value))
        for value in dict.fromkeys(given)
        if value in plan.values
    )
    return PurgeReport(tuple(plan.places), done, resumed, tuple(plan.left), told)


def _checked_side_folder(root: Path, folder: Path) -> Path:
    """Return `folder`. Raises BadInput if it does not exist, lies in the workspace `root`, or
    contains the workspace."""
    if not folder.is_dir() or root in (folder, *folder.parents) or folder in root.parents:
        raise BadInput(f"{folder} is no folder beside the workspace {root}")
    return folder


def _purge_at_address(address: str, values: list[str], **how: Any) -> PurgeReport:
    """Purge the workspace at an address through a temporary copy. `how` holds the other arguments
    of `purge`."""
    place = without_options(address)
    above, below, _ = place.partition("/agents/")
    if below:
        raise BadInput(f"{place} is an agent of {above}: purge that one, all of it")
    with temporary_mirror(address) as mirror:
        _check_all_read(mirror)
        with nullcontext() if how["dry_run"] else rewrite_store(mirror):
            _check_all_read(mirror)
            return purge(mirror.folder, values, **how)


def _check_all_read(mirror: StoreMirror) -> None:
    """Raise BadInput if an object, which may hold a secret, could not be read from the store."""
    unread = [f"{name} ({str(why).partition(';')[0]})" for name, why in mirror.unread.items()]
    if unread:
        more = f"; and {len(unread) - NAMED:,} more" if len(unread) > NAMED else ""
        raise BadInput(
            f"{mirror.address}: {plural(len(unread), 'name')} cannot be read, and may hold what"
            f" is to be purged: nothing was changed. Mend it first (`loom repair` writes all that"
            f" verifies to a new place): {'; '.join(sorted(unread)[:NAMED])}{more}"
        )
