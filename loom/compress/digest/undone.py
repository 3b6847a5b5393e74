"""The changes of a file after a command took them back or committed them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from loom.compress.digest.committed import marked, staged
from loom.compress.digest.keys import Key
from loom.compress.digest.names import FactNames
from loom.reduce.deeds import DELETED, EVERY, LOST, MAY_BE_REVERTED, REVERTED
from loom_partitions.message import Fact

SURELY, PERHAPS = "surely", "perhaps"
LAST = ", what came after the commit "  # and then what became of that


def _undone(fact: Fact, now: Fact, swaps: Sequence[str]) -> Fact:
    """The changes of one file after they were taken back, deleted or moved."""
    kept = [one for one in swaps if one.startswith("!")]  # committed, so not taken back
    if now.came != REVERTED or not kept:
        return replace(fact, came=now.came, at=now.at, refs="")
    if len(kept) < len(swaps):
        came = f"{fact.came}{LAST}{now.came}"
        return replace(fact, came=came, at=now.at, refs=" ".join(kept))
    return fact


def undo(found: dict[Key, Fact], now: Fact, files: FactNames) -> None:
    """Let the changes of files be what a command made of them: committed, taken back, gone."""
    name = files.name(now.about)
    hit = False
    adds = staged(found.values(), files) if now.kind == "commit" else []
    for key, fact in list(found.items()):
        if key.kind not in ("edit", "write") or fact.came == LOST:
            continue
        swaps = (fact.refs or "?").split()
        reached = _reached(now.about, name, key.about)
        if now.kind == "commit":
            if reached:
                written = found.get(Key("write", key.about))
                found[key] = marked(fact, key.about, adds, written)
        elif reached and (reached == SURELY or now.came == REVERTED):
            hit = True
            mine = now
            vague = reached != SURELY or (key.about != name and _may_be_new(found, key))
            if now.came == REVERTED and vague:
                mine = replace(now, came=MAY_BE_REVERTED)
            found[key] = _undone(fact, mine, swaps)
    if not hit and now.came == DELETED:
        found[Key("edit", name)] = replace(now, kind="edit", times=0)


def _reached(about: str, name: str, file: str) -> str:
    """Whether a command that worked on `about`, by its name `name`, did on a file: "" for no.

    Of a file named from where the work began, a command in a folder named from the root may have.
    """
    if about in ("", EVERY) or (name and f"{file}/".startswith(f"{name}/")):
        return SURELY
    rooted = about.startswith(("/", "~")) and not about.startswith(("/tmp/", "/var/tmp/"))
    return PERHAPS if rooted and not file.startswith(("/", "~")) and "." not in about else ""


def _may_be_new(found: dict[Key, Fact], key: Key) -> bool:
    """True for a file that was written, and not committed since: git may not know it."""
    wrote = found.get(Key("write", key.about))
    return wrote is not None and not wrote.refs.startswith("!")
