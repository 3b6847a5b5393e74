"""Values that change: each new one is said by a file, the user, an edit, a command or an answer."""

from __future__ import annotations

from msgspec.structs import replace

from loom_bench.scenarios.planter import SETTING, FactPlanter, ToldFact
from loom_bench.session import FactDue


class ChangingThing:
    """Something of which one value follows another. Nothing is said of it before `change`.

    It is asked for in words that fit every value: “what did finance grant” means the first only.
    """

    def __init__(self, planter: FactPlanter, fact: ToldFact) -> None:
        self.planter = planter
        self.script = planter.script
        self.now = replace(fact, question=fact.fill(planter.phrase("current")))
        self.states: list[tuple[str, int, list[int]]] = []  # value, where it is said, when needed

    def change(self) -> None:
        """A message says the first value, or the next: a file that is read, the user unasked or
        asked, an edit, a command."""
        old, firsts = self.now.value, not self.states
        if not firsts:
            self.now = replace(self.now, value=self.planter.value(self.now.kind))
        how = ("file", "aside") if firsts else ("file", "change", "edit", "command", "answer")
        at = self._said(self.planter.rng.choice(how), old)
        self.states.append((self.now.value, at, []))

    def due(self) -> None:
        """The next reply of the model needs what holds now."""
        self.states[-1][-1].append(len(self.script.messages))

    def need(self) -> None:
        """The user may ask for something that needs what holds now; the reply is written too."""
        asked = self.planter.ask(self.now)
        self.due()
        self.planter.reply(self.now, asked=asked)

    def owe(self) -> None:
        """After the last message: what holds is owed at the end, what held only while it did."""
        self.due()
        question = self.now.question
        for value, at, due in self.states:
            if due:
                self.script.owes(FactDue(value, question, at, tuple(due)))
        self.script.changes(question, [(at, value) for value, at, _ in self.states])

    def _said(self, how: str, old: str) -> int:
        """Say what holds now; returns the number of the message that does."""
        planter, fact, rng = self.planter, self.now, self.planter.rng
        match how:
            case "aside":
                return planter.aside(fact)
            case "change":
                return self.script.user(fact.fill(planter.phrase("change"), old=old))
            case "answer":
                self.script.says(fact.fill(planter.phrase("inquiry")))
                return self.script.user(fact.fill(planter.phrase("answer")))
            case "edit":
                tool, given = planter.asking("change", fact)
                after = fact.fill(SETTING)
                given |= {"before": after.replace(fact.value, old), "after": after}
                return self.script.call(tool, given, "ok") - 1  # the call says it, not its result
            case "command":
                tool, given = planter.asking("shell")
                lines = planter.material.log(rng.choice((0, 5, 40)))
                place, said = rng.randint(0, len(lines)), fact.fill(planter.phrase("changed"))
            case _:  # the file that a change would be made in, read
                of = planter.words.tools["code"]
                tool, given = of.name, {of.key: fact.fill(planter.words.tools["change"].given[0])}
                lines = planter.material.code(rng.choice((8, 60, 160)))
                place, said = rng.randint(0, len(lines)), fact.fill(SETTING)
        lines.insert(place, said)
        return self.script.call(tool, given, "\n".join(lines))
