"""Projects to live in: copies of real trees, each with files to work on and folders of others.

A tree given as guides alone gets what an agent works on: source files beside the guides and below
them. Into every copy come folders that are not the project's own, with guides of their own: one
installed, one copied in, one that git ignores, one that is a repository by itself.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

from msgspec import Struct

from benchmarks.measures.guides.ground_truth import NAMES, NOT_OWN
from loom_bench.sessions.material import Material

FOREIGN = ("node_modules/left-pad", "third_party/zlib", "scratch", "plugin")
IGNORED, REPOSITORY = "scratch", "plugin"
SOURCE_LINES = (20, 90)


class ProjectTree(Struct, frozen=True):
    """A project on disk: its root, the folders with guides, and those of others.

    `links` are folders reached by another name. What `never` holds stands in files that are quoted
    or lie outside, and is no rule at any time.
    """

    name: str
    root: Path
    folders: tuple[str, ...]
    links: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


def trees_in(folder: Path) -> list[Path]:
    """The projects of a folder: those folders in it that hold a guide. Raises ValueError for none.

    A folder that holds a guide itself is the one project.
    """
    if not folder.is_dir():
        raise ValueError(f"--trees: there is no folder {folder}")
    if any((folder / name).is_file() for name in NAMES):
        return [folder]
    found = [one for one in sorted(folder.iterdir()) if one.is_dir()]
    guided = [one for one in found if any(any(one.rglob(name)) for name in NAMES)]
    if not guided:
        raise ValueError(f"--trees: no project in {folder} has {', '.join(NAMES)}")
    return guided


def copied(source: Path, root: Path, chance: Random) -> ProjectTree:
    """A copy of a real tree. Where git left the target of a link as text, the link is made."""
    for path in sorted(source.rglob("*")):
        if not path.is_file() or ".git" in path.relative_to(source).parts:
            continue
        made = root / path.relative_to(source)
        made.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes()
        target = data.decode("utf-8", "replace")
        if path.name in NAMES and "\n" not in target and (path.parent / target).is_file():
            made.symlink_to(target)
        else:
            made.write_bytes(data)
    guides = {one.parent for name in NAMES for one in root.rglob(name)}
    folders = sorted(one.relative_to(root).as_posix() for one in guides)
    return furnished(ProjectTree(source.name, root, tuple(folders)), chance)


def furnished(tree: ProjectTree, chance: Random) -> ProjectTree:
    """Put in what an agent works on, the folders of others, and make it a git repository."""
    root, material = tree.root, Material(chance)
    for folder in ("tools", *tree.folders):
        for name in ("core.py", "parts/detail.py"):
            source(root / folder / name, material)
    for at, folder in enumerate(FOREIGN):
        rules = [f"- Foreign rule {at}-{n}: {material.sentence()}" for n in range(4)]
        source(root / folder / "index.py", material)
        (root / folder / "AGENTS.md").write_text("\n".join(["# Others", "", *rules, ""]), "utf-8")
    with (root / ".gitignore").open("a", encoding="utf-8") as file:
        file.write(f"\n/{IGNORED}/\n")
    for at_root in (root / REPOSITORY, root):
        subprocess.run(["git", "init", "-q", str(at_root)], check=True, capture_output=True)
    return tree


def source(path: Path, material: Material) -> None:
    """Write a source file where there is none."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = material.code(material.rng.randint(*SOURCE_LINES))
        path.write_text("\n".join([*lines, ""]), "utf-8")


def plain_folders(tree: ProjectTree) -> list[str]:
    """The folders of the project that hold no guide when the life begins."""
    inner = (f"{one}/parts" if one != "." else "parts" for one in tree.folders)
    return ["tools", "tools/parts", *(one for one in inner if not NOT_OWN & {*one.split("/")})]
