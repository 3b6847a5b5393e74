"""Regular expressions that cannot be provoked: every search is linear in the text.

Theory of operation
-------------------
A backtracking matcher can be made to run for ever by the pattern or by the text. So nothing here
backtracks. A pattern is parsed by the standard library's own parser, turned into a graph of nodes
(Thompson's construction), and the graph is walked with all possible nodes at once (a set), one
character at a time. Sets met once are kept as states of an automaton built on the way: a `_State`
is a dictionary from the next character to the next state, and `__missing__` works out an entry the
first time it is needed. The question asked is only *does a line match, and where does the first
match end*, so groups and greediness do not matter.

Whether one character fits a leaf (a class, a letter without case, a dot) is asked of `re` itself,
one character long, so there is no second opinion on Unicode.

What cannot be walked so (back references, look-around, atomic groups), what nests unbounded
repeats, and what would need more than 2,000 nodes is matched literally, and `note` says why. The
walk itself is metered: when a text keeps meeting new sets, the lines after the two-millionth node
are matched literally too.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple, Protocol

_NODES = 2_000  # nodes of one graph
_STATES = 2_000  # states kept before starting over with none
_WORK = 2_000_000  # nodes visited for one search, a second or two

Test = Callable[[str], bool]
Look = Callable[["_Context"], bool]


class _Unusable(Exception):
    """A pattern that is not walked; the message says why, as the end of a sentence."""


class _Context(NamedTuple):
    """What lies around a gap between characters."""

    start: bool  # nothing before
    end: bool  # nothing after
    word_before: bool
    word_after: bool


_LOOKS: dict[Any, Look] = {
    _constants.AT_BEGINNING: lambda gap: gap.start,
    _constants.AT_BEGINNING_STRING: lambda gap: gap.start,
    _constants.AT_END: lambda gap: gap.end,
    _constants.AT_END_STRING: lambda gap: gap.end,
    _constants.AT_BOUNDARY: lambda gap: gap.word_before != gap.word_after,
    _constants.AT_NON_BOUNDARY: lambda gap: gap.word_before == gap.word_after,
}
_PLACES = set(_LOOKS) - {_constants.AT_BOUNDARY, _constants.AT_NON_BOUNDARY}
_LEAVES = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN}
_REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT}
_WHY = {
    _constants.GROUPREF: "it refers back to a group",
    _constants.GROUPREF_EXISTS: "it refers back to a group",
    _constants.ASSERT: "it looks ahead or behind",
    _constants.ASSERT_NOT: "it looks ahead or behind",
    _constants.ATOMIC_GROUP: "it uses an atomic group",
    _constants.POSSESSIVE_REPEAT: "it uses a possessive repeat",
}


class _Node:
    """One node: a character to fit (`test`), a gap to fit (`look`), or a fork when neither."""

    def __init__(self, *after: _Node, test: Test | None = None, look: Look | None = None) -> None:
        self.after, self.test, self.look = list(after), test, look


class _Graph:
    """The nodes of one pattern; built backwards, each part given the node that follows it."""

    def __init__(self, pattern: str, flags: int) -> None:
        with warnings.catch_warnings():  # what the parser finds doubtful is not the caller's news
            warnings.simplefilter("ignore")
            parsed = _parser.parse(pattern, flags)
        self.count = 0
        self.match = _Node()
        self.start = self._sequence(parsed, parsed.state.flags, self.match, False)

    def _node(self, *after: _Node, test: Test | None = None, look: Look | None = None) -> _Node:
        self._spend()
        return _Node(*after, test=test, look=look)

    def _spend(self) -> None:
        self.count += 1
        if self.count > _NODES:
            raise _Unusable("it repeats too much")

    def _sequence(self, items: Iterable[Any], flags: int, after: _Node, looping: bool) -> _Node:
        for item in reversed(list(items)):
            after = self._item(item, flags, after, looping)
        return after

    def _item(self, item: Any, flags: int, after: _Node, looping: bool) -> _Node:
        """Build one parsed item; `looping` tells whether an unbounded repeat lies around it."""
        kind, value = item
        if kind in _LEAVES:
            return self._node(after, test=_leaf(item, flags))
        if kind is _constants.AT:
            if flags & re.ASCII and value not in _PLACES:
                raise _Unusable("it asks for word boundaries in ASCII")
            return self._node(after, look=_LOOKS[value])
        if kind is _constants.BRANCH:
            ways = [self._sequence(way, flags, after, looping) for way in value[1]]
            return self._node(*ways)
        if kind is _constants.SUBPATTERN:
            _, added, removed, items = value
            return self._sequence(items, (flags | added) & ~removed, after, looping)
        if kind in _REPEATS:
            return self._repeat(value, flags, after, looping)
        raise _Unusable(_WHY.get(kind, f"{kind} is not supported"))

    def _repeat(self, value: Any, flags: int, after: _Node, looping: bool) -> _Node:
        least, most, items = value
        if most is _constants.MAXREPEAT:
            if looping:
                raise _Unusable("it nests unbounded repeats")
            loop = self._node(after)
            loop.after.append(self._sequence(items, flags, loop, True))
            after = loop
        else:
            end = after
            for _ in range(most - least):
                after = self._node(self._sequence(items, flags, after, looping), end)
        for _ in range(least):
            self._spend()  # repeating nothing adds no node, and takes time all the same
            after = self._sequence(items, flags, after, looping)
        return after


def _leaf(item: Any, flags: int) -> Test:
    """Ask `re` about one character, and remember the answers."""
    state = _parser.State()
    state.flags = flags
    fits = _compiler.compile(_parser.SubPattern(state, [item])).fullmatch
    known: dict[str, bool] = {}

    def test(char: str) -> bool:
        if char not in known:
            known[char] = fits(char) is not None
        return known[char]

    return test


class _State(dict[str, "_State | None"]):
    """Where a search can be before the next character; "" is the end of the line.

    The value is the state after that character, or None when a match ends before it.
    """

    def __init__(self, search: _Automaton, nodes: frozenset[_Node], start: bool, word: bool):
        super().__init__()
        self.search, self.nodes, self.start, self.word = search, nodes, start, word

    def __missing__(self, char: str) -> _State | None:
        word = char.isalnum() or char == "_"
        gap = _Context(self.start, not char, self.word, word)
        reached = _reach(self.nodes, gap)
        self.search.work += len(reached)
        found: _State | None = None
        if self.search.graph.match not in reached:
            nodes = {node.after[0] for node in reached if node.test and char and node.test(char)}
            found = self.search.state(frozenset({*nodes, self.search.graph.start}), False, word)
        self[char] = found
        return found


def _reach(nodes: Iterable[_Node], gap: _Context) -> set[_Node]:
    """Follow forks and the looks that fit the gap until only characters are left."""
    reached: set[_Node] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            if node.test is None and (node.look is None or node.look(gap)):
                waiting.extend(node.after)
    return reached


class Search(Protocol):
    """A pattern made ready; `note` says when it is matched otherwise than it reads."""

    note: str

    def end(self, line: str) -> int | None:
        """Return where the first match to end in `line` ends; None when there is no match."""
        ...


class _Automaton:
    """A regular expression, walked; `literal` takes over when the walk costs too much."""

    def __init__(self, graph: _Graph, literal: _Literal) -> None:
        self.graph, self.work, self.note = graph, 0, ""
        self._literal = literal
        self._states: dict[tuple[frozenset[_Node], bool, bool], _State] = {}

    def state(self, nodes: frozenset[_Node], start: bool, word: bool) -> _State:
        """Return the one state for these nodes, forgetting all when there are too many."""
        key = (nodes, start, word)
        if key not in self._states:
            if len(self._states) >= _STATES:
                for state in self._states.values():
                    state.clear()
                self._states.clear()
            self._states[key] = _State(self, nodes, start, word)
        return self._states[key]

    def end(self, line: str) -> int | None:
        """Walk the line; see Search."""
        if self.work > _WORK:
            self.note = "the pattern proved too costly; part of the page was matched literally"
            return self._literal.end(line)
        state: _State | None = self.state(frozenset({self.graph.start}), True, False)
        line = line.removesuffix("\r")
        for position, char in enumerate(line):
            state = state[char]  # type: ignore[index]  # None only leaves the loop
            if state is None:
                return position
        return len(line) if state is not None and state[""] is None else None


class _Literal:
    """A plain string."""

    def __init__(self, pattern: str, note: str = "") -> None:
        self.note = note
        self._fold = pattern == pattern.lower()
        self._wanted = pattern

    def end(self, line: str) -> int | None:
        """Look for the string; see Search."""
        at = (line.lower() if self._fold else line).find(self._wanted)
        return None if at < 0 else at + len(self._wanted)


def search_for(pattern: str) -> Search:
    """Make a pattern ready; it ignores case when no letter in it is a capital (`\\W` is none)."""
    fold = not any(char.isupper() for char in re.sub(r"\\.", "", pattern, flags=re.DOTALL))
    try:
        graph = _Graph(pattern, re.IGNORECASE if fold else 0)
        return _Automaton(graph, _Literal(pattern))
    except re.error as error:
        why = f"it is no regular expression: {error}"
    except _Unusable as error:
        why = str(error)
    except (OverflowError, RecursionError):
        why = "it is nested too deep"
    return _Literal(pattern, f"the pattern was matched literally, because {why}")
