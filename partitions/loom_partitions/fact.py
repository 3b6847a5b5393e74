"""Facts: typed lines worth keeping of what was said and done."""

from __future__ import annotations

from msgspec import Struct


class Fact(Struct, frozen=True, gc=False, array_like=True):
    """A typed line worth keeping: what an entry mentions, decides, or did.

    The kinds of what was said: user, rule, question, heading, code (what the user typed or pasted),
    summary (the host's model on what was folded), told (a client's summary), instruction (of a
    host's or client's message), observation, decision, plan. Of what was done: ran, edit, write,
    read, call, task, closed, error. Of what was named: path, command, name. The kind `more` counts
    facts that were left out.

    `refs` are names of pages or entries that bring the source back, separated by spaces. `about` is
    the subject in a normal form: a command, a file, an item of a list, a line of a message. `came`
    is the outcome (`passes`, `fails (exit 1)`, `+3 −1`, the state of a task). `times` counts how
    often a thing was done; for words, it is 1 + the number of left-out facts that followed them.
    `at` is the id of the fact's entry, 0 inside that entry itself."""

    kind: str
    text: str
    refs: str = ""
    about: str = ""
    came: str = ""
    times: int = 1
    at: int = 0
