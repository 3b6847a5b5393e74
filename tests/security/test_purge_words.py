"""A purge of any word leaves what Loom calls its own: names of files and fields, states, tags."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec import Struct
from msgspec.structs import fields

import loom
from loom.capabilities.agents.event import BusEvent
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.events.inbox import InboxMessage
from loom.cli.app import main
from loom.providers.counts import counter_for
from loom.rewrite.secrets import MARK, SHORTEST
from loom.session.archive.snapshot_document import Snapshot
from loom_partitions import laws
from loom_partitions.records import Record
from tests.kit.cases import all_cases


def schema(kind: Any, seen: set[Any]) -> Iterator[str]:
    """Tags and names of fields of a type and of all it is made of."""
    if kind in seen:
        return
    seen.add(kind)
    if isinstance(kind, type) and issubclass(kind, Struct):
        yield str(kind.__struct_config__.tag)
        for field in fields(kind):
            yield field.encode_name
            yield from schema(field.type, seen)
    for inner in get_args(kind):
        yield from schema(inner, seen)


WRITTEN = (Record, Snapshot, AgentResult, BusEvent, InboxMessage)  # by Loom, as JSON
WORDS = {word for kind in WRITTEN for word in schema(kind, set())} | {"child_id", "result"}
LONG = "and so on, line by line\n" * 100
SAID = "words of a user that no part of Loom says"
STATES = (
    "pending", "normal", "critical", "failed", "renewal", "finish", "collapse", "observation",
    "question", "command", "summary", "resolved", "system", "history", "working", "memory",
    "outputs/", "journa", "napshot", "agent.result", "agent.spawn", "complete", "wr1tten",
)  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with all Loom writes: pages, notes, memories, agents, forks, bus, snapshots."""
    folder = tmp_path_factory.mktemp("kept")
    memory = loom.Memory(folder / "memory")
    with loom.open(
        folder / "work", goal="outputs of agents", window=16_000, durable=False, redact=(),
        capabilities=[memory],
    ) as ctx:  # fmt: skip
        ctx.system("Look at the journal.")
        ctx.user(f"{SAID}: journal, snapshots and outputs\n{LONG}")
        ctx.turn()
        ctx.memory.save("outputs lie in agents")
        ctx.memory.notes.create("/memories/journal/outputs.md", "snapshots")
        with ctx.agents.spawn("Read the journal.", name="journal") as child:
            child.user("the records of agents")
            child.agents.emit("agent.event", {"status": "pending"}, to="main")
            child.agents.deliver("summary of outputs")
        ctx.agents.join("journal")
        ctx.agents.emit("agent.event", {"summary": LONG})
        ctx.agents.fork("outputs", durable=False).close()
        ctx.working.plan(["read the journal", ("agents", "done")])
        ctx.working.ask("q1", "what are snapshots?")
        ctx.working.evidence("e1", "outputs", ["outputs/message_0001.txt"], facts=["agents"])
        ctx.events.signal("s1", "the journal has grown", urgency="critical")
        ctx.renew()
        ctx.user("go on")
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("c1", "Read", '{"path": "src/journal.py"}'),)))
        ctx.result("c1", "class Journal: outputs\n" * 200)
        ctx.turn()
    return folder


def words(folder: Path) -> list[str]:
    """Every name of the layout and of the schema that is long enough to be asked for."""
    names = {part for path in folder.rglob("*") for part in path.relative_to(folder).parts}
    found = sorted({*names, *WORDS, *STATES})
    return [one for one in found if len(one) >= SHORTEST and one not in MARK]


def lawful(work: Path) -> None:
    """It is whole, its laws hold, it opens, is rendered, is renewed, and is whole then."""
    for folder in (work, *work.glob("agents/*"), *work.glob("forks/*")):
        assert main(["check", str(folder)]) == 0
    with loom.open(work, durable=False) as ctx:
        for law in (laws.paired, laws.ordered, laws.counted):
            assert not list(law(ctx.window))
        ctx.user("go on")
        turn = ctx.turn()
        assert turn.request("openai") and turn.request("anthropic")
        ctx.renew()
    assert main(["check", str(work)]) == 0


