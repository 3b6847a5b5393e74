"""The demo's agent: a script instead of a model. It lists folders, reads files, greps, and looks
texts up again.

Theory of operation. A script is a generator: it yields a `Move` (what to say, what to call) and is
sent the results of the calls. The results are read from the *rendered request*, as a model would
read them. A result may be shown there in full, as a preview that names its page, as one line, or
not at all. So the next call follows from what the window shows, and the same window always leads to
the same reply."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from loom.inputs import Reply, Speech, ToolCall
from loom.lazy import lazy_re

GLANCE, DEEP = 40, 100  # lines a piece of a file has
LOOKUPS = 12
REST = lazy_re(r"(?:rest in|→) (outputs/[\w.-]+\w)")  # how a window names a page
PLACE = lazy_re(r"(outputs/[\w.-]+\w|step_\d+)(?: lines .+)? \[.+\]")  # and recall what it found
DEFINED = lazy_re(r"^(?:class|def|async def) (\w+)", re.MULTILINE)

TASK = (
    "Survey the standard library of this interpreter, and the modules a context engine leans on."
    " Read them in pieces, check where things are defined, and tell what they define. Never guess:"
    " look it up again when it has left your window."
)
PLAN = (
    "survey the packages",
    "read what threads and files are made of",
    "find where their classes are used",
    "read the modules beside them",
    "look up again what has left the window",
)
# What is read: path, lines a piece, at most so many pieces.
FIRST = (
    ("stdlib/threading.py", GLANCE, 6),
    ("stdlib/pathlib.py", DEEP, 3),
    ("stdlib/subprocess.py", DEEP, 3),
    ("stdlib/copy.py", GLANCE, 2),
    ("stdlib/typing.py", DEEP, 3),
    ("stdlib/codecs.py", GLANCE, 2),
)
PACKAGES = (
    "json", "concurrent", "asyncio", "logging", "email", "http", "importlib", "urllib", "xml",
    "sqlite3", "unittest", "multiprocessing", "collections",
)  # fmt: skip
MODULES = (
    "bisect", "heapq", "json/decoder", "shlex", "textwrap", "contextlib", "functools", "queue",
    "tempfile", "fnmatch", "csv", "dataclasses", "sched", "difflib", "statistics", "tokenize",
    "enum", "random", "argparse", "calendar", "pprint", "selectors",
    "string", "optparse", "pickle", "zipfile", "uuid", "logging/__init__", "inspect", "ast",
    "tarfile",
)  # fmt: skip
LIBRARY = tuple(
    (f"stdlib/{name}.py", DEEP if at % 2 else GLANCE, 6) for at, name in enumerate(MODULES)
)

Call = tuple[str, dict[str, Any]]
Files = Sequence[tuple[str, int, int]]


class Move(NamedTuple):
    """One step of the agent: its words (`say`) and its tool calls as pairs (name, arguments). A
    move without calls ends the session. `doing` is the index of the current plan item. A `note`
    that is not empty replaces the scratchpad."""

    say: str
    calls: tuple[Call, ...] = ()
    doing: int = 0
    note: str = ""


class SeenResult(NamedTuple):
    """A result as a request shows it. `text` is the text shown. `page` is the page with the full
    text, "" for a result shown in full. If `gone` is True, the request does not show the result,
    and `page` is the last page named in a user message of the request, or ""."""

    text: str
    page: str = ""
    gone: bool = False


Script = Generator[Move, tuple[SeenResult, ...], None]


class ScriptedAgent:
    """An agent that follows `demo_script`. `move` is the Move that its last reply was made from."""

    def __init__(self) -> None:
        self.move = Move("")
        self._script = demo_script()
        self._asked: list[str] | None = None
        self._count = 0

    def reply(self, messages: Sequence[dict[str, Any]]) -> Reply:
        """Return the script's next reply to a request with these Chat Completions messages."""
        if self._asked is None:
            self.move = next(self._script)
        else:
            self.move = self._script.send(results_in_request(messages, self._asked))
        calls = [
            ToolCall(f"call_{self._count + at:04d}", name, json.dumps(arguments))
            for at, (name, arguments) in enumerate(self.move.calls, 1)
        ]
        self._count += len(calls)
        self._asked = [call.id for call in calls]
        return Reply((Speech(self.move.say), *calls))


