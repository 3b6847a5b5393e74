"""Facts: typed lines worth keeping of what was said and done."""

from __future__ import annotations

from msgspec import Struct


class Fact(Struct, frozen=True, gc=False, array_like=True):
    """A typed line worth keeping: what an entry mentions, lays down, or did.

    Kinds of what was said: user, rule, question, heading, code (what the user typed, or pasted),
    summary (the host's model of what was folded), told (a client's summary), instruction (of a
    host's or client's message), observation, decision, plan. Of what was done: ran, edit, write,
    read, call, task, closed, error. Of what was named: path, command, name. `more` counts facts
    that were left out.

    `refs` are names that bring it back, parted by spaces. `about` is what it speaks of, in one
    spelling: a command, a file, an item of a list, a line of a message. `came` is what came of it
    (`passes`, `fails (exit 1)`, `+3 −1`, the state of a task), `times` how often; of what was said,
    one and how much behind it was left out. `at` is the entry it is of, 0 in that entry itself.
    """

    kind: str
    text: str
    refs: str = ""
    about: str = ""
    came: str = ""
    times: int = 1
    at: int = 0
