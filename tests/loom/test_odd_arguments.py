"""Every public method, given values no argument is meant to have: an answer, or a LoomError.

Methods and their parameters are found by introspection, so a new one is tried as well; what else a
call needs is in USUAL. After an error the journal is as before, and opens with the same request.
"""

import errno
import inspect
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.capabilities.agents.spawn_order import Opening
from tests.kit.cases import SIMULATED, all_cases
from tests.kit.spoilt import nested
from tests.kit.step import calls
from tests.loom.test_after_close import KINDS, OF_CAPABILITIES


class OwnText(str):
    """A text of a class of its own."""


class OwnNumber(int):
    """A whole number of a class of its own."""


# What a parameter without a default is given when another is the odd one.
USUAL: dict[str, Any] = {
    "text": "x", "content": "x", "reply": "x", "stream": [], "prompt_tokens": 100, "call": "open",
    "value": "x", "id": "q", "window": 12_000, "outcome": "x", "what": "x", "ref": "user_0001",
    "query": "line", "goal": "x", "items": ["x"], "question": "x", "summary": "x", "key": "k",
    "why": "x", "topic": "a.b", "process": os.getpid(), "seconds": 1.0, "disposition": "ignore",
    "entry": 1, "to": 1, "tools": {"name": "t"}, "embedder": None, "pages": {"a": b"x"},
    "error": Exception("prompt is too long: 9 tokens > 8 maximum"), "timeout": 0.0, "idle": 0.0,
}  # fmt: skip
# Of the one that is spawned, and of a skill.
NAMES = dict.fromkeys(("child", "give_up", "join", "interrupt"), "kid")
# What `**more` may hold.
MORE = {
    **dict.fromkeys(("spawn", "child", "fork"), (*Opening.__annotations__, "nope")),
    "page_in": ("lines", "grep", "pointer", "nope"),
    "request": ("config", "model", "stream", "nope"),
}
# Values no argument is meant to have, each made anew: generators are used up, lists change.
ODD: dict[str, Callable[[], object]] = {
    "None": lambda: None,
    "True": lambda: True,
    "-1": lambda: -1,
    "2**70": lambda: 2**70,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "nothing": lambda: "",
    "a surrogate": lambda: "\ud800",
    "bytes": lambda: b"x",
    "no UTF-8": lambda: b"\xff\xfe\x00\xff",
    "gapped bytes": lambda: memoryview(b"abcdef")[::2],
    "nested": lambda: nested("x", 5_000),
    "an object": object,
    "a type": lambda: int,
    "an own text": lambda: OwnText("x"),
    "an own number": lambda: OwnNumber(3),
    "a generator": lambda: (one for one in (1, "a", None)),
    "a set": lambda: {1},
    "a dict": lambda: {1: object()},
    "a megabyte": lambda: "x" * (1 << 20),
    "5,000 digits": lambda: "9" * 5_000,
    "a path with NUL": lambda: Path("a\0b"),
}
QUICK = ("timeout", "idle")  # so that nothing waits
LONGEST = 4_000  # characters of a message
Call = Callable[[Any], object]


def methods() -> Iterator[tuple[str, str]]:
    """Every public method of a context and its namespaces that is given anything."""
    for place, kind in KINDS.items():
        moments = OF_CAPABILITIES if issubclass(kind, loom.Capability) else set[str]()
        for name, held in inspect.getmembers_static(kind):
            public = callable(held) and not name.startswith("_") and name not in moments
            if public and len(inspect.signature(held).parameters) > 1:
                yield place, name


def odd_calls(place: str, name: str) -> Iterator[tuple[str, Call]]:
    """A call for each parameter and each odd value, by what is odd about it."""
    asked = [*inspect.signature(getattr(KINDS[place], name)).parameters.values()][1:]
    plain = [one for one in asked if one.kind is not one.VAR_KEYWORD]
    more = MORE[name] if len(plain) < len(asked) else ()
    for odd in (*(one.name for one in plain), *more):
        for said, make in ODD.items():

            def call(target: Any, odd: str = odd, make: Callable[[], object] = make) -> object:
                given, named = [], {}
                for one in plain:
                    if one.name == odd:
                        value = make()
                    elif one.kind is one.VAR_POSITIONAL:
                        continue
                    elif one.name == "name":
                        value = NAMES.get(name, "other")
                    elif one.default is one.empty or one.name in QUICK:
                        value = USUAL.get(one.name)
                    else:
                        value = one.default
                    if one.kind is one.KEYWORD_ONLY:
                        named[one.name] = value
                    else:
                        given.append(value)
                if odd in more:
                    named[odd] = make()
                return getattr(target, name)(*given, **named)

            yield f"{odd}={said}", call


