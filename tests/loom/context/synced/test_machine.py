"""Hosts that do anything with their lists: grow, retry, edit, cut, compact, crash; in four formats.

After each act the list is given, and then: what Loom says is what the list says (in a roomy window,
before any compaction), each message has its one entry and that can be restored, nothing is doubled
or left over, the request is lawful, and the list given again changes nothing.
"""

import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import loom
from loom_bench.laws import broken
from loom_partitions.records import Brought
from tests.kit.hosts import (
    FORMATS,
    PLAIN,
    Called,
    Replied,
    Resulted,
    Spelling,
    Told,
    User,
    enveloped,
    said_by,
    said_in,
    wire,
)
from tests.kit.journal import lawful

SPELLINGS = st.builds(Spelling, st.booleans(), st.booleans(), st.booleans())
SEEDS = st.randoms(use_true_random=False)


class Hosts(RuleBasedStateMachine):
    """A host with its list, and the context it gives it to."""

    window = 200_000
    words = 3  # of a result

    @initialize(format=st.sampled_from(FORMATS))
    def begin(self, format: str) -> None:
        """A list of one message."""
        self.folder = tempfile.TemporaryDirectory()
        self.format = format
        self.compacted = False
        self.number = 0
        self.summed: frozenset[str] = frozenset()  # words of messages that summaries stand for
        self.lists: list[tuple[list[Told], frozenset[str]]] = []  # all that were given
        self.told: list[Told] = [User((self.text("task"),))]
        self.ctx = self.opened(window=self.window)
        self.given(PLAIN)

    def teardown(self) -> None:
        """Close, and leave nothing."""
        if hasattr(self, "ctx"):
            self.ctx.close()
            self.folder.cleanup()

    # What hosts do
    @rule(image=st.booleans(), many=st.integers(1, 3), early=st.booleans())
    def says(self, image: bool, many: int, early: bool) -> None:
        """The user says something, told by `ctx.user` before the list has it or not."""
        message = User(tuple(self.text("words") for _ in range(many)), image)
        if early and not self.ctx.calls:
            told = wire(self.format, [message])[-1]
            parts = [one.get("text", one) for one in told.get("parts", ())]
            self.ctx.user(told.get("content") or parts)
        self.told.append(message)
        self.given(PLAIN)

    @rule(
        calls=st.integers(0, 3),
        spoken=st.booleans(),
        own=st.booleans(),
        by=st.sampled_from(["list", "reply", "lost"]),
        early=st.integers(0, 2),
        dropped=st.integers(0, 1),
        random=SEEDS,
    )
    def replies(
        self, calls: int, spoken: bool, own: bool, by: str, early: int, dropped: int, random: Any
    ) -> None:
        """The model replies; the host runs its calls, gives some results itself, drops some."""
        made = tuple(Called(self.text("call_"), f"t{at}", self.text("arg")) for at in range(calls))
        reply = Replied(self.text("reply") if spoken or not made else "", made)
        if by != "list":
            self.took(reply, own)
            if by == "lost":
                self.given(PLAIN)
                return
        self.told.append(reply)
        results = [Resulted(call, self.text("out") * self.words) for call in made]
        if by == "reply":
            for waiting in self.ctx.calls[:early]:
                self.ctx.result(waiting, next(r.text for r in results if _answers(r, waiting)))
        dropped = 0 if early and by == "reply" else min(dropped, len(results))
        results = results[dropped:]
        if self.format != "gemini":
            random.shuffle(results)
        self.told += results
        if dropped or not made:
            self.told.append(User((self.text("instead"),)))
        self.given(PLAIN)

    @rule(how=SPELLINGS, random=SEEDS)
    def retries(self, how: Spelling, random: Any) -> None:
        """The same list, written otherwise."""
        before = self.ctx._engine.workspace.commits
        self.given(how)
        assert self.ctx._engine.workspace.commits == before

    @rule(random=SEEDS, cut=st.booleans())
    def edits(self, random: Any, cut: bool) -> None:
        """A message anywhere says something else; what followed goes on, or is cut off."""
        at = random.randrange(len(self.told))
        cut = cut and isinstance(self.told[at], User)
        match self.told[at]:
            case User():
                self.told[at] = User((self.text("edited"),))
                if cut:
                    del self.told[at + 1 :]
            case Resulted(call=call):
                self.told[at] = Resulted(call, self.text("other") * self.words)
            case Replied(calls=calls):
                self.told[at] = Replied(self.text("reworded"), calls)
        self.given(PLAIN)

    @rule(random=SEEDS)
    def cuts(self, random: Any) -> None:
        """The list ends at a message of the user."""
        users = [at for at, one in enumerate(self.told) if isinstance(one, User)]
        last = random.choice(users) + 1
        del self.told[last:]
        self.given(PLAIN)

    @precondition(lambda self: len(self.told) > 3)
    @rule(
        random=SEEDS,
        how=st.sampled_from(["tail", "alone", "trimmed", "middle"]),
        said=st.booleans(),
    )
    def compacts(self, random: Any, how: str, said: bool) -> None:
        """The client makes room by itself, and says so or not."""
        starts = [at for at, one in enumerate(self.told) if at and isinstance(one, User | Replied)]
        if not starts:
            return
        tail = [] if how == "alone" else self.told[random.choice(starts) :]
        summary = User((self.text("summary") + " of all that was said and done" * 40,))
        gone = self.told[: len(self.told) - len(tail)]
        head = gone[:1] if how == "middle" else []
        alone = how == "trimmed" and isinstance(tail[0], User)
        self.told = tail if alone else [*head, summary, *tail]
        self.summed |= {word for one in gone for word in _words(one)}
        self.compacted = True
        self.given(PLAIN, compacted=True if said else None)

    @rule(
        random=SEEDS,
        cut=st.booleans(),
        more=st.booleans(),
        compacted=st.sampled_from([None, False]),
    )
    def returns(self, random: Any, cut: bool, more: bool, compacted: bool | None) -> None:
        """The list is one it was before, on whichever branch: whole or up to a message of the
        user, and goes on otherwise or not at all."""
        told, self.summed = random.choice(self.lists)
        users = [at for at, one in enumerate(told) if isinstance(one, User)]
        self.told = [*told[: random.choice(users) + 1 if cut and users else len(told)]]
        if more:
            self.told.append(User((self.text("instead"),)))
        self.given(PLAIN, compacted=compacted)

    @rule()
    def restarts(self) -> None:
        """The process of the context begins anew."""
        self.ctx.close()
        self.ctx = self.opened()
        before = self.ctx._engine.workspace.commits
        self.given(PLAIN)
        assert self.ctx._engine.workspace.commits <= before + 1  # it tells of the hour

    # How it is done, and what must hold
    def opened(self, **given: Any) -> loom.Context:
        """The context of the host."""
        return loom.open(Path(self.folder.name) / "w", durable=False, **given)

    def text(self, kind: str) -> str:
        """A word no other message has."""
        self.number += 1
        return f"{kind}{self.number} "[: -1 if kind != "out" else None]

    def took(self, reply: Replied, own: bool) -> None:
        """Give a reply as the provider sent it, with calls of Loom's own in it or before it."""
        mixed = wire(self.format, [reply])
        sent = [one for one in mixed if one.get("role") not in ("system", "developer")]
        value = enveloped(self.format, sent, self.ctx.pressure.tokens)
        if own:
            alone = Replied("", (Called(self.text("call_"), "compact_now", self.text("line")),))
            only = wire(self.format, [alone])
            only = [one for one in only if one.get("role") not in ("system", "developer")]
            self.ctx.reply(enveloped(self.format, only, self.ctx.pressure.tokens))
            self.ctx.turn()
        self.ctx.reply(value)
        assert self.ctx.tools.without_own(value)

    def given(self, how: Spelling, compacted: bool | None = None) -> None:
        """Give the list, and look at all that must hold."""
        turn = self.ctx.sync(wire(self.format, self.told, how), self.format, compacted=compacted)
        request = turn.request(self.format)
        assert broken(self.format, request) == []
        assert lawful(self.ctx) == []
        if self.window > 100_000 and not self.compacted:
            said, told = said_in(self.format, request, self.ctx.tools.own), said_by(self.told)
            assert said == told, [one for one in zip(said, told, strict=False) if one[0] != one[1]]
        self.lists.append(([*self.told], self.summed))
        self.stands_for_the_list(request)
        self.has_entries()
        before = self.ctx._engine.workspace.commits
        again = self.ctx.sync(wire(self.format, self.told, how), self.format)
        assert again.request(self.format) == request
        assert self.ctx._engine.workspace.commits == before

    def stands_for_the_list(self, request: Any) -> None:
        """Nothing is in the request but what the list says and what its summaries stand for, and
        what it says last is there."""
        listed = {word for one in self.told for word in _words(one)}
        ever = {word for told, _ in self.lists for one in told for word in _words(one)}
        said = {*re.findall(r"\w+", repr(request).replace("\\n", " "))}
        assert said & ever <= listed | self.summed
        if isinstance(last := self.told[-1], User):
            assert {*_words(last)} <= said

    def has_entries(self) -> None:
        """Each message has its entry, which says what it says, and no two say the same."""
        listed = [one for one in self.ctx.history.synced if one.role != "system"]
        told = [*_grouped(self.format, self.told)]
        assert len(listed) == len(told)
        for known, one in zip(listed, told, strict=True):
            assert known.entry, one
            found = self.ctx.history.restore(known.entry)
            if isinstance(one, User):
                assert found.text == one.texts[0]
            elif isinstance(one, Replied):
                assert found.reply is not None and [
                    call.name for call in found.reply.calls if call.name not in self.ctx.tools.own
                ] == [call.name for call in one.calls]
                assert one.text in repr(found.reply)
        workspace = self.ctx._engine.workspace
        index = workspace.index
        standing = [
            self.ctx.history.restore(one)
            for one in index.commits
            if not index.is_undone(one)
            and not any(isinstance(record, Brought) for record in workspace.about(one))
        ]
        said = Counter(one.text for one in standing if one.text and not one.text.startswith("["))
        said += Counter(repr(one.reply) for one in standing if one.reply)
        assert [*said.values()] == [1] * len(said), said.most_common(3)


class PressedHosts(Hosts):
    """The same in a small window, with cuts and renewals."""

    window = 8_192
    words = 400


def _words(told: Told) -> list[str]:
    """The words no other message has, of those that are said."""
    texts = told.texts if isinstance(told, User) else (told.text,)
    calls = [call.word for call in told.calls] if isinstance(told, Replied) else []
    return [text.split()[0] for text in (*texts, *calls) if text]


def _answers(result: Resulted, call: Any) -> bool:
    return bool(result.call.name == call.name)


def _grouped(format: str, told: list[Told]) -> list[Told]:
    """The messages of the list: Anthropic's hold all results of a reply."""
    return [
        one
        for at, one in enumerate(told)
        if not (
            format == "anthropic"
            and at
            and isinstance(one, Resulted)
            and isinstance(told[at - 1], Resulted)
        )
    ]


FEWER = settings(max_examples=max(settings().max_examples // 2, 1), stateful_step_count=12)
TestHosts = Hosts.TestCase
TestHosts.settings = FEWER
TestPressedHosts = PressedHosts.TestCase
TestPressedHosts.settings = FEWER