def results_in_request(
    messages: Sequence[dict[str, Any]], asked: Sequence[str]
) -> tuple[SeenResult, ...]:
    """Return what the request shows of the newest result of each call id in `asked`, in the same
    order."""
    found: dict[str, SeenResult] = {}
    pages: list[str] = []
    for message in reversed(messages):
        text = str(message.get("content") or "")
        if message["role"] == "tool":
            rest = REST.search(text)
            found.setdefault(message["tool_call_id"], SeenResult(text, rest[1] if rest else ""))
        elif message["role"] == "user":
            pages += reversed(REST.findall(text))
    lost = SeenResult("", pages[0] if pages else "", gone=True)
    return tuple(found.get(id, lost) for id in asked)


class Notebook(dict[str, list[str]]):
    """The agent's findings: a dict from each file, in the order of reading, to the names it
    defines."""

    def learn(self, path: str, text: str) -> None:
        """Add the names of the classes and functions that `text`, a part of the file `path`,
        defines."""
        known = self.setdefault(path, [])
        known += [name for name in DEFINED.findall(text) if name not in known]

    def __str__(self) -> str:
        """Return the newest six files as a short text, each with the number of its names."""
        newest = list(self.items())[-6:]
        return "read: " + "; ".join(f"{path} ({len(names)} names)" for path, names in newest)

    def first_names(self, files: Files) -> list[tuple[str, str]]:
        """Return pairs (file, name) with the first two names defined in each file that was read."""
        return [(path, name) for path, _, _ in files for name in self.get(path, [])[:2]]


def demo_script() -> Script:
    """Yield the moves of the whole session. The last move has no calls."""
    book = Notebook()
    chapters = (
        survey_packages(),
        read_files(book, FIRST),
        find_uses(book),
        read_files(book, LIBRARY),
        bring_back(book),
    )
    for number, moves in enumerate(chapters):
        move = next(moves, None)
        while move is not None:
            found = yield move._replace(doing=number)
            try:
                move = moves.send(found)
            except StopIteration:
                move = None
    total = sum(map(len, book.values()))
    yield Move(f"{len(book)} modules define {total} names.", (), len(PLAN))


def survey_packages() -> Script:
    """Yield moves that list the standard library, and then its packages, two in each move."""
    yield Move("I list the standard library.", _list_calls("stdlib"))
    for pair in pairwise(PACKAGES):
        yield Move(f"Now {' and '.join(pair)}.", _list_calls(*(f"stdlib/{one}" for one in pair)))


def _list_calls(*paths: str) -> tuple[Call, ...]:
    return tuple(("list_dir", {"path": path}) for path in paths)


def read_files(book: Notebook, files: Files) -> Script:
    """Yield moves that read files in pieces, and page in the middle of a piece shown only as a
    preview."""
    for path, lines, pieces in files:
        for offset in range(1, lines * pieces, lines):
            call = ("read_file", {"path": path, "offset": offset, "limit": lines})
            (found,) = yield Move(f"{path} from line {offset}.", (call,), note=str(book))
            if "is not one of them" in found.text or "no such file" in found.text:
                break
            book.learn(path, found.text)
            if found.page:
                part = {"ref": found.page, "lines": f"{lines // 3}-{2 * lines // 3}"}
                (more,) = yield Move("The middle of it.", (("page_in", part),))
                book.learn(path, more.text)
            elif found.text.count("\n") < lines and not found.gone:
                break


def find_uses(book: Notebook) -> Script:
    """Yield moves that each grep for the definition and the uses of a name the agent has read. The
    tool refuses the malformed pattern of the first move."""
    yield Move("A pattern first.", (_grep_call("class (", "stdlib/json"),))
    for path, name in book.first_names(FIRST):
        calls = (
            _grep_call(rf"^(class|def) {name}\b", path),
            _grep_call(rf"\b{name}\(", "stdlib/asyncio"),
        )
        yield Move(f"Where is {name} used?", calls)


def _grep_call(pattern: str, path: str) -> Call:
    return "grep", {"pattern": pattern, "path": path}


def bring_back(book: Notebook) -> Script:
    """Yield moves that find names whose text has left the window (`recall`) and page the text in
    (`page_in`)."""
    for path, name in book.first_names(LIBRARY)[:LOOKUPS]:
        said = f"Where did I see {name} of {path}?"
        (told,) = yield Move(said, (("recall", {"query": f"def class {name}"}),))
        place, grep = "", rf"(class|def) {name}\b"
        for line in told.text.splitlines():  # the heading before the lines that hold it
            if heading := PLACE.fullmatch(line):
                place = heading[1]
            elif place and re.search(rf"\b{grep}", line):
                yield Move("I bring it back.", (("page_in", {"ref": place, "grep": grep}),))
                break
