"""The scenarios, a function each. A seed changes every word, name, number and place in them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from benchmarks.pressure.script import (
    AnswerMove,
    MemoryMove,
    PlanMove,
    RenewMove,
    Script,
    ScriptWriter,
    Topic,
    UserMove,
)
from loom.bench.sessions.acts import Act
from loom.bench.sessions.grammar import PlantedFact

RENEWALS = 10  # of the haul
CONSTRAINTS = 10


def needle(writer: ScriptWriter) -> None:
    """Three facts early, three in the middle and three late, in a session of 120 steps."""
    for place in range(9):
        writer.plant()
        if place % 3 == 2:
            writer.constrain()
            writer.fill(37 if place < 8 else 8)


def flood(writer: ScriptWriter) -> None:
    """Fifty large results, one after the other; every fifth says something."""
    writer.constrain()
    for number in range(50):
        if number % 5 == 2:
            writer.plant(lines=150)
        else:
            lines = writer.world.material.log(150)
            command = f"kubectl logs {writer.world.material.name()}"
            writer.work(Act("shell", {"command": command}, "\n".join(lines)))
    writer.constrain()
    writer.fill(3)


def haul(writer: ScriptWriter) -> None:
    """Five hundred steps with ten renewals: facts, constraints and changes all along."""
    for part in range(RENEWALS):
        writer.constrain()
        writer.plant()
        writer.fill(22)
        writer.plant()
        CHANGES[sorted(CHANGES)[part % len(CHANGES)]](writer)
        writer.fill(22)
        writer.add(RenewMove())
    writer.fill(5)


def chatter(writer: ScriptWriter) -> None:
    """Many small messages, to and fro, with a small result now and then."""
    for number in range(160):
        writer.add(
            UserMove(f"{writer.grammar.rng.choice(CHAT)} {writer.world.material.sentence()}")
        )
        if number % 16 == 5:
            writer.plant(lines=3)
        if number % 40 == 9:
            writer.constrain()
        writer.add(AnswerMove(writer.world.material.sentence()))
    writer.add(UserMove("That is all."))


def giant(writer: ScriptWriter) -> None:
    """A result that no window holds, with facts in it, and work that goes on after it."""
    writer.fill(4)
    for lines in (3_000, 6_000):
        first, second = writer.grammar.fact(), writer.grammar.fact()
        text = writer.world.material.log(lines)
        text.insert(lines // 3, f"NOTE {first.statement}")
        text.insert(2 * lines // 3, f"NOTE {second.statement}")
        path = f"var/log/{writer.world.material.name()}.log"
        writer.work(Act("shell", {"command": f"cat {path}"}, "\n".join(text)))
        writer.script.facts += [(writer.at, first), (writer.at, second)]
        writer.constrain()
        writer.fill(12)


def parallel(writer: ScriptWriter) -> None:
    """Replies with four to eight calls at once; one of the results says something."""
    for number in range(30):
        acts = [writer.filler() for _ in range(writer.rng.randint(4, 8))]
        if number % 3 == 1:
            fact = writer.grammar.fact()
            acts[writer.rng.randrange(len(acts))] = writer.telling(fact, 20)
            writer.work(*acts)
            writer.script.facts.append((writer.at, fact))
        else:
            writer.work(*acts)
        if number % 10 == 4:
            writer.constrain()


def updates(writer: ScriptWriter) -> None:
    """Change what was true: files, results, memory, plan, and the user's mind."""
    for number in range(3 * len(CHANGES)):
        CHANGES[sorted(CHANGES)[number % len(CHANGES)]](writer)
        writer.fill(writer.rng.randint(2, 5))
    writer.constrain()
    writer.fill(12)


def foreign(writer: ScriptWriter) -> None:
    """Chinese, Japanese, Korean and emoji, in results and in what the user says."""
    for _ in range(6):
        writer.plant(writer.grammar.foreign(), lines=30)
        writer.work(
            Act("shell", {"command": "cat 说明.md"}, "数据库连接超时，请稍后再试。🚧\n" * 120)
        )
        writer.fill(6)
    writer.constrain()
    writer.fill(6)


def planted(writer: ScriptWriter) -> None:
    """Ten constraints, each in the middle of a longer message, and work between them."""
    for _ in range(CONSTRAINTS):
        writer.constrain()
        writer.fill(7)
    writer.plant()
    writer.fill(4)


# How something changes


