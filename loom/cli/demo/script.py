"""The script of the demo's agent: survey, measure, read, grep, check itself, and write a report.

Each chapter is a generator of moves and an item of the plan. Reading is by pieces; `GLANCE` and
`DEEP` say how many characters a piece should have. Three deep pieces in a row do not fit a small
window beside everything else, and that, never a call of the agent, is what makes a renewal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from loom.cli.demo.agent import Move, Script
from loom.lazy import lazy_re

GLANCE, DEEP = 1_500, 4_600
FIRST_LINES = 40
DEFINED = lazy_re(r"^(?:class|def|async def) (\w+)", re.MULTILINE)
PLACE = lazy_re(r"(outputs/[\w.-]+\w|step_\d+)(?: lines .+)?")
LOOKUPS = 12

# What is read: path, characters a piece, at most so many pieces.
OWN = (
    ("partitions/window.py", GLANCE, 6),
    ("partitions/message.py", DEEP, 3),
    ("paging/journal.py", DEEP, 3),
    ("paging/lock.py", GLANCE, 2),
    ("loom/engine/engine.py", DEEP, 3),
    ("loom/policy.py", GLANCE, 2),
)
LIBRARY = (
    ("stdlib/bisect.py", GLANCE, 3),
    ("stdlib/heapq.py", DEEP, 5),
    ("stdlib/json/decoder.py", GLANCE, 6),
    ("stdlib/shlex.py", GLANCE, 5),
    ("stdlib/textwrap.py", DEEP, 4),
    ("stdlib/contextlib.py", GLANCE, 8),
    ("stdlib/functools.py", DEEP, 5),
    ("stdlib/queue.py", GLANCE, 6),
    ("stdlib/tempfile.py", DEEP, 5),
    ("stdlib/fnmatch.py", GLANCE, 4),
    ("stdlib/dataclasses.py", DEEP, 6),
    ("stdlib/csv.py", GLANCE, 6),
    ("stdlib/difflib.py", DEEP, 6),
    ("stdlib/sched.py", GLANCE, 4),
    ("stdlib/statistics.py", DEEP, 6),
    ("stdlib/tokenize.py", GLANCE, 6),
    ("stdlib/enum.py", DEEP, 6),
    ("stdlib/random.py", GLANCE, 6),
    ("stdlib/argparse.py", DEEP, 6),
)
COMMANDS = (
    "python --version",
    "wc -l partitions/window.py",
    "wc -l paging/journal.py",
    "python -m tokenize partitions/limits.py",
    "head -n 12 stdlib/this.py",
)
TASK = (
    "Survey the source of this context engine and of the standard library modules it leans on."
    " Read them in pieces, check where things are defined, and write a report of what you found"
    " to scratch/report.md. Never guess: look it up again when it has left your window."
)
PLAN = (
    "survey the packages",
    "measure them",
    "read the engine's own modules",
    "find where its classes are used",
    "read the library modules",
    "look up again what has left the window",
    "write the report",
)


class Notebook:
    """The agent's findings: names by file, in the order it read them."""

    def __init__(self) -> None:
        self.names: dict[str, list[str]] = {}

    def learn(self, path: str, text: str) -> None:
        """Note the classes and functions a text defines."""
        known = self.names.setdefault(path, [])
        known += [name for name in DEFINED.findall(text) if name not in known]

    def __str__(self) -> str:
        """The newest files with how much they define: short enough for a scratchpad."""
        newest = list(self.names.items())[-6:]
        return "read: " + "; ".join(f"{path} ({len(names)} names)" for path, names in newest)

    def symbols(self, files: Iterable[str]) -> Iterator[tuple[str, str]]:
        """(file, name) of two names of each file that was read."""
        for path in files:
            yield from ((path, name) for name in self.names.get(path, [])[:2])


def script() -> Script:
    """The whole session, chapter by chapter."""
    book = Notebook()
    for number, chapter in enumerate(CHAPTERS):
        moves = chapter(book)
        try:
            move = next(moves)
            while True:
                found = yield Move(move.say, move.calls, number, move.note)
                move = moves.send(found)
        except StopIteration:
            continue
    yield Move("The report is in scratch/report.md.", (), len(CHAPTERS))


def survey(book: Notebook) -> Script:
    """List the packages, then the folders the listings show, two at a time."""
    roots = ("loom", "partitions", "paging")
    found = yield Move("I list the three packages.", tuple(listing(root) for root in roots))
    folders = [f"loom/{name}" for name in re.findall(r"^(\w+)/$", found[0].text, re.MULTILINE)]
    folders += ["stdlib/json", "stdlib/concurrent"]
    for at in range(0, len(folders), 2):
        pair = folders[at : at + 2]
        yield Move(f"Now {' and '.join(pair)}.", tuple(listing(folder) for folder in pair))
    yield Move("The whole standard library.", (listing("stdlib"),))


