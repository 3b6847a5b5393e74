"""Values that change: each new one is said by a file, the user, an edit, a command or an answer."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from loom_bench.scenarios.planter import FactPlanter, ToldFact
from loom_bench.session import FactDue

SETTING = '{slug}.{key} = "{value}"'


class ValueState(Struct):
    """A value, the message that says it, and the moments that need it while it holds."""

    fact: ToldFact
    at: int
    due: list[int]


class ChangingThing:
    """Something of which one value follows another. Nothing is said of it before `change`.

    It is asked for in words that fit every value: “what did finance grant” means the first only.
    """

    def __init__(self, planter: FactPlanter, fact: ToldFact) -> None:
        question = fact.fill(planter.phrase("current"))
        self.planter = planter
        self.first = ToldFact(fact.subject, fact.kind, fact.value, question)
        self.states: list[ValueState] = []

    @property
    def now(self) -> ToldFact:
        """What holds now."""
        return self.states[-1].fact

    def change(self) -> None:
        """A message says the first value, or the next."""
        if self.states:
            first = self.first
            value = self.planter.value(first.kind)
            fact = ToldFact(first.subject, first.kind, value, first.question)
            at = self.planter.rng.choice(CHANGES)(self.planter, fact, self.now.value)
        else:
            fact = self.first
            at = self.planter.rng.choice(FIRSTS)(self.planter, fact, "")
        self.states.append(ValueState(fact, at, []))

    def due(self) -> None:
        """The next reply of the model needs what holds now."""
        self.states[-1].due.append(len(self.planter.script.messages))

    def need(self) -> None:
        """The user may ask for something that needs what holds now; the reply is written too."""
        asked = self.planter.ask(self.now)
        self.due()
        self.planter.reply(self.now, asked=asked)

    def owe(self) -> None:
        """After the last message: what holds is owed at the end, what held only while it did."""
        self.due()
        script = self.planter.script
        for state in self.states:
            if state.due:
                question = self.first.question
                script.owes(FactDue(state.fact.value, question, state.at, tuple(state.due)))
        script.changes(self.first.question, [(one.at, one.fact.value) for one in self.states])


# What says a value: each returns the number of the message that does.


def _by_file(planter: FactPlanter, fact: ToldFact, old: str) -> int:
    """The file that a change would be made in, read."""
    rng = planter.rng
    tool = planter.words.tools["code"]
    path = fact.fill(planter.words.tools["change"].given[0])
    lines = planter.material.code(rng.choice((8, 60, 160)))
    lines.insert(rng.randint(0, len(lines)), fact.fill(SETTING))
    return planter.script.call(tool.name, {tool.key: path}, "\n".join(lines))


def _by_word(planter: FactPlanter, fact: ToldFact, old: str) -> int:
    return planter.script.user(fact.fill(planter.phrase("change"), old=old))


def _by_saying(planter: FactPlanter, fact: ToldFact, old: str) -> int:
    return planter.aside(fact)


def _by_edit(planter: FactPlanter, fact: ToldFact, old: str) -> int:
    tool, given = planter.asking("change", fact)
    after = fact.fill(SETTING)
    given = {**given, "before": after.replace(fact.value, old), "after": after}
    return planter.script.call(tool, given, "ok") - 1  # the call says it, not its result


def _by_command(planter: FactPlanter, fact: ToldFact, old: str) -> int:
    tool, given = planter.asking("shell")
    lines = planter.material.log(planter.rng.choice((0, 5, 40)))
    lines.insert(planter.rng.randint(0, len(lines)), fact.fill(planter.phrase("changed")))
    return planter.script.call(tool, given, "\n".join(lines))


def _by_answer(planter: FactPlanter, fact: ToldFact, old: str) -> int:
    planter.script.says(fact.fill(planter.phrase("inquiry")))
    return planter.script.user(fact.fill(planter.phrase("answer")))


By = Callable[[FactPlanter, ToldFact, str], int]
FIRSTS: tuple[By, ...] = (_by_file, _by_saying)
CHANGES: tuple[By, ...] = (_by_file, _by_word, _by_edit, _by_command, _by_answer)