def opened(folder: Path) -> loom.Context:
    """The session below `folder`, with a project of guides and skills."""
    return loom.open(
        folder / "w", window=16_000, goal="Go.", durable=False, project=folder / "project",
        capabilities=[loom.Memory(folder / "m")],
    )  # fmt: skip


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a session that has something of everything, and a call that waits."""
    folder = tmp_path_factory.mktemp("session")
    skill = folder / "project" / ".agents" / "skills" / "k"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: k\ndescription: Cut a release.\n---\nTag it.\n")
    (folder / "project" / "AGENTS.md").write_text("- Run `make test` before committing.\n")
    with opened(folder) as ctx:
        ctx.user("a line\n" * 400)
        ctx.memory.save("It is so.")
        ctx.agents.spawn("Read.", name="kid", durable=False).close()
        ctx.turn()
        ctx.reply(calls("open"))
    return folder


def told(ctx: loom.Context) -> str:
    """What the next request says, once what waits is given up."""
    ctx.abandon()
    return repr(ctx.turn().messages)


def journal(folder: Path) -> bytes:
    """All that was recorded."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("w/journal/*.jsonl")))


class Tried:
    """A copy of the session, opened, and opened anew for the call after one that was answered."""

    def __init__(self, session: Path, folder: Path) -> None:
        self.session, self.folder = session, folder
        self.copies = 0
        self.ctx: loom.Context | None = None

    def context(self) -> loom.Context:
        """The session, as it was when it was copied."""
        if self.ctx is None:
            self.copies += 1
            self.at = self.folder / str(self.copies)
            shutil.copytree(self.session, self.at)
            self.ctx = opened(self.at)
        return self.ctx

    def target(self, place: str) -> Any:
        """The context, one of its namespaces, or its turn."""
        ctx = self.context()
        if place == "turn":
            ctx.abandon()
            return ctx.turn()
        return ctx if place == "ctx" else getattr(ctx, place)

    def close(self) -> None:
        """Close it, and open it once more: whatever was called, it is a session."""
        if self.ctx is not None:
            if not self.ctx._engine.workspace.closed:
                shown = told(self.ctx)
                self.ctx.close()
                with opened(self.at) as again:
                    assert told(again) == shown
            self.ctx = None


def used(answer: object) -> None:
    """Read what is read as one goes, and close what was opened."""
    if inspect.isgenerator(answer):
        list(answer)
    if isinstance(answer, loom.Context):
        answer.close()


@all_cases(("place", "name"), [*methods()], ids=lambda one: str(one))
def test_an_answer_or_a_typed_error(session: Path, tmp_path: Path, place: str, name: str) -> None:
    """After an error nothing was recorded or changed. By default a quarter of them."""
    tried, start = Tried(session, tmp_path), [*methods()].index((place, name)) % 4
    for said, call in odd_calls(place, name) if SIMULATED else [*odd_calls(place, name)][start::4]:
        target = tried.target(place)
        ctx = tried.context()
        before, window = journal(tried.at), ctx.window
        try:
            used(call(target))
        except loom.LoomError as error:
            assert len(str(error)) < LONGEST, said
            assert ctx.window is window and journal(tried.at) == before, said
        except Exception as error:
            pytest.fail(f"{place}.{name}({said}): {error!r:.200}")
        else:
            if journal(tried.at) != before:
                tried.close()
    tried.close()


@all_cases("odd", inspect.signature(loom.open).parameters)
def test_an_opening_or_a_typed_error(tmp_path: Path, odd: str) -> None:
    """Where it is refused nothing is recorded; a name no disk takes is told by the disk."""
    for number, (said, make) in enumerate(ODD.items()):
        given: dict[str, Any] = {"path": tmp_path / str(number), "durable": False}
        if odd == "path" and said in ("nothing", "an own text"):
            continue  # names of folders
        try:
            loom.open(**{**given, odd: make()}).close()
        except loom.LoomError as error:
            assert len(str(error)) < LONGEST, said
            assert not any(path.read_bytes() for path in tmp_path.glob(f"{number}/*/*")), said
        except OSError as error:
            assert odd == "path" and error.errno == errno.ENAMETOOLONG, said
        except Exception as error:
            pytest.fail(f"open({odd}={said}): {error!r:.200}")
