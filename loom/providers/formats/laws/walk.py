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
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import Any, NamedTuple


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
