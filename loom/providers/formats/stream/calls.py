"""The tool calls of a Chat Completions stream, from deltas.

A delta belongs to the call of its `index`. Not every server counts: some send all parallel calls
with index 0 (https://github.com/ollama/ollama/issues/15457), so a delta that brings a name and
another id than the call of that index begins a new one.
"""

from __future__ import annotations

from loom.providers.formats.stream.growing import Growing
from loom.providers.formats.wire import Wire

_BODIES = ("function", "custom")
_TEXTS = ("arguments", "input")


class StreamedCall:
    """One call: what stands around its body, and the body (`function` or `custom`)."""

    def __init__(self) -> None:
        self.head = Growing()
        self.bodies: dict[str, Body] = {}

    @property
    def id(self) -> str:
        """The id given first or last, empty while there is none."""
        return str(self.head.get("id") or "")

    def take(self, delta: Wire) -> None:
        """Add a delta; fields of servers' own (`extra_content`) are kept beside the body."""
        for name, value in delta.items():
            if name in _BODIES and isinstance(value, dict):
                self.bodies.setdefault(name, Body()).take(value)
            elif name != "index" and value != "":
                self.head.take({name: value})

    def value(self) -> Wire:
        """Return the call in the shape a whole reply has."""
        return self.head.value() | {name: body.value() for name, body in self.bodies.items()}


class Body:
    """A function's name and the text of its arguments, verbatim."""

    def __init__(self) -> None:
        self._rest = Growing(_TEXTS)
        self._name = ""

    def take(self, delta: Wire) -> None:
        """Add a delta. A name repeated whole is the same name; any other continues it."""
        name = delta.get("name")
        if isinstance(name, str) and name != self._name:
            self._name += name
        self._rest.take({key: value for key, value in delta.items() if key != "name"})

    def value(self) -> Wire:
        """Return the name and the arguments."""
        return {"name": self._name, **self._rest.value()}


class Calls:
    """All calls of a reply, by index."""

    def __init__(self) -> None:
        self._calls: list[tuple[int, StreamedCall]] = []
        self._open: dict[int, StreamedCall] = {}
        self._by_id: dict[str, int] = {}

    def take(self, delta: Wire) -> None:
        """Add a delta to the call it belongs to, or begin a call with it."""
        index = self._index(delta)
        call = self._open.get(index)
        if call is None or _begins(delta, call):
            call = self._open[index] = StreamedCall()
            self._calls.append((index, call))
        call.take(delta)
        if call.id:
            self._by_id[call.id] = index

    def value(self) -> list[Wire]:
        """Return the calls by index; those of one index in the order they came."""
        return [call.value() for _, call in sorted(self._calls, key=lambda row: row[0])]

    def _index(self, delta: Wire) -> int:
        """Return a delta's index; without one: that of its id, a new one, or the last."""
        index = delta.get("index")
        if isinstance(index, int):
            return index
        known = self._by_id.get(str(delta.get("id") or ""))
        if known is not None:
            return known
        return len(self._calls) if _name(delta) or not self._calls else self._calls[-1][0]


def _begins(delta: Wire, call: StreamedCall) -> bool:
    """Tell whether a delta starts a call although its index has one."""
    id = str(delta.get("id") or "")
    return bool(_name(delta)) and (id != call.id if id else not call.id)


def _name(delta: Wire) -> str:
    bodies = [delta.get(name) for name in _BODIES]
    return next((str(body.get("name") or "") for body in bodies if isinstance(body, dict)), "")
