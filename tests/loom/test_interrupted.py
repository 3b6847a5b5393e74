"""An interrupt at any line of a call: nothing is lost or doubled, every workspace opens again.

The host does what hosts do: it makes the call again. Whatever the interrupted call had done by
then, the session goes on as if there had been no interrupt.
"""

import gc
import inspect
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import loom
from loom.inputs import Reply, Speech, ToolCall
from loom.session.archive.workspace import Workspace
from tests.kit.cases import SIMULATED, all_cases, each_value
from tests.kit.journal import lawful
from tests.loom.interrupt import Interrupt, Place

COMMITS = (
    "loom/session/archive/workspace.py",
    "loom/session/locking.py",
    "paging/loom_paging/journal.py",
)
# Where time is short, of the lines of these files one in so many, and of all others. Each act
# starts at another line, so that together they come to every line that all of them run through.
NEAR, FAR = 16, 600
WINDOW = 3_000
Act = Callable[[loom.Context], object]


@pytest.fixture(scope="module", autouse=True)
def _frozen() -> None:
    """Exempt what lives by now from the collection that follows each interrupt."""
    gc.collect()
    gc.freeze()


def call(number: int) -> Reply:
    """A reply that runs one command."""
    made = ToolCall(f"call_{number}", "Bash", f'{{"command": "make part{number}"}}')
    return Reply((Speech(f"Part {number}."), made))


def begun(path: Path, results: int) -> None:
    """A session that many results old; the last call of it still waits."""
    with loom.open(path, goal="Build every part.", window=WINDOW, durable=False) as ctx:
        ctx.user("Start.")
        for number in range(results):
            ctx.turn()
            ctx.reply(call(number))
            ctx.result(f"call_{number}", f"output {number}\n" * 60)
        ctx.turn()
        ctx.reply(call(results))


def answer(ctx: loom.Context) -> None:
    """Answer what waits, so that the act under test comes next."""
    for waiting in ctx.calls:
        ctx.result(waiting, "built")


def said(ctx: loom.Context) -> None:
    """Answer, and send it."""
    answer(ctx)
    ctx.turn()


def crowded(ctx: loom.Context) -> None:
    """Fill the window up to where the next turn has to cut."""
    answer(ctx)
    for number in range(100):
        if ctx._engine.cut_decision.fullness(ctx.window) > 0.95:
            return
        ctx.user(f"More {number}: " + "words of the user " * 20)


ALL = loom.Retention(default=0, ttl={"shell": 0}, horizon=0)


def paged(ctx: loom.Context) -> None:
    """Leave pages behind that no window names."""
    answer(ctx)
    for number in range(20, 23):
        ctx.reply(call(number))
        ctx.result(f"call_{number}", f"a line of the output {number}\n" * 60)
        ctx.turn()
    ctx.renew(0)
    ctx.renew(0)


def collected(ctx: loom.Context) -> None:
    """Let them go; the next call removes their files."""
    paged(ctx)
    assert ctx.history.gc(ALL, apply=True).gone


def nothing(ctx: loom.Context) -> None:
    """Come to the act at once."""


def delivered(ctx: loom.Context) -> None:
    """Have a child that has given its result."""
    said(ctx)
    with ctx.agents.spawn("Count.", name="bob") as child:
        child.agents.deliver("Nine.")


def listed(results: int, end: str = "") -> list[dict[str, object]]:
    """The list of a host that keeps the session itself."""
    told: list[dict[str, object]] = [{"role": "user", "content": "Start."}]
    for number in range(results):
        body = {"name": "Bash", "arguments": json.dumps({"command": f"make part{number}"})}
        called = {"id": f"call_{number}", "type": "function", "function": body}
        told.append({"role": "assistant", "content": f"Part {number}.", "tool_calls": [called]})
        output = f"output {number}\n" * 60
        told.append({"role": "tool", "tool_call_id": f"call_{number}", "content": output})
    return [*told, {"role": "user", "content": end}] if end else told


def listed_before(ctx: loom.Context) -> None:
    """Have a list of three results, with a request before the last two."""
    answer(ctx)
    ctx.history.undo(to=0)
    for results in (1, 3):
        ctx.sync(listed(results))