def measure(book: Notebook) -> Script:
    """Run harmless commands; one of them is refused, which the agent takes as an answer."""
    for command in COMMANDS:
        yield Move("I measure.", (running(command),))
    (refused,) = yield Move("And the disk?", (running("df -h"),))
    if "not allowed" in refused.text:
        yield Move("Not allowed; what is?", (running("uname -s"),), note="df is not allowed")


def read_own(book: Notebook) -> Script:
    """The engine's modules, and one that does not exist."""
    for path, size, pieces in OWN:
        yield from reading(book, path, size, pieces)
    missing = yield Move(
        "The scheduler, if there is one.", (("read_file", {"path": "loom/scheduler.py"}),)
    )
    if "no such file" in missing[0].text:
        yield Move("There is none; what does the folder hold?", (listing("loom"),))


def find_uses(book: Notebook) -> Script:
    """Grep for names it saw defined, definition and uses side by side."""
    yield Move("A pattern first.", (("grep", {"pattern": "class (", "path": "partitions"}),))
    for path, name in book.symbols(file for file, _, _ in OWN):
        folder = path.partition("/")[0]
        calls = (
            ("grep", {"pattern": rf"^(class|def) {name}\b", "path": path}),
            ("grep", {"pattern": rf"\b{name}\(", "path": folder}),
        )
        yield Move(f"Where is {name} used?", calls)


def read_library(book: Notebook) -> Script:
    """Modules of the standard library; a glance at one, a deep read of the next."""
    for path, size, pieces in LIBRARY:
        yield from reading(book, path, size, pieces)


def look_up(book: Notebook) -> Script:
    """Bring back by name what has left the window: recall says where, page_in brings it."""
    for path, name in [*book.symbols(file for file, _, _ in LIBRARY)][:LOOKUPS]:
        said = f"Where did I see {name} of {path}?"
        (told,) = yield Move(said, (("recall", {"query": f"def class {name}"}),))
        place = place_of(name, told.text)
        if place:
            grep = rf"(class|def) {name}\b"
            yield Move("I bring it back.", (("page_in", {"ref": place, "grep": grep}),))


def place_of(name: str, recalled: str) -> str:
    """The place whose lines, as recall tells them, hold the definition of a name; "" for none."""
    place = ""
    for line in recalled.splitlines():
        if heading := PLACE.fullmatch(line):
            place = heading[1]
        elif place and re.search(rf"\b(class|def) {name}\b", line):
            return place
    return ""


def report(book: Notebook) -> Script:
    """One section a file, then the whole, then a look at what was written."""
    sections = []
    for path, names in book.names.items():
        section = f"## {path}\n\nDefines {len(names)}: {', '.join(names) or 'nothing'}.\n"
        sections.append(section)
        name = path.replace("/", "_").removesuffix(".py")
        yield Move(f"The section on {path}.", (writing(f"scratch/{name}.md", section),))
    yield Move("All of it.", (writing("scratch/report.md", "\n".join(sections)),))
    yield Move("Is it there?", (listing("scratch"), running("wc -l scratch/report.md")))


CHAPTERS: tuple[Callable[[Notebook], Script], ...] = (
    survey,
    measure,
    read_own,
    find_uses,
    read_library,
    look_up,
    report,
)


def reading(book: Notebook, path: str, size: int, pieces: int) -> Script:
    """Read a file in pieces of about `size` characters; a preview's middle is paged in.

    How many lines the next piece has follows from how long the lines of the last one were.
    """
    offset, lines = 1, FIRST_LINES
    for _ in range(pieces):
        call = ("read_file", {"path": path, "offset": offset, "limit": lines})
        (found,) = yield Move(f"{path} from line {offset}.", (call,), note=str(book))
        if "is not one of them" in found.text:
            return
        book.learn(path, found.text)
        if found.page:
            span = f"{lines // 3}-{2 * lines // 3}"
            (more,) = yield Move(
                "The middle of it.", (("page_in", {"ref": found.page, "lines": span}),)
            )
            book.learn(path, more.text)
        count = found.text.count("\n")
        if not found.page and not found.gone and count < lines:
            return
        offset += lines
        mean = max(len(found.text) / max(count, 1), 12)
        lines = max(int(size / mean), 12) if not found.page else max(lines * 3 // 4, 12)


def listing(path: str) -> tuple[str, dict[str, object]]:
    """A call that lists a folder."""
    return "list_dir", {"path": path}


def writing(path: str, content: str) -> tuple[str, dict[str, object]]:
    """A call that writes a file."""
    return "write_file", {"path": path, "content": content}


def running(command: str) -> tuple[str, dict[str, object]]:
    """A call that runs a command."""
    return "shell", {"command": command}
