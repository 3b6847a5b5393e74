"""Facts: typed lines worth keeping of what was said and done."""

from __future__ import annotations

from msgspec import Struct


class Fact(Struct, frozen=True, gc=False, array_like=True):
    """One line worth keeping about an entry, of a certain kind.

    Kinds for what was said: user, rule, question, heading, code (typed or pasted by the user),
    summary (by the host's model, of folded entries), told (by a client, of what it removed),
    instruction (from a host's or client's message), observation, decision, plan. Kinds for what was
    done: ran, edit, write, read, call, task, closed, error. Kinds for what was named: path,
    command, name. The kind `more` counts facts that were left out.

    `refs` are names of pages or entries that have the source, separated by spaces. `about` is the
    subject in a normal form: a command, a file, an item of a list, a line of a message. `came` is
    the outcome (`passes`, `fails (exit 1)`, `+3 −1`, the state of a task). `times` counts how often
    a thing was done; for what was said, it is 1 + the number of facts left out after this fact.
    `at` is the id of the fact's entry, 0 inside that entry itself."""

    kind: str
    text: str
    refs: str = ""
    about: str = ""
    came: str = ""
    times: int = 1
    at: int = 0