SUMMARY = {"role": "user", "content": "What was done: " + "parts were built; " * 40}

# name: (results before, what comes before the act, the act)
ACTS: dict[str, tuple[int, Act, Act]] = {
    "user": (1, answer, lambda ctx: ctx.user("And document it.")),
    "note": (1, answer, lambda ctx: ctx.working.note("part 1 is slow")),
    "reply": (1, said, lambda ctx: ctx.reply(call(99))),
    "answer": (1, said, lambda ctx: ctx.reply(Reply((Speech("All is built."),)))),
    "result": (1, nothing, lambda ctx: ctx.result("call_1", "built")),
    "large result": (1, nothing, lambda ctx: ctx.result("call_1", "a long line\n" * 400)),
    "turn": (1, answer, lambda ctx: ctx.turn()),
    "turn with a cut": (3, crowded, lambda ctx: ctx.turn()),
    "renew": (3, answer, lambda ctx: ctx.renew()),
    "collect": (1, paged, lambda ctx: ctx.history.gc(ALL, apply=True)),
    "what removes files": (1, collected, lambda ctx: ctx.user("And document it.")),
    "undo": (3, said, lambda ctx: ctx.history.undo(to=2)),
    "spawn": (1, said, lambda ctx: ctx.agents.spawn("Count.", name="bob")),
    "join": (1, delivered, lambda ctx: ctx.agents.join("bob")),
    "fork": (1, said, lambda ctx: ctx.agents.fork("copy")),
    "sync of more": (1, listed_before, lambda ctx: ctx.sync(listed(4))),
    "sync of an edit": (1, listed_before, lambda ctx: ctx.sync(listed(1, "Stop here."))),
    "sync of a summary": (1, listed_before, lambda ctx: ctx.sync([SUMMARY, *listed(3)[-2:]])),
}


def line_of(function: Callable[..., object], number: int) -> int:
    """The number of a line of a function; -1 is its last."""
    lines, first = inspect.getsourcelines(function)
    return first + range(len(lines))[number]


def told(ctx: loom.Context) -> list[str]:
    """What the next request says, but for the numbers of pages and the time of day."""
    messages = repr(ctx.turn().messages)
    plain = re.sub(r"_\d{4}|\d\d:\d\d:\d\d|\d+ tokens left|ρ \d\.\d\d", "#", messages)
    return plain.split("Message(")


def lived(
    path: Path,
    before: Act,
    act: Act,
    at: Place | None,
    error: type[BaseException] = KeyboardInterrupt,
) -> tuple[list[str], dict[Place, int]]:
    """What a session tells in the end, after an interrupt at a line; and the lines of the act."""
    with loom.open(path, durable=False) as ctx:
        before(ctx)
        interrupt = Interrupt(at, error=error)
        try:
            with interrupt:
                made = act(ctx)
        except error:
            gc.collect()  # a child that nobody was given holds its lock until it is collected
            made = act(ctx)
        if isinstance(made, loom.Context):
            made.close()
        answer(ctx)
        shown = told(ctx)
        assert lawful(ctx) == []
        generation = ctx.window.sent.generation
    with loom.open(path, durable=False) as ctx:
        assert told(ctx) == shown
        assert ctx.window.sent.generation == generation
        retired = ctx._engine.workspace.pager.retired
        for entry in ctx._engine.workspace.index.commits:
            try:
                assert ctx.history.restore(entry).name
            except loom.errors.Expired as error:
                assert error.name in retired
        for page in ctx._engine.workspace.pager.table.keys() - retired.keys():
            assert ctx.history.payload(page)
    return shown, interrupt.seen


def places(name: str, path: Path) -> tuple[list[str], list[Place]]:
    """What an act tells when nothing interrupts it, and the lines it runs through."""
    results, before, act = ACTS[name]
    begun(path / "template", results)
    shutil.copytree(path / "template", path / "whole")
    shown, seen = lived(path / "whole", before, act, None)
    return shown, list(seen)