def purged(base: Path, folder: Path, values: list[str]) -> Path:
    """A copy of the workspace without the values."""
    shutil.copytree(base, folder)
    loom.purge(folder / "work", values, also=[folder / "memory"], durable=False)
    return folder / "work"


def test_a_mark_that_is_longer_than_its_value_is_counted(tmp_path: Path) -> None:
    """A word that stands 3,000 times takes several times its tokens as a mark: the request after
    the purge is within the window all the same."""
    with loom.open(tmp_path / "w", model="gpt-5", window=8_000, durable=False) as ctx:
        for number in range(30):
            ctx.user(f"{number} " + "unicorn " * 100)
            ctx.turn()
            ctx.reply("ok")
    loom.purge(tmp_path / "w", ["unicorn"], durable=False)
    with loom.open(tmp_path / "w", durable=False) as ctx:
        request = ctx.turn().request("openai")["messages"]
        assert sum(counter_for("gpt-5").many([str(one["content"]) for one in request])) < 6_000
        assert not list(laws.counted(ctx.window))


def test_every_word_at_once(kept: Path, tmp_path: Path) -> None:
    """All words of layout and schema are asked for: what is Loom's stands, the rest is gone."""
    all_words = words(kept)
    assert len(all_words) > 150
    work = purged(kept, tmp_path / "w", all_words)
    for name in ("journal/000001.jsonl", "outputs/message_0001.txt", "snapshots", "LOCK"):
        assert (work / name).exists()
    assert not list(work.glob("agents/journal")) and not list(work.glob("forks/outputs"))
    assert b"snapshots" not in (work / "outputs" / "message_0001.txt").read_bytes()
    notes = [path.name for path in (tmp_path / "w" / "memory" / "notes").rglob("*")]
    assert len(notes) == 2 and not {*notes} & {"journal", "outputs.md"}
    lawful(work)


@all_cases("seed", range(3))
def test_a_word(kept: Path, tmp_path: Path, seed: int) -> None:
    """So it is for each of them alone, for parts of them, and for some together."""
    draw = random.Random(seed)
    drawn = draw.sample(words(kept), 3)
    at = draw.randrange(len(drawn[0]) - SHORTEST + 1)
    drawn[0] = drawn[0][at : at + SHORTEST]
    drawn = [one for one in drawn[: draw.choice((1, 3))] if one not in MARK]
    lawful(purged(kept, tmp_path / "w", drawn or ["journal"]))


def test_two_names_never_become_one(tmp_path: Path) -> None:
    """Notes whose names differ by how the value is spelled in them keep names of their own."""
    memory, value = loom.Memory(tmp_path / "memory"), "sk-live-Zq8Lw2Nf5Vt7Xy4Rb9"
    with loom.open(tmp_path / "work", durable=False, redact=(), capabilities=[memory]) as ctx:
        for name in (value, value.encode().hex(), "redacted-purged"):
            ctx.memory.notes.create(f"/memories/{name}.md", f"of {name[:4]}")
    loom.purge(tmp_path / "work", [value], also=[tmp_path / "memory"], durable=False)
    found = {path.name: path.read_text() for path in (tmp_path / "memory" / "notes").iterdir()}
    assert len(found) == 3 and found["redacted-purged.md"] == "of reda"


@all_cases(
    "value", ["zebraQ7  quartz\tviolin9", "zebraQ7\nquartz violin9", "zebraQ7 \r\n  quartz violin9"]
)
def test_blanks_of_a_value_are_one_blank_in_a_fact(tmp_path: Path, value: str) -> None:
    """Facts and digests put a text on one line: the value is found there, too."""
    with loom.open(tmp_path / "w", goal="g", window=8_192, durable=False) as ctx:
        ctx.user("Start.")
        ctx.turn()
        ctx.reply({"role": "assistant", "content": f"The phrase is {value} ok. {'word ' * 300}"})
        for _ in range(3):
            ctx.user("go")
            ctx.turn()
            ctx.reply({"role": "assistant", "content": "ok " * 50})
        ctx.renew(400)
    loom.purge(tmp_path / "w", [value])
    for file in (tmp_path / "w").rglob("*"):
        held = file.read_bytes() if file.is_file() else b""
        assert b"zebraQ7" not in held and b"violin9" not in held, file
