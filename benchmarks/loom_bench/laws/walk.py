"""A walk over the messages of a request that starts where the last one is still right.

Theory of operation
-------------------
The laws of a format are a fold: `step(state, number, message, memory)` gives the state after a
message and what is wrong with it. The state after every message is kept, so a request that begins
with the messages of the one before is walked from the first that differs. Messages are the same
when they are one object, or equal; whoever checks a request must not change its messages
afterwards.

What a message does to the rest of the request is small and immutable, and in the state. Ids stand
in `Memory`, in the order of their messages, so that going back takes the newest away again.

Nobody has vouched for a request: any key may be missing, any value of any type.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import is_
from typing import Any, NamedTuple

from loom.lazy import lazy_re


class WalkMemory:
    """All that must be known of the messages walked so far.

    `used` maps an id to the number of the message that brought it; going back forgets. `beside`
    maps an item to the item it was first seen with; it outlives every request of a session.
    """

    def __init__(self) -> None:
        self.used: dict[str, int] = {}
        self.beside: dict[str, str] = {}

    def use(self, id: str, number: int) -> bool:
        """Note an id; False when an earlier message, or this one, had it."""
        if id in self.used:
            return False
        self.used[id] = number
        return True

    def back_to(self, number: int) -> None:
        """Forget the ids of the message `number` and of all after it."""
        while self.used:
            id, at = self.used.popitem()
            if at < number:
                self.used[id] = at
                return


class Rules(NamedTuple):
    """The laws of a format: of its messages, in order, and of the rest of a request.

    `key` is where the messages stand. `step` is the fold, from `start`; `end` says what is wrong
    after the last message, `rest` what is wrong with everything else. `alone` makes the message
    of a text that stands in place of a list, where the provider takes one.
    """

    key: str
    start: Any
    step: Callable[[Any, int, Any, WalkMemory], tuple[Any, list[str]]]
    end: Callable[[Any, Mapping[str, Any]], list[str]]
    rest: Callable[[Mapping[str, Any]], list[str]]
    alone: Callable[[str], Any] | None = None


class Walk:
    """Checks request after request of one session. `visited` counts the messages walked so far."""

    def __init__(self, rules: Rules) -> None:
        self.visited = 0
        self._rules = rules
        self._messages: list[Any] = []
        self._states: list[Any] = [rules.start]
        self._found: list[tuple[int, str]] = []
        self._memory = WalkMemory()

    def check(self, request: Mapping[str, Any]) -> list[str]:
        """Return the faults of a request, each as where and what; none when lawful."""
        rules = self._rules
        found = rules.rest(request)
        messages = request.get(rules.key)
        if isinstance(messages, str) and rules.alone is not None:
            messages = [rules.alone(messages)]
        if not isinstance(messages, list | tuple) or not messages:
            return [*found, f"{rules.key}: there are none"]
        self._back_to(shared(self._messages, messages))
        for number in range(len(self._messages), len(messages)):
            self._step(number, messages[number])
        found += [line for _, line in self._found]
        return found + rules.end(self._states[-1], request)

    def _step(self, number: int, message: Any) -> None:
        self.visited += 1
        state, found = self._rules.step(self._states[-1], number, message, self._memory)
        self._messages.append(message)
        self._states.append(state)
        self._found += [(number, line) for line in found]

    def _back_to(self, number: int) -> None:
        if number == len(self._messages):
            return
        del self._messages[number:]
        del self._states[number + 1 :]
        self._found = [(at, line) for at, line in self._found if at < number]
        self._memory.back_to(number)


def shared(old: Sequence[Any], new: Sequence[Any]) -> int:
    """How many messages both begin with."""
    for number, same in enumerate(map(is_, old, new)):
        if not same and old[number] != new[number]:
            return number
    return min(len(old), len(new))


Object = Mapping[str, Any]
# (where it stands, its name, its schema; None is a schema left out)
Tool = tuple[str, object, object]

NAME = lazy_re(r"[a-zA-Z0-9_-]{1,64}")


def objects(value: object) -> list[Object]:
    """The objects of a list; nothing when it is none."""
    if not isinstance(value, list | tuple):
        return []
    return [item for item in value if isinstance(item, Mapping)]


def blank(value: object) -> bool:
    """True for any value but a text that is not blank."""
    return not isinstance(value, str) or not value.strip()


def repeated(values: Iterable[str]) -> list[str]:
    """The values that stand there more than once."""
    return [value for value, times in Counter(values).items() if times > 1]


def limit(request: Object, *keys: str, required: bool = False) -> list[str]:
    """The reply's limit, under one of `keys` at most: a whole number above 0."""
    given = [key for key in keys if request.get(key) is not None]
    if len(given) > 1:
        return [f"{' and '.join(given)}: one of them only"]
    if not given:
        return [f"{keys[0]}: it is missing"] if required else []
    value = request[given[0]]
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        return [f"{given[0]}: {value!r} is no whole number above 0"]
    return []


def unnamed(where: str, name: object, lawful: re.Pattern[str]) -> list[str]:
    """Return the fault of a function's name."""
    if isinstance(name, str) and lawful.fullmatch(name):
        return []
    return [f"{where}: the name {name!r} is not of the form {lawful.pattern}"]


def unidentified(where: str, id: object, most: int) -> list[str]:
    """Return the fault of an id of any characters."""
    if isinstance(id, str) and 0 < len(id) <= most:
        return []
    return [f"{where}: the id {id!r} is not a text of 1 to {most} characters"]


def ill_argued(where: str, id: object, arguments: object) -> list[str]:
    """Return the fault of a call's arguments, which are the text of a JSON object (RFC 8259).

    Servers that put them into a template read them: one that is none has the request refused.
    """
    if not isinstance(arguments, str):
        return [f"{where}: the arguments of {id!r} are no text"]
    try:
        value = json.loads(arguments)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # no NaN, no half character
    except (ValueError, RecursionError):
        value = None
    return [] if isinstance(value, dict) else [f"{where}: the arguments of {id!r} are no object"]


def ill_declared(tools: Iterable[Tool], lawful: re.Pattern[str]) -> list[str]:
    """Return the faults of declarations: names, repeated names, schemas."""
    held = list(tools)
    found = [line for where, name, _ in held for line in unnamed(where, name, lawful)]
    names = [name for _, name, _ in held if isinstance(name, str)]
    found += [f"tools: two have the name {name!r}" for name in repeated(names)]
    for where, name, schema in held:
        if schema is None:
            continue
        kind = schema.get("type") if isinstance(schema, Mapping) else None
        if not isinstance(kind, str) or kind.lower() != "object":
            found.append(f"{where}: the schema of {name!r} describes no object")
    return found