def chosen(found: list[Place], start: int = 0) -> list[Place]:
    """Many lines where commits are made, and some of the others, from a start on; in a long run
    all of them."""
    if SIMULATED:
        return found
    commits = [place for place in found if place[0].startswith(COMMITS)]
    others = [place for place in found if not place[0].startswith(COMMITS)]
    return [*commits[start % NEAR :: NEAR], *others[7 * start % FAR :: FAR]]


def _is_told(at: Place) -> bool:
    """True for a place whose failure is no failure of the call: the model is told of it."""
    reads = Workspace.read.__code__
    lines = {line for _, _, line in reads.co_lines() if line}
    return at[0].startswith(
        ("loom/capabilities/events/", "loom/session/archive/page_reader.py")
    ) or (reads.co_filename.endswith(at[0]) and at[1] in lines)


ERRORS = [(name, KeyboardInterrupt) for name in ACTS] + each_value(ACTS, [MemoryError, OSError])


@pytest.mark.timeout(3_600)  # in a long run
@all_cases(("name", "error"), ERRORS)
def test_a_call_that_ends_at_any_line_is_made_again(
    name: str, error: type[BaseException], tmp_path: Path
) -> None:
    """Made again after an interrupt at whichever line, or where no memory is left, or no room on
    the disk, a call has happened once.

    No error befalls it where the world is looked at, or a page is read: the model is told of it.
    """
    _, before, act = ACTS[name]
    shown, seen = places(name, tmp_path)
    found = [at for at in seen if error is KeyboardInterrupt or not _is_told(at)]
    some = chosen(found, [*ACTS].index(name))
    print(f"{name}: {error.__name__} at {len(some)} of {len(found)} lines")
    for number, at in enumerate(some):
        path = tmp_path / f"run{number}"
        shutil.copytree(tmp_path / "template", path)
        assert lived(path, before, act, at, error)[0] == shown, at
        shutil.rmtree(path)


@pytest.mark.timeout(3_600)  # in a long run
def test_a_close_interrupted_at_any_line_is_made_again(tmp_path: Path) -> None:
    """Closed again, or not, the workspace can be opened, and nothing is lost or doubled."""
    begun(tmp_path / "template", 1)

    def closed(path: Path, at: Place | None) -> tuple[list[str], dict[Place, int]]:
        ctx = loom.open(path)  # durable: the note of the journal's end is left
        answer(ctx)
        interrupt = Interrupt(at)
        try:
            with interrupt:
                ctx.close()
        except KeyboardInterrupt:
            ctx.close()
        with loom.open(path, durable=False) as again:
            return told(again), interrupt.seen

    shutil.copytree(tmp_path / "template", tmp_path / "whole")
    shown, found = closed(tmp_path / "whole", None)
    some = chosen(list(found))
    print(f"close: interrupted at {len(some)} of {len(found)} lines")
    for number, at in enumerate(some):
        path = tmp_path / f"run{number}"
        shutil.copytree(tmp_path / "template", path)
        assert closed(path, at)[0] == shown, at
        shutil.rmtree(path)


def test_what_an_interrupted_call_did_is_not_shown(tmp_path: Path) -> None:
    """After an interrupt behind the commit the context shows the window from before the call."""
    begun(tmp_path / "w", 1)
    with loom.open(tmp_path / "w", durable=False) as ctx:
        answer(ctx)
        before = ctx.window
        append = ctx._engine.workspace.store.append

        def interrupted(name: str, data: bytes) -> None:
            append(name, data)
            raise KeyboardInterrupt

        ctx._engine.workspace.store.append = interrupted
        with pytest.raises(KeyboardInterrupt):
            ctx.user("Lost?")
        ctx._engine.workspace.store.append = append
        assert ctx.window is before
        ctx.user("Once.")
        assert repr(ctx.turn().messages).count("Once.") == 1
        assert "Lost?" not in repr(ctx.turn().messages)


