"""Edits of guides on disk, of every kind an editor, a merge or a tool makes: a table of them.

Each changes real files at or beside a guide that stands there. The rules that hold then are read
off the disk afterwards, as an agent's harness would have to.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

from msgspec import Struct

from benchmarks.guides.disk import NAMES, imports_of, read
from benchmarks.guides.project import OPPOSITES
from loom_bench.sessions.material import Material

OPPOSED = {words for pair in OPPOSITES for words in pair}  # would still conflict, in other letters
LONG = 20  # characters
OVERRIDE, USUAL, FALLBACK = NAMES


class GuideEdit(Struct, frozen=True):
    """One edit: its kind, and the file it was made to, from the root."""

    kind: str
    path: str


class _At(Struct, frozen=True):
    """Where an edit is made: a guide, the project's root, and a source of new rules."""

    guide: Path
    root: Path
    chance: Random
    number: int

    def rule(self) -> str:
        """A rule that stands nowhere else."""
        return f"As of edit {self.number}: {Material(self.chance).sentence()}"


def _reworded(at: _At, text: str) -> str:
    """The text with one of its items replaced, or one more where it has none."""
    lines = text.split("\n")
    items = [n for n, line in enumerate(lines) if line.startswith(("- ", "* "))]
    if not items:
        return f"{text.rstrip()}\n\n- {at.rule()}\n"
    lines[at.chance.choice(items)] = f"- {at.rule()}"
    return "\n".join(lines)


def _content(at: _At) -> Path:
    at.guide.write_text(_reworded(at, read(at.guide)), "utf-8")
    return at.guide


def _append(at: _At) -> Path:
    with at.guide.open("a", encoding="utf-8") as file:
        file.write(f"\n- {at.rule()}\n")
    return at.guide


def _same_size(at: _At) -> Path | None:
    """Change letters alone, and set the time back: size and time of the file stay."""
    text, state = read(at.guide), at.guide.stat()
    items = [line for line in text.split("\n") if line.startswith("- ") and len(line) > LONG]
    old = next((line for line in items if line[2:] not in OPPOSED), "")
    if not old:
        return None
    new = old[:-8] + "".join(at.chance.choices("bcdfghjklm", k=8))
    if len(new.encode()) != len(old.encode()):
        return None
    at.guide.write_text(text.replace(old, new, 1), "utf-8")
    os.utime(at.guide, ns=(state.st_atime_ns, state.st_mtime_ns))
    return at.guide


def _rename_replace(at: _At) -> Path:
    """Write beside it and move over it, as editors do; a link becomes a file."""
    beside = at.guide.with_name(".AGENTS.md.new")
    beside.write_text(_reworded(at, read(at.guide)), "utf-8")
    beside.replace(at.guide)
    return at.guide


def _delete(at: _At) -> Path:
    at.guide.unlink()
    return at.guide


def _override(at: _At) -> Path | None:
    """An override appears beside a guide; where there is one, it goes."""
    path = at.guide.with_name(OVERRIDE)
    if path.exists():
        path.unlink()
    else:
        path.write_text(f"# For now\n\n- {at.rule()}\n- {at.rule()} Ask first.\n", "utf-8")
    return path


def _renamed(at: _At) -> Path | None:
    """AGENTS.md becomes CLAUDE.md, and the other way round."""
    other = FALLBACK if at.guide.name == USUAL else USUAL
    if at.guide.name == OVERRIDE or at.guide.with_name(other).exists() or at.guide.is_symlink():
        return None
    return at.guide.rename(at.guide.with_name(other))


def _blanked(at: _At) -> Path:
    at.guide.write_text("\n", "utf-8")
    return at.guide


def _imported(at: _At) -> Path | None:
    """Edit a file the guide imports; where it imports none, let it import one."""
    here = at.guide.resolve().parent
    for name in imports_of(read(at.guide)):
        path = (here / name).resolve()
        if path.is_file() and at.root.resolve() in path.parents:
            path.write_text(_reworded(at, read(path)), "utf-8")
            return path
    path = at.root / "docs" / f"imported-{at.number}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"# Imported\n\n- {at.rule()}\n", "utf-8")
    up = "../" * len(at.guide.resolve().parent.relative_to(at.root.resolve()).parts)
    with at.guide.open("a", encoding="utf-8") as file:
        file.write(f"\n@{up or './'}docs/{path.name}\n")
    return at.guide


def _created(at: _At) -> Path | None:
    """A guide appears in a folder that had none."""
    path = at.guide.parent / "parts" / USUAL
    if path.exists() or not path.parent.is_dir():
        return None
    path.write_text(f"# Parts\n\n- {at.rule()}\n", "utf-8")
    return path


# Kind → how it is made, and how often among a hundred.
KINDS: dict[str, tuple[Callable[[_At], Path | None], int]] = {
    "content": (_content, 30),
    "append": (_append, 10),
    "same size and time": (_same_size, 8),
    "rename over it": (_rename_replace, 14),
    "delete": (_delete, 6),
    "override": (_override, 10),
    "AGENTS ↔ CLAUDE": (_renamed, 5),
    "blank": (_blanked, 3),
    "import": (_imported, 8),
    "create": (_created, 6),
}


def edited(guide: Path, root: Path, chance: Random, number: int) -> GuideEdit | None:
    """Make the `number`-th edit, at a guide; None where its kind does not fit there."""
    weights = [often for _, often in KINDS.values()]
    kind = chance.choices(list(KINDS), weights)[0]
    made = KINDS[kind][0](_At(guide, root, chance, number))
    return GuideEdit(kind, made.relative_to(root).as_posix()) if made else None