def _in_file(writer: ScriptWriter) -> None:
    """A configuration is read, changed by someone or by an edit, and read again."""
    fact = writer.grammar.fact()
    path = f"config/{fact.slug}.toml"
    lines = [f"{writer.world.material.name()} = {n}" for n in range(writer.rng.randint(25, 60))]
    at = writer.rng.randrange(len(lines))

    def read(now: PlantedFact) -> None:
        lines[at] = f'{now.key} = "{now.value}"'
        writer.work(Act("read", {"path": path}, "\n".join(lines)))

    def change(before: PlantedFact, now: PlantedFact) -> None:
        if writer.rng.random() < 0.5:
            old, new = (f'{one.key} = "{one.value}"' for one in (before, now))
            lines[at] = new
            done = f"The file {path} has been updated."
            writer.work(Act("edit", {"path": path, "old": old, "new": new}, done))
        else:
            read(now)

    _changing(writer, fact, read, change)


def _in_result(writer: ScriptWriter) -> None:
    """A command prints settings; later it prints another value."""

    def show(now: PlantedFact) -> None:
        names = [writer.world.material.name() for _ in range(12)]
        lines = [f"{name} = {number}" for number, name in enumerate(names)]
        lines.insert(writer.rng.randrange(12), f"{now.slug}.{now.key} = {now.value}")
        writer.work(Act("shell", {"command": f"settings show {now.slug}"}, "\n".join(lines)))

    _changing(writer, writer.grammar.fact(), show, lambda _, now: show(now))


def _in_memory(writer: ScriptWriter) -> None:
    """A note of the memory partition is written anew under its key."""
    fact = writer.grammar.fact()

    def write(now: PlantedFact) -> None:
        writer.add(MemoryMove(f"notes/{now.slug}.md", now.statement))

    _changing(writer, fact, write, lambda _, now: write(now))


def _in_plan(writer: ScriptWriter) -> None:
    """A step of the plan is written anew."""
    fact = writer.grammar.fact()
    others = [(writer.world.material.sentence(), "todo") for _ in range(2)]

    def write(now: PlantedFact) -> None:
        step = f"set the {now.attribute} of the {now.thing} to {now.value}"
        writer.add(PlanMove(((step, "doing"), *others)))

    _changing(writer, fact, write, lambda _, now: write(now))
    # A later plan drops the step: what it said is no setting that has to stand any more.
    topic = writer.script.topics.pop()
    writer.script.topics = [one for one in writer.script.topics if not _is_plan(writer, one)]
    writer.script.topics.append(topic)


def _is_plan(writer: ScriptWriter, topic: Topic) -> bool:
    return isinstance(writer.script.moves[topic.states[0][0]], PlanMove)


def _in_words(writer: ScriptWriter) -> None:
    """The user settles on a value, and changes his mind."""

    def say(now: PlantedFact, old: str = "") -> None:
        around = [writer.world.material.sentence() for _ in range(3)]
        writer.add(UserMove(writer.grammar.talk(writer.grammar.chosen(now, old), around)))

    _changing(writer, writer.grammar.fact(), say, lambda before, now: say(now, before.value))


def _changing(
    writer: ScriptWriter,
    fact: PlantedFact,
    first: Callable[[PlantedFact], None],
    change: Callable[[PlantedFact, PlantedFact], None],
) -> None:
    """A fact that is told once, then changes once or twice after some work."""
    first(fact)
    topic = Topic([(writer.at, fact)])
    for _ in range(writer.rng.randint(1, 2)):
        writer.fill(writer.rng.randint(2, 6))
        now = writer.grammar.again(fact)
        change(fact, now)
        fact = now
        topic.states.append((writer.at, fact))
    writer.script.topics.append(topic)


CHANGES: dict[str, Callable[[ScriptWriter], None]] = {
    "file": _in_file,
    "memory": _in_memory,
    "plan": _in_plan,
    "result": _in_result,
    "words": _in_words,
}
CHAT = ("Hm.", "And then?", "I see.", "👍", "Could be.", "嗯。", "Really?", "Fine with me.")

SCENARIOS: dict[str, Callable[[ScriptWriter], None]] = {
    "needle": needle,
    "flood": flood,
    "haul": haul,
    "chatter": chatter,
    "giant": giant,
    "parallel": parallel,
    "updates": updates,
    "foreign": foreign,
    "constraints": planted,
}


def script_of(name: str, seed: int, constraints: tuple[str, ...] = ()) -> Script:
    """The script of a scenario. Constraints that are given are planted before any of its own.

    Raises KeyError for a name that is not in SCENARIOS.
    """
    rng = Random(f"{name}:{seed}")
    # Given ones are many; each scenario plants others of them first.
    start = rng.randrange(len(constraints)) if constraints else 0
    writer = ScriptWriter(name, rng, (*constraints[start:], *constraints[:start]))
    SCENARIOS[name](writer)
    return writer.script
