"""Scenarios of values that change, and of a user who comes back after days."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from loom_bench.scenarios.planter import SETTING, FactPlanter, PlantedKind, ToldFact
from loom_bench.script import SessionScript
from loom_bench.session import HALVES, FactDue
from loom_bench.words import words_of


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
        self.planter.need(self.now, due=self.due)

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


def superseded(script: SessionScript) -> None:
    """Values that change two or three times, by file, word, edit, command or answer."""
    planter, rng = FactPlanter(script), script.rng
    planter.begin()
    length = rng.randint(70_000, 110_000)
    things = [ChangingThing(planter, fact) for fact in planter.facts(5)]
    # Each thing three or four times: its first value and two or three changes.
    order = [thing for thing in things for _ in range(rng.randint(3, 4))]
    rng.shuffle(order)
    for number, thing in enumerate(order):
        script.work(1, tokens=length * number // len(order))
        thing.change()
        known = [one for one in things if one.states]
        script.work(rng.randint(1, 4))
        if rng.random() < 0.6:
            _alike(planter, rng.choice(known).now)
        script.work(rng.randint(1, 3))
        if rng.random() < 0.65:
            rng.choice(known).need()
    script.work(1, tokens=length)
    planter.end()
    for thing in things:
        thing.owe()


def _alike(planter: FactPlanter, now: ToldFact) -> None:
    """A value of the same kind that was refused, is long past, made up, or of a near namesake."""
    script, rng = planter.script, planter.rng
    use = rng.choice(("rejected", "history", "sample", "namesake"))
    if use == "namesake":
        other = planter.fresh(now.kind, codename=now.subject.split()[0])
        script.call(*planter.result("code", 400, other, rng.random()))
        return
    said = replace(now, value=planter.value(now.kind)).fill(planter.phrase(use))
    if use == "rejected":
        script.user(said)
        return
    tool, given, text = planter.result("code", rng.choice((200, 700)))
    lines = text.split("\n")
    lines.insert(rng.randint(0, len(lines)), f"# {said}")
    script.call(tool, given, "\n".join(lines))


class HandoverWords(Struct, frozen=True):
    """The words of a half: sentences by use, and what is told of the work."""

    phrases: dict[str, tuple[str, ...]]
    kinds: dict[str, PlantedKind]


WORDING = tuple(words_of("standing", dict[str, HandoverWords])[half] for half in HALVES)
EPISODES = ("done", "decided", "open", "fact", "fact", "change", "change", "failure", "failure")


class Handover:
    """A session in three parts: days of work, the user's return and what follows, a second one."""

    def __init__(self, script: SessionScript) -> None:
        self.script = script
        self.rng = script.rng
        self.planter = FactPlanter(script)
        self.words = script.pick(WORDING[:1], WORDING[1:])
        self.facts: list[ToldFact] = []
        self.things: list[ChangingThing] = []
        self.failures: list[tuple[str, str, int, int | None]] = []
        self.rules: list[tuple[str, int]] = []  # what of, number for `lift`

    def write(self) -> None:
        """The whole session."""
        length = self.rng.randint(70_000, 105_000)
        self.planter.begin()
        self._brief()
        for first, last in ((0.03, 0.48), (0.55, 0.9)):
            self._days(int(length * first), int(length * last))
            self.script.work(1)
            self.script.user(self._phrase("return"))
            if last < 0.5:
                self._resume()
        for thing in self.things:
            thing.owe()
        for failure in self.failures:
            self.script.fails(*failure)

    def _phrase(self, use: str) -> str:
        return self.rng.choice(self.words.phrases[use])

    def _brief(self) -> None:
        """The user says what must be kept to."""
        self.script.work(1)
        for template in self.rng.sample(self.words.phrases["rule"], 3):
            subject = self.planter.subject()
            rule = template.format(subject=subject)
            at = self.script.user(self._phrase("lay").format(rule=rule))
            self.rules.append((subject, self.script.rule(rule, at)))
            self.script.work(1)

    def _days(self, begin: int, end: int) -> None:
        """Work, with everything that a return has to give account of strewn over it."""
        episodes = list(EPISODES)
        self.rng.shuffle(episodes)
        for number, episode in enumerate(episodes):
            self.script.work(1, tokens=begin + (end - begin) * number // len(episodes))
            match episode:
                case "fact":
                    self._fact()
                case "change":
                    self._change()
                case "failure":
                    self._failure()
                case _:
                    self._says(episode)
        self.script.work(1, tokens=end)

    def _resume(self) -> None:
        """The account the user asked for, and the first things done after it."""
        known = self.rng.sample(self.facts, min(4, len(self.facts)))
        thing = self.rng.choice(self.things)
        for fact in known:
            self.script.need(fact.value)
        thing.due()
        said = [fact.fill("{subject}: {value}.") for fact in known]
        restated = " ".join(said) if self.rng.random() < 0.5 else ""
        self.script.says(f"{self._phrase('account')} {restated}".strip())
        self.script.user(self._phrase("resume"))
        self.script.work(1)
        self.planter.need(*self.rng.sample([one for one in self.facts if one not in known], 1))
        self.script.work(2)
        self.rng.choice(self.things).need()
        self._lift()

    def _lift(self) -> None:
        """The user takes a rule back."""
        subject, number = self.rules.pop()
        self.script.work(1)
        self.script.lift(number, self.script.user(self._phrase("lift").format(subject=subject)))

    # Episodes.

    def _says(self, kind: str) -> None:
        """The user or the model says what is done (always the model), decided or open."""
        by_user = kind != "done" and self.rng.random() < (0.6 if kind == "decided" else 0.3)
        fact = self.planter.fresh(self.words.kinds[kind])
        if by_user:
            at = self.planter.aside(fact)
        else:
            at = self.script.says(self.planter.said(fact))
            self.script.user(self.planter.phrase("nudge"))
        self._plant(fact, at)

    def _fact(self) -> None:
        fact = self.planter.fresh()
        if self.rng.random() < 0.4:
            self._plant(fact, self.planter.aside(fact))
        else:
            shape = self.rng.choice(("log", "prose", "json", "code"))
            asked = self.planter.result(shape, 900, fact, self.rng.random())
            self._plant(fact, self.script.call(*asked))

    def _plant(self, fact: ToldFact, at: int) -> None:
        self.facts.append(fact)
        self.planter.plant(fact, at)

    def _change(self) -> None:
        """A value, and its next one; the second part of the session changes those of the first."""
        if len(self.things) < 2:
            thing = ChangingThing(self.planter, self.planter.fresh())
            self.things.append(thing)
        else:
            thing = self.rng.choice(self.things)
        for _ in range(1 if thing.states else 2):
            thing.change()
            self.script.work(2)

    def _failure(self) -> None:
        """A check fails. Every second one passes when it is run again; the others stay open."""
        slug = self.planter.subject().lower().replace(" ", "_")
        command = self._phrase("check").format(slug=slug)
        says = self._phrase("broken").format(slug=slug, number=self.rng.randrange(10_000, 99_999))
        log = self.planter.material.log(self.rng.choice((2, 10, 40)))
        at = self._run(command, "\n".join([*log, says, self._phrase("exit")]))
        resolved = None
        if len(self.failures) % 2 == 0:
            self.script.work(self.rng.randint(2, 4))
            resolved = self._run(command, self._phrase("passed").format(slug=slug))
        self.failures.append((command, says, at, resolved))

    def _run(self, command: str, result: str) -> int:
        tool, given = self.planter.asking("shell")
        return self.script.call(tool, dict.fromkeys(given, command), result)


def handover(script: SessionScript) -> None:
    """The user comes back after days: “where were we?”, and everything is needed right after."""
    Handover(script).write()
