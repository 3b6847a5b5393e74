"""Projects to live in: copies of real trees, or made from a seed; each with files to work on.

A tree given as guides alone gets what an agent works on: source files beside the guides and below
them. Into every copy come folders that are not the project's own, with guides of their own: one
installed, one copied in, one that git ignores, one that is a repository by itself.

Every rule carries a number of its own, so that it can be told from all others. Guides come in three
sizes: with the largest, a window of 16,000 tokens has no room for all of them.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

from msgspec import Struct

from benchmarks.guides.disk import NAMES, NOT_OWN
from loom_bench.sessions.material import NOUNS, VERBS, Material

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


SIZES = (2, 6, 14)  # items of a guide, about; a third of the seeds each
TOP = ("api", "core", "web", "jobs", "lib")
BELOW = ("store", "auth", "views", "tests", "cli")
NEVER = (
    "A rule from outside: it is none of the project's.",
    "This rule is in a file that is quoted only: do not follow it.",
)
# What a guide further up says, and what one closer says instead.
OPPOSITES = (
    ("Indent with tabs.", "Indent with four spaces, never with tabs."),
    ("Run the tests with `make test`.", "Run the tests with `npm test`."),
    ("Always squash commits before a merge.", "Never squash commits before a merge."),
    ("Limit lines to 80 characters.", "Limit lines to 120 characters."),
    ("Do not edit generated files by hand.", "Edit generated files by hand."),
    ("Use pnpm to install packages.", "Do not use pnpm to install packages; use yarn."),
)


class _Guides:
    """Writes guides whose rules are numbered through."""

    def __init__(self, root: Path, chance: Random, size: int) -> None:
        self.root, self.chance, self.size = root, chance, size
        self.material = Material(chance)
        self.number = 0

    def rule(self) -> str:
        """The words of a rule that no other has."""
        self.number += 1
        return f"Rule R{self.number:03d}: {self.material.sentence()}"

    def write(self, path: str, *more: str) -> None:
        """Write a guide: a title, some sections of rules, `more` lines in the first of them."""
        lines = [f"# Working in {path.rpartition('/')[0] or 'this project'}", ""]
        least = max(self.size // 2, 2)
        left = self.chance.randint(least, self.size + least)
        while left > 0:
            some = min(left, self.chance.randint(2, 5))
            verb, noun = self.chance.choice(VERBS), self.chance.choice(NOUNS)
            lines += [f"## How to {verb} a {noun}", "", *more]
            lines += [f"- {self.rule()}" for _ in range(some)]
            lines += ["", f"{self.rule()} {self.rule()}", ""]
            left, more = left - some, ()
        self.text(path, "\n".join(lines))

    def text(self, path: str, text: str) -> None:
        """Write a file."""
        made = self.root / path
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(text, "utf-8")


def made_tree(seed: int, root: Path) -> ProjectTree:
    """The project of a seed, below `root`."""
    chance = Random(f"tree {seed}")
    write = _Guides(root, chance, SIZES[seed % len(SIZES)])
    folders = [".", TOP[seed % len(TOP)], *(name for name in TOP if chance.random() < 0.5)]
    folders = list(dict.fromkeys(folders))
    folders += [
        f"{above}/{name}"
        for above in folders[1:]
        for name in chance.sample(BELOW, chance.randint(1, 2))
    ]
    folders += [f"{above}/deep" for above in chance.sample(folders[1:], 1)]
    more = _conflicts(folders, chance)
    for folder in folders:
        _guide(write, folder, more.get(folder, []))
    outside = root.parent / f"{root.name}-outside.md"
    outside.write_text(f"- {NEVER[0]}\n", "utf-8")
    write.text("docs/style.md", f"# Style\n\n- {write.rule()}\n- {write.rule()}\n\n@naming.md\n")
    write.text("docs/naming.md", f"# Naming\n\n- {write.rule()}\n")
    write.text("docs/never.md", f"# Never\n\n- {NEVER[1]}\n")
    links = _links(root, folders, outside, chance)
    tree = ProjectTree(f"made-{seed}", root, tuple(folders), links, NEVER)
    return furnished(tree, chance)


def _guide(write: _Guides, folder: str, more: list[str]) -> None:
    """The guides of one folder; of the root's, what it imports."""
    at = "" if folder == "." else f"{folder}/"
    if folder == ".":
        quoted = ["```", "@docs/never.md", "```", "Not `@docs/never.md` either.", ""]
        imports = ["Follow @docs/style.md too.", "", "@../repo-outside.md", ""]
        write.write("AGENTS.md", *imports, *quoted, *more)
        return
    kind = write.chance.choices(("plain", "fallback", "override", "none"), (60, 15, 15, 10))[0]
    if more or kind == "plain":
        write.write(f"{at}AGENTS.md", *more)
    elif kind == "fallback":
        write.write(f"{at}CLAUDE.md")
    elif kind == "override":
        write.write(f"{at}AGENTS.md")
        write.write(f"{at}AGENTS.override.md")


def _conflicts(folders: list[str], chance: Random) -> dict[str, list[str]]:
    """The lines that some opposites add to the guides of the folders."""
    more: dict[str, list[str]] = {}
    for above, below in chance.sample(OPPOSITES, 3):
        lower = chance.choice(folders[1:])
        upper = chance.choice([one for one in folders if f"{lower}/".startswith(f"{one}/")] + ["."])
        upper = "." if upper == lower else upper
        more.setdefault(upper, []).append(f"- {above}")
        more.setdefault(lower, []).append(f"- {below}")
    return more


def _links(root: Path, folders: list[str], outside: Path, chance: Random) -> tuple[str, ...]:
    """A folder by another name, a guide that is a link, and one that leads out of the project."""
    inner = chance.choice(folders[1:])
    (root / "alias").symlink_to(root / inner)
    for name, target in (("linked", root / "docs" / "shared.md"), ("astray", outside)):
        (root / name).mkdir()
        (root / name / "AGENTS.md").symlink_to(target)
    text = "# Shared\n\n- A shared rule: ask before you change a schema here.\n"
    (root / "docs" / "shared.md").write_text(text, "utf-8")
    (root / "linked" / "CLAUDE.md").symlink_to("AGENTS.md")
    folders += ["linked", "astray"]
    return ("alias",)