def test_closing_after_an_interrupt_forgets_the_call(tmp_path: Path) -> None:
    """A host that gives up after Ctrl-C leaves a workspace without the call that did not return."""
    begun(tmp_path / "w", 1)
    with loom.open(tmp_path / "w", durable=False) as ctx:
        answer(ctx)
        commits = ctx._engine.workspace.commits
        acknowledging = ("loom/session/archive/workspace.py", line_of(Workspace.acknowledge, -1))
        with pytest.raises(KeyboardInterrupt), Interrupt(acknowledging):
            ctx.working.note("half done")
    with loom.open(tmp_path / "w", durable=False) as ctx:
        assert ctx._engine.workspace.commits == commits
        assert "half done" not in repr(ctx.turn().messages)


NOTE = "/memories/plan.md"
COMMANDS: dict[str, dict[str, object]] = {
    "insert": {"path": NOTE, "insert_line": 1, "insert_text": "two"},
    "str_replace": {"path": NOTE, "old_str": "one", "new_str": "one and two"},
    "create": {"path": "/memories/new/other.md", "file_text": "new\n"},
    "delete": {"path": NOTE},
    "rename": {"old_path": NOTE, "new_path": "/memories/done/plan.md"},
}


def notes_of(folder: Path) -> dict[str, str]:
    """Every note; a file half made may be left behind, which no view shows."""
    files = (path for path in folder.rglob("[!.]*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in files}


@all_cases("command", COMMANDS)
def test_what_the_model_noted_is_noted_once(command: str, tmp_path: Path) -> None:
    """A reply that is given again after an interrupt anywhere changes the notes once."""
    arguments = json.dumps({"command": command, **COMMANDS[command]})
    reply = Reply((ToolCall("call_1", "memory", arguments),))

    def noted(path: Path, at: Place | None) -> tuple[dict[str, str], dict[Place, int]]:
        (path / "memory" / "notes").mkdir(parents=True)
        (path / "memory" / "notes" / "plan.md").write_text("one\n")
        interrupt = Interrupt(at)
        with loom.open(
            path / "w", capabilities=[loom.Memory(path / "memory")], durable=False
        ) as ctx:
            ctx.user("Note it.")
            ctx.turn()
            try:
                with interrupt:
                    ctx.reply(reply)
            except KeyboardInterrupt:
                ctx.reply(reply)
            ctx.turn()
            [result] = ctx.history.restore(2).results.values()
            assert "[error]" not in result and not ctx.history.restore(2).errors
        return notes_of(path / "memory" / "notes"), interrupt.seen

    whole, seen = noted(tmp_path / "whole", None)
    doing = [
        place
        for place in seen
        if place[0] in ("loom/capabilities/memory/notes.py", "loom/session/tools/notes.py")
    ]
    assert doing
    start = [*COMMANDS].index(command)
    for number, at in enumerate(
        dict.fromkeys(
            [*(doing if SIMULATED else doing[start % 5 :: 5]), *chosen(list(seen), start)]
        )
    ):
        assert noted(tmp_path / str(number), at)[0] == whole, at


def test_a_spawn_made_again_opens_the_same_child(tmp_path: Path) -> None:
    """Interrupted anywhere it leaves one child, named or not, which the call made again gives."""
    for name in ("", "bob"):
        at_all = [None]
        number = 0
        while at_all:
            at = at_all.pop()
            path = tmp_path / f"{name}{number}"
            number += 1
            interrupt = Interrupt(at)
            with loom.open(path, window=WINDOW, durable=False) as ctx:
                try:
                    with interrupt:
                        child = ctx.agents.spawn("Count.", name=name)
                except KeyboardInterrupt:
                    child = None
                gc.collect()  # a child that nobody was given holds its lock until it is collected
                with child or ctx.agents.spawn("Count.", name=name) as child:
                    child.agents.deliver("Nine.")
                assert [one.summary for one in ctx.agents.wait(timeout=0)] == ["Nine."], at
                assert ctx.agents.children == {}
                with ctx.agents.spawn("Count.") as other:
                    assert other.agents.address != child.agents.address
            if at is None:
                agents = "loom/capabilities/agents/"
                rooms = (f"{agents}family", f"{agents}capability")
                found = [place for place in interrupt.seen if place[0].startswith(rooms)]
                at_all = found if SIMULATED else found[::8]
